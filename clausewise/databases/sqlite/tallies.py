"""The statements by which a SQLite table is profiled: its rows, and each column's values."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

from clausewise.databases.model import Column, Table
from clausewise.databases.profile import LONGEST_TALLIED, NUMBER, LongValues, Tally
from clausewise.text import quote_name

SAMPLED_FROM = 2_000_000
"""Tables of more rows are profiled from a sample of about this many."""

_CHUNK = 5_000


class LongValuesError(Exception):
    """The long values of a column are too many bytes; the message is the reason."""


@dataclass(frozen=True, slots=True)
class RowSource:
    """The rows of a table that are profiled."""

    text: str
    """What to put after FROM."""
    count: int
    """Rows of the whole table."""
    read: int
    """About how many of them are read."""
    sampled: bool


def row_source(
    connection: sqlite3.Connection, table: Table, sampled_from: int = SAMPLED_FROM
) -> RowSource:
    """Return the rows to profile.

    A table of more than `sampled_from` rows is sampled: evenly by row number, or its first rows
    where it has no row numbers. Raises sqlite3.Error where a view cannot be computed.
    """
    name = quote_name(table.name)
    (rows,) = connection.execute(f"SELECT count(*) FROM {name}").fetchone()
    if rows <= sampled_from:
        return RowSource(name, rows, rows, sampled=False)
    if _has_row_numbers(connection, table):
        stride = -(-rows // sampled_from)
        text = f"(SELECT * FROM {name} WHERE rowid % {stride} = 0)"
    else:
        text = f"(SELECT * FROM {name} LIMIT {sampled_from})"
    return RowSource(text, rows, sampled_from, sampled=True)


def _has_row_numbers(connection: sqlite3.Connection, table: Table) -> bool:
    if table.is_view:
        return False
    try:
        connection.execute(f"SELECT rowid FROM {quote_name(table.name)} LIMIT 0").close()
    except sqlite3.OperationalError:
        return False
    return True


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
