"""AGG03: every group has one row."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotApplicable, QueryFailed
from clausewise.signals.aggregate._grouping import count_groups
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.relations import looked_up_by_key
from clausewise.signals.probes.rows import same_text, stands_alone
from clausewise.sql.model import Select
from clausewise.types import Case, Clause, Cost, Finding, Group, Level, Need

BY_KEY = 0.8
"""Score where a key of the rows is grouped by: no data could bring two rows together."""
BY_VALUES = 0.4
"""Score where the values happen to differ, over many rows."""
FEW_ROWS = 0.1
"""Score where they differ over so few rows that others may well bring some together."""
FEW = 20
"""Rows below which it says little that no two of them share a group."""
WITHOUT_AGGREGATE = 0.3
"""Score where the clause changes nothing at all."""
ONE_GROUP = 0.2
"""Score where there is one row in all: the data decides more than the query."""


@signal(
    code="AGG03",
    name="idle_group_by",
    group=Group.DATABASE,
    family="aggregate",
    clauses={Clause.GROUP_BY},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=2,
    sets={"redsql"},
)
def idle_group_by(case: Case, context: Context) -> Iterator[Finding]:
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
    looked_at = False
    for select in context.query.selects:
        clause = select.clause(Clause.GROUP_BY)
        if clause is None or not stands_alone(select):
            continue
        if _result_counts_several(context, select):
            looked_at = True
            continue
        try:
            counts = count_groups(context, select, ["COUNT(*) > 1"], shown_only=False)
        except QueryFailed:
            continue
        if counts.groups == 0:
            continue
        looked_at = True
        if counts.passing[0] == 0:
            score = _score(context, select, counts.groups)
            yield Finding(
                clause=clause,
                score=score,
                message=f"each of the {counts.groups} groups has one row"
                if counts.groups != 1
                else "there is one row, which is one group",
                evidence={"sql": counts.sql, "groups": counts.groups, "largest_group": 1},
                suggestion="group by a coarser column, join what is to be counted, or remove it",
                level=_level(score),
            )
    if not looked_at:
        raise NotApplicable("the query has no GROUP BY that rows reach and that can be run alone")


def _result_counts_several(context: Context, select: Select) -> bool:
    """Whether the query's own result shows a group of several rows: COUNT(*) above 1."""
    if select is not context.query.root or context.result is None or context.query.set_operations:
        return False
    shown = [same_text(item.expression.text) for item in select.projections]
    if "count(*)" not in shown or any(item.star for item in select.projections):
        return False
    place = shown.index("count(*)")
    counts = (row[place] for row in context.result.rows)
    return any(isinstance(count, int) and count > 1 for count in counts)


def _score(context: Context, select: Select, groups: int) -> float:
    if not select.has_aggregate:
        return WITHOUT_AGGREGATE
    if groups == 1:
        return ONE_GROUP
    if _by_key(context, select):
        return BY_KEY
    return BY_VALUES if groups >= FEW else FEW_ROWS


def _level(score: float) -> Level:
    """Return ERROR where the query's form decides, WARNING for many rows, else INFO."""
    if score == BY_KEY:
        return Level.ERROR
    return Level.WARNING if score == BY_VALUES else Level.INFO


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
