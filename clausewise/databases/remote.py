"""Databases whose statements run in a worker process, for threads that wait for other things."""

from __future__ import annotations

import pickle
import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from clausewise.databases.joins import build_join_graph
from clausewise.databases.model import (
    Cell,
    ColumnProfile,
    Limits,
    QueryResult,
    Schema,
    ValuePlace,
)
from clausewise.databases.sqlite.copies import remove_abandoned, remove_copies
from clausewise.errors import DatabaseError, QueryTimeout
from clausewise.workers import Broken, Isolation, WorkerPool

if TYPE_CHECKING:
    import networkx

    from clausewise.databases.folder import Databases

_Call: TypeAlias = tuple[str, str, tuple[Any, ...]]
"""Name of the database, method or attribute, and arguments."""


class _DatabaseJob:
    """Answers calls on databases that are opened in the worker."""

    def __init__(self, databases: Databases) -> None:
        self._packed = pickle.dumps(databases)
        self._databases: Databases | None = None

    def __call__(self, call: _Call) -> Any:
        """Return what the method returns, or the error that it raises."""
        name, method, arguments = call
        if self._databases is None:
            self._databases = pickle.loads(self._packed)
        try:
            member = getattr(self._databases.get(name), method)
            return member(*arguments) if callable(member) else member
        except DatabaseError as error:
            return error

    def found(self) -> None:
        """Return None: a call has no parts."""

    def clean_up(self) -> None:
        """Remove the copies that had to be made of databases in this worker."""
        remove_copies()

    def clean_up_after_others(self) -> None:
        """Remove the copies of workers that were killed."""
        remove_abandoned()


class RemoteDatabases:
    """The same databases, each opened in a worker; see `Databases`."""

    def __init__(self, databases: Databases, isolation: Isolation) -> None:
        self._pool = WorkerPool(_DatabaseJob(databases), isolation)
        self._lock = threading.Lock()
        self._opened: dict[str, RemoteDatabase] = {}
        # Before the caller starts threads: a process is then quickly copied.
        self._pool.start()

    def get(self, db_id: str) -> RemoteDatabase:
        """Return the database of that name; its first use says whether there is one."""
        return self._opened.setdefault(db_id, RemoteDatabase(db_id, self._pool, self._lock))

    def close(self) -> None:
        """End the workers."""
        self._pool.close()


class RemoteDatabase:
    """A database in a worker process, with the methods of `DatabaseProtocol`.

    Calls on all databases come one after another, so that there is one worker.
    One that exceeds a hard limit raises QueryTimeout.
    """

    def __init__(self, name: str, pool: WorkerPool, lock: threading.Lock) -> None:
        self.name = name
        self._pool = pool
        self._lock = lock

    @cached_property
    def schema(self) -> Schema:
        """Tables, columns and keys."""
        return cast("Schema", self._call("schema"))

    @cached_property
    def dialect(self) -> str:
        """The SQL dialect of its queries."""
        return cast("str", self._call("dialect"))

    @cached_property
    def has_data(self) -> bool:
        """Whether there is data behind the schema."""
        return cast("bool", self._call("has_data"))

    @cached_property
    def join_graph(self) -> networkx.Graph:
        """Tables and the keys that join them."""
        return build_join_graph(self.schema)

    @cached_property
    def content_key(self) -> str:
        """A text that changes with the content."""
        return cast("str", self._call("content_key"))

    def run(self, sql: str, limits: Limits | None = None) -> QueryResult:
        """Run one SELECT and return its rows; raises as `Database.run`."""
        return cast("QueryResult", self._call("run", sql, limits))

    def scalar(self, sql: str, limits: Limits | None = None) -> Cell:
        """Return the first cell of the first row, None where there is no row; raises as `run`."""
        return cast("Cell", self._call("scalar", sql, limits))

    def compile(self, sql: str) -> None:
        """Let the database prepare one SELECT without running it; raises as `run`."""
        self._call("compile", sql)

    def profile(self, table: str, column: str) -> ColumnProfile:
        """Return what a column holds; raises DatabaseError where that is not known."""
        return cast("ColumnProfile", self._call("profile", table, column))

    def row_count(self, table: str) -> int:
        """Return the exact number of rows; raises as `run`."""
        return cast("int", self._call("row_count", table))

    def find_value(self, value: str) -> tuple[ValuePlace, ...]:
        """Return where a text stands in the data."""
        return cast("tuple[ValuePlace, ...]", self._call("find_value", value))

    def is_indexed(self, table: str, column: str) -> bool:
        """Whether `find_value` knows every text of a column."""
        return cast("bool", self._call("is_indexed", table, column))

    def close(self) -> None:
        """Leave the worker to `RemoteDatabases`."""

    def _call(self, method: str, *arguments: Any) -> Any:
        with self._lock:
            outcome = self._pool.call((self.name, method, arguments))
        if isinstance(outcome, Broken):
            raise QueryTimeout(outcome.reason)
        if isinstance(outcome.result, DatabaseError):
            raise outcome.result
        return outcome.result
