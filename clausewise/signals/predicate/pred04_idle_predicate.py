"""PRED04: a condition that every row meets."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from clausewise.errors import QueryFailed
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.units import for_each, skip_unless
from clausewise.sql.model import Comparison, JoinPair, Select, SubqueryFilter
from clausewise.types import Clause, ClauseSpan, Cost, Finding, Group, Need

FEWEST_VALUES = 10
"""In columns with fewer distinct values it says little that all rows meet a condition."""
MOST_FIXING = 5
"""How many AND parts that fix one column are compared with another condition on it."""


def _conditions(
    context: Context,
) -> Iterator[tuple[Select, JoinPair | Comparison | SubqueryFilter]]:
    """Yield what may exclude nothing in each SELECT, by kind of condition."""
    for select in context.query.selects:
        yield from ((select, pair) for pair in select.self_pairs if select.is_conjunct(pair))
        yield from ((select, comparison) for comparison in select.comparisons)
        for item in select.subquery_filters:
            if item.negated and item.operator == "IN" and not item.subquery.correlated:
                yield select, item


@signal(
    code="PRED04",
    name="idle_predicate",
    group=Group.DATABASE,
    family="predicate",
    clauses={Clause.WHERE, Clause.HAVING, Clause.JOIN, Clause.GROUP_BY, Clause.ORDER_BY},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=2,
    reasons={
        "compares_with_itself": "A column is compared with itself.",
        "precaution": "IS NOT NULL or `<> ''` excludes nothing: people write it to be safe.",
        "excludes_nothing": "A negated condition excludes nothing: the value is probably misspelt.",
        "always_true": "Every row meets the condition.",
        "decided_by_other": "All rows that another condition on the column lets through meet it.",
        "subquery_excludes_nothing": "NOT IN a sub-query excludes no row: perhaps none should be.",
    },
    sets={"redsql"},
)
@for_each(
    _conditions, otherwise="no comparison with a constant can be run alone on a varied column"
)
def idle_predicate(
    unit: tuple[Select, JoinPair | Comparison | SubqueryFilter], context: Context
) -> Iterator[Finding]:
    """A condition excludes nothing: it compares a column with itself or every row meets it.

    What it measures
    ----------------
    AND parts that compare a column of one source with itself; for each comparison of a column
    with constants, whether its relation holds any row that does not meet it; and AND parts that
    exclude nothing more once another one has fixed the same column to one value or a few. NOT IN
    with a sub-query is checked in the same way.

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
    select, condition = unit
    match condition:
        case JoinPair():
            yield _with_itself(condition)
        case Comparison():
            yield from _in_comparison(context, select, condition)
        case SubqueryFilter():
            yield from _in_subquery(context, select, condition)


def _with_itself(pair: JoinPair) -> Finding:
    return Finding(
        clause=pair.clause,
        reason="compares_with_itself",
        message=f"{pair.clause.text} compares a column with itself",
        evidence={"condition": pair.clause.text},
        suggestion="put the other source's column on one side",
    )


def _in_comparison(context: Context, select: Select, comparison: Comparison) -> Iterator[Finding]:
    probe = _probe(context, comparison)
    keeps_all = None if probe is None else _keeps_every_row(context, probe)
    if keeps_all:
        yield Finding(
            clause=comparison.clause,
            reason=_reason(comparison),
            message=f"every row meets {comparison.clause.text}",
            evidence={"sql": probe, "rows": 0},
            suggestion="check column, operator and value; drop the condition where nobody asks "
            "for it",
        )
        return
    fixed = _decided_by(context, select, comparison)
    skip_unless(keeps_all is not None or fixed is not None)
    if fixed is not None:
        yield _decided(comparison.clause, fixed.clause)


def _in_subquery(context: Context, select: Select, item: SubqueryFilter) -> Iterator[Finding]:
    fixed = _decided_by(context, select, item)
    if fixed is not None:
        yield _decided(item.clause, fixed.clause)
        return
    if item.column is None or item.column.source is None or item.column.depth:
        return
    probe = context.row_probe(item.column.source, f"({item.clause.text}) IS NOT TRUE")
    if _keeps_every_row(context, probe):
        yield Finding(
            clause=item.clause,
            reason="subquery_excludes_nothing",
            message=f"every row meets {item.clause.text}",
            evidence={"sql": probe, "rows": 0},
            suggestion="check that the sub-query selects what the column holds, and its conditions",
        )


def _probe(context: Context, comparison: Comparison) -> str | None:
    """Return the statement that looks for a row that fails the comparison.

    None where that would mean nothing.
    """
    column = comparison.column
    if column.source is None or column.in_aggregate or column.depth:
        return None
    if comparison.clause.kind is Clause.SELECT or comparison.in_negated_group:
        return None
    if not _varied(context, comparison):
        return None
    return context.row_probe(column.source, f"({comparison.clause.text}) IS NOT TRUE")


def _keeps_every_row(context: Context, probe: str) -> bool | None:
    """Whether no row fails a condition; None where the condition cannot be run alone."""
    try:
        return not context.keeps_a_row(probe)
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


def _reason(comparison: Comparison) -> str:
    values = [literal.value for literal in comparison.literals]
    if comparison.operator == "IS" or (comparison.negated and values in ([""], [None])):
        return "precaution"
    if _excludes(comparison):
        return "precaution" if values == [""] else "excludes_nothing"
    return "always_true"


def _decided_by(
    context: Context, select: Select, condition: Comparison | SubqueryFilter
) -> Comparison | None:
    """Return the AND part that fixes the same column to values that all meet the condition."""
    column = condition.column
    if column is None or column.source is None or not _filters(select, condition):
        return None
    fixing = context.once(_fixing_parts).get((select.index, id(column.source), column.column), ())
    for other in islice((part for part in fixing if part is not condition), MOST_FIXING):
        fixed = f"({other.clause.text})"
        beside = f"{fixed} AND ({condition.clause.text}) IS NOT TRUE"
        try:
            kept = context.keeps_a_row(context.row_probe(column.source, fixed))
            if kept and not context.keeps_a_row(context.row_probe(column.source, beside)):
                return other
        except QueryFailed:
            continue
    return None


def _fixing_parts(context: Context) -> dict[tuple[int, int, str | None], list[Comparison]]:
    """Return the AND parts that fix a column to values, by SELECT, source and column."""
    found: dict[tuple[int, int, str | None], list[Comparison]] = {}
    for select, part in context.comparisons():
        fixes = part.operator in ("=", "IN") and not part.negated and not part.wrapped
        if fixes and _filters(select, part):
            key = select.index, id(part.column.source), part.column.column
            found.setdefault(key, []).append(part)
    return found


def _filters(select: Select, condition: Comparison | SubqueryFilter) -> bool:
    """Whether the condition is an AND part of WHERE by itself."""
    return condition.clause.kind is Clause.WHERE and select.is_conjunct(condition)


def _decided(clause: ClauseSpan, other: ClauseSpan) -> Finding:
    return Finding(
        clause=clause,
        reason="decided_by_other",
        message=f"{clause.text} excludes nothing that {other.text} lets through",
        evidence={"condition": clause.text, "decided_by": other.text},
        suggestion="check which value is asked for, and the column and operator of both conditions",
    )
