"""Builds a store: reads a database part by part, and writes what is kept of it."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from contextlib import closing

from clausewise.databases.deadline import Deadline
from clausewise.databases.facts import write_facts
from clausewise.databases.files import unreadable
from clausewise.databases.keys import KeyCandidate, infer_foreign_keys
from clausewise.databases.marker import Marker
from clausewise.databases.model import Column, ColumnProfile, Schema, Table
from clausewise.databases.profile import ColumnTally, LongValues
from clausewise.databases.sqlite.bounded import (
    COMPUTED,
    MOST_LONG_BYTES,
    STORED,
    Allowance,
    BoundedSource,
    LeftOut,
    OverLimits,
)
from clausewise.databases.sqlite.file import DatabaseFile
from clausewise.databases.sqlite.tallies import (
    SAMPLED_FROM,
    LongValuesError,
    RowSource,
    column_sample,
    computed_source,
    read_long_values,
    row_source,
    tally_column,
)
from clausewise.databases.values import ValueIndexWriter
from clausewise.text import quote_name

MOST_CELLS = 200_000_000
"""Cells of one database; when they are read, larger tables are sampled."""
FEWEST_ROWS = 10_000
"""Tables of fewer rows are never sampled."""

_MARKED_ROWS = 10_000
"""Comparisons of fewer rows are not marked one by one."""
_SMALL_KEYS = "keys of small tables"
_VIRTUAL = 2
"""What the schema says of a generated column that is computed when it is read."""

_Profiles = dict[tuple[str, str], ColumnProfile]


def fill(
    connection: sqlite3.Connection,
    file: DatabaseFile,
    schema: Schema,
    marker: Marker,
    deadline: Deadline | None = None,
) -> None:
    """Work everything out and write it; the facts come last, so a torn file has none.

    What has not begun at the deadline is left out.

    Raises DatabaseError where the database cannot be read, or memory runs out for the first time
    at a part; StoreWriteError or sqlite3.OperationalError where the store cannot be written.
    """
    connection.execute("BEGIN")
    with closing(BoundedSource(file, marker)) as source:
        _StoreBuilder(connection, file, schema, source, deadline or Deadline(math.inf)).build()
    connection.execute("COMMIT")


class _TooSlow(Exception):
    """A column was over its limits."""

    def __init__(self, column: Column, reason: OverLimits) -> None:
        super().__init__(str(reason))
        self.column = column
        self.reason = reason


class _StoreBuilder:
    def __init__(
        self,
        connection: sqlite3.Connection,
        file: DatabaseFile,
        schema: Schema,
        source: BoundedSource,
        deadline: Deadline,
    ) -> None:
        self._connection = connection
        self._deadline = deadline
        self._file = file
        self._schema = schema
        self._source = source
        self._index = ValueIndexWriter(connection)
        self._cells_left = MOST_CELLS
        self._profiles: _Profiles = {}
        self._long: set[tuple[str, str]] = set()
        """Columns with long values, which are no keys."""
        self._computed: set[tuple[str, str]] = set()
        self._samples: dict[str, str] = {}
        """Large tables, to what to put after FROM for the rows that are read of them."""

    def build(self) -> None:
        for name, reason in self._schema.left_out.items():
            self._source.leave_out(name, reason)
        computed = self._computed_tables()
        for table in self._schema.tables:
            self._profile_table(table, is_computed=table.is_view or table.name in computed)
        self._index.finish()
        keys = infer_foreign_keys(self._schema, self._without_long_values(), self._is_included)
        left_out = {**self._source.left_out, **self._index.left_out}
        seconds = None if self._deadline.was_met else self._deadline.seconds
        write_facts(self._connection, self._profiles.values(), keys, left_out, seconds)

    def _computed_tables(self) -> frozenset[str]:
        """Return the virtual tables, which are read by whatever module they belong to."""
        try:
            rows = self._source.connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'create virtual%'"
            ).fetchall()
        except sqlite3.Error as error:
            raise unreadable(self._file.path, error) from error
        return frozenset(row[0] for row in rows)

    def _profile_table(self, table: Table, *, is_computed: bool) -> None:
        """Profile a table or view.

        What is over its limits is left out whole: a view, a table, or all its generated columns.
        """
        if self._deadline.is_over():
            self._source.leave_out(table.name, self._deadline.reason)
            return
        most_rows = max(FEWEST_ROWS, self._cells_left // max(1, len(table.columns)))
        computing = Allowance(COMPUTED)
        try:
            with self._source.part(table.name, computing if is_computed else Allowance(STORED)):
                rows = row_source(self._source.connection, table, min(SAMPLED_FROM, most_rows))
                generated = frozenset() if table.is_view else self._generated_columns(table)
        except LeftOut as reason:
            self._source.leave_out(table.name, reason)
            return
        if rows.sampled:
            self._samples[table.name] = rows.text
        self._cells_left -= len(table.columns) * rows.read
        stored = (
            [] if is_computed else [item for item in table.columns if item.name not in generated]
        )
        columns: Sequence[Column] = table.columns
        self._connection.execute("SAVEPOINT whole")
        while True:
            before = dict(self._source.left_out)
            try:
                self._profile_columns(table, columns, rows, stored, computing)
                break
            except _TooSlow as found:
                self._connection.execute("ROLLBACK TO whole")
                self._source.left_out = before
                for column in table.columns:
                    self._profiles.pop((table.name.casefold(), column.name.casefold()), None)
                columns = stored if found.column.name in generated else []
                if not columns:
                    self._source.leave_out(table.name, found.reason)
                else:
                    for name in sorted(generated):
                        self._source.leave_out(f"{table.name}.{name}", found.reason)
        self._connection.execute("RELEASE whole")

    def _profile_columns(
        self,
        table: Table,
        columns: Sequence[Column],
        rows: RowSource,
        stored: Sequence[Column],
        computing: Allowance,
    ) -> None:
        """Profile columns one by one; all that are computed share an allowance."""
        for column in columns:
            name = f"{table.name}.{column.name}"
            is_stored = column in stored
            if self._deadline.is_over():
                self._source.leave_out(name, self._deadline.reason)
                continue
            place = f"generated columns of {table.name}" if stored and not is_stored else table.name
            self._connection.execute("SAVEPOINT part")
            try:
                with self._source.part(name, Allowance(STORED) if is_stored else computing, place):
                    self._profile_column(table, column, rows, is_stored=is_stored)
            except OverLimits as reason:
                raise _TooSlow(column, reason) from reason
            except LeftOut as reason:
                self._connection.execute("ROLLBACK TO part")
                self._source.leave_out(name, reason)
            self._connection.execute("RELEASE part")

    def _generated_columns(self, table: Table) -> frozenset[str]:
        rows = self._source.connection.execute(f"PRAGMA table_xinfo({quote_name(table.name)})")
        return frozenset(row[1] for row in rows if row[6] == _VIRTUAL)

    def _profile_column(
        self, table: Table, column: Column, rows: RowSource, *, is_stored: bool
    ) -> None:
        text = rows.text if is_stored else computed_source(rows.text, column)
        tally = ColumnTally()
        chunks = tally_column(self._source.connection, text, column)
        for chunk in self._index.record(table, column, chunks, sampled=rows.sampled):
            tally.add(chunk)
        long = LongValues()
        if rows.sampled or tally.rows < rows.count:
            try:
                long = read_long_values(
                    self._source.connection, text, column, tally.short_texts, MOST_LONG_BYTES
                )
            except LongValuesError as reason:
                raise LeftOut(str(reason)) from None
        place = (table.name.casefold(), column.name.casefold())
        sample = column_sample(self._source.connection, rows, table, column, tally.frequent)
        self._profiles[place] = tally.profile(table, column, long, sample=sample)
        if long.texts or long.blobs:
            self._long.add(place)
        if not is_stored:
            self._computed.add(place)

    def _without_long_values(self) -> _Profiles:
        return {place: item for place, item in self._profiles.items() if place not in self._long}

    def _is_included(self, candidate: KeyCandidate) -> bool:
        source, column = candidate.source.name, candidate.column.name
        target, referred = candidate.target.name, candidate.target_column.name
        name = f"key {source}.{column} -> {target}.{referred}"
        places = {(source.casefold(), column.casefold()), (target.casefold(), referred.casefold())}
        if self._deadline.is_over():
            self._source.leave_out(name, self._deadline.reason)
            return False
        strangers = candidate.strangers(self._samples.get(source))
        is_large = max(self._profiles[place].rows for place in places) >= _MARKED_ROWS
        limits = COMPUTED if places & self._computed else STORED
        place = name if is_large or limits.is_computed else _SMALL_KEYS
        try:
            with self._source.part(name, Allowance(limits), place):
                return self._source.connection.execute(strangers).fetchone() is None
        except LeftOut as reason:
            self._source.leave_out(name, reason)
            return False
