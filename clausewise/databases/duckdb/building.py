"""Builds the store of a DuckDB file: profiles, value index and inferred keys."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from clausewise.databases.deadline import Deadline
from clausewise.databases.duckdb.confined import first_line
from clausewise.databases.duckdb.connections import DuckDBConnection
from clausewise.databases.duckdb.tallies import (
    DuckDBRows,
    read_long_values,
    row_source,
    tally_column,
)
from clausewise.databases.facts import write_facts
from clausewise.databases.keys import KeyCandidate, infer_foreign_keys
from clausewise.databases.marker import Marker
from clausewise.databases.model import Column, ColumnProfile, Schema, Table
from clausewise.databases.profile import ColumnTally
from clausewise.databases.values import ValueIndexWriter
from clausewise.workers import heartbeat

SECONDS = 120.0
"""For one statement of a profile."""


class _PartLeftOut(Exception):
    """A part cannot be read; the message is the reason."""


def fill(
    store: sqlite3.Connection,
    source: DuckDBConnection,
    schema: Schema,
    marker: Marker,
    deadline: Deadline,
) -> None:
    """Work everything out and write it; the facts come last, so a torn file has none.

    What cannot be read, or not within its limits, is left out with the reason. Raises
    StoreWriteError or sqlite3.OperationalError where the store cannot be written.
    """
    store.execute("BEGIN")
    _DuckDBStoreBuilder(store, source, schema, marker, deadline).build()
    store.execute("COMMIT")


class _DuckDBStoreBuilder:
    def __init__(
        self,
        store: sqlite3.Connection,
        source: DuckDBConnection,
        schema: Schema,
        marker: Marker,
        deadline: Deadline,
    ) -> None:
        self._deadline = deadline
        self._store = store
        self._source = source
        self._schema = schema
        self._marker = marker
        self._index = ValueIndexWriter(store)
        self._left_out = dict(schema.left_out)
        self._profiles: dict[tuple[str, str], ColumnProfile] = {}
        self._samples: dict[str, str] = {}
        """Large tables, to what to put after FROM for the rows that are profiled of them."""
        self._long: set[tuple[str, str]] = set()
        """Columns with long values, which are no keys."""

    def build(self) -> None:
        for table in self._schema.tables:
            try:
                with self._part(table.name):
                    rows = row_source(self._source.connection, table)
            except _PartLeftOut as reason:
                self._left_out[table.name] = str(reason)
                continue
            if rows.sampled:
                self._samples[table.name] = rows.text
            for column in table.columns:
                self._profile_column(table, column, rows)
        self._index.finish()
        short = {place: item for place, item in self._profiles.items() if place not in self._long}
        keys = infer_foreign_keys(self._schema, short, self._is_included)
        seconds = None if self._deadline.was_met else self._deadline.seconds
        left_out = {**self._left_out, **self._index.left_out}
        write_facts(self._store, self._profiles.values(), keys, left_out, seconds)

    def _profile_column(self, table: Table, column: Column, rows: DuckDBRows) -> None:
        name = f"{table.name}.{column.name}"
        place = (table.name.casefold(), column.name.casefold())
        self._store.execute("SAVEPOINT part")
        try:
            with self._part(name):
                tally = ColumnTally()
                chunks = tally_column(self._source.connection, rows.text, column)
                for chunk in self._index.record(table, column, chunks, sampled=rows.sampled):
                    tally.add(chunk)
            with self._part(name):
                long = read_long_values(
                    self._source.connection, rows.text, column, tally.short_texts
                )
            self._profiles[place] = tally.profile(
                table, column, long, sample=rows.sample_of(table, column)
            )
            if long.texts or long.blobs:
                self._long.add(place)
        except _PartLeftOut as reason:
            self._store.execute("ROLLBACK TO part")
            self._left_out[name] = str(reason)
        self._store.execute("RELEASE part")

    def _is_included(self, candidate: KeyCandidate) -> bool:
        source, target = candidate.source.name, candidate.target.name
        name = f"key {source}.{candidate.column.name} -> {target}.{candidate.target_column.name}"
        strangers = candidate.strangers(self._samples.get(source))
        try:
            with self._part(name):
                return self._source.connection.execute(strangers).fetchone() is None
        except _PartLeftOut as reason:
            self._left_out[name] = str(reason)
            return False

    @contextmanager
    def _part(self, name: str) -> Iterator[None]:
        """Read one part within its time. Raises _PartLeftOut where that fails."""
        if self._deadline.is_over():
            raise _PartLeftOut(self._deadline.reason)
        if self._marker.gave_up(name):
            raise _PartLeftOut("it could not be read within its limits")
        self._marker.enter(name, 2 * SECONDS)
        heartbeat.begin_statement(2 * SECONDS)
        watch = self._source.watch
        watch.start(self._deadline.within(SECONDS))
        try:
            yield
        except (self._source.driver.Error, MemoryError, UnicodeError, ValueError) as error:
            reason = (
                "it could not be read within its limits" if watch.has_rung else first_line(error)
            )
            if self._deadline.is_over():
                reason = self._deadline.reason
            raise _PartLeftOut(reason) from error
        finally:
            watch.stop()
            heartbeat.end_statement()
