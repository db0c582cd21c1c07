"""JOIN03: the joined columns share no value."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.databases.model import ColumnProfile
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.join._links import links
from clausewise.signals.keys import key_classes
from clausewise.signals.units import for_each, required, skip_unless
from clausewise.sql import with_prefix
from clausewise.sql.model import JoinPair, Source
from clausewise.types import Clause, Cost, Finding, Group, Need


def _pairs(context: Context) -> Iterator[JoinPair]:
    """Yield the pairs of columns whose equal values the query takes for the same thing."""
    for select in context.query.selects:
        yield from links(select, context.schema)


@signal(
    code="JOIN03",
    name="no_overlap_join",
    group=Group.DATABASE,
    family="join",
    clauses={Clause.JOIN, Clause.WHERE},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=2,
    reasons={"no_common_value": "The joined columns have no value in common."},
    sets={"redsql"},
)
@for_each(_pairs, otherwise="no two columns that hold values are joined by equality")
def no_overlap_join(pair: JoinPair, context: Context) -> Iterator[Finding]:
    """Two joined columns have no value in common.

    What it measures
    ----------------
    For every equality between columns of two sources, and for every key that is looked for in a
    sub-query or ties one to its outer query: is there any value that both columns hold?

    Why it points to an error
    -------------------------
    Such a join can match nothing. An inner join then empties the query, an outer join fills it
    with NULL; a wrong column was taken on one side.

    Fires on
    --------
    SELECT d.surname FROM drivers d JOIN results r ON d.code = r.raceId

    Stays silent on
    ---------------
    SELECT d.surname FROM drivers d JOIN results r ON d.driverId = r.driverId; columns that a
    declared key ties: then the data is incomplete, not the query wrong.

    Does not apply when
    -------------------
    The query joins no two columns by equality, or one of them holds no value at all.

    How to repair
    -------------
    Join the columns that hold the same key; look at a few values of both before.

    Cost
    ----
    Nothing where the columns' most frequent values already meet, else one statement for each
    pair of columns, remembered over all cases.

    References
    ----------
    RED-SQL, table 1 (wrong JOIN, level ERROR).
    """
    probe, shares = _overlap(context, pair)
    if shares or _declared(context, pair):
        return
    left = f"{pair.left.table or pair.left.qualifier}.{pair.left.column or pair.left.name}"
    right = f"{pair.right.table or pair.right.qualifier}.{pair.right.column or pair.right.name}"
    yield Finding(
        clause=pair.clause,
        reason="no_common_value",
        message=f"{left} and {right} share no value, so the join matches nothing",
        evidence={
            "sql": probe,
            "rows": 0,
            "left_values": _samples(context, pair.left.table, pair.left.column),
            "right_values": _samples(context, pair.right.table, pair.right.column),
        },
        suggestion=f"look for the column that refers to {right}",
    )


def _declared(context: Context, pair: JoinPair) -> bool:
    """Whether the schema itself ties the columns."""
    return key_classes(context.schema, declared_only=True).same(
        (pair.left.table or "", pair.left.column or ""),
        (pair.right.table or "", pair.right.column or ""),
    )


def _overlap(context: Context, pair: JoinPair) -> tuple[str, bool]:
    """Return the statement that was run, and whether the columns share a value."""
    left, right = pair.left, pair.right
    if left.table and left.column and right.table and right.column:
        profiles = [
            context.database.profile(left.table, left.column),
            context.database.profile(right.table, right.column),
        ]
        skip_unless(all(profile.distinct for profile in profiles))
        if _frequent_values_meet(*profiles):
            return "", True
        profiles.sort(key=lambda profile: (-profile.rows, profile.table, profile.column))
        probe = _membership(context, *profiles)
        return probe, context.keeps_a_row(probe)
    return _overlap_of_sources(context, pair, required(left.source), required(right.source))


def _frequent_values_meet(left: ColumnProfile, right: ColumnProfile) -> bool:
    known = {value for value, _ in left.frequent}
    return any(value in known for value, _ in right.frequent)


def _membership(context: Context, larger: ColumnProfile, smaller: ColumnProfile) -> str:
    quoted = context.words.quote_name
    inner = f"SELECT {quoted(smaller.column)} FROM {quoted(smaller.table)}"
    return (
        f"SELECT 1 FROM {quoted(larger.table)} WHERE {quoted(larger.column)} IN ({inner}) LIMIT 1"
    )


def _overlap_of_sources(
    context: Context, pair: JoinPair, left: Source, right: Source
) -> tuple[str, bool]:
    """As `_overlap`; fails for a source that refers to an enclosing SELECT, and for USING."""
    prefix = with_prefix(context.query)
    for source in (left, right):
        skip_unless(context.keeps_a_row(f"{prefix}SELECT 1 FROM {source.piece.text} LIMIT 1"))
    tables = f"{left.piece.text}, {right.piece.text}"
    probe = f"{prefix}SELECT 1 FROM {tables} WHERE {pair.clause.text} LIMIT 1"
    return probe, context.keeps_a_row(probe)


def _samples(context: Context, table: str | None, column: str | None) -> list[str]:
    if table is None or column is None:
        return []
    return [str(value) for value, _ in context.database.profile(table, column).frequent[:3]]
