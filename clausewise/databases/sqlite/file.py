"""A SQLite file that can be opened without leaving a trace beside it."""

from __future__ import annotations

import sqlite3
import stat
import threading
import weakref
from pathlib import Path

from clausewise.databases.files import read_start, unreadable
from clausewise.databases.sqlite.copies import PrivateCopy
from clausewise.databases.store import tolerant_text
from clausewise.errors import DatabaseError

_HEADER = b"SQLite format 3\x00"
_HEADER_SIZE = 100
_WAL_READ_VERSION = 2


class DatabaseFile:
    """One SQLite file, checked to be one, and the way to open it.

    Nothing is ever created beside the file. A database in write-ahead mode is opened as immutable
    where no log stands beside it, through the log where its index (`-shm`) is there, too, and from
    a private copy where there is a log and no index, since SQLite would have to make one.

    Raises DatabaseError where the path is missing, a folder, a pipe or a device, empty, unreadable,
    or holds something else than a SQLite database.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        header = _read_header(path)
        self.uses_log = header[19] == _WAL_READ_VERSION
        self._lock = threading.Lock()
        self._uri: str | None = None

    @property
    def uri(self) -> str:
        """What SQLite opens; a private copy, where one is needed, is made when it is first asked.

        Raises DatabaseError where the copy cannot be made, or a pipe stands for the journal.
        """
        with self._lock:
            if self._uri is None:
                self._uri = self._choose_uri()
            return self._uri

    @property
    def log_path(self) -> Path:
        """The write-ahead log that would belong to the file."""
        return self.path.with_name(self.path.name + "-wal")

    def has_log(self) -> bool:
        """Whether a write-ahead log holds changes that are not in the file itself."""
        try:
            state = self.log_path.stat()
        except OSError:
            return False
        return self.uses_log and stat.S_ISREG(state.st_mode) and state.st_size > 0

    def size(self) -> int:
        """Return the bytes of the file and its log, 0 where that cannot be known."""
        paths = [self.path, self.log_path] if self.has_log() else [self.path]
        try:
            return sum(path.stat().st_size for path in paths)
        except OSError:
            return 0

    def connect(self) -> sqlite3.Connection:
        """Open a read-only connection for our own statements: no limits, no authorizer.

        Text that is not UTF-8 is decoded with U+FFFD in place of the bad bytes.
        """
        try:
            connection = sqlite3.connect(self.uri, uri=True, isolation_level=None)
        except sqlite3.Error as error:
            raise unreadable(self.path, error) from error
        connection.text_factory = tolerant_text
        connection.execute("PRAGMA trusted_schema = OFF")
        return connection

    def _choose_uri(self) -> str:
        read_only = self.path.as_uri() + "?mode=ro"
        if not self.uses_log:
            journal = self.path.with_name(self.path.name + "-journal")
            if journal.exists() and not journal.is_file():
                raise DatabaseError(f"the journal '{journal}' is not a regular file")
            return read_only
        if not self.has_log():
            return read_only + "&immutable=1"
        if self.path.with_name(self.path.name + "-shm").is_file():
            return read_only + "&readonly_shm=1"
        try:
            copy = PrivateCopy(self.path, self.log_path)
        except OSError as error:
            raise unreadable(self.path, error) from error
        weakref.finalize(self, copy.remove)
        return copy.path.as_uri() + "?mode=ro"


def _read_header(path: Path) -> bytes:
    header = read_start(path, _HEADER_SIZE)
    if len(header) < _HEADER_SIZE or not header.startswith(_HEADER):
        raise DatabaseError(f"'{path}' is not a SQLite database")
    return header
