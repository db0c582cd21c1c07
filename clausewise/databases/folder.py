"""Many databases by name: a folder in the manner of Spider and BIRD, or one for all cases."""

from __future__ import annotations

import difflib
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self

from clausewise.databases.base import BaseDatabase
from clausewise.databases.model import Limits
from clausewise.databases.opening import open_database
from clausewise.databases.protocol import DatabaseProtocol
from clausewise.errors import DatabaseError

_SUFFIXES = (".sqlite", ".db", ".sqlite3")
_MOST_NAMES_SHOWN = 10


class Databases:
    """Databases by `db_id`, each opened once, when it is first asked for.

    Parameters
    ----------
    target : a folder that holds `<db_id>/<db_id>.sqlite` (or `<db_id>.sqlite`; the endings `.db`
        and `.sqlite3` do, too); a mapping of `db_id` to databases; or one database, which then
        stands for every `db_id`. A database is a path, a URL, a `Database`, or another object
        with the methods of `DatabaseProtocol`.
    cache_dir, limits : as for `Database`.

    Raises DatabaseError where the target is missing, or a folder without any database.
    """

    def __init__(
        self,
        target: str | Path | DatabaseProtocol | Mapping[str, str | Path | DatabaseProtocol],
        *,
        cache_dir: str | Path | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._target = target
        self._cache_dir = cache_dir
        self._limits = limits
        self._lock = threading.Lock()
        self._opened: dict[str, BaseDatabase] = {}
        self._single: BaseDatabase | None = None
        self._targets: dict[str, str | Path | DatabaseProtocol] = {}
        self._callbacks: list[Callable[[], None]] = []
        is_mapping = isinstance(target, Mapping)
        self._where = "among those given" if is_mapping else f"in the folder '{target}'"
        if isinstance(target, Mapping):
            self._targets = dict(sorted(target.items()))
        elif isinstance(target, str | os.PathLike) and Path(target).is_dir():
            self._targets = {**_list_folder(Path(target))}
        else:
            self._single = open_database(target, cache_dir=cache_dir, limits=limits)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle what is needed to open the same databases again."""
        target = self._single or self._target
        return (_reopen, (target, self._cache_dir, self._limits))

    @classmethod
    def from_schema(cls, path: str | Path, dialect: str | None = None) -> Self:
        """Return the schemas of a file as databases without data; see `read_schema_file`.

        A file of one schema stands for every `db_id`.
        """
        from clausewise.databases.schema_only.files import read_schema_file

        schemas = read_schema_file(path, dialect)
        made = cls(schemas) if len(schemas) > 1 else cls(next(iter(schemas.values())))
        made._where = f"in the schema file '{path}'"
        return made

    @property
    def has_data(self) -> bool:
        """Whether there is data behind every schema, as far as that is known without opening."""
        given = [self._single] if self._single is not None else list(self._targets.values())
        return all(getattr(one, "has_data", True) for one in given)

    def names(self) -> tuple[str, ...]:
        """The names of all databases, sorted; the one database's own name where there is one."""
        return (self._single.name,) if self._single else tuple(self._targets)

    def targets(self) -> dict[str, str | Path | DatabaseProtocol]:
        """The path, URL or database behind each name; empty where one stands for every name."""
        return dict(self._targets)

    def get(self, db_id: str) -> BaseDatabase:
        """Return the database of that name.

        Raises DatabaseError, with the names that are there, where it is unknown, and where its
        file is no database.
        """
        if self._single is not None:
            return self._single
        with self._lock:
            if db_id not in self._opened:
                target = self._targets.get(db_id)
                if target is None:
                    raise DatabaseError(self._unknown(db_id))
                self._opened[db_id] = open_database(
                    target, cache_dir=self._cache_dir, limits=self._limits
                )
            return self._opened[db_id]

    @property
    def reopen(self) -> bool:
        """Whether another process can open every database as this one does."""
        given = [self._single] if self._single is not None else list(self._targets.values())
        return all(
            isinstance(one, str | os.PathLike) or getattr(one, "reopens", False) for one in given
        )

    @property
    def keeper(self) -> BaseDatabase | Self:
        """What stays open as long as the caller wants: the database that was given, else this."""
        return self._single if self._single is self._target else self

    def at_close(self, callback: Callable[[], None]) -> None:
        """Call a function when the databases are closed."""
        self._callbacks.append(callback)

    def close(self) -> None:
        """Close every database that was opened here."""
        while self._callbacks:
            self._callbacks.pop()()
        with self._lock:
            for name, database in self._opened.items():
                if database is not self._targets[name]:
                    database.close()
            self._opened.clear()

    def _unknown(self, db_id: str) -> str:
        near = difflib.get_close_matches(db_id, self._targets, n=3, cutoff=0.6)
        if near:
            hint = "did you mean " + " or ".join(f"'{name}'" for name in near) + "?"
        else:
            names = list(self._targets)
            hint = "it holds " + ", ".join(names[:_MOST_NAMES_SHOWN])
            if len(names) > _MOST_NAMES_SHOWN:
                hint += f" and {len(names) - _MOST_NAMES_SHOWN} more"
        return f"there is no database '{db_id}' {self._where}; {hint}"


def _reopen(
    target: str | Path | DatabaseProtocol | Mapping[str, str | Path | DatabaseProtocol],
    cache_dir: str | Path | None,
    limits: Limits | None,
) -> Databases:
    return Databases(target, cache_dir=cache_dir, limits=limits)


def _list_folder(folder: Path) -> dict[str, Path]:
    """Return name to path, sorted by name; a database in a folder of its own goes first."""
    found: dict[str, Path] = {}
    try:
        entries = sorted(folder.iterdir(), key=lambda path: (not path.is_dir(), path.name))
    except OSError as error:
        raise DatabaseError(f"cannot read the folder '{folder}': {error.strerror}") from error
    for entry in entries:
        name = entry.name if entry.is_dir() else entry.stem
        candidates = (
            [entry / f"{name}{suffix}" for suffix in _SUFFIXES] if entry.is_dir() else [entry]
        )
        for path in candidates:
            if path.suffix in _SUFFIXES and path.is_file():
                found.setdefault(name, path.absolute())
    if not found:
        raise DatabaseError(
            f"the folder '{folder}' holds no database; expected <db_id>/<db_id>.sqlite"
        )
    return dict(sorted(found.items()))
