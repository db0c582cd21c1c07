"""The engine that runs the queries of a plan on instances: SQLite, or DuckDB for other dialects."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from clausewise.databases import QueryResult, Table
from clausewise.databases.instances import DuckDBInstances, Instance
from clausewise.errors import DatabaseError, NotComparable
from clausewise.sql.transpiling import EngineQuery, depends_on_collation


class InstanceEngine(Protocol):
    """Holds one instance after another and runs queries on it."""

    def fill(self, instance: Instance) -> None:
        """Put an instance in the place of the one before.

        Raises NotComparable where what queries give on it does not say what they give elsewhere,
        and DatabaseError where it cannot be stored.
        """

    def run(self, sql: str) -> QueryResult:
        """Run one SELECT on the instance at hand; raises as `DatabaseProtocol.run`."""

    def close(self) -> None:
        """Forget the instance."""


class TranspiledInstances:
    """Runs queries of other dialects in DuckDB, on instances that fit its types.

    `used` are the tables and columns that the queries mention; texts of others do not matter.

    Raises MissingExtraError where DuckDB is not installed.
    """

    def __init__(
        self,
        tables: Sequence[Table],
        queries: Sequence[EngineQuery],
        used: Collection[tuple[str, str]],
    ) -> None:
        self._engine = DuckDBInstances(tables)
        self._queries = tuple(queries)
        self._used = frozenset(used)

    def fill(self, instance: Instance) -> None:
        """Put an instance in the place of the one before; see `InstanceEngine`."""
        texts = {
            cell
            for table in instance.tables
            for row in table.rows
            for column, cell in zip(table.columns, row, strict=True)
            if isinstance(cell, str) and (table.name, column) in self._used
        }
        if depends_on_collation(self._queries, texts):
            raise NotComparable("the result depends on the server's collation")
        try:
            self._engine.fill(instance)
        except DatabaseError as error:
            raise NotComparable(str(error)) from None

    def run(self, sql: str) -> QueryResult:
        """Run one SELECT on the instance at hand; raises as `DatabaseProtocol.run`."""
        return self._engine.run(sql)

    def close(self) -> None:
        """Forget the instance."""
        self._engine.close()
