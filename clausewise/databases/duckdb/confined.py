"""DuckDB, confined to reading what it was opened for.

No access to files, the network or extensions, a configuration that cannot be changed, one thread,
a limit of memory; each query is one SELECT, and is interrupted when its time is over. DuckDB
counts neither the memory of a single long text nor looks at the clock inside one call, so
functions that make long texts from short ones, or take long over them, are refused by name.
"""

from __future__ import annotations

import math
import os
import re
import time
from itertools import chain
from threading import Lock, Thread
from types import ModuleType
from typing import Any
from weakref import WeakSet

from clausewise.databases.cells import cell_of, size_of
from clausewise.databases.model import Cell, Limits, QueryResult
from clausewise.errors import (
    DatabaseError,
    MissingExtraError,
    QueryDenied,
    QueryFailed,
    QueryTimeout,
    QueryTooLarge,
)

MEMORY = "256MB"
"""What DuckDB may take for tables in memory, results and what it computes."""
CONFIGURATION: dict[str, str | bool | int | float | list[str]] = {
    "threads": 1,
    "memory_limit": MEMORY,
    "max_temp_directory_size": "0B",
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "python_enable_replacements": False,
}
"""What a database is opened with, beside `lock_configuration`."""

_LONGEST_STATEMENT = 100_000
_SECONDS_BETWEEN_LOOKS = 0.05
_CHUNK = 500
_CALL = r"\s*\"?\s*\("
_UNLIMITED = re.compile(
    r"\b(repeat|lpad|rpad|printf|format|bar|levenshtein|editdist3|damerau_levenshtein|hamming"
    r"|jaccard|jaro_similarity|jaro_winkler_similarity|list_sort|array_sort|list_resize"
    rf"|array_resize){_CALL}",
    re.IGNORECASE,
)
_CHANGING = re.compile(
    rf"\b(setseed|nextval|write_log|checkpoint|force_checkpoint|query|query_table){_CALL}",
    re.IGNORECASE,
)


def duckdb_driver(purpose: str) -> ModuleType:
    """Return the library. Raises MissingExtraError, naming the purpose, where it is missing."""
    try:
        import duckdb
    except ImportError:
        raise MissingExtraError(purpose, "duckdb") from None
    driver: ModuleType = duckdb
    return driver


def examine(connection: Any, driver: ModuleType, sql: str) -> None:
    """Refuse what is not one SELECT, or would take what DuckDB does not limit.

    Raises QueryDenied, QueryTooLarge or QueryFailed.
    """
    if len(sql) > _LONGEST_STATEMENT:
        raise QueryTooLarge(f"the statement is longer than {_LONGEST_STATEMENT:,} characters")
    changing = _CHANGING.search(sql)
    if changing:
        raise QueryDenied(f"the function {changing[1]} is not allowed")
    unlimited = _UNLIMITED.search(sql)
    if unlimited:
        # Not denied: the query may be right, it is just not known what it would take.
        raise QueryTooLarge(f"not run: DuckDB limits nothing of what {unlimited[1]} takes")
    try:
        statements = connection.extract_statements(sql)
    except (driver.Error, UnicodeError) as error:
        raise QueryFailed(first_line(error)) from error
    if len(statements) != 1:
        raise QueryDenied("exactly one statement may be run at a time")
    if statements[0].type != driver.StatementType.SELECT:
        raise QueryDenied(f"only reading is allowed, refused: {statements[0].type.name}")


def fetch(connection: Any, sql: str, limits: Limits) -> tuple[QueryResult, int]:
    """Run an examined statement; return its rows, and about how many bytes they take.

    Raises QueryTooLarge, and what DuckDB raises.
    """
    cursor = connection.execute(sql)
    columns = tuple(entry[0] for entry in cursor.description or ())
    rows: list[tuple[Cell, ...]] = []
    size = 0
    while len(rows) <= limits.rows:
        chunk = cursor.fetchmany(min(_CHUNK, limits.rows + 1 - len(rows)))
        if not chunk:
            break
        cells = [tuple(map(duckdb_cell, row)) for row in chunk]
        for cell in chain.from_iterable(cells):
            if isinstance(cell, str | bytes) and len(cell) > limits.cell_bytes:
                raise QueryTooLarge(f"a value is larger than {limits.cell_bytes:,} bytes")
        rows += cells
        size += size_of(cells)
        if size > limits.result_bytes:
            raise QueryTooLarge(f"the rows take more than {limits.result_bytes:,} bytes")
    return QueryResult(columns, tuple(rows[: limits.rows]), len(rows) > limits.rows), size


def explain_error(
    error: Exception, driver: ModuleType, watch: Watch, limits: Limits
) -> DatabaseError:
    """Return our error for one that a statement brought about."""
    if watch.has_rung:
        return QueryTimeout(f"stopped after {limits.seconds:g} seconds")
    if isinstance(error, MemoryError | driver.OutOfMemoryException):
        return QueryTooLarge(f"the statement needs more than {MEMORY} of memory")
    if "read-only" in str(error):
        return QueryDenied("only reading is allowed, refused: a change in WITH")
    return QueryFailed(first_line(error))


def duckdb_cell(value: object) -> Cell:
    """Return a value of DuckDB as a cell; NaN as text."""
    if isinstance(value, float) and math.isnan(value):
        return "NaN"  # in Python it is not equal to itself, so every result would differ
    return cell_of(value)


def first_line(error: Exception) -> str:
    """Return the first line of a message: the others draw the statement."""
    return str(error).strip().split("\n", 1)[0]


class Watch:
    """Interrupts a connection when a time is over, never the statement that comes next."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._lock = Lock()
        self._deadline: float | None = None
        self.has_rung = False
        _looker().add(self)

    def start(self, seconds: float) -> None:
        """Begin the time of a statement."""
        with self._lock:
            self.has_rung = False
            self._deadline = time.monotonic() + seconds

    def stop(self) -> None:
        """End the time of a statement."""
        with self._lock:
            self._deadline = None

    def look(self) -> None:
        """Interrupt the statement if its time is over."""
        with self._lock:
            if self._deadline is not None and time.monotonic() > self._deadline:
                self.has_rung = True
                self._connection.interrupt()


class _Looker:
    """Looks at all watches of a process; a thread for each statement took longer than they do."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self._lock = Lock()
        self._watches: WeakSet[Watch] = WeakSet()
        Thread(target=self._look, daemon=True).start()

    def add(self, watch: Watch) -> None:
        with self._lock:
            self._watches.add(watch)

    def _look(self) -> None:
        while True:
            time.sleep(_SECONDS_BETWEEN_LOOKS)
            # In a function of its own: what this thread holds on to outlives the interpreter.
            self._look_once()

    def _look_once(self) -> None:
        with self._lock:
            watches = list(self._watches)
        for watch in watches:
            watch.look()


_lookers: list[_Looker] = []


def _looker() -> _Looker:
    """Return the one of this process: a thread does not outlive a fork."""
    if not _lookers or _lookers[-1].process != os.getpid():
        _lookers[:] = [_Looker()]
    return _lookers[-1]
