"""AGG01: GROUP BY without any aggregate function."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotApplicable
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.sql.model import Select
from clausewise.types import Case, Clause, Cost, Finding, Group, Level, Need

STANDS_FOR_DISTINCT = 0.4
"""Score where every selected column is grouped by: the clause only removes duplicates."""
PICKS_A_ROW = 0.6
"""Score where a selected column is not grouped by: one row of each group is picked."""


@signal(
    code="AGG01",
    name="incorrect_group_by",
    group=Group.DATABASE,
    family="aggregate",
    clauses={Clause.GROUP_BY},
    needs={Need.DATABASE},
    cost=Cost.PARSE,
    version=1,
    sets={"sqlens", "sqlens-reference"},
)
def incorrect_group_by(case: Case, context: Context) -> Iterator[Finding]:
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
    looked_at = False
    for select in context.query.selects:
        clause = select.clause(Clause.GROUP_BY)
        if clause is None:
            continue
        looked_at = True
        if select.has_aggregate:
            continue
        distinct = _only_grouped_columns(select)
        yield Finding(
            clause=clause,
            score=STANDS_FOR_DISTINCT if distinct else PICKS_A_ROW,
            message="GROUP BY without an aggregate function "
            + ("only removes duplicates" if distinct else "shows an arbitrary row of each group"),
            evidence={"selected": [projection.piece.text for projection in select.projections]},
            suggestion="write DISTINCT, or add the aggregate that was meant"
            if distinct
            else "add the aggregate that was meant, or remove GROUP BY",
            level=Level.INFO if distinct else Level.WARNING,
        )
    if not looked_at:
        raise NotApplicable("the query has no GROUP BY")


def _only_grouped_columns(select: Select) -> bool:
    grouped = {(column.table, column.column or column.name) for column in select.group_columns}
    return all(
        projection.column is not None
        and (projection.column.table, projection.column.column or projection.column.name) in grouped
        for projection in select.projections
    )
