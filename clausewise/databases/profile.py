"""Column profiles: what every column really holds, whatever its declared type."""

from __future__ import annotations

import re
import sqlite3
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from heapq import nlargest
from itertools import chain
from operator import itemgetter

from clausewise.databases.model import Cell, Column, ColumnProfile, Table
from clausewise.text import quote_name

LONGEST_VALUE = 200
"""Texts of more characters are counted and never shown nor indexed."""
LONGEST_TALLIED = 4 * LONGEST_VALUE
"""Bytes; longer texts and blobs are told apart by a digest, one after another, and never held."""
SAMPLED_FROM = 2_000_000
"""Tables of more rows are profiled from a sample of about this many."""

_FREQUENT = 20
_CHUNK = 5_000
_STORAGE_CLASSES = {int: "integer", float: "real", str: "text", bytes: "blob"}
# Linear also on long texts: no two repetitions may share a stretch of digits.
_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)

Tally = tuple[Cell, int]
"""One distinct value and how many rows hold it."""


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


@dataclass(frozen=True, slots=True)
class LongValues:
    """What is known of the long texts and blobs of a column."""

    texts: int = 0
    blobs: int = 0
    distinct: int = 0
    numeric_text: int = 0
    sorts_first: bool = False
    """Whether one of the texts comes before all short ones."""
    sorts_last: bool = False
    """Whether one of the texts comes after all short ones."""


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
                numeric_text += bool(_NUMBER.fullmatch(cell.decode(encoding, "replace")))
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


class ColumnTally:
    """Sums up one column from its tallies, which come in SQLite's order of values."""

    def __init__(self) -> None:
        self.nulls = 0
        self.short_texts: tuple[str, str] | None = None
        """The first and the last of them."""
        self._distinct = self._numeric_text = 0
        self._stored: Counter[str] = Counter()
        self._minimum: Cell = None
        self._maximum: Cell = None
        self._frequent: list[Tally] = []

    @property
    def rows(self) -> int:
        """How many rows were seen."""
        return self.nulls + self._stored.total()

    def add(self, chunk: list[Tally]) -> None:
        """Take in the next tallies."""
        if chunk[0][0] is None:
            self.nulls, chunk = chunk[0][1], chunk[1:]
        if not chunk:
            return
        self._minimum = chunk[0][0] if self._distinct == 0 else self._minimum
        self._maximum = chunk[-1][0]
        self._distinct += len(chunk)
        for value, count in chunk:
            self._stored[_STORAGE_CLASSES[type(value)]] += count
            if type(value) is str:
                self.short_texts = (self.short_texts[0] if self.short_texts else value, value)
                if _NUMBER.fullmatch(value):
                    self._numeric_text += count
        # nlargest is stable and values come in order, so ties stay ordered by value.
        shown = (tally for tally in chunk if _may_be_shown(tally[0]))
        self._frequent = nlargest(_FREQUENT, chain(self._frequent, shown), key=itemgetter(1))

    def profile(
        self, table: Table, column: Column, long: LongValues | None = None, *, sampled: bool = False
    ) -> ColumnProfile:
        """Return the profile, with the long values that the tallies left out."""
        long = long or LongValues()
        stored = self._stored + Counter(text=long.texts, blob=long.blobs)
        minimum, maximum = self._minimum, self._maximum
        numbers = stored["integer"] + stored["real"]
        if long.sorts_first and not numbers:
            minimum = None
        if long.blobs or (long.sorts_last and not stored["blob"]):
            maximum = None
        return ColumnProfile(
            table=table.name,
            column=column.name,
            rows=self.nulls + stored.total(),
            nulls=self.nulls,
            distinct=self._distinct + long.distinct,
            stored_types={kind: stored[kind] for kind in _STORAGE_CLASSES.values() if stored[kind]},
            minimum=minimum if _may_be_shown(minimum) else None,
            maximum=maximum if _may_be_shown(maximum) else None,
            frequent=tuple(self._frequent),
            numeric_text=self._numeric_text + long.numeric_text,
            sampled=sampled,
        )


def profile_column(
    table: Table, column: Column, tallies: Iterable[list[Tally]], *, sampled: bool = False
) -> ColumnProfile:
    """Sum up one column without long values from its tallies."""
    tally = ColumnTally()
    for chunk in tallies:
        tally.add(chunk)
    return tally.profile(table, column, sampled=sampled)


def _may_be_shown(value: Cell) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST_VALUE
    return not isinstance(value, bytes)
