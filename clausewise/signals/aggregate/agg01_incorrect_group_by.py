"""AGG01: GROUP BY without any aggregate function."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.units import for_each, required, selects
from clausewise.sql.model import Select
from clausewise.types import Clause, Cost, Finding, Group, Need


@signal(
    code="AGG01",
    name="incorrect_group_by",
    group=Group.DATABASE,
    family="aggregate",
    clauses={Clause.GROUP_BY},
    needs={Need.DATABASE},
    cost=Cost.PARSE,
    version=1,
    reasons={
        "stands_for_distinct": (
            "Every selected column is grouped by: duplicates are removed.",
            "moderate",
            "convention",
        ),
        "picks_a_row": "A selected column is not grouped by: one row of each group is picked.",
    },
    sets={"sqlens", "sqlens-reference"},
)
@for_each(selects, otherwise="the query has no GROUP BY")
def incorrect_group_by(select: Select, context: Context) -> Iterator[Finding]:
    """GROUP BY stands alone, with no aggregate function anywhere in its SELECT.

    What it measures
    ----------------
    Whether a SELECT with GROUP BY calls an aggregate in what it selects, in HAVING or in
    ORDER BY.

    Why it points to an error
    -------------------------
    Grouping without an aggregate is DISTINCT in disguise at best; at worst an aggregate was
    forgotten, and the database shows an arbitrary row of each group.

    Fires on
    --------
    SELECT name, age FROM singer GROUP BY country

    Stays silent on
    ---------------
    SELECT country, COUNT(*) FROM singer GROUP BY country

    Does not apply when
    -------------------
    The query has no GROUP BY.

    How to repair
    -------------
    Add the aggregate that the question asks for, or remove GROUP BY; write DISTINCT where only
    duplicates are to go.

    Cost
    ----
    Nothing is run.

    References
    ----------
    SQLens, appendix A.1 (incorrect GROUP BY).
    """
    clause = required(select.clause(Clause.GROUP_BY))
    if select.has_aggregate:
        return
    distinct = _only_grouped_columns(select)
    yield Finding(
        clause=clause,
        reason="stands_for_distinct" if distinct else "picks_a_row",
        message="GROUP BY without an aggregate function "
        + ("only removes duplicates" if distinct else "shows an arbitrary row of each group"),
        evidence={"selected": [projection.piece.text for projection in select.projections]},
        suggestion="write DISTINCT, or add the aggregate that was meant"
        if distinct
        else "add the aggregate that was meant, or remove GROUP BY",
    )


def _only_grouped_columns(select: Select) -> bool:
    grouped = {(column.table, column.column or column.name) for column in select.group_columns}
    return all(
        any(projection is key for key in select.grouped_projections)
        or (
            projection.column is not None
            and (projection.column.table, projection.column.column or projection.column.name)
            in grouped
        )
        for projection in select.projections
    )
