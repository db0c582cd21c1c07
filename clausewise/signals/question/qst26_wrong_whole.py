"""QST26: a ratio, a share or a mean is taken of another whole than the one that is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clausewise.errors import NotApplicable
from clausewise.question.reading import read_question
from clausewise.question.tokens import word_set
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.units import LONGEST_PIECE, at_most
from clausewise.sql.calculations import Calculation, calculations
from clausewise.sql.model import Query, Select
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

_RATIO = re.compile(
    r"(?i)\bratio (?:of|between)\b.{2,80}?\b(?:to|and)\b"
    r"(?! (?:all|the total|every|total|overall)\b)"
)
_CONDITION = re.compile(r"(?i)\bcase\b|\biif\b|\bfilter\b|[=<>]|\bis\s+(?:not\s+)?null\b|\bin\s*\(")
_WHOLE = re.compile(
    r"(?i)\s*\(?\s*(?:nullif\s*\(\s*)?(?:count\s*\(\s*\*\s*\)|sum\s*\(\s*[\w.\"]+\s*\))"
)
_OF_ALL = re.compile(r"(?i)\s*\(\s*select\s+(?:1\.0\s*\*\s*)?(?:count|sum)\s*\([^()]*\)\s+from\b")
_SUM = re.compile(r"(?i)(?:1\.0\s*\*\s*)?\bsum\s*\(")
_ROWS = re.compile(r"(?i)\s*\(?\s*(?:nullif\s*\(\s*)?count\s*\(\s*\*\s*\)")
_ZERO = re.compile(r"(?i)\b(?:zeros?|0|none taken|as none)\b")
_SHARE = frozenset({"share", "percentage", "percent", "proportion", "portion", "fraction", "rate"})


@signal(
    code="QST26",
    name="wrong_whole",
    group=Group.QUESTION,
    family="question_share",
    clauses={Clause.SELECT, Clause.HAVING, Clause.ORDER_BY},
    needs={Need.QUESTION, Need.DATABASE},
    cost=Cost.PROFILE,
    version=1,
    reasons={
        "ratio": ("`ratio of A to B`: the query divides by the whole, not by B.", "strong"),
        "all_groups": (
            "In groups, what meets a condition is divided by all rows of all groups.",
            "strong",
        ),
        "gaps_divided": (
            "A mean is a sum by COUNT(*), which also counts rows without a value.",
            "strong",
        ),
    },
)
def wrong_whole(case: Case, context: Context) -> Iterator[Finding]:
    """A ratio, a share or a mean is taken of another whole than the one that is asked for.

    What it measures
    ----------------
    `ratio of A to B` beside a division of a conditional sum by the whole. Shares of groups: a
    conditional sum divided by a sub-query over all rows. Means: SUM of a column divided by
    COUNT(*) while some rows have no value in it.

    Why it points to an error
    -------------------------
    Nine late ones to three lost ones are 3.0, whatever there was in all. The share of a group is of
    its own rows. Rows without a value are in no mean.

    Fires on
    --------
    Mean rating? SELECT SUM(rating) * 1.0 / COUNT(*) FROM supplier  -- some have none

    Stays silent on
    ---------------
    Mean rating? SELECT AVG(rating) FROM supplier

    Does not apply when
    -------------------
    The query divides nothing, or no ratio, share or mean is asked for.

    How to repair
    -------------
    Divide by what the question names; use AVG, or COUNT of the column.

    Cost
    ----
    The profiles of the columns that are summed.

    References
    ----------
    None.
    """
    reading = read_question(case)
    divided = [one for one in calculations(context.query) if one.operator == "/"]
    ratio = _RATIO.search(reading.question)
    share = _SHARE & reading.words
    mean = word_set("cues", "average") & reading.words
    if not divided or not (ratio or share or mean):
        raise NotApplicable("no ratio, share or mean is divided")
    for made in at_most(divided):
        if len(made.piece.text) > LONGEST_PIECE:
            continue
        select = _around(made, context.query)
        reason, message = "", ""
        if ratio and _divides_by_whole(made, context.query):
            reason = "ratio"
            message = f"a ratio of two parts is asked for, {made.right.text} is the whole"
        elif share and select.group_by and _divides_by_all(made):
            reason = "all_groups"
            message = f"the part of each group is divided by all rows: {made.right.text}"
        elif mean and not share and not _ZERO.search(f"{reading.question} {reading.evidence}"):
            missing = _missing(made, select, context)
            if missing:
                reason = "gaps_divided"
                message = f"COUNT(*) counts {missing} rows without a value in {made.left.text}"
        if reason:
            clause = context.enclosing_clause(made.piece.start, made.piece.end)
            yield Finding(
                clause=context.span(clause.kind, made.piece.start, made.piece.end),
                reason=reason,
                message=message,
                evidence={"divided": made.left.text, "by": made.right.text},
            )
            return


def _around(made: Calculation, query: Query) -> Select:
    """Return the innermost SELECT that a calculation stands in."""
    holding = [
        select
        for select in query.selects
        if select.piece.start <= made.piece.start and made.piece.end <= select.piece.end
    ]
    return min(holding, key=lambda one: one.piece.end - one.piece.start, default=query.root)


def _divides_by_whole(made: Calculation, query: Query) -> bool:
    rest = query.text[made.right.end :].lstrip().upper()
    return (
        not rest.startswith(("FILTER", "OVER"))
        and _CONDITION.search(made.left.text) is not None
        and _WHOLE.match(made.right.text) is not None
        and _CONDITION.search(made.right.text) is None
    )


def _divides_by_all(made: Calculation) -> bool:
    inner = made.right.text
    return (
        _CONDITION.search(made.left.text) is not None
        and _OF_ALL.match(inner) is not None
        and "where" not in inner.lower()
    )


def _missing(made: Calculation, select: Select, context: Context) -> int:
    """Return how many rows have no value in what is summed and divided by COUNT(*)."""
    if not _SUM.search(made.left.text) or _CONDITION.search(made.left.text):
        return 0
    if not _ROWS.match(made.right.text) or "coalesce" in made.left.text.lower():
        return 0
    summed = [
        use
        for one in select.aggregates
        if one.function == "sum" and made.left.start <= one.piece.start < made.left.end
        for use in one.columns
    ]
    filtered = {
        one.column.name.casefold()
        for one in select.comparisons
        if one.clause.kind is not Clause.SELECT
    }
    return max(
        (
            context.database.profile(use.table, use.column).nulls
            for use in summed
            if use.table and use.column and use.name.casefold() not in filtered
        ),
        default=0,
    )
