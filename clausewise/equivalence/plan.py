"""What a search for instances must know: the queries, the tables that they read, their keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

from clausewise.databases import DatabaseProtocol, ForeignKey, Schema, Table
from clausewise.databases.instances import (
    Constraints,
    Instance,
    InstanceTable,
    constraints_of,
)
from clausewise.databases.instances.engine_types import engine_types
from clausewise.errors import DatabaseError, NotComparable, ParseError
from clausewise.sql import Query, Role, Select, parse
from clausewise.sql.transpiling import SQLITE, EngineQuery, engine_query

_DEFINITION = re.compile(r"\bAS\b(.*)", re.IGNORECASE | re.DOTALL)

Place = tuple[str, str]
"""A table and one of its columns, in the schema's spelling."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The queries of one comparison, parsed, with the tables that an instance of theirs holds."""

    queries: tuple[Query, ...]
    views: tuple[Query, ...]
    """What defines the views that the queries read, where it can be parsed."""
    database: DatabaseProtocol
    schema: Schema
    tables: tuple[Table, ...]
    """Those that the queries read, and those that their keys must refer to, by name."""
    keys: tuple[ForeignKey, ...]
    """Declared foreign keys between these tables."""
    used: dict[Place, None]
    """The columns that a query mentions, in text order."""
    blank: frozenset[Place]
    """Columns of keys to tables that are left out: NULL in every instance."""
    transpiled: tuple[EngineQuery, ...] = ()
    """The queries as DuckDB runs them; empty where SQLite does."""

    @property
    def constraints(self) -> Constraints:
        """What the contents of the database must obey."""
        return constraints_of(self.database)

    def is_ordered(self, number: int) -> bool:
        """Whether a query asks for an order at its outermost level."""
        return any(s.role is Role.ROOT and s.order_by for s in self.queries[number].selects)


def make_plan(queries: Sequence[str], database: DatabaseProtocol, dialect: str = "sqlite") -> Plan:
    """Parse the queries and find the tables that they read.

    A table that no query reads is part of an instance only where a column refers to it that may
    not be NULL or that a query mentions.

    Queries of other dialects than SQLite's are put into the words of the engine that runs them.

    Raises NotComparable where a query cannot be parsed, does more than read, names a table or
    column that is not there, or is not known to mean the same in the engine.
    """
    schema = database.schema
    types = {} if dialect == SQLITE else schema.once(engine_types)
    made = tuple(engine_query(text, dialect, types) for text in queries)
    parsed_by = schema.once(_parser)
    parsed = tuple(parsed_by(query.text, query.engine) for query in made)
    used: dict[Place, None] = {}
    reached: dict[str, None] = {}
    for query in parsed:
        for select in query.selects:
            reached.update((s.table, None) for s in select.sources if s.table is not None)
            used.update((place, None) for place in _mentioned(select, schema))
    declared = [key for key in schema.foreign_keys if not key.inferred]
    transpiled = tuple(query for query in made if query.engine != SQLITE)
    if transpiled and any(table.is_view and table.name in reached for table in schema.tables):
        raise NotComparable("a query reads a view, which is in SQLite's dialect")
    try:
        views = _without_views(reached, used, database)
    except DatabaseError as error:
        raise NotComparable(str(error)) from None
    waiting = list(reached)
    while waiting:
        table = waiting.pop()
        for key in declared:
            parent = key.referred_table
            if key.table == table and parent not in reached and _must_refer(key, schema, used):
                reached[parent] = None
                waiting.append(parent)
    tables = sorted((t for t in schema.tables if t.name in reached), key=lambda table: table.name)
    own = [key for key in declared if key.table in reached]
    return Plan(
        parsed,
        views,
        database,
        schema,
        tuple(tables),
        tuple(key for key in own if key.referred_table in reached),
        used,
        frozenset(
            (key.table, column)
            for key in own
            if key.referred_table not in reached
            for column in key.columns
        ),
        transpiled,
    )


def _without_views(
    reached: dict[str, None], used: dict[Place, None], database: DatabaseProtocol
) -> tuple[Query, ...]:
    """Put the tables that views read in their place; return what defines the views.

    Raises DatabaseError where a view cannot be made over tables of an instance.
    """
    schema = database.schema
    names = [name for name in reached if (table := schema.table(name)) and table.is_view]
    if not names:
        return ()
    constraints = constraints_of(database)
    for name in names:
        del reached[name]
        sources = constraints.view_sources(name)
        reached.update(dict.fromkeys(sources))
        used.update(dict.fromkeys(_all_columns(sources, schema)))
    for place in [place for place in used if place[0] in names]:
        del used[place]
    found = []
    for statement in constraints.view_statements(names):
        definition = _DEFINITION.search(statement)
        if definition is not None:
            with suppress(ParseError):
                found.append(parse(definition[1], "sqlite", schema.names()))
    return tuple(query for query in found if query.selects)


def _mentioned(select: Select, schema: Schema) -> Iterator[Place]:
    """Yield the columns of base tables that a SELECT mentions, those behind a star included."""
    for use in select.columns:
        if use.table is not None and use.column is not None:
            yield use.table, use.column
    for projection in select.projections:
        if projection.star:
            sources = [projection.star_source] if projection.star_source else select.sources
            yield from _all_columns([source.table for source in sources], schema)
    if any(join.kind == "natural" for join in select.joins):
        yield from _all_columns([source.table for source in select.sources], schema)


def _all_columns(names: Sequence[str | None], schema: Schema) -> Iterator[Place]:
    for name in names:
        table = None if name is None else schema.table(name)
        if table is not None:
            yield from ((table.name, column.name) for column in table.columns)


def _must_refer(key: ForeignKey, schema: Schema, used: dict[Place, None]) -> bool:
    """Whether the columns of a key cannot simply be NULL."""
    table = schema.table(key.table)
    columns = [table.column(name) for name in key.columns] if table else []
    return any(
        column is not None
        and (column.not_null or column.primary_key or (key.table, column.name) in used)
        for column in columns
    )


def _parser(schema: Schema) -> Callable[[str, str], Query]:
    """Return what parses queries on a schema; the latest are kept, as long as the schema is."""

    @lru_cache(maxsize=64)
    def parsed(text: str, dialect: str) -> Query:
        try:
            query = parse(text, dialect, schema.names())
        except ParseError as error:
            raise NotComparable(f"a query cannot be parsed: {error}") from None
        if query.statement != "SELECT":
            raise NotComparable(f"{query.statement} is not a query")
        if query.unknown_names:
            raise NotComparable(f"there is no table or column '{query.unknown_names[0].written}'")
        return query

    return parsed


def fitted(instance: Instance, plan: Plan) -> Instance | None:
    """Return an instance of a plan's tables: further ones are left out, missing ones are empty.

    None where a table has other columns in the instance than in the plan.
    """
    given = {table.name: table for table in instance.tables}
    tables = []
    for table in plan.tables:
        columns = tuple(column.name for column in table.columns)
        known = given.get(table.name) or InstanceTable(table.name, columns, ())
        if known.columns != columns:
            return None
        tables.append(known)
    return Instance.of(tables)
