"""Whether a LIMIT cuts between rows that are equal by the order it follows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from experiments.counterexamples import plain

DIALECT = "sqlite"


def cut_at_tie(connection: sqlite3.Connection, sql: str) -> bool:
    """Return whether a LIMIT of a query cuts between rows with equal keys, on these rows.

    A LIMIT in a subquery that does not run by itself is not looked at.
    """
    for probe, width in _probes(sql):
        rows = plain.rows_of(connection, probe)
        if rows is not None and len(rows) == 2 and rows[0][-width:] == rows[1][-width:]:
            return True
    return False


@lru_cache(maxsize=5_000)
def _probes(sql: str) -> tuple[tuple[str, int], ...]:
    """Return queries for the last row inside each LIMIT and the next, keys in the last columns."""
    try:
        tree = sqlglot.parse_one(sql, read=DIALECT)
    except SqlglotError:
        return ()
    return tuple(_made(tree))


def _made(tree: exp.Expr) -> Iterator[tuple[str, int]]:
    for select in tree.find_all(exp.Select):
        order, limit = select.args.get("order"), select.args.get("limit")
        if order is None or limit is None or not isinstance(limit.expression, exp.Literal):
            continue
        keys = [_key(select, ordered.this) for ordered in order.expressions]
        probe = select.copy()
        probe.set("expressions", [*probe.expressions, *keys])
        skipped = select.args.get("offset")
        first = int(skipped.expression.name) if skipped is not None else 0
        probe.set("limit", None)
        probe.set("offset", None)
        last = first + int(limit.expression.name)
        if last > 0:
            yield f"{probe.sql(DIALECT)} LIMIT 2 OFFSET {last - 1}", len(keys)


def _key(select: exp.Select, key: exp.Expr) -> exp.Expr:
    """Return what a sort key stands for: an alias or a position is that item of the list."""
    if isinstance(key, exp.Literal) and key.is_int and int(key.name) <= len(select.expressions):
        item: exp.Expr = select.expressions[int(key.name) - 1]
        return item.unalias().copy()
    if isinstance(key, exp.Column) and not key.table:
        for item in select.expressions:
            if isinstance(item, exp.Alias) and item.alias.casefold() == key.name.casefold():
                return item.unalias().copy()
    return key.copy()
