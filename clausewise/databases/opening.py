"""From a path, a URL or an object to a database of the backend that it names."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from clausewise.databases.model import Limits
from clausewise.databases.protocol import DatabaseProtocol
from clausewise.errors import DatabaseError

if TYPE_CHECKING:
    from clausewise.databases.base import BaseDatabase

BACKENDS = {
    "duckdb": "clausewise.databases.duckdb.database:DuckDBDatabase",
    "sqlite": "clausewise.databases.sqlite.database:Database",
    "postgresql": "clausewise.databases.server.database:PostgreSQLDatabase",
    "mysql": "clausewise.databases.server.database:MySQLDatabase",
    "mariadb": "clausewise.databases.server.database:MySQLDatabase",
}
"""Backend by SQLAlchemy's name of it, to the class, which is imported when it is needed."""

_DUCKDB_MARK = b"DUCK"
_DUCKDB_MARK_AT = 8


def open_database(
    target: str | Path | DatabaseProtocol,
    *,
    descriptions: str | Path | None = None,
    cache_dir: str | Path | None = None,
    limits: Limits | None = None,
) -> BaseDatabase:
    """Return the database that a path or URL names; a database is returned as it is.

    Parameters
    ----------
    target
        Path of a SQLite or DuckDB file, a SQLAlchemy URL, or an object with the members of
        `DatabaseProtocol`.
    descriptions
        Folder of BIRD's description files.
    cache_dir, limits
        As for `Database`.

    Raises
    ------
    DatabaseError
        Where the target is missing, cannot be reached, or is of an unknown kind.
    MissingExtraError
        Where the driver for this kind of database is not installed.
    """
    if not isinstance(target, str | os.PathLike):
        return cast("BaseDatabase", target)
    module, _, name = BACKENDS[_backend(target)].partition(":")
    backend = getattr(import_module(module), name)
    opened: BaseDatabase = backend(
        target, descriptions=descriptions, cache_dir=cache_dir, limits=limits
    )
    return opened


def _backend(target: str | Path) -> str:
    """Return the key of `BACKENDS` for a path or URL."""
    if isinstance(target, str) and "://" in target:
        return _backend_of_url(target)
    return "duckdb" if _is_duckdb(target) else "sqlite"


def _backend_of_url(url: str) -> str:
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        name = make_url(url).get_backend_name()
    except (ArgumentError, ValueError):
        raise DatabaseError(
            "the database URL cannot be read; expected sqlite:///PATH, or of another kind"
        ) from None
    if name not in BACKENDS:
        # Only the scheme is shown: the rest of a URL may hold a password.
        known = ", ".join(sorted(BACKENDS))
        raise DatabaseError(f"databases of the kind '{name}' are not supported; known: {known}")
    return name


def _is_duckdb(path: str | Path) -> bool:
    """Whether a file begins as DuckDB's do; a missing one is left to the backend to report."""
    try:
        known = Path(path).expanduser()
        # To open a pipe would wait for somebody who writes into it.
        if not known.is_file():
            return False
        with known.open("rb") as file:
            return file.read(_DUCKDB_MARK_AT + len(_DUCKDB_MARK)).endswith(_DUCKDB_MARK)
    except (OSError, RuntimeError, ValueError):
        return False
