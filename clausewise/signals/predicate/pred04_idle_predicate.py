"""PRED04: a condition that every row meets."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotApplicable, QueryFailed
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.sql.model import Comparison, Conjunct, Select, SubqueryFilter
from clausewise.types import Case, Clause, ClauseSpan, Cost, Finding, Group, Level, Need

SAME_COLUMN = 0.95
NOTHING_EXCLUDED = 0.6
"""Score of a negated condition that excludes nothing: the value is probably misspelt."""
ALWAYS_TRUE = 0.4
NOTHING_LISTED = 0.2
"""Score of NOT IN a sub-query that excludes no row: perhaps none should be excluded."""
PRECAUTION = 0.1
"""Score of IS NOT NULL and of `<> ''`, which people write to be safe."""
FEWEST_VALUES = 10
"""In columns with fewer distinct values it says little that all rows meet a condition."""


@signal(
    code="PRED04",
    name="idle_predicate",
    group=Group.DATABASE,
    family="predicate",
    clauses={Clause.WHERE, Clause.HAVING, Clause.JOIN},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=2,
    sets={"redsql"},
)
def idle_predicate(case: Case, context: Context) -> Iterator[Finding]:
    """A condition excludes nothing: it compares a column with itself or every row meets it.

    What it measures
    ----------------
    AND parts that compare a column of one source with itself; for each comparison of a column
    with constants, whether its relation holds any row that does not meet it; and AND parts that
    exclude nothing more once another one has fixed the same column to one value or a few. NOT IN
    with a sub-query is looked at in the same way.

    Why it points to an error
    -------------------------
    A condition is written to choose. One that keeps everything has a wrong column on one side, a
    wrong direction, or excludes a value that the column does not hold as written.

    Fires on
    --------
    SELECT e.name FROM employee e JOIN shop s ON s.id = s.id; year = 2017 AND year NOT IN (2015)

    Stays silent on
    ---------------
    SELECT e.name FROM employee e JOIN shop s ON e.shop_id = s.id

    Does not apply when
    -------------------
    The query has no comparison in WHERE, HAVING or ON that can be run alone, or its column has so
    few distinct values that it means little that all of them pass.

    How to repair
    -------------
    Compare with the other source's column; check the value's spelling and the operator. Drop the
    condition where it is not asked for.

    Cost
    ----
    One statement for each comparison, and one for each pair on the same column, stopped at the
    first row that does not meet it.

    References
    ----------
    RED-SQL, table 1 (idle predicate, level ERROR for a column compared with itself).
    """
    looked_at = False
    for select in context.query.selects:
        for part in select.conjuncts:
            if _compares_with_itself(part):
                looked_at = True
                yield _itself(context, part)
        for comparison in select.comparisons:
            keeps_all = _keeps_every_row(context, comparison)
            looked_at = looked_at or keeps_all is not None
            if keeps_all:
                yield _always(comparison, _probe(context, comparison))
                continue
            fixed = _decided_by(context, select, comparison)
            if fixed is not None:
                looked_at = True
                yield _decided(comparison.clause, fixed.clause)
        for item in select.subquery_filters:
            if not item.negated or item.operator != "IN" or item.subquery.correlated:
                continue
            looked_at = True
            fixed = _decided_by(context, select, item)
            if fixed is not None:
                yield _decided(item.clause, fixed.clause)
            elif _excludes_nothing(context, item):
                yield _nothing(context, item)
    if not looked_at:
        raise NotApplicable("no comparison with a constant can be run alone on a varied column")


def _compares_with_itself(part: Conjunct) -> bool:
    if len(part.columns) != 2 or part.has_subquery:
        return False
    first, second = part.columns
    if first.source is None or first.source is not second.source:
        return False
    between = part.piece.text.removeprefix(first.piece.text).removesuffix(second.piece.text)
    same = first.name.casefold() == second.name.casefold()
    return same and between.strip() in ("=", "==", "<=", ">=", "<>", "!=", "<", ">")


def _itself(context: Context, part: Conjunct) -> Finding:
    return Finding(
        clause=context.span(part.clause, part.piece.start, part.piece.end),
        score=SAME_COLUMN,
        message=f"{part.piece.text} compares a column with itself",
        evidence={"condition": part.piece.text},
        suggestion="put the other source's column on one side",
        level=Level.ERROR,
    )


def _probe(context: Context, comparison: Comparison) -> str:
    text = comparison.clause.text
    source = comparison.column.source
    return "" if source is None else context.row_probe(source, f"({text}) IS NOT TRUE")


def _keeps_every_row(context: Context, comparison: Comparison) -> bool | None:
    """Whether no row fails the comparison; None where that cannot be told or means nothing."""
    source = comparison.column.source
    if source is None or comparison.column.in_aggregate or comparison.column.depth:
        return None
    if comparison.clause.kind is Clause.SELECT or comparison.in_negated_group:
        return None
    if not _varied(context, comparison):
        return None
    try:
        return not context.keeps_a_row(_probe(context, comparison))
    except QueryFailed:
        return None


def _varied(context: Context, comparison: Comparison) -> bool:
    """Whether the column's values differ enough; what excludes nothing counts in any table."""
    column = comparison.column
    if column.table is None or column.column is None:
        return False
    fewest = 2 if _excludes(comparison) else FEWEST_VALUES
    return context.database.profile(column.table, column.column).distinct >= fewest


def _excludes(comparison: Comparison) -> bool:
    return comparison.negated or comparison.operator == "<>"


def _excludes_nothing(context: Context, item: SubqueryFilter) -> bool:
    """Whether every row of the column's table meets `x NOT IN (SELECT ...)`."""
    if item.column is None or item.column.source is None or item.column.depth:
        return False
    try:
        probe = context.row_probe(item.column.source, f"({item.clause.text}) IS NOT TRUE")
        return not context.keeps_a_row(probe)
    except QueryFailed:
        return False


def _nothing(context: Context, item: SubqueryFilter) -> Finding:
    return Finding(
        clause=item.clause,
        score=NOTHING_LISTED,
        message=f"every row meets {item.clause.text}",
        evidence={"condition": item.clause.text, "rows": 0},
        suggestion="check that the sub-query selects what the column holds, and its conditions",
        level=Level.INFO,
    )


def _decided_by(
    context: Context, select: Select, condition: Comparison | SubqueryFilter
) -> Comparison | None:
    """Return the AND part that fixes the same column to values that all meet the condition."""
    column = condition.column
    if column is None or column.source is None or not _is_part(select, condition):
        return None
    for other in select.comparisons:
        same = other.column.source is column.source and other.column.column == column.column
        fixes = other.operator in ("=", "IN") and not other.negated and not other.wrapped
        if other is condition or not (same and fixes and _is_part(select, other)):
            continue
        fixed = f"({other.clause.text})"
        beside = f"{fixed} AND ({condition.clause.text}) IS NOT TRUE"
        try:
            kept = context.keeps_a_row(context.row_probe(column.source, fixed))
            if kept and not context.keeps_a_row(context.row_probe(column.source, beside)):
                return other
        except QueryFailed:
            continue
    return None


def _is_part(select: Select, condition: Comparison | SubqueryFilter) -> bool:
    """Whether the condition is an AND part by itself."""
    place = condition.clause.start, condition.clause.end
    return condition.clause.kind is Clause.WHERE and any(
        (part.piece.start, part.piece.end) == place for part in select.conjuncts
    )


def _decided(clause: ClauseSpan, other: ClauseSpan) -> Finding:
    return Finding(
        clause=clause,
        score=ALWAYS_TRUE,
        message=f"{clause.text} excludes nothing that {other.text} lets through",
        evidence={"condition": clause.text, "decided_by": other.text},
        suggestion="check which value is asked for, and the column and operator of both conditions",
        level=Level.WARNING,
    )


def _always(comparison: Comparison, probe: str) -> Finding:
    values = [literal.value for literal in comparison.literals]
    if comparison.operator == "IS" or (comparison.negated and values in ([""], [None])):
        score = PRECAUTION
    elif _excludes(comparison):
        score = PRECAUTION if values == [""] else NOTHING_EXCLUDED
    else:
        score = ALWAYS_TRUE
    return Finding(
        clause=comparison.clause,
        score=score,
        message=f"every row meets {comparison.clause.text}",
        evidence={"sql": probe, "rows": 0},
        suggestion="check column, operator and value; drop the condition where nobody asks for it",
        level=Level.INFO if score == PRECAUTION else Level.WARNING,
    )
