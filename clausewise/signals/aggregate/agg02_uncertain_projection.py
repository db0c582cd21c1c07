"""AGG02: a selected column has several values within one group."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.signals.aggregate._grouping import (
    GroupCounts,
    count_groups,
    follows_from_groups,
    several_values,
)
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.rows import single_extremum, stands_alone, ungrouped
from clausewise.signals.units import for_each, selects, skip_unless
from clausewise.sql.model import Piece, Projection, Select
from clausewise.types import Clause, Cost, Finding, Group, Need


@signal(
    code="AGG02",
    name="uncertain_projection",
    group=Group.DATABASE,
    family="aggregate",
    clauses={Clause.SELECT},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=1,
    reasons={
        "varies_in_most_groups": "In at least half of the groups shown the value is arbitrary.",
        "varies_in_some_groups": "In less than half of the groups shown the value is arbitrary.",
        "row_of_the_extremum": "Beside a single MIN or MAX, SQLite shows the value of that row.",
    },
    sets={"redsql"},
)
@for_each(selects, otherwise="no SELECT shows a column beside the columns that it groups by")
def uncertain_projection(select: Select, context: Context) -> Iterator[Finding]:
    """A selected column is not determined by the columns that the query groups by.

    What it measures
    ----------------
    For every selected column that is neither grouped by nor inside an aggregate: does it hold
    more than one value in some group of those that the query shows?

    Why it points to an error
    -------------------------
    Rows that agree on the grouping columns should agree on what is shown beside them. Where they
    do not, SQLite shows an arbitrary row's value; most other databases refuse the query.

    Fires on
    --------
    SELECT country, city, COUNT(*) FROM shop GROUP BY country

    Stays silent on
    ---------------
    SELECT name, COUNT(*) FROM shop JOIN sale USING (shop_id) GROUP BY shop_id

    Does not apply when
    -------------------
    No SELECT with GROUP BY shows a column beside aggregates and the columns grouped by.

    How to repair
    -------------
    Group by the column too, put it into the aggregate that was meant, or leave it out; to show
    the row of the largest value, select it by a sub-query.

    Cost
    ----
    One statement for each SELECT with GROUP BY, none where keys alone determine what is shown.

    References
    ----------
    RED-SQL, table 1 (uncertain projection, ERROR).
    """
    skip_unless(select.group_by and stands_alone(select))
    shown = list(_not_grouped(context, select))
    skip_unless(shown)
    if _follows(context, select):
        return
    tests = [several_values(context, text) for text, _ in shown]
    counts = count_groups(context, select, tests, shown_only=True)
    worst: dict[Piece, int] = {}
    for (_, piece), varying in zip(shown, counts.passing, strict=True):
        worst[piece] = max(varying, worst.get(piece, 0))
    for piece, varying in worst.items():
        if varying:
            yield Finding(
                clause=context.span(Clause.SELECT, piece.start, piece.end),
                reason=_reason(context, select, varying, counts),
                message=f"{piece.text} has several values in {varying} of the {counts.groups} "
                "groups shown: which one appears is arbitrary",
                evidence={"sql": counts.sql, "groups": counts.groups, "groups_varying": varying},
                suggestion=f"group by {piece.text} too, aggregate it, or leave it out",
            )


def _reason(context: Context, select: Select, varying: int, counts: GroupCounts) -> str:
    if context.words.shows_row_of_extremum and single_extremum(select):
        return "row_of_the_extremum"
    most = 2 * varying >= counts.groups
    return "varies_in_most_groups" if most else "varies_in_some_groups"


def _follows(context: Context, select: Select) -> bool:
    """Whether keys alone say that everything shown has one value, so that nothing need be run."""
    columns = [use for item in select.projections for use in ungrouped(select, item.columns)]
    plain = not any(item.star for item in select.projections)
    return plain and follows_from_groups(select, context.schema, columns)


def _not_grouped(context: Context, select: Select) -> Iterator[tuple[str, Piece]]:
    """Yield what is shown of single rows, as SQL, with its place: expressions, columns, `*`."""
    for item in select.projections:
        grouped = any(item is key for key in select.grouped_projections)
        if item.star:
            yield from ((text, item.piece) for text in _starred(context, select, item))
        elif item.has_aggregate:
            yield from ((use.piece.text, use.piece) for use in ungrouped(select, item.columns))
        elif ungrouped(select, item.columns) and not grouped:
            yield item.expression.text, item.expression


def _starred(context: Context, select: Select, item: Projection) -> Iterator[str]:
    """Yield the columns behind `*` that are not grouped by."""
    grouped = {(id(use.source), (use.column or "").casefold()) for use in select.group_columns}
    quoted = context.words.quote_name
    for source in [item.star_source] if item.star_source else select.sources:
        table = context.schema.table(source.table or "")
        for column in table.columns if table is not None else ():
            if (id(source), column.name.casefold()) not in grouped:
                yield f"{quoted(source.alias)}.{quoted(column.name)}"
