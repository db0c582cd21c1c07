"""SUBQ03: a column in a sub-query that exists only outside it."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.units import for_each
from clausewise.sql.model import ColumnUse, Select
from clausewise.types import Clause, Cost, Finding, Group, Need


def _columns_of_subqueries(context: Context) -> Iterator[tuple[Select, ColumnUse]]:
    for select in context.query.selects:
        if select.parent is not None:
            for use in select.columns:
                yield select, use


@signal(
    code="SUBQ03",
    name="accidental_correlation",
    group=Group.DATABASE,
    family="subquery",
    clauses=set(Clause),
    needs={Need.DATABASE},
    cost=Cost.PARSE,
    version=1,
    reasons={
        "is_the_result": "The sub-query returns the outer column: a row is compared with itself.",
        "elsewhere": "The outer column stands in another part of the sub-query.",
    },
)
@for_each(_columns_of_subqueries, otherwise="no sub-query names a column")
def accidental_correlation(unit: tuple[Select, ColumnUse], context: Context) -> Iterator[Finding]:
    """A column in a sub-query, written without its table, exists only in the outer query.

    What it measures
    ----------------
    For every column without a table in front: whether the sub-query's own tables have it, or
    only those of a query around it.

    Why it points to an error
    -------------------------
    The database takes the outer row's value without a word. `id IN (SELECT id FROM t)` is then
    true for every row as soon as `t` has rows, although `t` has no column of that name.

    Fires on
    --------
    SELECT name FROM singer WHERE singer_id IN (SELECT singer_id FROM concert)
    -- where concert has no singer_id

    Stays silent on
    ---------------
    SELECT name FROM singer s WHERE EXISTS (SELECT 1 FROM song WHERE song.singer_id = s.id)

    Does not apply when
    -------------------
    No sub-query names a column.

    How to repair
    -------------
    Use the column under which the sub-query's table holds the value, or read another table; where
    the outer column is meant, write its table in front.

    Cost
    ----
    Nothing is run.

    References
    ----------
    SQLite's rules of name resolution; the papers do not have this one.
    """
    select, use = unit
    if use.depth == 0 or use.qualifier is not None or use.source is None:
        return
    returned = use.clause is Clause.SELECT and not use.in_aggregate
    own = [source.name for source in select.sources]
    yield Finding(
        clause=context.span(use.clause, use.piece.start, use.piece.end),
        reason="is_the_result" if returned else "elsewhere",
        message=f"{use.piece.text} is no column of {' or '.join(own) or 'the sub-query'}; the "
        f"database reads it from {use.source.name} outside the sub-query",
        evidence={"column": use.name, "own_tables": own, "read_from": use.source.name},
        suggestion=f"write {use.source.alias}.{use.name} if that is meant",
    )
