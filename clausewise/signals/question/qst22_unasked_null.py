"""QST22: rows without a value are kept, or counted as zero, and nobody asked for that."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from clausewise.errors import NotApplicable
from clausewise.question.reading import QuestionReading, read_question
from clausewise.question.tokens import word_set
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.sql.model import Aggregate, Comparison
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

_WITHOUT = frozenset(
    {"null", "empty", "blank", "unknown", "unspecified", "unassigned", "undated", "open", "still",
     "yet", "current", "currently", "active", "ongoing", "zero", "zeros", "even", "including",
     "include", "missing", "absent", "all", "every", "each", "unrated", "pending", "unset", "if",
     "default", "optional", "valid", "permanent", "0", "or"}
)  # fmt: skip
_ZEROS = frozenset({"zero", "zeros", "0", "coalesce", "including", "include", "even", "counted"})
_FILLED = re.compile(r"(?i)\b(?:coalesce|ifnull|nvl)\s*\([^()]*,\s*0(?:\.0)?\s*\)")
_THEN_VALUE = re.compile(r"(?i)\bthen\s+(?!['\d+-])")
_ELSE_ZERO = re.compile(r"(?i)\belse\s+0(?:\.0)?\s+end\b")


@signal(
    code="QST22",
    name="unasked_null",
    group=Group.QUESTION,
    family="null",
    clauses={Clause.WHERE, Clause.HAVING, Clause.JOIN, Clause.SELECT, Clause.ORDER_BY},
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=1,
    reasons={
        "or_null": ("Rows without a value are let through by `OR ... IS NULL`.", "strong"),
        "zero_in_average": ("A missing value counts as zero in an average.", "strong"),
    },
)
def unasked_null(case: Case, context: Context) -> Iterator[Finding]:
    """Rows without a value are kept, or counted as zero, and the question does not say so.

    What it measures
    ----------------
    `column < x OR column IS NULL`, and COALESCE(column, 0) or
    `CASE ... THEN column ELSE 0 END` inside AVG, where neither question nor
    evidence says a word of rows without a value: no denial, no `unknown`, `still`, `open`, `even`,
    `including`, `or`.

    Why it points to an error
    -------------------------
    A row without a date did not happen before one. A missing rating is no rating of zero: the
    average falls.

    Fires on
    --------
    Whose licence expired before May?
    SELECT name FROM ship WHERE ends < '2024-05-01' OR ends IS NULL

    Stays silent on
    ---------------
    Whose licence expired before May, or have none?
    SELECT name FROM ship WHERE ends < '2024-05-01' OR ends IS NULL

    Does not apply when
    -------------------
    The query neither adds rows without a value nor counts them as zero in an average.

    How to repair
    -------------
    Leave out `OR ... IS NULL`; average the column as it is.

    Cost
    ----
    Nothing is run.

    References
    ----------
    None.
    """
    added = list(_null_tests(context))
    zeros = [
        one
        for select in context.query.selects
        for one in select.aggregates
        if one.function == "avg" and _holds_zero(one.piece.text)
    ]
    if not added and not zeros:
        raise NotApplicable("rows without a value are neither kept nor counted as zero")
    reading = read_question(case)
    for aggregate in zeros[:1]:
        if not _ZEROS & _told(reading):
            yield _zero(aggregate, context)
    if _says_so(reading):
        return
    for comparison in added[:1]:
        yield Finding(
            clause=comparison.clause,
            reason="or_null",
            message=f"rows without {comparison.column.name} are kept, and nobody asked for them",
            evidence={"condition": comparison.clause.text},
            suggestion=f"leave out OR {comparison.clause.text}",
        )


def _zero(aggregate: Aggregate, context: Context) -> Finding:
    piece = aggregate.piece
    return Finding(
        clause=context.span(aggregate.clause, piece.start, piece.end),
        reason="zero_in_average",
        message=f"a missing value counts as zero in {piece.text}",
        evidence={"average": piece.text},
        suggestion="average the column as it is: AVG leaves out NULL",
    )


def _null_tests(context: Context) -> Iterator[Comparison]:
    """Yield `IS NULL` after an OR of which the other side compares the same column."""
    for select in context.query.selects:
        for before, one in pairwise(select.comparisons):
            is_null = one.operator == "IS" and not one.negated and one.literals[0].value is None
            same = before.column.table == one.column.table and (
                before.column.name.casefold() == one.column.name.casefold()
            )
            between = context.query.text[before.clause.end : one.clause.start].strip(" ()\n\t")
            if is_null and same and before.operator != "IS" and between.upper() == "OR":
                yield one


def _holds_zero(text: str) -> bool:
    """Whether a missing value, or one that does not meet a condition, becomes 0."""
    chosen = _THEN_VALUE.search(text) is not None and _ELSE_ZERO.search(text) is not None
    return chosen or _FILLED.search(text) is not None


def _says_so(reading: QuestionReading) -> bool:
    denied = bool(reading.negations)
    return denied or bool(_told(reading) & (_WITHOUT | word_set("cues", "negation")))


def _told(reading: QuestionReading) -> set[str]:
    return set(reading.lowers) | set(re.findall(r"[a-z0-9]+", reading.evidence.lower()))
