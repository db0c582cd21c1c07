"""What is worked out once for a database's content: profiles, inferred keys, value index.

All of it is one SQLite file in the user's cache folder, named after the content and the version
of this format, so a changed database finds no old file and never reads stale facts. The file is
written beside its place under another name and moved there whole: a reader sees all or nothing,
and of two processes that build at once the later one puts the same content in place again.
Files of databases that are gone stay; the folder may be emptied at any time.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from clausewise.databases.file import DatabaseFile, tolerant_text, unreadable
from clausewise.databases.keys import infer_foreign_keys
from clausewise.databases.model import ColumnProfile, ForeignKey, Schema, Table, ValuePlace
from clausewise.databases.profile import Tally, profile_column, row_source, tally_column
from clausewise.databases.values import (
    ValueIndexWriter,
    complete_places,
    count_values,
    find_places,
)
from clausewise.errors import DatabaseError

logger = logging.getLogger(__name__)

FORMAT_VERSION = 2
"""Part of the file's name; raise it whenever the content or its meaning changes."""

_VIEW_STEPS = 200_000_000
"""Steps of SQLite's machine after which a view is given up: it may never end."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The part of a store that is held in memory."""

    profiles: Mapping[tuple[str, str], ColumnProfile]
    """(table, column), both casefolded, to the profile; views that cannot be computed lack."""
    inferred_keys: tuple[ForeignKey, ...]
    indexed: frozenset[tuple[str, str]]
    """(table, column), both casefolded, of which all texts are in the value index."""


class Store:
    """Profiles, inferred keys and value index of one database.

    Opened from the cache, or built there where it is missing or damaged. Where the cache folder
    cannot be written, all is built in memory instead and a warning is logged, once a folder.
    Safe to use from several threads. Raises DatabaseError where the database cannot be read.
    """

    def __init__(self, file: DatabaseFile, schema: Schema, cache_dir: Path, key: str) -> None:
        self._file = file
        self._schema = schema
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
                logger.warning("rebuilding the damaged cache file '%s': %s", self.path, error)
                self.facts = self._build()
                return find_places(self._connected(), value)

    def count_values(self) -> int:
        """Return how many values the index holds."""
        with self._lock:
            return count_values(self._connected())

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
            raise DatabaseError(f"the database '{self._file.path}' is closed")
        return self._connection

    def _open(self) -> Facts:
        if self.path is not None and self.path.is_file():
            try:
                self._connection = _connect(self.path.as_uri() + "?mode=ro&immutable=1")
                return _load_facts(self._connection)
            except (sqlite3.DatabaseError, ValueError, TypeError, KeyError) as error:
                logger.warning("rebuilding the damaged cache file '%s': %s", self.path, error)
        return self._build()

    def _build(self) -> Facts:
        self.close()
        self.built = True
        if self.path is not None:
            try:
                _build_file(self._file, self._schema, self.path)
                self._connection = _connect(self.path.as_uri() + "?mode=ro&immutable=1")
                return _load_facts(self._connection)
            except (OSError, sqlite3.OperationalError) as error:
                _warn_of_folder(self.path.parent, error)
                self.path = None
        self._connection = _connect("file::memory:")
        _fill(self._connection, self._file, self._schema)
        return _load_facts(self._connection)


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


def _build_file(file: DatabaseFile, schema: Schema, path: Path) -> None:
    """Write a store in one step. Raises OSError or sqlite3.OperationalError of the cache file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix="store-", suffix=".tmp")
    os.close(handle)
    draft = Path(name)
    try:
        with closing(_connect(draft.as_uri())) as connection:
            # The journal is needed only to take back a view that cannot be computed.
            connection.execute("PRAGMA journal_mode = MEMORY")
            _fill(connection, file, schema)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _fill(connection: sqlite3.Connection, file: DatabaseFile, schema: Schema) -> None:
    """Work everything out and write it; the facts come last, so a torn file has none."""
    connection.execute("BEGIN")
    index = ValueIndexWriter(connection)
    profiles: dict[tuple[str, str], ColumnProfile] = {}
    with closing(file.connect()) as source:
        for table in schema.tables:
            if table.is_view:
                profiles.update(_profile_view(source, file, table, index))
            else:
                profiles.update(_profile_table(source, file, table, index))
        index.finish()
        try:
            inferred = infer_foreign_keys(
                schema, profiles, lambda key: source.execute(key.strangers).fetchone() is None
            )
        except sqlite3.Error as error:
            raise unreadable(file.path, error) from error
        facts = {
            "profiles": [asdict(profile) for profile in profiles.values()],
            "inferred_keys": [asdict(key) for key in inferred],
        }
        connection.execute("CREATE TABLE facts (content TEXT)")
        connection.execute("INSERT INTO facts VALUES (?)", (json.dumps(facts),))
        connection.execute("COMMIT")


def _profile_table(
    source: sqlite3.Connection, file: DatabaseFile, table: Table, index: ValueIndexWriter
) -> dict[tuple[str, str], ColumnProfile]:
    try:
        rows, sampled = row_source(source, table)
    except sqlite3.Error as error:
        raise unreadable(file.path, error) from error
    profiles = {}
    for column in table.columns:
        tallies = _blame(file, tally_column(source, rows, column))
        recorded = index.record(table, column, tallies, sampled=sampled)
        place = (table.name.casefold(), column.name.casefold())
        profiles[place] = profile_column(table, column, recorded, sampled=sampled)
    return profiles


def _profile_view(
    source: sqlite3.Connection, file: DatabaseFile, view: Table, index: ValueIndexWriter
) -> dict[tuple[str, str], ColumnProfile]:
    """Profile a view, or leave it out where it cannot be computed in reasonable time."""
    index.connection.execute("SAVEPOINT view")
    source.set_progress_handler(lambda: True, _VIEW_STEPS)
    try:
        return _profile_table(source, file, view, index)
    except DatabaseError as error:
        index.connection.execute("ROLLBACK TO view")
        logger.warning("no profile of the view '%s': %s", view.name, error)
        return {}
    finally:
        source.set_progress_handler(None, 0)
        index.connection.execute("RELEASE view")


def _blame(file: DatabaseFile, tallies: Iterator[list[Tally]]) -> Iterator[list[Tally]]:
    """Distinguish errors of the database that is read from those of the cache that is written."""
    try:
        yield from tallies
    except sqlite3.Error as error:
        raise unreadable(file.path, error) from error


def _load_facts(connection: sqlite3.Connection) -> Facts:
    """Read the facts back. Raises sqlite3.DatabaseError, ValueError, TypeError or KeyError."""
    row = connection.execute("SELECT content FROM facts").fetchone()
    if row is None:
        raise ValueError("it holds no facts")
    content = json.loads(row[0])
    profiles = {}
    for record in content["profiles"]:
        record["frequent"] = tuple((value, count) for value, count in record["frequent"])
        profile = ColumnProfile(**record)
        profiles[profile.table.casefold(), profile.column.casefold()] = profile
    keys = tuple(
        ForeignKey(
            record["table"],
            tuple(record["columns"]),
            record["referred_table"],
            tuple(record["referred_columns"]),
            inferred=True,
        )
        for record in content["inferred_keys"]
    )
    return Facts(profiles, keys, complete_places(connection))
