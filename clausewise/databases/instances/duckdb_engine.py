"""A DuckDB database in memory that holds one instance after another.

It is confined as in `databases/duckdb/confined.py`; each query runs in a transaction that only
reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from clausewise.databases.duckdb.confined import (
    CONFIGURATION,
    Watch,
    duckdb_driver,
    examine,
    explain_error,
    fetch,
    first_line,
)
from clausewise.databases.instances.engine_types import engine_type
from clausewise.databases.instances.memory import INSTANCE_LIMITS
from clausewise.databases.instances.model import Instance
from clausewise.databases.model import Cell, Limits, QueryResult, Table
from clausewise.errors import DatabaseError
from clausewise.text import quote_name
from clausewise.workers import heartbeat


class DuckDBInstances:
    """Runs queries on instances of a few tables in DuckDB, as `MemoryInstances` does in SQLite.

    The tables have the columns of `tables` with the types of `engine_type`, and no keys, checks or
    indexes: an instance obeys those already, and rows are read in the order in which they are
    written.

    Parameters
    ----------
    tables : the tables that an instance may hold; views are left out.
    limits : what one query may spend; `steps` is not counted.

    Raises
    ------
    MissingExtraError
        Where the extra clausewise[duckdb] is not installed.
    DatabaseError
        Where the tables cannot be made.
    """

    def __init__(self, tables: Sequence[Table], limits: Limits = INSTANCE_LIMITS) -> None:
        self._driver = duckdb_driver("comparing queries in DuckDB")
        self._limits = limits
        self._stored: dict[str, tuple[tuple[Cell, ...], ...]] = {}
        try:
            self._connection = self._driver.connect(":memory:", config=CONFIGURATION)
            for table in tables:
                if not table.is_view:
                    self._connection.execute(_create_table(table))
            self._connection.execute("SET lock_configuration = true")
        except self._driver.Error as error:
            raise DatabaseError(f"cannot make the tables of an instance: {error}") from error
        self._watch = Watch(self._connection)

    def fill(self, instance: Instance) -> None:
        """Put an instance in the place of the one before; other tables keep what they hold.

        Raises DatabaseError where a value does not fit the type of its column; the tables are
        then as they were.
        """
        changed = [t for t in instance.tables if self._stored.get(t.name) is not t.rows]
        execute = self._connection.execute
        execute("BEGIN TRANSACTION")
        try:
            for table in changed:
                name = quote_name(table.name)
                execute(f"DELETE FROM {name}")
                if table.rows:
                    row = f"({', '.join('?' * len(table.columns))})"
                    marks = ", ".join([row] * len(table.rows))
                    cells = [cell for one in table.rows for cell in one]
                    execute(f"INSERT INTO {name} VALUES {marks}", cells)
        except (self._driver.Error, OverflowError, UnicodeError) as error:
            execute("ROLLBACK")
            raise DatabaseError(
                f"cannot store the rows of an instance: {first_line(error)}"
            ) from error
        execute("COMMIT")
        self._stored.update((table.name, table.rows) for table in changed)

    def run(self, sql: str) -> QueryResult:
        """Run one SELECT on the instance at hand; raises as `DatabaseProtocol.run`.

        Dates and times come as text in ISO form, truth values as 0 and 1, decimals as floats;
        lists, structures and NaN as text.
        """
        examine(self._connection, self._driver, sql)
        self._connection.execute("BEGIN TRANSACTION READ ONLY")
        heartbeat.begin_statement(self._limits.seconds)
        self._watch.start(self._limits.seconds)
        try:
            return fetch(self._connection, sql, self._limits)[0]
        except (self._driver.Error, MemoryError, UnicodeError, ValueError) as error:
            raise explain_error(error, self._driver, self._watch, self._limits) from error
        finally:
            self._watch.stop()
            heartbeat.end_statement()
            self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close the database; the instance is gone."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _create_table(table: Table) -> str:
    columns = [
        f"{quote_name(column.name)} {engine_type(column.declared_type)}" for column in table.columns
    ]
    return f"CREATE TABLE {quote_name(table.name)} ({', '.join(columns)})"
