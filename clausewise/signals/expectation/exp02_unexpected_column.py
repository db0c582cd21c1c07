"""EXP02: a column is used for which nothing speaks, where another one is clearly asked for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clausewise.expectation.columns_used import ROLES
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.linking.expected_columns import (
    UNLIKELY,
    VERBS,
    clearly_wanted,
    column_reading,
    least_expected,
    words_of,
)
from clausewise.signals.reasons import Grade
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

LIKELY = 0.8
"""Probability from which another column is clearly asked for."""


@signal(
    code="EXP02",
    name="unexpected_column",
    group=Group.QUESTION,
    family="expected_column",
    clauses={Clause.SELECT, Clause.JOIN, Clause.WHERE, Clause.GROUP_BY, Clause.HAVING,
             Clause.ORDER_BY},
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=1,
    reasons={
        "selected": ("A column is selected where another one is asked for.", Grade.STRONG),
        "filtered": ("A column is compared where a condition on another one is asked for.",
                     Grade.STRONG),
        "grouped": ("Groups are made by a column where another one is asked for.", Grade.STRONG),
        "ordered": ("Rows are ordered by a column where another one is asked for.", Grade.STRONG),
    },
)  # fmt: skip
def unexpected_column(case: Case, context: Context) -> Iterator[Finding]:
    """The query uses a column for which nothing in the question speaks, instead of another.

    What it measures
    ----------------
    For every column, how probable it is that a right query selects it, compares it, groups or
    orders by it: learned from gold queries of other databases, from the words of the question and
    the evidence, the names, descriptions, types and keys of the columns. A column that is hardly
    ever used so is reported where another one, that the query does not use so, nearly always is.
    Columns tied by a foreign key or by a join of the query, and in conditions and groups a key and
    what describes its row, stand for one another. Words that the evidence explains otherwise speak
    for nothing.

    Why it points to an error
    -------------------------
    An id where a name is asked for, another date than the one named, another of two columns that
    are alike: the query runs and its rows look right.

    Fires on
    --------
    List the name of every singer. SELECT singer_id FROM singer

    Stays silent on
    ---------------
    List the name of every singer. SELECT name FROM singer

    Does not apply when
    -------------------
    The question says no word of the schema, or is in another language than English.

    How to repair
    -------------
    Use the column that the question names, in the same clause.

    Cost
    ----
    Nothing is run.

    References
    ----------
    SQLens (column ambiguity), SQLDriller (distribution of gold queries).
    """
    read = column_reading(context)
    for number, role in enumerate(ROLES):
        odds = read.expected.log_odds[:, number]
        missing = np.where(read.found.reached[:, number], -np.inf, odds)
        wanted = int(missing.argmax())
        if read.share(wanted, role) < LIKELY or not np.isfinite(missing[wanted]):
            continue
        if read.has_stand_in(wanted, role, read.found.used[:, number]):
            continue
        least = least_expected(read, context, role, UNLIKELY)
        if least is None or not clearly_wanted(read, context, wanted):
            continue
        item, row = least
        of_used, of_wanted = read.share(row, role), read.share(wanted, role)
        yield Finding(
            clause=context.span(item.use.clause, item.use.piece.start, item.use.piece.end),
            reason=role,
            message=(
                f"judging by other questions, a right query would {VERBS[role]} "
                f"{read.name(wanted)}, not {read.name(row)}, as this one does"
            ),
            evidence={
                "used": read.name(row),
                "probability": round(of_used, 3),
                "expected": read.name(wanted),
                "probability_of_expected": round(of_wanted, 3),
                "words": list(words_of(read, context, wanted)),
            },
            suggestion=f"use {read.name(wanted)} instead of {read.name(row)}",
        )
