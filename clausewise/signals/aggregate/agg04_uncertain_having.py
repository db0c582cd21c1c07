"""AGG04: HAVING reads a column that has several values within one group."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotApplicable, QueryFailed
from clausewise.signals.aggregate._grouping import count_groups, several_values
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.rows import stands_alone, ungrouped
from clausewise.types import Case, Clause, Cost, Finding, Group, Level, Need

VARIES = 0.9
NEVER_VARIES = 0.3
"""Score where each group has one value today: the condition belongs into WHERE."""


@signal(
    code="AGG04",
    name="uncertain_having",
    group=Group.DATABASE,
    family="aggregate",
    clauses={Clause.HAVING},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=1,
    sets={"redsql"},
)
def uncertain_having(case: Case, context: Context) -> Iterator[Finding]:
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
    looked_at = False
    for select in context.query.selects:
        having = [use for use in select.columns if use.clause is Clause.HAVING]
        columns = ungrouped(select, having) if select.group_by else []
        if not columns or not stands_alone(select):
            continue
        tests = [several_values(use.piece.text) for use in columns]
        try:
            counts = count_groups(context, select, tests, shown_only=False)
        except QueryFailed:
            continue
        looked_at = True
        if counts.groups == 0:
            continue
        for use, count in zip(columns, counts.passing, strict=True):
            yield Finding(
                clause=context.span(Clause.HAVING, use.piece.start, use.piece.end),
                score=VARIES if count else NEVER_VARIES,
                message=f"HAVING reads {use.piece.text}, which has several values in {count} of "
                f"{counts.groups} groups"
                if count
                else f"HAVING tests {use.piece.text}, which is one value for each group: WHERE "
                "is the place for it",
                evidence={"sql": counts.sql, "groups": counts.groups, "groups_varying": count},
                suggestion="move the condition into WHERE, or aggregate the column",
                level=Level.ERROR if count else Level.INFO,
            )
    if not looked_at:
        raise NotApplicable("no HAVING reads a column outside aggregates that is not grouped by")
