"""RSLT01: the query's result is empty, or one of its columns is all NULL or all zero."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clausewise.databases.model import QueryResult
from clausewise.errors import NotApplicable, QueryFailed
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.blanks import meets_blanks
from clausewise.sql import from_text, with_prefix
from clausewise.sql.model import Conjunct, Projection, Select
from clausewise.types import Case, Clause, ClauseSpan, Cost, Finding, Group, Level, Need

EMPTY = 0.9
EMPTY_TOGETHER = 0.6
"""Score where no single condition empties the result: perhaps nothing is both."""
ALL_NULL = 0.8
ALL_ZERO = 0.6
AS_STORED = 0.15
"""Score of a column that holds nothing else, or of zeros that are stored and not computed."""
STORED_BLANKS = 0.2
"""Score where a value is compared that is stored with blanks around it."""


@signal(
    code="RSLT01",
    name="abnormal_result",
    group=Group.DATABASE,
    family="value",
    clauses={Clause.SELECT, Clause.WHERE, Clause.JOIN, Clause.HAVING},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=2,
    sets={"sqlens", "sqlens-reference", "redsql"},
)
def abnormal_result(case: Case, context: Context) -> Iterator[Finding]:
    """The result says nothing: it is empty, or a column is all NULL or all zero.

    What it measures
    ----------------
    The rows of the predicted query. Where nothing came out, the conditions of WHERE are left out
    one by one to find the one without which rows pass; the finding then names that condition,
    else the SELECT clause. Where no single condition is to blame, where zeros or NULLs stand so in
    the table, and where a stored value only has blanks around it, the finding counts less.

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
    The query did not run.

    How to repair
    -------------
    Look at the condition named, run the query without it, and compare the values that pass with
    the one that was asked for.

    Cost
    ----
    The query has run anyway; one more statement for each AND part where the result is abnormal.

    References
    ----------
    SQLens, appendix A.1 (abnormal result); RED-SQL; GBV-SQL.
    """
    result = context.result
    if result is None:
        raise NotApplicable("the query did not run")
    if not result.rows:
        yield _finding(context, "empty", None, EMPTY, "the result is empty")
        return
    for position, name in enumerate(result.columns):
        values = [row[position] for row in result.rows]
        if all(value is None for value in values):
            message = f"column {name} is NULL in every row"
            score = AS_STORED if _holds_nothing(context, position) else ALL_NULL
            yield _finding(context, "all_null", position, score, message)
        elif all(_is_zero(value) for value in values):
            message = f"column {name} is zero in every row"
            score = AS_STORED if _is_stored(context, position) else ALL_ZERO
            yield _finding(context, "all_zero", position, score, message)


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
    return shown.column is not None or any(
        aggregate.function in ("min", "max") and aggregate.piece.text == shown.expression.text
        for aggregate in context.query.root.aggregates
    )


def _is_zero(value: object) -> bool:
    return isinstance(value, int | float) and value == 0


def _finding(
    context: Context, kind: str, position: int | None, score: float, message: str
) -> Finding:
    result = context.result or QueryResult((), ())
    culprit, passing = _emptying_conjunct(context)
    if kind == "empty" and culprit is None:
        score = EMPTY_TOGETHER
    if meets_blanks(context):
        score = min(score, STORED_BLANKS)
    if culprit is not None:
        place = context.span(culprit.clause, culprit.piece.start, culprit.piece.end)
        message += f"; without {culprit.piece.text} rows pass"
    else:
        place = _projection(context, position)
    return Finding(
        clause=place,
        score=score,
        message=message,
        evidence={
            "kind": kind,
            "rows": len(result.rows),
            "truncated": result.truncated,
            "emptied_by": None if culprit is None else culprit.piece.text,
            "sql_without_it": passing,
        },
        suggestion=f"check {culprit.piece.text}" if culprit is not None else None,
        level=Level.WARNING if score > STORED_BLANKS else Level.INFO,
    )


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
    if not context.query.selects or context.query.set_operations:
        return None, None
    select = context.query.root
    filters = [part for part in select.conjuncts if part.clause is Clause.WHERE]
    if not filters or not select.sources:
        return None, None
    try:
        if context.keeps_a_row(_relation(context, select, filters)):
            return None, None
        for culprit in filters:
            statement = _relation(context, select, [f for f in filters if f is not culprit])
            if context.keeps_a_row(statement):
                return culprit, statement
    except QueryFailed:
        return None, None  # e.g. a condition that reads an alias of the SELECT clause
    return None, None


def _relation(context: Context, select: Select, filters: Sequence[Conjunct]) -> str:
    where = " AND ".join(f"({part.piece.text})" for part in filters)
    condition = f" WHERE {where}" if where else ""
    source = from_text(context.query, select)
    return f"{with_prefix(context.query)}SELECT 1 {source}{condition} LIMIT 1"
