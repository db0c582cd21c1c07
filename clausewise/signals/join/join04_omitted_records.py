"""JOIN04: an inner join drops entities that the question asks for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clausewise.errors import NotApplicable, QueryFailed
from clausewise.question.words import question_words
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.relations import filters, is_whole_set, key_expression, relation
from clausewise.sql import with_prefix
from clausewise.sql.model import Join, Select, Source
from clausewise.types import Case, Clause, Cost, Finding, Group, Level, Need

EACH_LISTED = 0.4
FEWEST_ASKED = 0.15
"""Score where the smallest count is asked for, and those that count zero are dropped."""
EACH_COUNTED = 0.05
"""Score of counts for each one: people often mean only those that have any."""
EVERY_ONE = frozenset({"each", "every", "all"})


@dataclass(frozen=True, slots=True)
class _Entities:
    """The source whose rows the question asks about, and the join that may drop some."""

    source: Source
    join: Join
    score: float
    reason: str


@signal(
    code="JOIN04",
    name="omitted_records",
    group=Group.DATABASE,
    family="join",
    clauses={Clause.JOIN, Clause.FROM},
    needs={Need.DATABASE, Need.QUESTION},
    cost=Cost.QUERY,
    version=2,
    sets={"sqldriller-patterns"},
)
def omitted_records(case: Case, context: Context) -> Iterator[Finding]:
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
    looked_at = False
    for select in context.query.selects:
        entities = _entities(case, context, select)
        if entities is None:
            continue
        looked_at = True
        finding = _dropped(context, select, entities)
        if finding is not None:
            yield finding
    if not looked_at:
        raise NotApplicable("no inner join chooses among entities that are all asked for")


def _entities(case: Case, context: Context, select: Select) -> _Entities | None:
    inner = [join for join in select.joins if join.kind in ("inner", "natural")]
    if not inner or select.parent is not None or not is_whole_set(context, select):
        return None
    source = _grouped_or_listed(select)
    if source is None or source.table is None:
        return None
    if any(column.source is not source for part in filters(select) for column in part.columns):
        return None
    graded = _asked_for(case, select)
    if graded is None:
        return None
    return _Entities(source, inner[-1], *graded)


def _grouped_or_listed(select: Select) -> Source | None:
    columns = (
        select.group_columns
        or tuple(column for projection in select.projections for column in projection.columns[:1])[
            :1
        ]
    )
    sources = {id(column.source): column.source for column in columns}
    return next(iter(sources.values())) if len(sources) == 1 else None


def _asked_for(case: Case, select: Select) -> tuple[float, str] | None:
    words = question_words(case.question)
    counts = any(aggregate.function == "count" for aggregate in select.aggregates)
    first = select.order_by[0] if select.order_by else None
    if select.group_by and first is not None and select.limit is not None:
        if first.has_aggregate and not first.descending and _orders_by_count(select):
            return FEWEST_ASKED, "the smallest counts are asked for"
        return None
    if select.limit is not None or select.clause(Clause.HAVING) is not None:
        return None
    if not EVERY_ONE.intersection(words):
        return None
    if select.group_by and counts:
        return EACH_COUNTED, "the question asks for all of them"
    return None if select.has_aggregate else (EACH_LISTED, "the question asks for all of them")


def _orders_by_count(select: Select) -> bool:
    return bool(select.aggregates) and all(
        aggregate.function == "count" for aggregate in select.aggregates
    )


def _dropped(context: Context, select: Select, entities: _Entities) -> Finding | None:
    source = entities.source
    table = context.schema.table(source.table or "")
    if table is None or table.is_view:
        return None
    key = key_expression(source, table)
    kept = relation(context, select, key, tail="").removeprefix(with_prefix(context.query))
    own = "".join(f"({part.piece.text}) AND " for part in filters(select))
    probe = (
        f"{with_prefix(context.query)}SELECT COUNT(*) FROM {source.piece.text} "
        f"WHERE {own}{key} NOT IN ({kept})"
    )
    try:
        dropped = context.run(probe, rows=1).rows[0][0]
    except QueryFailed:
        return None
    if not isinstance(dropped, int) or dropped == 0:
        return None
    return Finding(
        clause=entities.join.clause,
        score=entities.score,
        message=f"the join drops {dropped} rows of {source.table} that have no partner, though "
        f"{entities.reason}",
        evidence={"sql": probe, "dropped": dropped},
        suggestion=f"use LEFT JOIN from {source.table}",
        level=Level.INFO if entities.score == EACH_COUNTED else Level.WARNING,
    )
