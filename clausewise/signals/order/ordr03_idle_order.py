"""ORDR03: ORDER BY where there is one row."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotApplicable, QueryFailed
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.rows import (
    first_rows,
    in_set_operation,
    same_column,
    single_extremum,
    stands_alone,
)
from clausewise.sql.model import Select
from clausewise.types import Case, Clause, ClauseSpan, Cost, Finding, Group, Level, Need

ALWAYS_ONE = 0.9
"""Score where an aggregate without GROUP BY gives one row whatever the data."""
RANKED_ONE = 0.6
"""Score where a ranking finds one row to rank in this data."""
SAME_EXTREMUM = 0.3
"""Score where MAX(x) is ordered by x: needless, and harmless."""


@signal(
    code="ORDR03",
    name="idle_order",
    group=Group.DATABASE,
    family="ranking",
    clauses={Clause.ORDER_BY},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=1,
)
def idle_order(case: Case, context: Context) -> Iterator[Finding]:
    """ORDER BY is applied to a result of one row.

    What it measures
    ----------------
    The rows that ORDER BY sorts (and LIMIT cuts): whether there is only one, either because an
    aggregate without GROUP BY folds all rows, or because the conditions keep one row or group. A
    LIMIT without ORDER BY over one row is mere caution and left alone.

    Why it points to an error
    -------------------------
    A ranking is written to choose among several. Where nothing is left to choose from, the
    superlative was meant for the rows below the aggregate, or a condition is too narrow.

    Fires on
    --------
    SELECT AVG(price) FROM book ORDER BY price DESC LIMIT 1

    Stays silent on
    ---------------
    SELECT title FROM book ORDER BY price DESC LIMIT 1

    Does not apply when
    -------------------
    No SELECT that can be run alone has ORDER BY, or no row reaches it.

    How to repair
    -------------
    Put ORDER BY and LIMIT into a sub-query whose row is then aggregated, group by the thing that
    is ranked, or remove them.

    Cost
    ----
    One statement for each ORDER BY, shared with the other signals of rankings.

    References
    ----------
    The papers do not have this one.
    """
    looked_at = False
    for select in context.query.selects:
        clause = select.clause(Clause.ORDER_BY)
        if clause is None or not stands_alone(select) or in_set_operation(context.query, select):
            continue
        folded = select.has_aggregate and not select.group_by
        try:
            sql, result = first_rows(context, select)
        except QueryFailed:
            continue
        rows = len(result.rows)
        if rows == 0:
            continue
        looked_at = True
        if rows == 1:
            yield _finding(select, clause, sql, folded)
    if not looked_at:
        raise NotApplicable("no ORDER BY that rows reach and that can be run alone")


def _score(select: Select, folded: bool) -> float:
    if not folded:
        return RANKED_ONE
    key = select.order_by[0].column if select.order_by else None
    extremum = select.aggregates[0].columns if single_extremum(select) else ()
    if key is not None and any(same_column(key, use) for use in extremum):
        return SAME_EXTREMUM
    return ALWAYS_ONE


def _finding(select: Select, clause: ClauseSpan, sql: str, folded: bool) -> Finding:
    return Finding(
        clause=clause,
        score=_score(select, folded),
        message="an aggregate without GROUP BY gives one row; there is nothing to order"
        if folded
        else "one row passes the conditions; there is nothing to order",
        evidence={"sql": sql, "rows": 1, "always": folded},
        suggestion="rank the rows before they are aggregated, or group them"
        if folded
        else "check whether the conditions are too narrow",
        level=Level.WARNING,
    )
