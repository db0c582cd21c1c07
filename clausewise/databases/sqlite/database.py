"""SQLite files."""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar
from weakref import WeakSet

from clausewise.databases.base import BaseDatabase
from clausewise.databases.deadline import Deadline
from clausewise.databases.descriptions import FOLDER_NAME, read_descriptions
from clausewise.databases.files import resolve_target, unreadable
from clausewise.databases.fingerprint import content_key
from clausewise.databases.marker import Marker
from clausewise.databases.model import Limits, QueryResult, Schema
from clausewise.databases.sqlite.building import fill
from clausewise.databases.sqlite.file import DatabaseFile
from clausewise.databases.sqlite.reader import Reader
from clausewise.databases.sqlite.schema import read_schema
from clausewise.databases.store import Store
from clausewise.errors import QueryDenied


class Database(BaseDatabase):
    """A SQLite database, opened for reading only.

    Nothing but the header is read before it is asked for: `run` needs no schema, and profile,
    inferred keys and value index are built (or found in the cache) at their first use. All
    methods may be called from several threads, and a pickled database opens the same file again
    in another process. What is learned of the file is kept: to see changes made to it since, open
    it again. In `run`, `random()` and `randomblob()` give the same numbers in every statement;
    'now' is the real time.

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
        self._file = DatabaseFile(self.path)
        self._local = threading.local()
        self._readers: WeakSet[Reader] = WeakSet()

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
    def content_key(self) -> str:
        """32 hexadecimal digits that stand for the bytes of the file and its log."""
        return content_key(self._file, self._cache_dir)

    def close(self) -> None:
        """Close all connections of this process; a later call opens new ones."""
        super().close()
        with self._lock:
            for reader in list(self._readers):
                reader.close()
            self._readers.clear()
            self._local = threading.local()

    def _execute(self, sql: str, limits: Limits) -> tuple[QueryResult, int]:
        try:
            return self._reader().run(sql, limits)
        except QueryDenied:
            self._local.reader = None
            raise

    def _new_store(self) -> Store:
        file, schema, seconds = self._file, self.declared_schema, self.profile_seconds

        def build(connection: sqlite3.Connection, marker: Marker) -> None:
            fill(connection, file, schema, marker, Deadline(seconds))

        return Store(str(self.path), schema, build, self._cache_dir, self.content_key, seconds)

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
