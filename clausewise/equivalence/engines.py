"""The engine that runs the queries of a plan on instances: SQLite, or DuckDB for other dialects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from clausewise.databases import QueryResult, Table
from clausewise.databases.instances import DuckDBInstances, Instance
from clausewise.databases.instances.engine_types import engine_type
from clausewise.errors import DatabaseError, NotComparable
from clausewise.sql import Query
from clausewise.sql.transpiling import EngineQuery, depends_on_collation
from clausewise.sql.typed_rules import Types


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

    Raises MissingExtraError where DuckDB is not installed.
    """

    def __init__(self, tables: Sequence[Table], queries: Sequence[EngineQuery]) -> None:
        self._engine = DuckDBInstances(tables)
        self._queries = tuple(queries)

    def fill(self, instance: Instance) -> None:
        """Put an instance in the place of the one before; see `InstanceEngine`."""
        texts = {
            cell
            for table in instance.tables
            for row in table.rows
            for cell in row
            if isinstance(cell, str)
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


def engine_types(tables: Sequence[Table]) -> Types:
    """Return table to column to the type that the engine gives it."""
    return {
        table.name: {column.name: engine_type(column.declared_type) for column in table.columns}
        for table in tables
    }


def is_transpiled(queries: Sequence[Query]) -> bool:
    """Whether queries are run by another engine than the database's own."""
    return any(query.dialect != "sqlite" for query in queries)
