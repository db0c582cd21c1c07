"""What the databases of all backends share: a memory of answers, and facts kept in a store."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from pickle import PicklingError
from typing import TYPE_CHECKING, ClassVar, Self

from clausewise.caching import cache_folder
from clausewise.databases.answers import Answers
from clausewise.databases.deadline import profile_seconds
from clausewise.databases.joins import build_join_graph
from clausewise.databases.model import (
    Cell,
    ColumnProfile,
    Limits,
    QueryResult,
    Schema,
    ValuePlace,
)
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


class BaseDatabase(ABC):
    """A database that is opened for reading only; `DatabaseProtocol` in all but the driver.

    A backend runs one statement (`_execute`), compiles one, reads the declared schema, says what
    stands for the content, and builds the store. All methods may be called from several threads.
    What is learned of the data is kept: to see changes made to it since, open the database again.

    Parameters
    ----------
    target : stands for the database in messages: a path, or a URL without its password.
    name : the `db_id` of cases that are checked on it alone.
    cache_dir : folder for profiles and value indexes; by default `CLAUSEWISE_CACHE_DIR` or the
        user's cache folder.
    limits : what a statement may spend where `run` is given no others.
    """

    dialect: str = "sqlite"
    """The SQL dialect of its queries, by sqlglot's name."""
    has_data: ClassVar[bool] = True
    """Whether there is data behind the schema; without it nothing can be run or profiled."""
    reopens: ClassVar[bool] = False
    """Whether another process that unpickles it opens the same database.

    A subclass has this false unless it says otherwise: what it overrides would be lost there.
    """

    def __init_subclass__(cls, **arguments: object) -> None:
        super().__init_subclass__(**arguments)
        if "reopens" not in vars(cls):
            cls.reopens = False

    def __init__(
        self,
        target: str,
        name: str,
        cache_dir: str | Path | None = None,
        limits: Limits | None = None,
        descriptions: str | Path | None = None,
    ) -> None:
        self.target = target
        self.name = name
        self.limits = limits or Limits()
        self.profile_seconds = profile_seconds()
        """The time that building the store takes at most; what is left then has no profile."""
        self._descriptions = None if descriptions is None else Path(descriptions).absolute()
        if self._descriptions is not None and not self._descriptions.is_dir():
            raise DatabaseError(f"there is no folder of descriptions '{self._descriptions}'")
        self._cache_dir = cache_folder(cache_dir)
        self._answers = Answers()
        self._lock = threading.RLock()
        self._store: Store | None = None
        self._row_counts: dict[str, int] = {}
        self._callbacks: list[Callable[[], None]] = []

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.target!r})"

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle what is needed to open the same database again.

        What a subclass overrides is not opened again: the backend itself is. Raises PicklingError
        where no class says that it reopens.
        """
        backend = next((kind for kind in type(self).__mro__ if vars(kind).get("reopens")), None)
        if backend is None:
            name = type(self).__name__
            raise PicklingError(f"{name} is not for other processes: it does not set `reopens`")
        given = (self._descriptions, self._cache_dir, self.limits, self.profile_seconds)
        return (_reopen, (backend, self._address, *given))

    @property
    def _address(self) -> str:
        """What opens the database again: its path or URL, with the password."""
        return self.target

    @abstractmethod
    def _execute(self, sql: str, limits: Limits) -> tuple[QueryResult, int]:
        """Run one SELECT; return its rows, and about how many bytes they take. Raises as `run`."""

    @abstractmethod
    def compile(self, sql: str) -> None:
        """Let the database prepare one SELECT without running it; raises as `run`.

        Finds what is wrong with the statement itself: unknown names, wrong numbers of arguments,
        anything that is not allowed.
        """

    @property
    @abstractmethod
    def declared_schema(self) -> Schema:
        """The schema with declared keys only; needs no look at the data.

        Raises DatabaseError where it cannot be read.
        """

    @property
    @abstractmethod
    def content_key(self) -> str:
        """Up to 64 letters and digits that stand for the content, as far as that can be known."""

    @abstractmethod
    def _new_store(self) -> Store:
        """Open or build the store."""

    def run(self, sql: str, limits: Limits | None = None) -> QueryResult:
        """Run one SELECT and return its rows; the same question is answered from memory.

        Raises QueryDenied where the statement would do more than read or is more than one,
        QueryTimeout, QueryTooLarge, QueryFailed with the database's own message, and DatabaseError
        itself where the database cannot be read.
        """
        question = (sql, limits or self.limits)
        known = self._answers.get(question)
        if known is not None:
            if isinstance(known, QueryResult):
                return known
            raise type(known)(str(known))
        try:
            result, size = self._execute(*question)
        except _QUERY_ERRORS as error:
            self._answers.put(question, type(error)(str(error)), size=0)
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

    def quote_name(self, name: str) -> str:
        """Return a table's or column's name as this database quotes it."""
        return quote_name(name)

    @cached_property
    def schema(self) -> Schema:
        """The schema with declared and inferred keys, and descriptions where there are any.

        Raises DatabaseError where it cannot be read.
        """
        declared = self.declared_schema
        return Schema(declared.tables, declared.foreign_keys + self.store.facts.inferred_keys)

    @cached_property
    def join_graph(self) -> networkx.Graph:
        """Tables (nodes, by name) and foreign keys; each edge has its keys in `keys`."""
        return build_join_graph(self.schema)

    @property
    def store(self) -> Store:
        """Profiles, inferred keys and value index, opened or built at the first use."""
        with self._lock:
            if self._store is None:
                with heartbeat.preparation():
                    self._store = self._new_store()
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
                raise DatabaseError(f"there is no column {place} in '{self.target}'") from None
            raise NotProfiled(f"there is no profile of {place}: {reason}") from None

    def row_count(self, table: str) -> int:
        """Return the exact number of rows; the name in any case.

        Raises DatabaseError where there is no such table, and as `run`.
        """
        name = table.casefold()
        if name not in self._row_counts:
            known = self.declared_schema.table(table)
            if known is None:
                raise DatabaseError(f"there is no table '{table}' in '{self.target}'")
            count = self.scalar(f"SELECT count(*) FROM {self.quote_name(known.name)}")
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
        """Close what is open in this process; a later call opens it again."""
        while self._callbacks:
            self._callbacks.pop()()
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _reopen(
    backend: Callable[..., BaseDatabase],
    address: str,
    descriptions: Path | None,
    cache_dir: Path,
    limits: Limits,
    profile_seconds: float,
) -> BaseDatabase:
    opened = backend(address, descriptions=descriptions, cache_dir=cache_dir, limits=limits)
    opened.profile_seconds = profile_seconds
    return opened
