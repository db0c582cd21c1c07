"""An SQLite database in memory that holds one instance after another.

Rows are written on one connection and queries are run on a second one, a `Reader`, which lets
nothing but SELECTs pass and obeys limits, as on a real file.
"""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from clausewise.databases.instances.model import Instance
from clausewise.databases.model import Limits, QueryResult, Table
from clausewise.databases.reader import Reader
from clausewise.errors import DatabaseError
from clausewise.text import quote_name

INSTANCE_LIMITS = Limits(steps=2_000_000, seconds=5.0, rows=1_000)
"""What one query may spend on an instance."""

_numbers = itertools.count()


class MemoryInstances:
    """Runs queries on instances of a few tables.

    The tables have the columns and types of `tables`, and no keys or indexes, so that the order
    in which rows are written is the order in which they are read.

    Raises DatabaseError where the tables cannot be made.
    """

    def __init__(self, tables: Sequence[Table], limits: Limits = INSTANCE_LIMITS) -> None:
        self._tables = tuple(tables)
        self._limits = limits
        name = f"clausewise-instances-{next(_numbers)}"
        uri = f"file:{name}?mode=memory&cache=shared"
        self._writer = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
        try:
            for table in tables:
                columns = ", ".join(
                    f"{quote_name(column.name)} {column.declared_type}" for column in table.columns
                )
                self._writer.execute(f"CREATE TABLE {quote_name(table.name)} ({columns})")
        except sqlite3.Error as error:
            raise DatabaseError(f"cannot make the tables of an instance: {error}") from error
        self._reader = Reader(_SharedMemory(Path(name), uri), limits)

    def fill(self, instance: Instance) -> None:
        """Put an instance in the place of the one before."""
        self._writer.execute("BEGIN")
        for table in instance.tables:
            self._writer.execute(f"DELETE FROM {quote_name(table.name)}")
            if table.rows:
                marks = ", ".join("?" * len(table.columns))
                self._writer.executemany(
                    f"INSERT INTO {quote_name(table.name)} VALUES ({marks})", table.rows
                )
        self._writer.execute("COMMIT")

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


@dataclass(frozen=True)
class _SharedMemory:
    path: Path
    uri: str
