"""RSLT01: the query's result is empty, or one of its columns is all NULL or all zero."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clausewise.databases.model import Cell, QueryResult
from clausewise.errors import NotAllChecked
from clausewise.question.reading import read_question
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.blanks import meets_blanks
from clausewise.signals.probes.relations import filters, reaches_rows, relation
from clausewise.signals.units import LONGEST_PIECE, at_most, required, skip_unless
from clausewise.sql.model import Conjunct, Projection
from clausewise.types import Case, Clause, ClauseSpan, Cost, Finding, Group, Need

_SPAN = re.compile(r"(?i)\bjulianday\s*\(.*\)\s*-\s*julianday\s*\(")
_NESTED = re.compile(r"(?i)\bcase\b|\bselect\b")
_HUNDRED = re.compile(r"\b100(?:\.0+)?\b")
_SHARE = frozenset({"share", "percentage", "percent", "proportion", "portion", "fraction"})
_CHANGE = frozenset(
    {"growth", "change", "increase", "decrease", "difference", "grow", "target", "plan", "markup",
     "margin", "compared", "ratio", "capacity", "utilization", "utilisation", "use", "budget"}
)  # fmt: skip
"""Words with which a share may be more than the whole."""
MOST_LEFT_OUT = 50
"""Conditions that are left out one by one; each costs a statement as long as the query."""


@signal(
    code="RSLT01",
    name="abnormal_result",
    group=Group.DATABASE,
    family="value",
    clauses={Clause.SELECT, Clause.WHERE, Clause.JOIN, Clause.HAVING},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=3,
    reasons={
        "emptied_by_one_condition": "The result is empty, and without one condition it is not.",
        "empty_together": "No single condition empties the result: perhaps nothing is both.",
        "all_null": "A column is NULL in every row, where the table holds values.",
        "all_zero": "A column is worked out to zero in every row.",
        "null_in_the_table": "A column is NULL in every row of its table, too.",
        "stored_zero": "A column shows zeros that are stored and not worked out.",
        "negative_span": ("A difference of days is negative in every row.", "strong"),
        "whole_share": "A share is the whole in every row: 1 or 100 percent.",
        "stored_blanks": "A value is compared that is stored with blanks around it.",
    },
    sets={"sqlens", "sqlens-reference", "redsql"},
)
def abnormal_result(case: Case, context: Context) -> Iterator[Finding]:
    """The result says nothing, or cannot be: empty, all NULL, all zero, a negative span of days.

    What it measures
    ----------------
    The rows of the predicted query. Where nothing came out, the conditions of WHERE are left out
    one by one to find the one without which rows pass; the finding then names that condition,
    else the SELECT clause. Where no single condition is to blame, where zeros or NULLs stand so in
    the table, and where a stored value only has blanks around it, the finding counts less. Of
    differences of JULIANDAY: whether all are negative. Of divisions of aggregates, where the
    question asks for a share: whether it is 1 or 100 in every row.

    Why it points to an error
    -------------------------
    People rarely ask for what is not there: an empty result, a sum over no rows or a count of
    zero mostly comes from a wrong value, a wrong column or a wrong join on the way.

    Fires on
    --------
    SELECT MAX(salary) FROM employee WHERE city = 'berlin'  -- NULL: no such city

    Stays silent on
    ---------------
    SELECT MAX(salary) FROM employee WHERE city = 'Berlin'

    Does not apply when
    -------------------
    The query did not run, or it has no SELECT.

    How to repair
    -------------
    Look at the condition named, run the query without it, and compare the values that pass with
    the one that was asked for.

    Cost
    ----
    The query has run anyway; one more statement for each of the first 50 AND parts where the
    result is abnormal.

    References
    ----------
    SQLens, appendix A.1 (abnormal result); RED-SQL; GBV-SQL.
    """
    result = required(context.result, "the query did not run")
    skip_unless(context.query.selects, "the query has no SELECT")
    if not result.rows:
        yield _finding(context, result, None, "the result is empty")
        _say_what_was_left_in(context)
        return
    abnormal = False
    for position, name in enumerate(at_most(result.columns)):
        values = [row[position] for row in result.rows]
        if all(value is None for value in values):
            abnormal = True
            yield _finding(context, result, position, f"column {name} is NULL in every row")
        elif all(_is_zero(value) for value in values):
            abnormal = True
            yield _finding(context, result, position, f"column {name} is zero in every row")
        else:
            yield from _impossible(context, position, [one for one in values if one is not None])
    if abnormal:
        _say_what_was_left_in(context)


def _impossible(context: Context, position: int, values: list[Cell]) -> Iterator[Finding]:
    """Yield that a span of days is negative, or a share the whole."""
    shown = _shown(context, position)
    numbers = [value for value in values if isinstance(value, int | float)]
    text = "" if shown is None else shown.expression.text
    long = len(text) > LONGEST_PIECE
    if shown is None or long or not numbers or len(numbers) < len(values):
        return
    reason, what = "", ""
    if _SPAN.search(text) and not _NESTED.search(text):
        if max(numbers) < 0:
            reason, what = "negative_span", "is negative in every row"
    elif "/" in text and shown.has_aggregate and _asks_for_share(context):
        whole = 100.0 if _HUNDRED.search(text) else 1.0
        if all(number == whole for number in numbers):
            reason, what = "whole_share", f"is {whole:g} in every row"
    if reason:
        yield Finding(
            clause=_projection(context, position),
            reason=reason,
            message=f"{text} {what}",
            evidence={"rows": len(numbers), "most": max(numbers), "least": min(numbers)},
        )


def _asks_for_share(context: Context) -> bool:
    words = read_question(context.case).words
    return bool(_SHARE & words) and not _CHANGE & words


def _say_what_was_left_in(context: Context) -> None:
    """Say where there are more conditions than are left out one by one to find the culprit."""
    conditions = len(filters(context.query.root))
    if conditions > MOST_LEFT_OUT and context.once(_emptying_conjunct)[0] is None:
        raise NotAllChecked(
            f"of {conditions} conditions only the first {MOST_LEFT_OUT} were left out one by one"
        )


def _shown(context: Context, position: int) -> Projection | None:
    """Return the selected expression of a column of the result."""
    projections = context.query.root.projections
    if any(projection.star for projection in projections) or position >= len(projections):
        return None
    return projections[position]


def _holds_nothing(context: Context, position: int) -> bool:
    """Whether the column shown is NULL in every row of its table, whatever the query does."""
    shown = _shown(context, position)
    column = shown.column if shown is not None else None
    if column is None or column.table is None or column.column is None:
        return False
    return not context.database.profile(column.table, column.column).distinct


def _is_stored(context: Context, position: int) -> bool:
    """Whether a bare column is shown, or its MIN or MAX: a value that some row holds."""
    shown = _shown(context, position)
    if shown is None:
        return False
    extremum = shown.aggregate is not None and shown.aggregate.function in ("min", "max")
    return shown.column is not None or extremum


def _is_zero(value: object) -> bool:
    return isinstance(value, int | float) and value == 0


def _finding(context: Context, result: QueryResult, position: int | None, message: str) -> Finding:
    culprit, passing = context.once(_emptying_conjunct)
    if culprit is not None:
        place = context.span(culprit.clause, culprit.piece.start, culprit.piece.end)
        message += f"; without {culprit.piece.text} rows pass"
    else:
        place = _projection(context, position)
    return Finding(
        clause=place,
        reason=_reason(context, result, position, culprit),
        message=message,
        evidence={
            "rows": len(result.rows),
            "truncated": result.truncated,
            "emptied_by": None if culprit is None else culprit.piece.text,
            "sql_without_it": passing,
        },
        suggestion=f"check {culprit.piece.text}" if culprit is not None else None,
    )


def _reason(
    context: Context, result: QueryResult, position: int | None, culprit: Conjunct | None
) -> str:
    if position is None:
        if context.once(meets_blanks):
            return "stored_blanks"
        return "empty_together" if culprit is None else "emptied_by_one_condition"
    null = result.rows[0][position] is None
    if null and _holds_nothing(context, position):
        return "null_in_the_table"
    if not null and _is_stored(context, position):
        return "stored_zero"
    if context.once(meets_blanks):
        return "stored_blanks"
    return "all_null" if null else "all_zero"


def _projection(context: Context, position: int | None) -> ClauseSpan:
    select = context.query.root
    plain = not any(projection.star for projection in select.projections)
    if position is not None and plain and position < len(select.projections):
        piece = select.projections[position].piece
        return context.span(Clause.SELECT, piece.start, piece.end)
    return select.clause(Clause.SELECT) or context.query.span


def _emptying_conjunct(context: Context) -> tuple[Conjunct | None, str | None]:
    """Return the condition of the outermost SELECT without which rows pass, with the statement.

    (None, None) where rows reach the SELECT clause anyway, or no single condition is to blame.
    """
    if context.query.set_operations:
        return None, None
    select = context.query.root
    conditions = filters(select)
    if not conditions or reaches_rows(context, select) is not False:
        return None, None
    for culprit in conditions[:MOST_LEFT_OUT]:
        others = [part for part in conditions if part is not culprit]
        if reaches_rows(context, select, others):
            return culprit, relation(context, select, conjuncts=others)
    return None, None
