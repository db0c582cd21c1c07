"""Pairs of columns that a query ties to one another, by a join or by a sub-query."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.databases.model import Schema
from clausewise.signals.keys import is_key
from clausewise.sql.model import JoinPair, Select, SubqueryFilter
from clausewise.types import Clause


def links(select: Select, schema: Schema) -> Iterator[JoinPair]:
    """Yield the pairs of columns whose equal values a SELECT takes for the same thing.

    Those of its joins; of `x IN (SELECT y ...)`, `x = (SELECT y ...)`; and those that tie it to an
    enclosing SELECT. Sub-queries compare attributes as well (`age = (SELECT age ...)`): their
    pairs count only where a key is on one side.
    """
    yield from (pair for pair in select.join_pairs if pair.operator == "=")
    yield from (
        pair for pair in (*_memberships(select), *_correlations(select)) if _has_key(pair, schema)
    )


def _memberships(select: Select) -> Iterator[JoinPair]:
    for item in select.subquery_filters:
        pair = _membership(item)
        if pair is not None:
            yield pair


def _membership(item: SubqueryFilter) -> JoinPair | None:
    if item.operator not in ("=", "IN") or item.clause.kind not in (Clause.WHERE, Clause.JOIN):
        return None
    if item.column is None or len(item.subquery.projections) != 1:
        return None
    selected = item.subquery.projections[0].column
    return None if selected is None else JoinPair(item.column, selected, "=", item.clause)


def _correlations(select: Select) -> Iterator[JoinPair]:
    return (pair for pair in select.outer_pairs if pair.operator == "=")


def _has_key(pair: JoinPair, schema: Schema) -> bool:
    """Whether both columns are known and a key is among them."""
    ends = [(side.table, side.column) for side in (pair.left, pair.right)]
    return all(table and column for table, column in ends) and any(
        is_key(schema, table or "", column or "") for table, column in ends
    )
