"""ORDR03: ORDER BY where there is one row."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.rows import (
    first_rows,
    in_set_operation,
    same_column,
    single_extremum,
    stands_alone,
)
from clausewise.signals.units import for_each, required, selects, skip_unless
from clausewise.sql.model import Select
from clausewise.types import Clause, Cost, Finding, Group, Need


@signal(
    code="ORDR03",
    name="idle_order",
    group=Group.DATABASE,
    family="ranking",
    clauses={Clause.ORDER_BY},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=1,
    reasons={
        "always_one_row": "An aggregate without GROUP BY gives one row whatever the data.",
        "ranks_one_row": "The ranking finds one row to rank in this data.",
        "same_extremum": (
            "MAX(x) is ordered by x: needless, and harmless.",
            "moderate",
            "convention",
        ),
    },
)
@for_each(selects, otherwise="no ORDER BY that rows reach and that can be run alone")
def idle_order(select: Select, context: Context) -> Iterator[Finding]:
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
    clause = required(select.clause(Clause.ORDER_BY))
    skip_unless(stands_alone(select) and not in_set_operation(context.query, select))
    sql, result = first_rows(context, select)
    skip_unless(result.rows)
    if len(result.rows) > 1:
        return
    folded = select.has_aggregate and not select.group_by
    yield Finding(
        clause=clause,
        reason=_reason(select, folded),
        message="an aggregate without GROUP BY gives one row; there is nothing to order"
        if folded
        else "one row passes the conditions; there is nothing to order",
        evidence={"sql": sql, "rows": 1, "always": folded},
        suggestion="rank the rows before they are aggregated, or group them"
        if folded
        else "check whether the conditions are too narrow",
    )


def _reason(select: Select, folded: bool) -> str:
    if not folded:
        return "ranks_one_row"
    key = select.order_by[0].column if select.order_by else None
    extremum = select.aggregates[0].columns if single_extremum(select) else ()
    if key is not None and any(same_column(key, use) for use in extremum):
        return "same_extremum"
    return "always_one_row"
