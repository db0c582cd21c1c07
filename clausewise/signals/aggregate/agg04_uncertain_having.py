"""AGG04: HAVING reads a column that has several values within one group."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.signals.aggregate._grouping import count_groups, several_values
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.rows import stands_alone, ungrouped
from clausewise.signals.units import for_each, selects, skip_unless
from clausewise.sql.model import Select
from clausewise.types import Clause, Cost, Finding, Group, Need


@signal(
    code="AGG04",
    name="uncertain_having",
    group=Group.DATABASE,
    family="aggregate",
    clauses={Clause.HAVING},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=1,
    reasons={
        "varies_in_groups": "Some group has several values: an arbitrary row of it is tested.",
        "one_value_in_each_group": "Each group has one value today: the condition belongs into "
        "WHERE.",
    },
    sets={"redsql"},
)
@for_each(selects, otherwise="no HAVING reads a column outside aggregates that is not grouped by")
def uncertain_having(select: Select, context: Context) -> Iterator[Finding]:
    """HAVING reads a column, outside any aggregate, that the group does not determine.

    What it measures
    ----------------
    For every column in HAVING that is neither grouped by nor inside an aggregate: does it hold
    more than one value in some group?

    Why it points to an error
    -------------------------
    The condition is then tested on an arbitrary row of the group: groups pass or fail by chance.
    A condition on single rows was meant (WHERE), or an aggregate was forgotten.

    Fires on
    --------
    SELECT shop_id FROM sale GROUP BY shop_id HAVING price > 100

    Stays silent on
    ---------------
    SELECT shop_id FROM sale GROUP BY shop_id HAVING MAX(price) > 100

    Does not apply when
    -------------------
    No HAVING reads a column outside aggregates that is not grouped by.

    How to repair
    -------------
    Move a condition on rows into WHERE; put the column into the aggregate that the question
    asks for.

    Cost
    ----
    One statement for each such HAVING.

    References
    ----------
    RED-SQL, table 1 (uncertain HAVING, ERROR).
    """
    having = [use for use in select.columns if use.clause is Clause.HAVING]
    columns = ungrouped(select, having) if select.group_by else []
    skip_unless(columns and stands_alone(select))
    tests = [several_values(context, use.piece.text) for use in columns]
    counts = count_groups(context, select, tests, shown_only=False)
    if counts.groups == 0:
        return
    for use, count in zip(columns, counts.passing, strict=True):
        yield Finding(
            clause=context.span(Clause.HAVING, use.piece.start, use.piece.end),
            reason="varies_in_groups" if count else "one_value_in_each_group",
            message=f"HAVING reads {use.piece.text}, which has several values in {count} of "
            f"{counts.groups} groups"
            if count
            else f"HAVING tests {use.piece.text}, which is one value for each group: WHERE "
            "is the place for it",
            evidence={"sql": counts.sql, "groups": counts.groups, "groups_varying": count},
            suggestion="move the condition into WHERE, or aggregate the column",
        )
