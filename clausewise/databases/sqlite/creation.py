"""Makes small databases from SQL text: for tests, fixtures and the packaged sample."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from clausewise.errors import DatabaseError


def create_database(path: str | Path, script: str) -> Path:
    """Write a SQLite file from a script of statements and return its path.

    A file that is there already is replaced. Raises DatabaseError where a statement fails or the
    file cannot be written; no file is left then.
    """
    path = Path(path)
    try:
        path.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as connection:
            # A file that can be made again need not survive a power cut: do not wait for the disk.
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("PRAGMA journal_mode = MEMORY")
            connection.executescript(script)
            connection.commit()
    except (sqlite3.Error, OSError) as error:
        if path.is_file():
            path.unlink()
        raise DatabaseError(f"cannot create the database '{path}': {error}") from error
    return path
