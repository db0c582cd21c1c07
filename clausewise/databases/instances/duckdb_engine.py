"""A DuckDB database in memory that holds one instance after another.

It is confined as follows: no access to files, the network or extensions, a configuration that
cannot be changed, one thread, a limit of memory; each query is one SELECT in a transaction that
only reads, and is interrupted when its time is over. DuckDB counts neither the memory of a single
long text nor looks at the clock inside one call, so functions that make long texts from short
ones, or take long over them, are refused by name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from threading import Event, Lock, Thread
from time import monotonic
from types import ModuleType
from typing import Any, Self

from clausewise.databases.instances.engine_types import engine_type
from clausewise.databases.instances.memory import INSTANCE_LIMITS
from clausewise.databases.instances.model import Instance
from clausewise.databases.model import Cell, Limits, QueryResult, Table
from clausewise.errors import (
    DatabaseError,
    MissingExtraError,
    QueryDenied,
    QueryFailed,
    QueryTimeout,
    QueryTooLarge,
)
from clausewise.text import quote_name
from clausewise.workers import heartbeat

MEMORY = "256MB"
"""What DuckDB may take for tables, results and what it computes."""
_LONGEST_STATEMENT = 100_000
_SECONDS_BETWEEN_LOOKS = 0.05
_CONFIGURATION: dict[str, str | bool | int | float | list[str]] = {
    "threads": 1,
    "memory_limit": MEMORY,
    "max_temp_directory_size": "0B",
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "python_enable_replacements": False,
}
_REFUSED = re.compile(
    r"\b(repeat|lpad|rpad|printf|format|bar|levenshtein|editdist3|damerau_levenshtein|hamming"
    r"|jaccard|jaro_similarity|jaro_winkler_similarity|list_sort|array_sort|list_resize"
    r"|array_resize|setseed|nextval|write_log|checkpoint|force_checkpoint|query|query_table)"
    r"\s*\"?\s*\(",
    re.IGNORECASE,
)


class DuckDBInstances:
    """Runs queries on instances of a few tables in DuckDB, as `MemoryInstances` does in SQLite.

    The tables have the columns of `tables` with the types of `engine_type`, and no keys, checks or
    indexes: an instance obeys those already, and rows are read in the order in which they are
    written.

    Parameters
    ----------
    tables : the tables that an instance may hold; views are left out.
    limits : what one query may spend; `steps` is not counted.

    Raises
    ------
    MissingExtraError
        Where the extra clausewise[duckdb] is not installed.
    DatabaseError
        Where the tables cannot be made.
    """

    def __init__(self, tables: Sequence[Table], limits: Limits = INSTANCE_LIMITS) -> None:
        self._driver = _driver()
        self._limits = limits
        self._stored: dict[str, tuple[tuple[Cell, ...], ...]] = {}
        try:
            self._connection = self._driver.connect(":memory:", config=_CONFIGURATION)
            for table in tables:
                if not table.is_view:
                    self._connection.execute(_create_table(table))
            self._connection.execute("SET lock_configuration = true")
        except self._driver.Error as error:
            raise DatabaseError(f"cannot make the tables of an instance: {error}") from error
        self._watch = _Watch(self._connection)

    def fill(self, instance: Instance) -> None:
        """Put an instance in the place of the one before; other tables keep what they hold.

        Raises DatabaseError where a value does not fit the type of its column; the tables are
        then as they were.
        """
        changed = [t for t in instance.tables if self._stored.get(t.name) is not t.rows]
        execute = self._connection.execute
        execute("BEGIN TRANSACTION")
        try:
            for table in changed:
                name = quote_name(table.name)
                execute(f"DELETE FROM {name}")
                if table.rows:
                    row = f"({', '.join('?' * len(table.columns))})"
                    marks = ", ".join([row] * len(table.rows))
                    cells = [cell for one in table.rows for cell in one]
                    execute(f"INSERT INTO {name} VALUES {marks}", cells)
        except (self._driver.Error, OverflowError, UnicodeError) as error:
            execute("ROLLBACK")
            raise DatabaseError(
                f"cannot store the rows of an instance: {_first_line(error)}"
            ) from error
        execute("COMMIT")
        self._stored.update((table.name, table.rows) for table in changed)

    def run(self, sql: str) -> QueryResult:
        """Run one SELECT on the instance at hand; raises as `DatabaseProtocol.run`.

        Dates and times come as text in ISO form, truth values as 0 and 1, decimals as floats;
        lists, structures and NaN as text.
        """
        self._examine(sql)
        self._connection.execute("BEGIN TRANSACTION READ ONLY")
        heartbeat.begin_statement(self._limits.seconds)
        self._watch.start(self._limits.seconds)
        try:
            return self._fetch(sql)
        except (self._driver.Error, MemoryError, UnicodeError, ValueError) as error:
            raise self._translate(error) from error
        finally:
            self._watch.stop()
            heartbeat.end_statement()
            self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close the database; the instance is gone."""
        self._watch.close()
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _examine(self, sql: str) -> None:
        """Refuse what is not one SELECT, or would take what DuckDB does not limit."""
        if len(sql) > _LONGEST_STATEMENT:
            raise QueryTooLarge(f"the statement is longer than {_LONGEST_STATEMENT:,} characters")
        refused = _REFUSED.search(sql)
        if refused:
            raise QueryDenied(f"the function {refused[1]} is not allowed")
        try:
            statements = self._connection.extract_statements(sql)
        except (self._driver.Error, UnicodeError) as error:
            raise QueryFailed(_first_line(error)) from error
        if len(statements) != 1:
            raise QueryDenied("exactly one statement may be run at a time")
        if statements[0].type != self._driver.StatementType.SELECT:
            raise QueryDenied(f"only reading is allowed, refused: {statements[0].type.name}")

    def _fetch(self, sql: str) -> QueryResult:
        limits = self._limits
        cursor = self._connection.execute(sql)
        columns = tuple(entry[0] for entry in cursor.description or ())
        fetched = cursor.fetchmany(limits.rows + 1)
        rows = tuple(tuple(_cell(value) for value in row) for row in fetched[: limits.rows])
        for row in rows:
            for cell in row:
                if isinstance(cell, str | bytes) and len(cell) > limits.cell_bytes:
                    raise QueryTooLarge(f"a value is larger than {limits.cell_bytes:,} bytes")
        return QueryResult(columns, rows, len(fetched) > limits.rows)

    def _translate(self, error: Exception) -> DatabaseError:
        if self._watch.has_rung:
            return QueryTimeout(f"stopped after {self._limits.seconds:g} seconds")
        if isinstance(error, MemoryError | self._driver.OutOfMemoryException):
            return QueryTooLarge(f"the statement needs more than {MEMORY} of memory")
        if "read-only" in str(error):
            return QueryDenied("only reading is allowed, refused: a change in WITH")
        return QueryFailed(_first_line(error))


class _Watch:
    """Interrupts a connection when a time is over, never the statement that comes next.

    One thread looks at the clock for all statements; to start one for each took longer than they.
    """

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._lock = Lock()
        self._deadline: float | None = None
        self._closed = Event()
        self.has_rung = False
        Thread(target=self._look, daemon=True).start()

    def start(self, seconds: float) -> None:
        with self._lock:
            self.has_rung = False
            self._deadline = monotonic() + seconds

    def stop(self) -> None:
        with self._lock:
            self._deadline = None

    def close(self) -> None:
        self._closed.set()

    def _look(self) -> None:
        while not self._closed.wait(_SECONDS_BETWEEN_LOOKS):
            with self._lock:
                if self._deadline is not None and monotonic() > self._deadline:
                    self.has_rung = True
                    self._connection.interrupt()


def _driver() -> ModuleType:
    try:
        import duckdb
    except ImportError:
        raise MissingExtraError("comparing queries in DuckDB", "duckdb") from None
    driver: ModuleType = duckdb
    return driver


def _create_table(table: Table) -> str:
    columns = [
        f"{quote_name(column.name)} {engine_type(column.declared_type)}" for column in table.columns
    ]
    return f"CREATE TABLE {quote_name(table.name)} ({', '.join(columns)})"


def _cell(value: object) -> Cell:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float) and math.isnan(value):
        return "NaN"  # in Python it is not equal to itself, so every result would differ
    if value is None or isinstance(value, int | float | str | bytes):
        return value
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, datetime):
        return value.isoformat(" ")
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0]
