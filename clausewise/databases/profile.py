"""Column profiles: what every column really holds, whatever its declared type."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from heapq import nlargest
from itertools import chain
from operator import itemgetter

from clausewise.databases.model import Cell, Column, ColumnProfile, Table
from clausewise.text import quote_name

LONGEST_VALUE = 200
"""Texts of more characters are counted and never shown nor indexed."""
SAMPLED_FROM = 2_000_000
"""Tables of more rows are profiled from a sample of about this many."""

_FREQUENT = 20
_CHUNK = 5_000
_STORAGE_CLASSES = {int: "integer", float: "real", str: "text", bytes: "blob"}
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)

Tally = tuple[Cell, int]
"""One distinct value and how many rows hold it."""


def row_source(
    connection: sqlite3.Connection, table: Table, sampled_from: int = SAMPLED_FROM
) -> tuple[str, bool]:
    """Return the rows to profile as text to put after FROM, and whether they are a sample.

    A table of more than `sampled_from` rows is sampled: evenly by row number, or its first rows
    where it has no row numbers. Raises sqlite3.Error where a view cannot be computed.
    """
    name = quote_name(table.name)
    (rows,) = connection.execute(f"SELECT count(*) FROM {name}").fetchone()
    if rows <= sampled_from:
        return name, False
    if _has_row_numbers(connection, table):
        stride = -(-rows // sampled_from)
        return f"(SELECT * FROM {name} WHERE rowid % {stride} = 0)", True
    return f"(SELECT * FROM {name} LIMIT {sampled_from})", True


def _has_row_numbers(connection: sqlite3.Connection, table: Table) -> bool:
    if table.is_view:
        return False
    try:
        connection.execute(f"SELECT rowid FROM {quote_name(table.name)} LIMIT 0").close()
    except sqlite3.OperationalError:
        return False
    return True


def tally_column(
    connection: sqlite3.Connection, source: str, column: Column
) -> Iterator[list[Tally]]:
    """Yield chunks of (value, rows) in SQLite's order of values: NULL, numbers, text, blobs.

    Values are distinguished byte by byte, whatever the collation of the column.
    """
    name = quote_name(column.name)
    cursor = connection.execute(
        f"SELECT {name}, count(*) FROM {source} "
        f"GROUP BY {name} COLLATE BINARY ORDER BY {name} COLLATE BINARY"
    )
    while chunk := cursor.fetchmany(_CHUNK):
        yield chunk


def profile_column(
    table: Table, column: Column, tallies: Iterable[list[Tally]], *, sampled: bool = False
) -> ColumnProfile:
    """Sum up one column from its tallies, which come in SQLite's order of values."""
    nulls = distinct = numeric_text = 0
    stored: Counter[str] = Counter()
    minimum: Cell = None
    maximum: Cell = None
    frequent: list[Tally] = []
    for chunk in tallies:
        held = chunk
        if chunk[0][0] is None:
            nulls, held = chunk[0][1], chunk[1:]
        if not held:
            continue
        minimum = held[0][0] if distinct == 0 else minimum
        maximum = held[-1][0]
        distinct += len(held)
        for value, count in held:
            stored[_STORAGE_CLASSES[type(value)]] += count
            if type(value) is str and _NUMBER.fullmatch(value):
                numeric_text += count
        # nlargest is stable and values come in order, so ties stay ordered by value.
        shown = (tally for tally in held if _may_be_shown(tally[0]))
        frequent = nlargest(_FREQUENT, chain(frequent, shown), key=itemgetter(1))
    return ColumnProfile(
        table=table.name,
        column=column.name,
        rows=nulls + stored.total(),
        nulls=nulls,
        distinct=distinct,
        stored_types={kind: stored[kind] for kind in _STORAGE_CLASSES.values() if stored[kind]},
        minimum=minimum if _may_be_shown(minimum) else None,
        maximum=maximum if _may_be_shown(maximum) else None,
        frequent=tuple(frequent),
        numeric_text=numeric_text,
        sampled=sampled,
    )


def _may_be_shown(value: Cell) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST_VALUE
    return not isinstance(value, bytes)
