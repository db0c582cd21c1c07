"""DuckDB files and their confined, read-only connections."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from clausewise.databases.duckdb.confined import (
    CONFIGURATION,
    Watch,
    duckdb_driver,
    examine,
    explain_error,
    fetch,
    first_line,
)
from clausewise.databases.files import read_start, unreadable
from clausewise.databases.model import Limits, QueryResult
from clausewise.errors import DatabaseError
from clausewise.workers import heartbeat

_MARK = b"DUCK"
_MARK_AT = 8


class DuckDBFile:
    """A file that was checked to be a DuckDB database.

    Raises DatabaseError where it is missing or something else.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if not read_start(path, _MARK_AT + len(_MARK)).endswith(_MARK):
            raise DatabaseError(f"'{path}' is not a DuckDB database")

    @property
    def log_path(self) -> Path:
        """The write-ahead log that would belong to the file."""
        return self.path.with_name(self.path.name + ".wal")

    def has_log(self) -> bool:
        """Whether a log holds changes that are not in the file itself."""
        try:
            state = self.log_path.stat()
        except OSError:
            return False
        return stat.S_ISREG(state.st_mode) and state.st_size > 0


class DuckDBConnection:
    """A connection that reads, for one thread of one process.

    Raises
    ------
    MissingExtraError
        Where the extra clausewise[duckdb] is not installed.
    DatabaseError
        Where the file cannot be opened: another process may be writing it, or this one may have
        opened it with other settings.
    """

    def __init__(self, file: DuckDBFile) -> None:
        self.process = os.getpid()
        self.driver = duckdb_driver("reading DuckDB files")
        try:
            # All connections of a process share what was read of the file, and the configuration.
            self.connection = self.driver.connect(
                str(file.path), read_only=True, config=CONFIGURATION | {"lock_configuration": True}
            )
        except (self.driver.Error, UnicodeError) as error:
            raise unreadable(file.path, first_line(error)) from error
        self.watch = Watch(self.connection)

    def run(self, sql: str, limits: Limits) -> tuple[QueryResult, int]:
        """Run one SELECT; return its rows, and about how many bytes they take.

        Raises as `DatabaseProtocol.run`.
        """
        examine(self.connection, self.driver, sql)
        return self._watched(sql, limits)

    def plan(self, sql: str, limits: Limits) -> None:
        """Let DuckDB plan one SELECT; raises as `run`."""
        examine(self.connection, self.driver, sql)
        self._watched(f"EXPLAIN {sql}", limits)

    def _watched(self, sql: str, limits: Limits) -> tuple[QueryResult, int]:
        heartbeat.begin_statement(limits.seconds)
        self.watch.start(limits.seconds)
        try:
            return fetch(self.connection, sql, limits)
        except (self.driver.Error, MemoryError, UnicodeError, ValueError) as error:
            raise explain_error(error, self.driver, self.watch, limits) from error
        finally:
            self.watch.stop()
            heartbeat.end_statement()

    def close(self) -> None:
        """Close it; in a forked process, leave it to the one that opened it."""
        if self.process == os.getpid():
            self.connection.close()
