"""From a path or URL to the file of a database."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from clausewise.errors import DatabaseError


def resolve_target(target: str | Path) -> Path:
    """Return the absolute path of the file that a path or SQLAlchemy URL names.

    Raises DatabaseError where the URL cannot be read or is of another kind of database.
    """
    if isinstance(target, str) and "://" in target:
        return _path_of_url(target)
    try:
        return Path(target).expanduser().absolute()
    except (RuntimeError, ValueError) as error:
        raise DatabaseError(f"'{target}' is not a usable path: {error}") from error


def _path_of_url(url: str) -> Path:
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise DatabaseError("the database URL cannot be read; expected sqlite:///PATH") from None
    if not parsed.database or parsed.database == ":memory:":
        raise DatabaseError(
            f"the URL '{parsed.drivername}://' names no file; expected {parsed.drivername}:///PATH"
        )
    return resolve_target(Path(parsed.database))


def unreadable(path: Path, error: Exception | str) -> DatabaseError:
    """Return the error for a file that is there and cannot be read as a database."""
    return DatabaseError(f"cannot read the database '{path}': {error}")


def read_start(path: Path, length: int) -> bytes:
    """Return up to `length` bytes from the beginning of a file.

    Raises DatabaseError where the path is missing, a folder, a pipe or a device, empty, or cannot
    be read.
    """
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise DatabaseError(f"'{path}' is a folder; name the database file in it")
        if not stat.S_ISREG(mode):
            # Opening a pipe would wait for somebody who writes into it.
            raise DatabaseError(f"'{path}' is not a regular file, so it is not opened")
        with path.open("rb") as file:
            start = file.read(length)
            size = os.fstat(file.fileno()).st_size
    except FileNotFoundError:
        raise DatabaseError(f"there is no database file '{path}'") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DatabaseError(f"cannot open the database file '{path}': {reason}") from error
    if size == 0:
        raise DatabaseError(f"the database file '{path}' is empty")
    return start
