"""JOIN04: an inner join drops entities that the question asks for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clausewise.errors import QueryFailed
from clausewise.question.words import question_words
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.relations import filters, is_whole_set, key_expression, relation
from clausewise.signals.units import for_each, required, selects
from clausewise.sql import with_prefix
from clausewise.sql.model import Join, Select, Source
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

EVERY_ONE = frozenset({"each", "every", "all"})


@dataclass(frozen=True, slots=True)
class _Entities:
    """The source whose rows the question asks about, and the join that may drop some."""

    source: Source
    join: Join
    reason: str


_SAID = {
    "each_listed": "the question asks for all of them",
    "fewest_asked": "the smallest counts are asked for",
    "each_counted": "the question asks for all of them",
}
"""Reason to what the question says."""


@signal(
    code="JOIN04",
    name="omitted_records",
    group=Group.DATABASE,
    family="join",
    clauses={Clause.JOIN, Clause.FROM},
    needs={Need.DATABASE, Need.QUESTION},
    cost=Cost.QUERY,
    version=2,
    reasons={
        "each_listed": "All entities are asked for, and those without a partner are not listed.",
        "fewest_asked": "The smallest count is asked for, and those that count zero are dropped.",
        "each_counted": "Counts for each one are asked for: people often mean those that have any.",
    },
    sets={"sqldriller-patterns"},
)
@for_each(selects, otherwise="no inner join chooses among entities that are all asked for")
def omitted_records(select: Select, context: Context) -> Iterator[Finding]:
    """An inner join drops entities without a partner though the question asks for all of them.

    What it measures
    ----------------
    Where the question says each, every or all, or asks for the fewest: how many rows of the
    table that is grouped or listed have no partner in the inner join.

    Why it points to an error
    -------------------------
    A teacher without a course teaches zero courses; leaving her out says that she does not exist.

    Fires on
    --------
    Count the courses of each teacher. ... teacher t JOIN course c ON c.teacher_id = t.id GROUP BY
    t.id

    Stays silent on
    ---------------
    The same with LEFT JOIN, or where every teacher has a course.

    Does not apply when
    -------------------
    The query has no inner join, the question asks for no whole set, conditions on the joined
    table choose among the entities, or the join says what a member of a set operation holds.

    How to repair
    -------------
    Use LEFT JOIN from the entities' table, or count in a scalar sub-query.

    Cost
    ----
    One statement that counts the entities without a partner.

    References
    ----------
    SQLDriller, section 6.4 (pattern 1).
    """
    entities = required(_entities(context, select))
    sql, dropped = _dropped(context, select, entities)
    if dropped:
        table = entities.source.table
        yield Finding(
            clause=entities.join.clause,
            reason=entities.reason,
            message=f"the join drops {dropped} rows of {table} that have no partner, though "
            f"{_SAID[entities.reason]}",
            evidence={"sql": sql, "dropped": dropped},
            suggestion=f"use LEFT JOIN from {table}",
        )


def _entities(context: Context, select: Select) -> _Entities | None:
    inner = [join for join in select.joins if join.kind in ("inner", "natural")]
    if not inner or select.parent is not None or not is_whole_set(context, select):
        return None
    source = _grouped_or_listed(select)
    if source is None or source.table is None:
        return None
    if any(column.source is not source for part in filters(select) for column in part.columns):
        return None
    reason = _asked_for(context.case, select)
    return None if reason is None else _Entities(source, inner[-1], reason)


def _grouped_or_listed(select: Select) -> Source | None:
    columns = (
        select.group_columns
        or tuple(column for projection in select.projections for column in projection.columns[:1])[
            :1
        ]
    )
    sources = {id(column.source): column.source for column in columns}
    return next(iter(sources.values())) if len(sources) == 1 else None


def _asked_for(case: Case, select: Select) -> str | None:
    """Return the reason why all entities should be there."""
    words = question_words(case.question)
    counts = any(aggregate.function == "count" for aggregate in select.aggregates)
    first = select.order_by[0] if select.order_by else None
    if select.group_by and first is not None and select.limit is not None:
        if first.has_aggregate and not first.descending and _orders_by_count(select):
            return "fewest_asked"
        return None
    if select.limit is not None or select.clause(Clause.HAVING) is not None:
        return None
    if not EVERY_ONE.intersection(words):
        return None
    if select.group_by and counts:
        return "each_counted"
    return None if select.has_aggregate else "each_listed"


def _orders_by_count(select: Select) -> bool:
    return bool(select.aggregates) and all(
        aggregate.function == "count" for aggregate in select.aggregates
    )


def _dropped(context: Context, select: Select, entities: _Entities) -> tuple[str, int]:
    """Return the probe and how many of the entities the joins drop, 0 where it fails."""
    source = entities.source
    table = context.schema.table(source.table or "")
    if table is None or table.is_view:
        return "", 0
    key = key_expression(context, source, table)
    kept = relation(context, select, key, tail="", prefixed=False)
    own = "".join(f"({part.piece.text}) AND " for part in filters(select))
    probe = (
        f"{with_prefix(context.query)}SELECT COUNT(*) FROM {source.piece.text} "
        f"WHERE {own}{key} NOT IN ({kept})"
    )
    try:
        return probe, int(context.run(probe, rows=1).rows[0][0] or 0)
    except QueryFailed:
        return probe, 0  # a column that is ambiguous alone; the question still asks for all
