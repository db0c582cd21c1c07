"""EXP03: a column or table that the question clearly asks for is used nowhere."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clausewise.expectation.columns_gaps import tied_to
from clausewise.expectation.columns_used import ROLES
from clausewise.expectation.columns_words import stem
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.linking.expected_columns import (
    UNLIKELY,
    VERBS,
    ColumnReading,
    clearly_wanted,
    column_reading,
    least_expected,
    words_of,
)
from clausewise.signals.reasons import Grade
from clausewise.types import Case, Clause, ClauseSpan, Cost, Finding, Group, Need

LIKELY = 0.9
"""Probability from which a column is clearly asked for."""
LIKELY_TABLE = 0.99
_CLAUSES = {
    "selected": Clause.SELECT,
    "filtered": Clause.WHERE,
    "grouped": Clause.GROUP_BY,
    "ordered": Clause.ORDER_BY,
}


@signal(
    code="EXP03",
    name="unused_mention",
    group=Group.QUESTION,
    family="expected_column",
    clauses={Clause.SELECT, Clause.WHERE, Clause.GROUP_BY, Clause.ORDER_BY, Clause.FROM,
             Clause.QUERY},
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=1,
    reasons={
        "selected": ("A column that is asked for is used nowhere.", Grade.STRONG),
        "filtered": ("A column of which a condition is asked for is used nowhere.", Grade.STRONG),
        "grouped": ("A column by which groups are asked for is used nowhere.", Grade.MODERATE),
        "ordered": ("A column by which an order or an extreme is asked for is used nowhere.",
                    Grade.STRONG),
        "table": ("A table that is asked for is not read.", Grade.MODERATE),
    },
)  # fmt: skip
def unused_mention(case: Case, context: Context) -> Iterator[Finding]:
    """The question clearly asks for a column or a table that no clause of the query uses.

    What it measures
    ----------------
    For every column, how probable it is that a right query selects it, compares it, groups or
    orders by it, and for every table that it is read: learned from gold queries of other
    databases. What is used in nearly all of them and in no clause of this query is reported.
    Columns tied by a foreign key or by a join of the query, and in conditions and groups a key and
    what describes its row, stand for one another. Words that the evidence explains otherwise speak
    for nothing.

    Why it points to an error
    -------------------------
    A condition, a column or an order that the question names was left out.

    Fires on
    --------
    Which singers are of French nationality? SELECT name FROM singer

    Stays silent on
    ---------------
    Which singers are of French nationality? SELECT name FROM singer WHERE nationality = 'French'

    Does not apply when
    -------------------
    The question says no word of the schema, or is in another language than English.

    How to repair
    -------------
    Use the column in the clause that the finding names.

    Cost
    ----
    Nothing is run.

    References
    ----------
    SQLens (schema linking), SQLDriller (distribution of gold queries).
    """
    read = column_reading(context)
    used = np.asarray(read.found.reached.any(axis=1))
    tied_to_used = tied_to(used, read.found.tied)
    reported: set[int] = set()
    for number, role in enumerate(ROLES):
        odds = np.where(tied_to_used, -np.inf, read.expected.log_odds[:, number])
        row = int(odds.argmax())
        if not np.isfinite(odds[row]) or read.share(row, role) < LIKELY or row in reported:
            continue
        if read.has_stand_in(row, role, used) or not clearly_wanted(read, context, row):
            continue
        # What stands in its place is reported there.
        if least_expected(read, context, role, UNLIKELY) is not None:
            continue
        reported.add(row)
        yield _finding(context, read, row, role)
    yield from _tables(context, read)


def _finding(context: Context, read: ColumnReading, row: int, role: str) -> Finding:
    share = read.share(row, role)
    words = words_of(read, context, row)
    said = f"the question says '{' '.join(words)}': " if words else ""
    return Finding(
        clause=_clause(context, role),
        reason=role,
        message=(
            f"{said}judging by other questions, a right query would {VERBS[role]} "
            f"{read.name(row)}; no clause of this one uses it"
        ),
        evidence={"expected": read.name(row), "probability": round(share, 3), "words": list(words)},
        suggestion=f"use {read.name(row)}",
    )


def _clause(context: Context, role: str) -> ClauseSpan:
    return context.query.root.clause(_CLAUSES[role]) or context.query.span


def _tables(context: Context, read: ColumnReading) -> Iterator[Finding]:
    odds = np.where(read.found.tables, -np.inf, read.expected.table_log_odds)
    place = int(odds.argmax())
    share = 1.0 / (1.0 + float(np.exp(-odds[place])))
    if share < LIKELY_TABLE:
        return
    table = read.expected.words.tables[place]
    if _reads_a_namesake(read, place):
        return
    yield Finding(
        clause=context.query.root.clause(Clause.FROM) or context.query.span,
        reason="table",
        message=(
            f"judging by other questions, a right query would read {table}; this one does not"
        ),
        evidence={"expected": table, "probability": round(share, 3)},
        suggestion=f"read {table}",
    )


def _reads_a_namesake(read: ColumnReading, place: int) -> bool:
    """Whether a table is read whose name says the same in other forms: `visit` for `visitor`."""
    words = read.expected.words.table_words
    wanted = {stem(word) for word in words[place]}
    return any(
        wanted <= {stem(word) for word in words[other]}
        for other in np.flatnonzero(read.found.tables).tolist()
    )
