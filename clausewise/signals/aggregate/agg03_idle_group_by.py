"""AGG03: every group has one row."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.signals.aggregate._grouping import count_groups
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.relations import looked_up_by_key
from clausewise.signals.probes.rows import stands_alone
from clausewise.signals.units import for_each, required, selects, skip_unless
from clausewise.sql.model import Select
from clausewise.types import Clause, Cost, Finding, Group, Need

FEW = 20
"""Rows below which it says little that no two of them share a group."""


@signal(
    code="AGG03",
    name="idle_group_by",
    group=Group.DATABASE,
    family="aggregate",
    clauses={Clause.GROUP_BY},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=2,
    reasons={
        "grouped_by_key": "A key of the rows is grouped by: no data could bring two together.",
        "values_differ": "The values happen to differ, over many rows.",
        "values_differ_in_few_rows": "They differ over so few rows that others may bring some "
        "together.",
        "no_aggregate": "Without an aggregate the clause changes nothing at all.",
        "one_group": "There is one row in all: the data decides more than the query.",
    },
    sets={"redsql"},
)
@for_each(selects, otherwise="the query has no GROUP BY that rows reach and that can be run alone")
def idle_group_by(select: Select, context: Context) -> Iterator[Finding]:
    """Every group that GROUP BY makes has exactly one row.

    What it measures
    ----------------
    The rows that GROUP BY works on, and whether any two of them fall into one group. It is sure
    where a key is grouped by and every other table is looked up by its key; elsewhere it depends
    on the data, and says the less the fewer rows there are.

    Why it points to an error
    -------------------------
    A count that is 1 and an average of one value in every group answer nothing: the query groups
    by a key where a coarser column was meant, or misses the join that brings in several rows.

    Fires on
    --------
    SELECT singer_id, COUNT(*) FROM singer GROUP BY singer_id

    Stays silent on
    ---------------
    SELECT country, COUNT(*) FROM singer GROUP BY country

    Does not apply when
    -------------------
    The query has no GROUP BY that can be run alone, or no row reaches it.

    How to repair
    -------------
    Group by the column that the question counts or averages over, join the table that holds the
    things to be counted, or remove GROUP BY.

    Cost
    ----
    One statement for each GROUP BY, none where the result shows a COUNT(*) above 1.

    References
    ----------
    RED-SQL, table 1 (idle GROUP BY, ERROR).
    """
    clause = required(select.clause(Clause.GROUP_BY))
    skip_unless(stands_alone(select))
    if _result_counts_several(context, select):
        return
    counts = count_groups(context, select, ["COUNT(*) > 1"], shown_only=False)
    skip_unless(counts.groups)
    if counts.passing[0] == 0:
        yield Finding(
            clause=clause,
            reason=_reason(context, select, counts.groups),
            message=f"each of the {counts.groups} groups has one row"
            if counts.groups != 1
            else "there is one row, which is one group",
            evidence={"sql": counts.sql, "groups": counts.groups, "largest_group": 1},
            suggestion="group by a coarser column, join what is to be counted, or remove it",
        )


def _result_counts_several(context: Context, select: Select) -> bool:
    """Whether the query's own result shows a group of several rows: COUNT(*) above 1."""
    if select is not context.query.root or context.result is None or context.query.set_operations:
        return False
    shown = [item.aggregate for item in select.projections]
    places = [
        at for at, call in enumerate(shown) if call and call.function == "count" and call.star
    ]
    if not places or any(item.star for item in select.projections):
        return False
    counts = (row[places[0]] for row in context.result.rows)
    return any(isinstance(count, int) and count > 1 for count in counts)


def _reason(context: Context, select: Select, groups: int) -> str:
    if not select.has_aggregate:
        return "no_aggregate"
    if groups == 1:
        return "one_group"
    if _by_key(context, select):
        return "grouped_by_key"
    return "values_differ" if groups >= FEW else "values_differ_in_few_rows"


def _by_key(context: Context, select: Select) -> bool:
    """Whether the columns grouped by hold a declared key that no join repeats."""
    for source in select.sources:
        others = [other for other in select.sources if other is not source]
        if not all(looked_up_by_key(other, select, context.schema) for other in others):
            continue
        table = context.schema.table(source.table or "")
        grouped = {use.column for use in select.group_columns if use.source is source}
        keys = (table.primary_key, *table.unique) if table is not None else ()
        if any(key and grouped.issuperset(key) for key in keys):
            return True
    return False
