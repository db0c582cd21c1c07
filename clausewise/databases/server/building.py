"""Builds the store of a server's database: profiles, inferred keys, value index."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from clausewise.databases.cells import cell_of
from clausewise.databases.deadline import Deadline
from clausewise.databases.facts import write_facts
from clausewise.databases.keys import KeyCandidate, infer_foreign_keys
from clausewise.databases.model import Cell, Column, ColumnProfile, Table
from clausewise.databases.profile import LONGEST_TALLIED, ColumnTally, LongValues, Tally
from clausewise.databases.sampling import BLOCKS, SAMPLE_ROWS, RowSample, largest_effect
from clausewise.databases.server.key_blocks import key_blocks
from clausewise.databases.values import ValueIndexWriter
from clausewise.errors import DatabaseError, QueryDenied, QueryFailed, QueryTimeout, QueryTooLarge

if TYPE_CHECKING:
    from clausewise.databases.server.database import ServerDatabase

COLUMN_SECONDS = 30.0
"""For one statement that profiles a column or compares two."""
SAMPLED_FROM = 1_000_000
"""Tables of more rows, by the server's estimate, are read in part."""
_CHUNK = 5_000
_PARTS = (QueryDenied, QueryFailed, QueryTimeout, QueryTooLarge)
_Found = list[tuple[object, Cell, int]]
"""Block, value, and the rows of that value in that block."""
_FIRST_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class TableSource:
    """The rows of a table that are profiled."""

    text: str
    """What to put after FROM."""
    sample: RowSample | None = None
    """Which of the rows they are; None where all are read."""
    block: str | None = None
    """An expression for the block that a row was read with."""

    @property
    def sampled(self) -> bool:
        """Whether only a part of the rows is read."""
        return self.sample is not None


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
        self._sources: dict[str, TableSource] = {}
        self._deadline = Deadline(database.profile_seconds)

    def build(self) -> None:
        schema = self._database.declared_schema
        for table in schema.tables:
            if self._deadline.is_over():
                self._left_out[table.name] = self._deadline.reason
                continue
            try:
                source = self._sources[table.name] = self._source(table)
                ((rows,),) = self._rows(f"SELECT count(*) FROM {source.text}")
            except _PARTS as error:
                self._left_out[table.name] = self._why(error)
                continue
            for column in table.columns:
                self._profile(table, column, source, rows)
        self._index.finish()
        known = {place: item for place, item in self._profiles.items() if place not in self._long}
        keys = infer_foreign_keys(schema, known, self._is_included)
        left_out = {**schema.left_out, **self._left_out, **self._index.left_out}
        seconds = None if self._deadline.was_met else self._deadline.seconds
        write_facts(self._connection, self._profiles.values(), keys, left_out, seconds)

    def _why(self, error: DatabaseError) -> str:
        """Return why a part was left out: for the time of the whole, or for its own limits."""
        return self._deadline.reason if self._deadline.is_over() else str(error)

    def _source(self, table: Table) -> TableSource:
        """Return the rows of a table to read: all, or of a large one a part.

        By the server's own estimate: rows are never counted to find out.
        """
        name, server = self._database.quote_name(table.name), self._database.server
        estimate = self._database.estimated_rows.get(table.name, 0)
        if estimate <= SAMPLED_FROM:
            return TableSource(name)
        if server.page is not None:
            sample = RowSample(estimate, estimated=True, chosen="blocks")
            return TableSource(server.sample(name, SAMPLE_ROWS, estimate), sample, server.page)
        chosen = key_blocks(table, self._database.quote_name, self._rows)
        if chosen is None:
            sample = RowSample(estimate, estimated=True, chosen="first")
            return TableSource(server.sample(name, SAMPLE_ROWS, estimate), sample)
        sample = RowSample(chosen.table_rows, estimated=True, chosen="blocks", blocks=BLOCKS)
        return TableSource(f"{chosen.text} AS sampled", sample, chosen.block)

    def _sample(
        self, table: Table, column: Column, source: TableSource, found: _Found, shown: list[Cell]
    ) -> RowSample | None:
        """Return the sample with the error of the column's frequent values, and of NULL."""
        if source.sample is None:
            return None
        is_key = table.primary_key == (column.name,) or (column.name,) in table.unique
        sample = replace(source.sample, is_key=is_key)
        if source.block is None:
            return sample
        effect = largest_effect(found, [None, *shown])
        blocks = len({block for block, _, _ in found})
        return replace(sample, design_effect=effect, blocks=blocks)

    def _profile(self, table: Table, column: Column, source: TableSource, rows: int) -> None:
        name = f"{table.name}.{column.name}"
        if self._deadline.is_over():
            self._left_out[name] = self._deadline.reason
            return
        self._connection.execute("SAVEPOINT part")
        try:
            self._profile_column(table, column, source, rows)
        except _PARTS as error:
            self._connection.execute("ROLLBACK TO part")
            self._left_out[name] = self._why(error)
        self._connection.execute("RELEASE part")

    def _profile_column(self, table: Table, column: Column, source: TableSource, rows: int) -> None:
        values = _Values.of(column, self._database)
        tally = ColumnTally()
        found: _Found = []
        chunks = self._tallies(values, source, found)
        for chunk in self._index.record(table, column, chunks, sampled=source.sampled):
            tally.add(chunk)
        long = LongValues()
        if tally.rows < rows and values.is_long:
            long = self._long_values(values, source, tally.short_texts)
        place = (table.name.casefold(), column.name.casefold())
        sample = self._sample(table, column, source, found, tally.frequent)
        self._profiles[place] = tally.profile(table, column, long, sample=sample)
        if long.texts or long.blobs:
            self._long.add(place)

    def _tallies(
        self, values: _Values, source: TableSource, found: _Found
    ) -> Iterator[list[Tally]]:
        """Yield chunks of (value, rows) in SQLite's order: NULL, numbers, texts by byte, blobs.

        Of a sample in blocks `found` gets block, value and rows, so that it is read once.
        """
        nulls_first = self._database.server.nulls_first
        block = f", {source.block}" if source.block else ", 0"
        groups = "1, 3" if source.block else "1"
        statement = (
            f"SELECT {values.text}, count(*){block} FROM {source.text}{values.are_short} "
            f"GROUP BY {groups} ORDER BY 1{nulls_first}"
        )
        chunk: list[Tally] = []
        for value, count, number in self._rows(statement):
            if source.block:
                found.append((number, values.cell(value), int(count)))
            cell = values.cell(value)
            if chunk and chunk[-1][0] == cell and type(chunk[-1][0]) is type(cell):
                # Of two blocks, or two decimals that one number of floating point stands for.
                chunk[-1] = (cell, chunk[-1][1] + int(count))
                continue
            if len(chunk) >= _CHUNK:
                yield chunk
                chunk = []
            chunk.append((cell, int(count)))
        if chunk:
            yield chunk

    def _long_values(
        self, values: _Values, source: TableSource, short_texts: tuple[str, str] | None
    ) -> LongValues:
        """Count the values that are left out of the tallies."""
        beginning = f"left({values.text}, {LONGEST_TALLIED + 1})" if values.is_text else "NULL"
        statement = (
            f"SELECT count(*), count(DISTINCT md5({values.text})), min({beginning}), "
            f"max({beginning}) FROM {source.text} "
            f"WHERE octet_length({values.text}) > {LONGEST_TALLIED}"
        )
        ((count, distinct, lowest, highest),) = self._rows(statement)
        if not values.is_text:
            return LongValues(blobs=int(count), distinct=int(distinct))
        if not count:
            return LongValues()
        # A text that begins as a short one comes after it.
        low, high = _in_bytes(lowest), _in_bytes(highest)
        return LongValues(
            texts=int(count),
            distinct=int(distinct),
            sorts_first=short_texts is None or low < _in_bytes(short_texts[0]),
            sorts_last=short_texts is None or high > _in_bytes(short_texts[1]),
        )

    def _rows(self, statement: str) -> Iterator[Any]:
        """Yield the rows of a statement of ours."""
        yield from self._database.session.rows(statement, self._deadline.within(COLUMN_SECONDS))

    def _referring(self, candidate: KeyCandidate) -> str:
        """Return the referring rows as `a`: those of the sample, where the table is large."""
        source = self._sources[candidate.source.name]
        return f"(SELECT * FROM {source.text}) AS a" if source.sampled else f"{source.text} AS a"

    def _is_included(self, candidate: KeyCandidate) -> bool:
        quote = self._database.quote_name
        column, target = quote(candidate.column.name), quote(candidate.target_column.name)
        statement = (
            f"SELECT 1 FROM {self._referring(candidate)} WHERE a.{column} IS NOT NULL AND "
            f"NOT EXISTS (SELECT 1 FROM {quote(candidate.target.name)} AS b "
            f"WHERE b.{target} = a.{column}) LIMIT 1"
        )
        if self._deadline.is_over():
            name = f"key {candidate.source.name}.{candidate.column.name}"
            self._left_out[name] = self._deadline.reason
            return False
        try:
            return not list(self._rows(statement))
        except _PARTS:
            # Of kinds that this server does not compare.
            return False
        except DatabaseError as error:
            self._left_out[f"key {candidate.source.name}.{candidate.column.name}"] = str(error)
            return False


@dataclass(frozen=True, slots=True)
class _Values:
    """How the values of a column are grouped."""

    text: str
    """The expression."""
    is_text: bool
    is_long: bool
    """Whether they may be long."""

    @classmethod
    def of(cls, column: Column, database: ServerDatabase) -> _Values:
        name, server = database.quote_name(column.name), database.server
        found = _FIRST_WORD.match(column.declared_type.upper())
        word = found[0] if found and "[" not in column.declared_type else ""
        if word in server.native_types:
            return cls(name, is_text=False, is_long=False)
        if word in server.binary_types:
            return cls(name, is_text=False, is_long=True)
        return cls(server.exact_text(name), is_text=True, is_long=True)

    @property
    def are_short(self) -> str:
        """The condition that leaves out long values."""
        if not self.is_long:
            return ""
        return f" WHERE {self.text} IS NULL OR octet_length({self.text}) <= {LONGEST_TALLIED}"

    def cell(self, value: object) -> Cell:
        if self.is_text and isinstance(value, bytes):
            return value.decode("utf-8", "replace")
        return cell_of(value)


def _in_bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
