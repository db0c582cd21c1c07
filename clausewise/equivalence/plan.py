"""What a search for instances must know: the queries, the tables that they read, their keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clausewise.databases import DatabaseProtocol, ForeignKey, Schema, Table
from clausewise.errors import NotComparable, ParseError
from clausewise.sql import Query, Role, parse


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The queries of one comparison, parsed, with the tables that an instance of theirs holds."""

    queries: tuple[Query, ...]
    database: DatabaseProtocol
    schema: Schema
    tables: tuple[Table, ...]
    """Those that the queries read, and those that their keys refer to, by name."""
    keys: tuple[ForeignKey, ...]
    """Declared foreign keys between these tables."""

    def is_ordered(self, number: int) -> bool:
        """Whether a query asks for an order at its outermost level."""
        return any(s.role is Role.ROOT and s.order_by for s in self.queries[number].selects)


def make_plan(queries: Sequence[str], database: DatabaseProtocol, dialect: str = "sqlite") -> Plan:
    """Parse the queries and find the tables that they read.

    Raises NotComparable where a query cannot be parsed, does more than read, or names a table or
    column that is not there.
    """
    schema = database.schema
    parsed = tuple(_parsed(text, schema, dialect) for text in queries)
    names = {
        source.table
        for query in parsed
        for select in query.selects
        for source in select.sources
        if source.table is not None
    }
    keys = [key for key in schema.foreign_keys if not key.inferred]
    reached = set(names)
    while True:
        parents = {key.referred_table for key in keys if key.table in reached} - reached
        if not parents:
            break
        reached |= parents
    tables = sorted((t for t in schema.tables if t.name in reached), key=lambda table: table.name)
    if any(table.is_view for table in tables):
        raise NotComparable("a query reads a view")
    return Plan(
        parsed, database, schema, tuple(tables), tuple(key for key in keys if key.table in reached)
    )


def _parsed(text: str, schema: Schema, dialect: str) -> Query:
    try:
        query = parse(text, dialect, schema.names())
    except ParseError as error:
        raise NotComparable(f"a query cannot be parsed: {error}") from None
    if query.statement != "SELECT":
        raise NotComparable(f"{query.statement} is not a query")
    if query.unknown_names:
        raise NotComparable(f"there is no table or column '{query.unknown_names[0].written}'")
    return query
