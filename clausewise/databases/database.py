"""One database as the rest of clausewise sees it: schema, facts, and a safe way to ask."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self, cast
from weakref import WeakSet

from clausewise.caching import cache_folder
from clausewise.databases.answers import Answers
from clausewise.databases.descriptions import FOLDER_NAME, read_descriptions
from clausewise.databases.file import DatabaseFile, resolve_target, unreadable
from clausewise.databases.fingerprint import content_key
from clausewise.databases.joins import build_join_graph
from clausewise.databases.model import (
    Cell,
    ColumnProfile,
    Limits,
    QueryResult,
    Schema,
    ValuePlace,
)
from clausewise.databases.protocol import DatabaseProtocol
from clausewise.databases.reader import Reader
from clausewise.databases.schema import read_schema
from clausewise.databases.store import Store
from clausewise.errors import (
    DatabaseError,
    NotProfiled,
    QueryDenied,
    QueryFailed,
    QueryTimeout,
    QueryTooLarge,
)
from clausewise.text import quote_name
from clausewise.workers import heartbeat

if TYPE_CHECKING:
    import networkx

_QUERY_ERRORS = (QueryDenied, QueryFailed, QueryTimeout, QueryTooLarge)


class Database:
    """A SQLite database, opened for reading only.

    Nothing but the header is read before it is asked for: `run` needs no schema, and profile,
    inferred keys and value index are built (or found in the cache) at their first use. All
    methods may be called from several threads, and a pickled database opens the same file again
    in another process. What is learned of the file is kept: to see changes made to it since, open
    it again.

    Parameters
    ----------
    target : path of a SQLite file, or SQLAlchemy URL `sqlite:///PATH`.
    descriptions : folder of BIRD's description files; by default `database_description` beside
        the file, if there is one.
    cache_dir : folder for profiles and value indexes; by default `CLAUSEWISE_CACHE_DIR` or the
        user's cache folder.
    limits : what a statement may spend where `run` is given no others.

    Raises DatabaseError where the target is missing or is no SQLite database.
    """

    def __init__(
        self,
        target: str | Path,
        *,
        descriptions: str | Path | None = None,
        cache_dir: str | Path | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.path = resolve_target(target)
        self.name = self.path.stem
        self.limits = limits or Limits()
        self._descriptions = None if descriptions is None else Path(descriptions).absolute()
        if self._descriptions is not None and not self._descriptions.is_dir():
            raise DatabaseError(f"there is no folder of descriptions '{self._descriptions}'")
        self._cache_dir = cache_folder(cache_dir)
        self._file = DatabaseFile(self.path)
        self._answers = Answers()
        self._lock = threading.RLock()
        self._local = threading.local()
        self._readers: WeakSet[Reader] = WeakSet()
        self._store: Store | None = None
        self._row_counts: dict[str, int] = {}
        self._callbacks: list[Callable[[], None]] = []

    def __repr__(self) -> str:
        return f"Database({str(self.path)!r})"

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle what is needed to open the same file again."""
        return (_reopen, (self.path, self._descriptions, self._cache_dir, self.limits))

    def run(self, sql: str, limits: Limits | None = None) -> QueryResult:
        """Run one SELECT and return its rows; the same question is answered from memory.

        `random()` and `randomblob()` give the same numbers in every statement; 'now' is the real
        time. Raises QueryDenied where the statement would do more than read or is more than one,
        QueryTimeout, QueryTooLarge, QueryFailed with SQLite's message, and DatabaseError itself
        where the file cannot be read.
        """
        question = (sql, limits or self.limits)
        known = self._answers.get(question)
        if known is not None:
            if isinstance(known, QueryResult):
                return known
            raise type(known)(str(known))
        try:
            result, size = self._reader().run(*question)
        except _QUERY_ERRORS as error:
            self._answers.put(question, type(error)(str(error)), size=0)
            if isinstance(error, QueryDenied):
                self._local.reader = None
            raise
        self._answers.put(question, result, size)
        return result

    def scalar(self, sql: str, limits: Limits | None = None) -> Cell:
        """Return the first cell of the first row, None where there is no row; raises as `run`."""
        rows = self.run(sql, replace(limits or self.limits, rows=1)).rows
        return rows[0][0] if rows else None

    def exists(self, sql: str, limits: Limits | None = None) -> bool:
        """Return whether a SELECT gives any row; raises as `run`."""
        return bool(self.run(sql, replace(limits or self.limits, rows=1)).rows)

    def compile(self, sql: str) -> None:
        """Let SQLite prepare one SELECT without running it; raises as `run`.

        Finds what is wrong with the statement itself: unknown names, wrong numbers of arguments,
        anything that is not allowed.
        """
        self.run(f"EXPLAIN {sql}", replace(self.limits, rows=1))

    @cached_property
    def declared_schema(self) -> Schema:
        """The schema with declared keys only; needs no look at the data.

        Raises DatabaseError where the file is damaged.
        """
        folder = self._descriptions or self.path.with_name(FOLDER_NAME)
        try:
            with closing(self._file.connect()) as connection:
                return read_schema(connection, read_descriptions(folder))
        except sqlite3.Error as error:
            raise unreadable(self.path, error) from error

    @cached_property
    def schema(self) -> Schema:
        """The schema with declared and inferred keys, and descriptions where there are any.

        Raises DatabaseError where the file is damaged.
        """
        declared = self.declared_schema
        return Schema(declared.tables, declared.foreign_keys + self.store.facts.inferred_keys)

    @cached_property
    def join_graph(self) -> networkx.Graph:
        """Tables (nodes, by name) and foreign keys; each edge has its keys in `keys`."""
        return build_join_graph(self.schema)

    @cached_property
    def content_key(self) -> str:
        """32 hexadecimal digits that stand for the bytes of the file and its log."""
        return content_key(self._file, self._cache_dir)

    @property
    def store(self) -> Store:
        """Profiles, inferred keys and value index, opened or built at the first use."""
        with self._lock:
            if self._store is None:
                with heartbeat.preparation():
                    self._store = Store(
                        self._file, self.declared_schema, self._cache_dir, self.content_key
                    )
            return self._store

    def profile(self, table: str, column: str) -> ColumnProfile:
        """Return what a column really holds; names in any case.

        Raises NotProfiled, with the reason, where it could not be read within its limits, and
        DatabaseError where there is no such column.
        """
        try:
            return self.store.facts.profiles[table.casefold(), column.casefold()]
        except KeyError:
            reason = self.store.why_left_out(table, column)
            place = f"'{table}.{column}'"
            if reason is None:
                raise DatabaseError(f"there is no column {place} in '{self.path}'") from None
            raise NotProfiled(f"there is no profile of {place}: {reason}") from None

    def row_count(self, table: str) -> int:
        """Return the exact number of rows; the name in any case.

        Raises DatabaseError where there is no such table, and as `run`.
        """
        name = table.casefold()
        if name not in self._row_counts:
            known = self.declared_schema.table(table)
            if known is None:
                raise DatabaseError(f"there is no table '{table}' in '{self.path}'")
            count = self.scalar(f"SELECT count(*) FROM {quote_name(known.name)}")
            self._row_counts[name] = int(count or 0)
        return self._row_counts[name]

    def find_value(self, value: str) -> tuple[ValuePlace, ...]:
        """Return where a text stands in the data, whatever its case and white space.

        Places come in the order of the schema's columns, and within one the most common spelling
        first. Numbers are found where they are stored as text. See `is_indexed` for what an empty
        answer means.
        """
        return self.store.find_places(value)

    def is_indexed(self, table: str, column: str) -> bool:
        """Whether `find_value` knows every text of up to 200 characters in a column.

        False for columns that hold no text, or more than a million different ones, and in tables
        so large that only a sample was read.
        """
        return (table.casefold(), column.casefold()) in self.store.facts.indexed

    def at_close(self, callback: Callable[[], None]) -> None:
        """Call a function when the database is closed."""
        self._callbacks.append(callback)

    def close(self) -> None:
        """Close all connections of this process; a later call opens new ones."""
        while self._callbacks:
            self._callbacks.pop()()
        with self._lock:
            for reader in list(self._readers):
                reader.close()
            self._readers.clear()
            self._local = threading.local()
            if self._store is not None:
                self._store.close()
                self._store = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _reader(self) -> Reader:
        """Return this thread's connection; one made before a fork is left to the parent."""
        reader: Reader | None = getattr(self._local, "reader", None)
        if reader is None or self._local.process != os.getpid():
            reader = Reader(self._file, self.limits)
            self._local.reader = reader
            self._local.process = os.getpid()
            with self._lock:
                self._readers.add(reader)
        return reader


def _reopen(path: Path, descriptions: Path | None, cache_dir: Path, limits: Limits) -> Database:
    return Database(path, descriptions=descriptions, cache_dir=cache_dir, limits=limits)


def open_database(
    target: str | Path | DatabaseProtocol,
    *,
    descriptions: str | Path | None = None,
    cache_dir: str | Path | None = None,
    limits: Limits | None = None,
) -> Database:
    """Return the database that a path or URL names; a database is returned as it is.

    See `Database` for the parameters. Raises DatabaseError where the target is missing or is no
    SQLite database.
    """
    if not isinstance(target, str | os.PathLike):
        return cast("Database", target)
    return Database(target, descriptions=descriptions, cache_dir=cache_dir, limits=limits)
