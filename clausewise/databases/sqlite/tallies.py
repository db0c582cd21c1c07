"""The statements by which a SQLite table is profiled: its rows, and each column's values."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

from clausewise.databases.model import Cell, Column, Table
from clausewise.databases.profile import LONGEST_TALLIED, NUMBER, LongValues, Tally
from clausewise.databases.sampling import (
    BLOCK_ROWS,
    BLOCKS,
    KeyRange,
    KeyRanges,
    RowSample,
    design_effect,
    spread_ranges,
)
from clausewise.text import quote_name

SAMPLED_FROM = 2_000_000
"""Tables of more rows are profiled from a sample; see `clausewise.databases.sampling`."""
_CACHE_KIB = 65_536
"""Memory of pages while a sample is read, once for each column."""
_ROW_NUMBERS = ("rowid", "_rowid_", "oid")

_CHUNK = 5_000


class LongValuesError(Exception):
    """The long values of a column are too many bytes; the message is the reason."""


@dataclass(frozen=True, slots=True)
class RowSource:
    """The rows of a table that are profiled."""

    text: str
    """What to put after FROM."""
    count: int
    """Rows of the whole table, where all are read."""
    read: int
    """About how many of them are read."""
    sample: RowSample | None = None
    """Which of the rows they are; None where all are read."""

    @property
    def sampled(self) -> bool:
        """Whether only a part of the rows is read."""
        return self.sample is not None


def row_source(
    connection: sqlite3.Connection,
    table: Table,
    sampled_from: int = SAMPLED_FROM,
    blocks: int = BLOCKS,
    block_rows: int = BLOCK_ROWS,
) -> RowSource:
    """Return the rows to profile.

    A table of more than `sampled_from` rows is sampled, and then never read as a whole: blocks of
    rows at evenly spread places of its row numbers, or its first rows where it has none, is a
    view, or its numbers lie too unevenly. Raises sqlite3.Error where a view cannot be computed.
    """
    name = quote_name(table.name)
    key = _row_number(connection, table)
    counted = name
    if not table.is_view and not _is_small(connection, name, key, sampled_from):
        counted = f"(SELECT 1 FROM {name} LIMIT {sampled_from + 1})"
    (rows,) = connection.execute(f"SELECT count(*) FROM {counted}").fetchone()
    if rows <= sampled_from:
        return RowSource(name, rows, rows)
    blocks = max(1, min(blocks, sampled_from // (2 * block_rows)))
    ranges = key and _choose_blocks(connection, table, key, blocks, block_rows)
    if not key or not ranges:
        most = min(blocks * block_rows, sampled_from)
        sample = RowSample(None, estimated=True, chosen="first")
        return RowSource(f"(SELECT * FROM {name} LIMIT {most})", most, most, sample)
    # CROSS JOIN: the blocks first, then the rows of each by their numbers.
    text = f"(SELECT part.* FROM {_joined_blocks(table, key)})"
    sample = RowSample(ranges.table_rows, estimated=True, chosen="blocks", blocks=blocks)
    return RowSource(text, ranges.rows, ranges.rows, sample)


def _is_small(connection: sqlite3.Connection, name: str, key: str | None, most: int) -> bool:
    """Whether the row numbers alone say that a table has no more rows."""
    if key is None:
        return False
    low, high = _key_limits(connection, name, key)
    return low is None or high - low < most


def _key_limits(connection: sqlite3.Connection, name: str, key: str) -> tuple[Any, Any]:
    # Two statements: for both at once SQLite reads every row.
    (low,) = connection.execute(f"SELECT min({key}) FROM {name}").fetchone()
    (high,) = connection.execute(f"SELECT max({key}) FROM {name}").fetchone()
    return low, high


def _row_number(connection: sqlite3.Connection, table: Table) -> str | None:
    """Return the name by which a table's row numbers can be had, None where it has none."""
    if table.is_view:
        return None
    taken = {column.name.casefold() for column in table.columns}
    for name in _ROW_NUMBERS:
        if name not in taken:
            try:
                probe = f"EXPLAIN QUERY PLAN SELECT 1 FROM {quote_name(table.name)} "
                plan = connection.execute(f"{probe} WHERE {name} BETWEEN 1 AND 2").fetchall()
            except sqlite3.OperationalError:
                return None
            # A virtual table may look through all of its rows for a number.
            return name if all("USING INTEGER PRIMARY KEY" in row[3] for row in plan) else None
    return None


def _blocks_of(table: Table) -> str:
    """Return the name of the temporary table of the blocks that are read of a table."""
    return f"temp.{quote_name('blocks of ' + table.name)}"


def _joined_blocks(table: Table, key: str) -> str:
    return (
        f"{_blocks_of(table)} AS block CROSS JOIN {quote_name(table.name)} AS part "
        f"ON part.{key} BETWEEN block.first AND block.last"
    )


def _choose_blocks(
    connection: sqlite3.Connection, table: Table, key: str, blocks: int, block_rows: int
) -> KeyRanges | None:
    """Write the blocks that are read into a temporary table."""
    name, written = quote_name(table.name), _blocks_of(table)
    low, high = _key_limits(connection, name, key)
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    following = f"SELECT {key} FROM {name} WHERE {key} >= ? ORDER BY {key} LIMIT 1"

    def next_key(keys: Sequence[int]) -> list[int | None]:
        found = (connection.execute(following, (key,)).fetchone() for key in keys)
        return [None if row is None else row[0] for row in found]

    def count_rows(ranges: Sequence[KeyRange]) -> int:
        connection.execute(f"DROP TABLE IF EXISTS {written}")
        connection.execute(f"CREATE TABLE {written} (id INTEGER PRIMARY KEY, first, last)")
        connection.executemany(f"INSERT INTO {written} (first, last) VALUES (?, ?)", ranges)
        joined = f"SELECT count(*) FROM {_joined_blocks(table, key)}"
        return int(connection.execute(joined).fetchone()[0])

    return spread_ranges(low, high, next_key, count_rows, blocks, block_rows)


def column_sample(
    connection: sqlite3.Connection,
    rows: RowSource,
    table: Table,
    column: Column,
    values: Sequence[Cell],
) -> RowSample | None:
    """Return the sample with the error of the shares of some values, and of NULL, in a column.

    The largest design effect of them is taken, so that it holds for each.
    """
    if rows.sample is None:
        return None
    is_key = table.primary_key == (column.name,) or (column.name,) in table.unique
    sample = replace(rows.sample, is_key=is_key)
    key = _row_number(connection, table) if sample.chosen == "blocks" else None
    if key is None:
        return sample
    name = f"part.{quote_name(column.name)}"
    hits = "".join(f", sum({name} IS ? COLLATE BINARY)" for _ in values)
    joined = _joined_blocks(table, key)
    counted = connection.execute(
        f"SELECT count(*), sum({name} IS NULL){hits} FROM {joined} GROUP BY block.id",
        tuple(values),
    ).fetchall()
    totals = list(zip(*counted, strict=True))
    effect = max((design_effect(totals[0], found) for found in totals[1:]), default=1.0)
    return replace(sample, design_effect=effect)


def computed_source(source: str, column: Column) -> str:
    """Return a source of one column, whose values are computed once for each row.

    Otherwise, SQLite computes a generated column at each mention.
    """
    return f"(SELECT {quote_name(column.name)} FROM {source} LIMIT -1)"


def tally_column(
    connection: sqlite3.Connection, source: str, column: Column
) -> Iterator[list[Tally]]:
    """Yield chunks of (value, rows) in SQLite's order of values: NULL, numbers, text, blobs.

    Values are distinguished byte by byte, whatever the collation of the column. Texts and blobs
    over `LONGEST_TALLIED` bytes are left out.
    """
    name = quote_name(column.name)
    cursor = connection.execute(
        f"SELECT {name}, count(*) FROM {source} WHERE NOT {_is_long(name)} "
        f"GROUP BY {name} COLLATE BINARY ORDER BY {name} COLLATE BINARY"
    )
    while chunk := cursor.fetchmany(_CHUNK):
        yield chunk


def read_long_values(
    connection: sqlite3.Connection,
    source: str,
    column: Column,
    short_texts: tuple[str, str] | None,
    most_bytes: int,
) -> LongValues:
    """Read the values that `tally_column` leaves out, one after another.

    `short_texts` are the first and the last short text in SQLite's order. Raises LongValuesError
    where they take over `most_bytes` together.
    """
    name = quote_name(column.name)
    first, last = short_texts or (None, None)
    (encoding,) = connection.execute("PRAGMA encoding").fetchone()
    read = numeric_text = 0
    comes_first = comes_last = short_texts is None
    digests = {"text": array("Q"), "blob": array("Q")}
    for kind, held in digests.items():
        cells = connection.execute(
            f"SELECT CAST({name} AS BLOB), +{name} COLLATE BINARY < ?, +{name} COLLATE BINARY > ? "
            f"FROM {source} WHERE typeof({name}) = '{kind}' AND {_is_long(name)}",
            (first, last),
        )
        for cell, before, after in cells:
            read += len(cell)
            if read > most_bytes:
                raise LongValuesError(f"its long values take over {most_bytes:,} bytes")
            held.append(int.from_bytes(blake2b(cell, digest_size=8).digest(), "big"))
            if kind == "text":
                numeric_text += bool(NUMBER.fullmatch(cell.decode(encoding, "replace")))
                comes_first, comes_last = comes_first or bool(before), comes_last or bool(after)
    texts, blobs = map(len, digests.values())
    return LongValues(
        texts=texts,
        blobs=blobs,
        distinct=sum(_count_distinct(held) for held in digests.values()),
        numeric_text=numeric_text,
        sorts_first=texts > 0 and comes_first,
        sorts_last=texts > 0 and comes_last,
    )


def _count_distinct(numbers: array[int]) -> int:
    if not numbers:
        return 0
    import numpy

    return int(numpy.unique(numpy.frombuffer(numbers, dtype=numpy.uint64)).size)


def _is_long(name: str) -> str:
    """Return the condition that a value is long; a blob's length is known without reading it."""
    return (
        f"CASE typeof({name}) WHEN 'blob' THEN length({name}) > {LONGEST_TALLIED} "
        f"WHEN 'text' THEN length(CAST({name} AS BLOB)) > {LONGEST_TALLIED} ELSE 0 END"
    )
