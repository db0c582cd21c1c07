"""An SQLite database in memory that holds one instance after another.

Rows are written on one connection and queries are run on a second one, a `Reader`, which lets
nothing but SELECTs pass and obeys limits, as on a real file.
"""

from __future__ import annotations

import functools
import itertools
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from clausewise.databases.instances.constraints import Constraints
from clausewise.databases.instances.definitions import type_name
from clausewise.databases.instances.model import Instance
from clausewise.databases.model import Cell, Limits, QueryResult, Table
from clausewise.databases.sqlite.reader import Reader
from clausewise.errors import DatabaseError
from clausewise.text import quote_name

INSTANCE_LIMITS = Limits(steps=2_000_000, seconds=5.0, rows=1_000)
"""What one query may spend on an instance."""

_KEPT_STATEMENTS = 128
_numbers = itertools.count()


class MemoryInstances:
    """Runs queries on instances of a few tables; each statement is prepared once.

    The tables have the columns, types and collations of the database's own, and no keys or
    indexes, so that the order in which rows are written is the order in which they are read.

    Parameters
    ----------
    tables : the tables that an instance may hold; views are left out.
    limits : what one query may spend.
    constraints : knows collations and views; without it all columns are compared by BINARY.
    views : names of views over the tables that queries read.

    Raises DatabaseError where the tables or views cannot be made.
    """

    def __init__(
        self,
        tables: Sequence[Table],
        limits: Limits = INSTANCE_LIMITS,
        constraints: Constraints | None = None,
        views: Sequence[str] = (),
    ) -> None:
        self._limits = limits
        self._stored: dict[str, tuple[tuple[Cell, ...], ...]] = {t.name: () for t in tables}
        name = f"clausewise-instances-{next(_numbers)}"
        uri = f"file:{name}?mode=memory&cache=shared"
        self._writer = sqlite3.connect(
            uri,
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=_KEPT_STATEMENTS,
        )
        try:
            for table in tables:
                if not table.is_view:
                    self._writer.execute(_create_table(table, constraints))
            for statement in constraints.view_statements(views) if constraints and views else ():
                self._writer.execute(statement)
        except sqlite3.Error as error:
            self._writer.close()
            raise DatabaseError(f"cannot make the tables of an instance: {error}") from error
        self._reader = Reader(_SharedMemory(Path(name), uri), limits, _KEPT_STATEMENTS)

    def fill(self, instance: Instance) -> None:
        """Put an instance in the place of the one before; other tables keep what they hold.

        Raises DatabaseError where a row cannot be stored; all tables of the instance are then
        filled anew by the next one.
        """
        execute = self._writer.execute
        execute("BEGIN")
        try:
            for table in instance.tables:
                # By identity: 1 and 1.0 are equal, and not stored alike.
                before = self._stored.get(table.name)
                if before is not table.rows:
                    clear, insert = _statements(table.name, len(table.columns))
                    if before != ():
                        execute(clear)
                    if table.rows:
                        self._writer.executemany(insert, table.rows)
                    self._stored[table.name] = table.rows
        except (sqlite3.Error, OverflowError, UnicodeEncodeError) as error:
            self._stored.clear()
            execute("ROLLBACK")
            raise DatabaseError(f"cannot store the rows of an instance: {error}") from error
        execute("COMMIT")

    def run(self, sql: str) -> QueryResult:
        """Run one SELECT on the instance at hand; raises as `DatabaseProtocol.run`."""
        return self._reader.run(sql, self._limits)[0]

    def close(self) -> None:
        """Close both connections; the instance is gone."""
        self._reader.close()
        self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _create_table(table: Table, constraints: Constraints | None) -> str:
    collations = {} if constraints is None else constraints.collations(table.name)
    columns = []
    for column in table.columns:
        collation = collations.get(column.name)
        suffix = "" if collation is None else f" COLLATE {quote_name(collation)}"
        columns.append(f"{quote_name(column.name)} {type_name(column)}{suffix}")
    return f"CREATE TABLE {quote_name(table.name)} ({', '.join(columns)})"


@functools.lru_cache(maxsize=1_000)
def _statements(table: str, width: int) -> tuple[str, str]:
    """Return what empties a table and what writes a row into it."""
    name = quote_name(table)
    return f"DELETE FROM {name}", f"INSERT INTO {name} VALUES ({', '.join('?' * width)})"


@dataclass(frozen=True)
class _SharedMemory:
    path: Path
    uri: str
