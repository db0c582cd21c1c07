"""What is worked out once for a database's content: profiles, inferred keys, value index.

All of it is one SQLite file in the user's cache folder, named after the content and the version
of this format, so a changed database finds no old file and never reads stale facts. The file is
written beside its place under another name and moved there whole: a reader sees all or nothing,
and of two processes that build at once the later one puts the same content in place again.
Files of databases that are gone stay; the folder may be emptied at any time.
"""

from __future__ import annotations

import logging
import math
import os
import sqlite3
import tempfile
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import TypeAlias

from clausewise.databases.facts import Facts, load_facts
from clausewise.databases.marker import Marker, build_lock
from clausewise.databases.model import Schema, ValuePlace
from clausewise.databases.values import count_values, find_places
from clausewise.errors import DatabaseError

logger = logging.getLogger(__name__)

FORMAT_VERSION = 4
"""Part of the file's name; raise it whenever the content or its meaning changes."""

_DAMAGE = (
    sqlite3.Error,
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    RecursionError,
)
"""What reading a damaged file raises."""

tolerant_text = partial(str, encoding="utf-8", errors="replace")
"""Text factory that turns bytes which are no UTF-8 into U+FFFD instead of failing."""

Fill: TypeAlias = Callable[[sqlite3.Connection, Marker], None]
"""Works everything out of a database and writes it into an empty store; the facts come last, so a
torn file has none. Raises DatabaseError where the database cannot be read, and OSError or
sqlite3.OperationalError where the store cannot be written."""


class Store:
    """Profiles, inferred keys and value index of one database.

    Opened from the cache, or built there where it is missing or damaged. Where the cache folder
    cannot be written, all is built in memory instead and a warning is logged, once a folder.
    Safe to use from several threads. Raises DatabaseError where the database cannot be read.

    Parameters
    ----------
    target
        Stands for the database in messages: its path, or its URL without a password.
    schema
        As declared.
    fill
        Builds the store.
    cache_dir
        The folder of stores.
    key
        Stands for the database's content.
    seconds
        The time that `fill` takes at most. A store that was built in less, and is incomplete for
        it, is built anew.
    """

    def __init__(
        self,
        target: str,
        schema: Schema,
        fill: Fill,
        cache_dir: Path,
        key: str,
        seconds: float = math.inf,
    ) -> None:
        self._target = target
        self._schema = schema
        self._fill = fill
        self._seconds = seconds
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._process = os.getpid()
        self.path: Path | None = cache_dir / f"{key}-v{FORMAT_VERSION}.sqlite"
        self.built = False
        """Whether this object had to build the store."""
        self.facts = self._open()

    def find_places(self, value: str) -> tuple[ValuePlace, ...]:
        """Return where a value stands; a cache file found damaged is built anew."""
        with self._lock:
            if self._process != os.getpid():
                # A connection must not be used across a fork.
                self._process = os.getpid()
                self.facts = self._open()
            try:
                return find_places(self._connected(), value)
            except sqlite3.DatabaseError as error:
                self._rebuild(error)
                return find_places(self._connected(), value)

    def why_left_out(self, table: str, column: str) -> str | None:
        """Return why a column, its names in any case, has no profile; None if there is no such."""
        known = self._schema.table(table)
        known_column = known and known.column(column)
        if known is None or known_column is None:
            return None
        left_out = self.facts.left_out
        return left_out.get(f"{known.name}.{known_column.name}") or left_out.get(known.name, "")

    def count_values(self) -> int:
        """Return how many values the index holds; a cache file found damaged is built anew."""
        with self._lock:
            try:
                return count_values(self._connected())
            except sqlite3.DatabaseError as error:
                self._rebuild(error)
                return count_values(self._connected())

    def build_anew(self) -> None:
        """Build the store again: the rows of a server may have changed since.

        What a reader has open stays as it is. Raises DatabaseError.
        """
        with self._lock:
            if self.path is None:
                self.facts = self._build_in_memory()
                return
            with build_lock(self.path) as is_held:
                self.facts = self._build_in(self.path, is_held=is_held)

    def close(self) -> None:
        """Close the store; it cannot be used afterward."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def __del__(self) -> None:
        with suppress(AttributeError):
            self.close()

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            raise DatabaseError(f"the database '{self._target}' is closed")
        return self._connection

    def _open(self) -> Facts:
        return self._load() or self._build()

    def _rebuild(self, error: Exception) -> None:
        """Replace a file whose facts could be read and whose index cannot."""
        logger.warning("rebuilding the damaged cache file '%s': %s", self.path, error)
        self.close()
        if self.path is not None:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)
        self.facts = self._build()

    def _load(self, *, warn: bool = True) -> Facts | None:
        """Return the facts of the file in the cache.

        None where there is none, it is damaged, or there is time to read what it lacks.
        """
        if self.path is None or not self.path.is_file():
            return None
        self.close()
        try:
            self._connection = _connect(self.path.as_uri() + "?mode=ro&immutable=1")
            facts = load_facts(self._connection)
            return None if facts.seconds is not None and facts.seconds < self._seconds else facts
        except _DAMAGE as error:
            if warn:
                logger.warning("rebuilding the damaged cache file '%s': %s", self.path, error)
            return None

    def _build(self) -> Facts:
        """Build the store, or wait for another process that does, and open it."""
        if self.path is not None:
            with build_lock(self.path) as is_held:
                # Meanwhile another process may have built it.
                return self._load(warn=False) or self._build_in(self.path, is_held=is_held)
        return self._build_in_memory()

    def _build_in(self, path: Path, *, is_held: bool) -> Facts:
        self.close()
        self.built = True
        marker = Marker(path.with_suffix(".reading.json") if is_held else None)
        complete = False
        try:
            _build_file(self._fill, path, marker)
            self._connection = _connect(path.as_uri() + "?mode=ro&immutable=1")
            facts = load_facts(self._connection)
            complete = True
            return facts
        except (OSError, sqlite3.OperationalError) as error:
            _warn_of_folder(path.parent, error)
            self.path = None
        finally:
            marker.close(complete=complete)
        return self._build_in_memory()

    def _build_in_memory(self) -> Facts:
        """Build the store for this object alone: in a temporary file, where it grows large."""
        self.close()
        self.built = True
        self._connection = _connect("")
        try:
            self._fill(self._connection, Marker(None))
            return load_facts(self._connection)
        except (OSError, sqlite3.OperationalError) as error:
            raise DatabaseError(f"cannot profile the database '{self._target}': {error}") from error


_warned_folders: set[Path] = set()


def _warn_of_folder(folder: Path, error: Exception) -> None:
    if folder not in _warned_folders:
        _warned_folders.add(folder)
        logger.warning(
            "cannot write to the cache folder '%s' (%s); profiles are built in memory, each time",
            folder,
            error,
        )


def _connect(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    connection.text_factory = tolerant_text
    return connection


def _build_file(fill: Fill, path: Path, marker: Marker) -> None:
    """Write a store in one step. Raises OSError or sqlite3.OperationalError of the cache file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix="store-", suffix=".tmp")
    os.close(handle)
    draft = Path(name)
    try:
        with closing(_connect(draft.as_uri())) as connection:
            # The journal is needed only to take back a part that cannot be read.
            connection.execute("PRAGMA journal_mode = MEMORY")
            fill(connection, marker)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
