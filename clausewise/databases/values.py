"""The inverted value index: from a value's folded form to the columns that hold it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from clausewise.databases.model import Column, Table, ValuePlace
from clausewise.databases.profile import LONGEST_VALUE, Tally

MOST_DISTINCT = 1_000_000
"""Columns with more distinct texts are left out of the index."""
MOST_VALUES = 20_000_000
"""Texts of one database; the columns after that many are left out of the index."""

_TABLES = (
    "CREATE TABLE place (id INTEGER PRIMARY KEY, table_name TEXT, column_name TEXT, complete)",
    "CREATE TABLE value (folded TEXT, place INTEGER, spelling TEXT, rows INTEGER)",
)
_INDEX = "CREATE INDEX value_by_folded ON value (folded)"
_FIND = """
SELECT table_name, column_name, spelling, rows FROM value JOIN place ON place.id = value.place
WHERE folded = ? ORDER BY place, rows DESC, spelling
"""


def fold_value(value: str) -> str:
    r"""Return the form in which values are compared: no case, single blanks, trimmed.

    >>> fold_value("  New\n York ")
    'new york'
    """
    return " ".join(value.split()).casefold()


class StoreWriteError(OSError):
    """The cache file cannot be written; to tell it from a database that cannot be read."""


class ValueIndexWriter:
    """Writes the index of one database into an open connection, column by column."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        most_distinct: int = MOST_DISTINCT,
        most_values: int = MOST_VALUES,
    ) -> None:
        self.connection = connection
        self.most_distinct = most_distinct
        self.left_out: dict[str, str] = {}
        """`values of table.column` to the reason why they are not in the index."""
        self._values_left = most_values
        for statement in _TABLES:
            connection.execute(statement)

    def record(
        self, table: Table, column: Column, tallies: Iterable[list[Tally]], *, sampled: bool
    ) -> Iterator[list[Tally]]:
        """Pass the tallies of a column on, one by one, and index the texts among them.

        The index is complete for the column where it has texts, all rows were seen, and there are
        at most `most_distinct` of them. Raises StoreWriteError where the index cannot be written.
        """
        first = self._write("SELECT coalesce(max(rowid), 0) FROM value")[0]
        place = self._write("SELECT count(*) + 1 FROM place")[0]
        most = min(self.most_distinct, self._values_left)
        texts = 0
        for chunk in tallies:
            held = [(value, rows) for value, rows in chunk if isinstance(value, str)]
            texts += len(held)
            if held and texts <= most:
                self._write_values(place, held)
            yield chunk
        if texts > most:
            self._write("DELETE FROM value WHERE rowid > ?", first)
            self.left_out[f"values of {table.name}.{column.name}"] = _why_not(most, self)
        else:
            self._values_left -= texts
        complete = 0 < texts <= most and not sampled
        self._write(
            "INSERT INTO place VALUES (?, ?, ?, ?)", place, table.name, column.name, complete
        )

    def _write_values(self, place: int, held: list[tuple[str, int]]) -> None:
        try:
            self.connection.executemany(
                "INSERT INTO value VALUES (?, ?, ?, ?)",
                (
                    (fold_value(value), place, value, rows)
                    for value, rows in held
                    if len(value) <= LONGEST_VALUE
                ),
            )
        except sqlite3.Error as error:
            raise StoreWriteError(str(error)) from error

    def _write(self, statement: str, *values: object) -> tuple[int, ...]:
        try:
            row: tuple[int, ...] | None = self.connection.execute(statement, values).fetchone()
        except sqlite3.Error as error:
            raise StoreWriteError(str(error)) from error
        return row or ()

    def finish(self) -> None:
        """Make the index searchable; call it once, after the last column."""
        self.connection.execute(_INDEX)


def _why_not(most: int, index: ValueIndexWriter) -> str:
    if most == index.most_distinct:
        return f"there are over {most:,} different texts"
    return "the index of the database is full"


def find_places(connection: sqlite3.Connection, value: str) -> tuple[ValuePlace, ...]:
    """Return where a value stands in any spelling, in the order of the schema's columns.

    Within a column the most common spelling comes first. Raises sqlite3.Error where the index is
    damaged.
    """
    try:
        rows = connection.execute(_FIND, (fold_value(value),)).fetchall()
    except UnicodeEncodeError:
        # Half a surrogate pair, which no database can hold.
        return ()
    return tuple(ValuePlace(*row) for row in rows)


def complete_places(connection: sqlite3.Connection) -> frozenset[tuple[str, str]]:
    """Return the (table, column) pairs, casefolded, of which all texts are in the index."""
    rows = connection.execute("SELECT table_name, column_name FROM place WHERE complete")
    return frozenset((table.casefold(), column.casefold()) for table, column in rows)


def count_values(connection: sqlite3.Connection) -> int:
    """Return how many spellings the index holds, over all columns."""
    (count,) = connection.execute("SELECT count(*) FROM value").fetchone()
    return int(count)
