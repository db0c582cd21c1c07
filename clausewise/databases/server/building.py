"""Builds the store of a server's database: profiles, inferred keys, value index."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from time import monotonic
from typing import TYPE_CHECKING, Any

from clausewise.databases.cells import cell_of
from clausewise.databases.facts import write_facts
from clausewise.databases.keys import KeyCandidate, infer_foreign_keys
from clausewise.databases.model import Cell, Column, ColumnProfile, Limits, Table
from clausewise.databases.profile import LONGEST_TALLIED, ColumnTally, LongValues, Tally
from clausewise.databases.values import ValueIndexWriter
from clausewise.errors import DatabaseError, QueryFailed, QueryTimeout, QueryTooLarge

if TYPE_CHECKING:
    from clausewise.databases.server.database import ServerDatabase

COLUMN_SECONDS = 30.0
"""For one statement that profiles a column or compares two."""
BUILD_SECONDS = 300.0
"""For all of a database; what is left then has no profile."""
SAMPLED_FROM = 1_000_000
"""Tables of more rows, by the server's estimate, are read in part."""
SAMPLE_ROWS = 100_000
"""Rows that are read of them."""

_CHUNK = 5_000
_TEXT_TYPES = ("CHAR", "TEXT", "CLOB", "ENUM", "SET(", "CITEXT", "STRING", "UUID")
_BINARY_TYPES = ("BLOB", "BYTEA", "BINARY")
_RANKS = {int: 1, float: 1, str: 2, bytes: 3}
_PARTS = (QueryFailed, QueryTimeout, QueryTooLarge)


def build_store(database: ServerDatabase, connection: sqlite3.Connection) -> None:
    """Work out profiles, index and keys, and write them; the facts come last.

    Raises DatabaseError where the server cannot be read, sqlite3.OperationalError or OSError where
    the store cannot be written.
    """
    connection.execute("BEGIN")
    _ServerStoreBuilder(database, connection).build()
    connection.execute("COMMIT")


class _ServerStoreBuilder:
    def __init__(self, database: ServerDatabase, connection: sqlite3.Connection) -> None:
        self._database = database
        self._connection = connection
        self._index = ValueIndexWriter(connection)
        self._profiles: dict[tuple[str, str], ColumnProfile] = {}
        self._long: set[tuple[str, str]] = set()
        self._left_out: dict[str, str] = {}
        self._deadline = monotonic() + BUILD_SECONDS

    def build(self) -> None:
        schema = self._database.declared_schema
        for table in schema.tables:
            source, sampled = self._source(table)
            for column in table.columns:
                self._profile(table, column, source, sampled=sampled)
        self._index.finish()
        known = {place: item for place, item in self._profiles.items() if place not in self._long}
        keys = infer_foreign_keys(schema, known, self._is_included)
        left_out = {**self._left_out, **self._index.left_out}
        write_facts(self._connection, self._profiles.values(), keys, left_out)

    def _source(self, table: Table) -> tuple[str, bool]:
        """Return what to put after FROM, and whether it is a part of the rows."""
        name = self._database.quote_name(table.name)
        if self._database.estimated_rows.get(table.name, 0) <= SAMPLED_FROM:
            return name, False
        return f"(SELECT * FROM {name} LIMIT {SAMPLE_ROWS}) AS sampled", True

    def _profile(self, table: Table, column: Column, source: str, *, sampled: bool) -> None:
        name = f"{table.name}.{column.name}"
        if monotonic() > self._deadline:
            self._left_out[name] = f"the {BUILD_SECONDS:g} s for the database were over"
            return
        self._connection.execute("SAVEPOINT part")
        try:
            self._profile_column(table, column, source, sampled=sampled)
        except _PARTS as error:
            self._connection.execute("ROLLBACK TO part")
            self._left_out[name] = str(error)
        self._connection.execute("RELEASE part")

    def _profile_column(self, table: Table, column: Column, source: str, *, sampled: bool) -> None:
        tally = ColumnTally()
        chunks = self._tallies(column, source)
        for chunk in self._index.record(table, column, chunks, sampled=sampled):
            tally.add(chunk)
        long = self._long_values(column, source)
        place = (table.name.casefold(), column.name.casefold())
        self._profiles[place] = tally.profile(table, column, long, sampled=sampled)
        if long.texts or long.blobs:
            self._long.add(place)

    def _tallies(self, column: Column, source: str) -> Iterator[list[Tally]]:
        """Yield chunks of (value, rows): NULL, numbers, text byte by byte, blobs."""
        name = self._database.quote_name(column.name)
        expression, condition = name, ""
        if _is_text(column):
            expression = self._database.rules.exact_text(name)
            condition = f" WHERE {name} IS NULL OR octet_length({expression}) <= {LONGEST_TALLIED}"
        elif _is_binary(column):
            condition = f" WHERE {name} IS NULL OR octet_length({name}) <= {LONGEST_TALLIED}"
        elif not _is_plain(column):
            expression = self._database.rules.exact_text(name)
        counted: dict[Cell, int] = {}
        statement = f"SELECT {expression}, count(*) FROM {source}{condition} GROUP BY 1"
        for value, count in self._rows(statement):
            cell = value.decode("utf-8", "replace") if _of_text(value, column) else cell_of(value)
            counted[cell] = counted.get(cell, 0) + int(count)
        found = sorted(counted.items(), key=_order)
        for start in range(0, len(found), _CHUNK):
            yield found[start : start + _CHUNK]

    def _long_values(self, column: Column, source: str) -> LongValues:
        if not _is_text(column) and not _is_binary(column):
            return LongValues()
        name = self._database.quote_name(column.name)
        expression = self._database.rules.exact_text(name) if _is_text(column) else name
        statement = (
            f"SELECT count(*), count(DISTINCT md5({expression})) FROM {source} "
            f"WHERE octet_length({expression}) > {LONGEST_TALLIED}"
        )
        ((count, distinct),) = self._rows(statement)
        kind = {"texts": int(count)} if _is_text(column) else {"blobs": int(count)}
        return LongValues(**kind, distinct=int(distinct), sorts_first=True, sorts_last=True)

    def _rows(self, statement: str) -> Iterator[Any]:
        """Yield the rows of a statement of ours."""
        limits = Limits(seconds=COLUMN_SECONDS)
        with self._database.session.transaction(limits) as connection:
            options = {"stream_results": True, "no_parameters": True, "max_row_buffer": _CHUNK}
            yield from connection.execution_options(**options).exec_driver_sql(statement)

    def _is_included(self, candidate: KeyCandidate) -> bool:
        quote = self._database.quote_name
        column, target = quote(candidate.column.name), quote(candidate.target_column.name)
        statement = (
            f"SELECT 1 FROM {quote(candidate.source.name)} AS a WHERE a.{column} IS NOT NULL AND "
            f"NOT EXISTS (SELECT 1 FROM {quote(candidate.target.name)} AS b "
            f"WHERE b.{target} = a.{column}) LIMIT 1"
        )
        if monotonic() > self._deadline:
            return False
        try:
            return not list(self._rows(statement))
        except _PARTS:
            # Of kinds that this server does not compare.
            return False
        except DatabaseError as error:
            self._left_out[f"key {candidate.source.name}.{candidate.column.name}"] = str(error)
            return False


def _order(tally: Tally) -> tuple[int, Any]:
    value = tally[0]
    if isinstance(value, str):
        return 2, value.encode("utf-8", "surrogatepass")
    return (0, 0) if value is None else (_RANKS[type(value)], value)


def _of_text(value: object, column: Column) -> bool:
    return isinstance(value, bytes) and not _is_binary(column)


def _is_text(column: Column) -> bool:
    return column.declared_type.upper().startswith(_TEXT_TYPES) or any(
        part in column.declared_type.upper() for part in ("CHAR", "TEXT")
    )


def _is_binary(column: Column) -> bool:
    return any(part in column.declared_type.upper() for part in _BINARY_TYPES)


def _is_plain(column: Column) -> bool:
    """Whether the server can group by the column as it is."""
    name = column.declared_type.upper()
    plain = ("INT", "NUMERIC", "DECIMAL", "REAL", "DOUBLE", "FLOAT", "DATE", "TIME", "BOOL", "BIT")
    return any(part in name for part in (*plain, "SERIAL", "MONEY", "YEAR", "INTERVAL"))
