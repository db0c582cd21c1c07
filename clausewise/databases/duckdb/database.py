"""DuckDB files."""

from __future__ import annotations

import os
import sqlite3
import threading
from functools import cached_property
from pathlib import Path
from typing import ClassVar
from weakref import WeakSet

from clausewise.databases.base import BaseDatabase
from clausewise.databases.deadline import Deadline
from clausewise.databases.descriptions import FOLDER_NAME, read_descriptions
from clausewise.databases.duckdb.building import fill
from clausewise.databases.duckdb.confined import first_line
from clausewise.databases.duckdb.connections import DuckDBConnection, DuckDBFile
from clausewise.databases.duckdb.schema import read_schema
from clausewise.databases.files import resolve_target, unreadable
from clausewise.databases.fingerprint import content_key
from clausewise.databases.marker import Marker
from clausewise.databases.model import Limits, QueryResult, Schema
from clausewise.databases.store import Store


class DuckDBDatabase(BaseDatabase):
    """A DuckDB database, opened for reading only and confined to its file.

    Only tables of the schema `main` are known. Files, the network and extensions are out of reach
    of a statement, and `steps` of the limits is not counted. DuckDB lets several processes read a
    file, and opens none that another process writes; in one process, a file is open with one
    configuration at a time, so close connections of your own before.

    Parameters
    ----------
    target : path of a DuckDB file, or SQLAlchemy URL `duckdb:///PATH`.
    descriptions : folder of BIRD's description files; by default `database_description` beside
        the file, if there is one. The comments of columns are read where it says nothing.
    cache_dir : folder for profiles and value indexes; by default `CLAUSEWISE_CACHE_DIR` or the
        user's cache folder.
    limits : what a statement may spend where `run` is given no others.

    Raises
    ------
    DatabaseError
        Where the target is missing or is no DuckDB database.
    """

    dialect = "duckdb"
    reopens: ClassVar[bool] = True

    def __init__(
        self,
        target: str | Path,
        *,
        descriptions: str | Path | None = None,
        cache_dir: str | Path | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.path = resolve_target(target)
        super().__init__(str(self.path), self.path.stem, cache_dir, limits, descriptions)
        self._file = DuckDBFile(self.path)
        self._local = threading.local()
        self._connections: WeakSet[DuckDBConnection] = WeakSet()

    def compile(self, sql: str) -> None:
        """Let DuckDB plan one SELECT without running it; raises as `run`."""
        self._connection().plan(sql, self.limits)

    @cached_property
    def declared_schema(self) -> Schema:
        """The schema with declared keys only; needs no look at the data.

        Raises DatabaseError where the file is damaged.
        """
        folder = self._descriptions or self.path.with_name(FOLDER_NAME)
        connection = self._connection()
        try:
            return read_schema(connection.connection, read_descriptions(folder))
        except connection.driver.Error as error:
            raise unreadable(self.path, first_line(error)) from error

    @cached_property
    def content_key(self) -> str:
        """32 hexadecimal digits that stand for the bytes of the file and its log."""
        return content_key(self._file, self._cache_dir)

    def close(self) -> None:
        """Close all connections of this process; a later call opens new ones."""
        super().close()
        with self._lock:
            for connection in list(self._connections):
                connection.close()
            self._connections.clear()
            self._local = threading.local()

    def _execute(self, sql: str, limits: Limits) -> tuple[QueryResult, int]:
        return self._connection().run(sql, limits)

    def _new_store(self) -> Store:
        connection, schema, seconds = (
            self._connection(),
            self.declared_schema,
            self.profile_seconds,
        )

        def build(store: sqlite3.Connection, marker: Marker) -> None:
            fill(store, connection, schema, marker, Deadline(seconds))

        return Store(self.target, schema, build, self._cache_dir, self.content_key, seconds)

    def _connection(self) -> DuckDBConnection:
        """Return this thread's connection; one made before a fork is left to the parent."""
        connection: DuckDBConnection | None = getattr(self._local, "connection", None)
        if connection is None or connection.process != os.getpid():
            connection = DuckDBConnection(self._file)
            self._local.connection = connection
            with self._lock:
                self._connections.add(connection)
        return connection
