"""The part of a schema around a query: more than it uses, less than all (RED-SQL, section 4.4).

From the tables and columns of a query to those that a corrected one may need, without a model:
tables that keys join to the query's, columns by four priorities (the paper's table 2), values
that the question says, and what columns hold. How much it adds is bounded, whatever the size of
the schema.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from clausewise.databases.model import Cell, Column, Schema, Table
from clausewise.errors import DatabaseError
from clausewise.preparation.examples import Place
from clausewise.preparation.relatedness import column_relatedness, name_relatedness, words_of
from clausewise.preparation.schema_text import key_columns
from clausewise.preparation.value_matching import match_values

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol
    from clausewise.sql.model import Query

TABLES = 6
"""Tables of an expansion, the paper's k1."""
COLUMNS = 40
"""Columns of an expansion, the paper's k2."""
FEW_VALUES = 5
"""Columns with no more distinct texts are shown with all of them: codes and words for yes."""


class ColumnPriority(IntEnum):
    """Why a column is in an expansion; a smaller number goes before a greater."""

    USED = 0
    """The query names it."""
    KEY = 1
    """It belongs to a primary or a foreign key."""
    MATCHED = 2
    """The question says one of its values."""
    OTHER = 3


@dataclass(frozen=True, slots=True)
class ExpandedColumn:
    """A column of an expansion with what is known of its values.

    Without values (`send_values=False`) `values`, `minimum`, `maximum` and `nulls` are not read.
    """

    table: str
    column: Column
    priority: ColumnPriority
    values: tuple[str, ...] = ()
    """Stored values that the question says, the surest first."""
    held: tuple[str, ...] = ()
    """All its texts, where it holds `FEW_VALUES` of them or less."""
    minimum: Cell = None
    maximum: Cell = None
    """None also where the profile is that of a sample."""
    nulls: bool | None = None
    """Whether it holds NULL; None where that is not known."""

    @property
    def place(self) -> Place:
        """Table and column, casefolded."""
        return self.table.casefold(), self.column.name.casefold()


@dataclass(frozen=True, slots=True)
class SchemaExpansion:
    """The tables and columns around a query."""

    tables: tuple[Table, ...]
    """Those of the query first, then the ones added, the closest first."""
    used: int
    """How many of the tables are those of the query."""
    columns: tuple[ExpandedColumn, ...]
    """In the order of their tables, and within one in the schema's order."""

    def of_table(self, table: Table) -> tuple[ExpandedColumn, ...]:
        """Return the columns of a table that are shown."""
        return tuple(column for column in self.columns if column.table == table.name)


def expand_schema(
    database: DatabaseProtocol,
    *,
    question: str,
    query: Query | None,
    sql: str = "",
    tables: int = TABLES,
    columns: int = COLUMNS,
    send_values: bool = True,
) -> SchemaExpansion:
    """Return the tables and columns around a query, with values that the question says.

    Parameters
    ----------
    database
        Its schema, join graph and profiles are read, and distinct texts of small columns.
    question
        Question and evidence.
    query
        The query as it was parsed. Where it is None, or reads no table of the schema, the table
        whose name is closest to the words of `question` and `sql` stands for its tables.
    sql
        The text of the query, for that case.
    tables
        Tables at most, 1 or more: those of the query, always all of them, then tables that keys
        join to them, those first that are joined to most of them.
    columns
        Columns at most, 1 or more: those that the query names, always all of them, then by
        `ColumnPriority`. A column that the query reads by `*` only is not named.
    send_values
        False reads nothing of rows: no values, no ranges, and no column is `MATCHED`.

    Of equals those go first that are closer to the words of the question, then the schema's
    order decides; the paper leaves that open. Raises DatabaseError where the database cannot be
    read.
    """
    words = words_of(question)
    used = _used_tables(database.schema, query)
    if not used:
        used = _named_table(database.schema, (*words, *words_of(sql)))
    shown = [*used, *_neighbors(database, used, words)[: max(0, tables - len(used))]]
    places = [_place(table, column) for table in shown for column in table.columns]
    said = match_values(database, places, question) if send_values else {}
    chosen = _columns(database.schema, shown, query, said, words)[:columns]
    named = _named_columns(query)
    kept = {place for place in places if place in named} | set(chosen)
    keys = key_columns(database.schema)
    return SchemaExpansion(
        tuple(shown),
        len(used),
        tuple(
            _expanded(database, table, column, _priority(place, named, keys, said), said)
            if send_values
            else ExpandedColumn(table.name, column, _priority(place, named, keys, said))
            for table in shown
            for column in table.columns
            if (place := _place(table, column)) in kept
        ),
    )


def _place(table: Table, column: Column) -> Place:
    return table.name.casefold(), column.name.casefold()


def _used_tables(schema: Schema, query: Query | None) -> list[Table]:
    """Return the tables that a query reads, in the order of its text."""
    selects = () if query is None else query.selects
    names = dict.fromkeys(
        source.table for select in selects for source in select.sources if source.table
    )
    return [table for table in map(schema.table, names) if table is not None]


def _named_columns(query: Query | None) -> frozenset[Place]:
    """Return the columns that a query names."""
    return frozenset(
        (use.table.casefold(), use.column.casefold())
        for select in (() if query is None else query.selects)
        for use in select.columns
        if use.table is not None and use.column is not None
    )


def _named_table(schema: Schema, words: Sequence[str]) -> list[Table]:
    """Return the table whose name is closest to some words, none of a schema without tables."""
    found = max(schema.tables, key=lambda table: name_relatedness(table.name, words), default=None)
    return [] if found is None else [found]


def _neighbors(
    database: DatabaseProtocol, used: Sequence[Table], words: Sequence[str]
) -> list[Table]:
    """Return the tables that keys join to those used, best first."""
    graph, schema = database.join_graph, database.schema
    names = {table.name for table in used}
    joined = Counter(
        other for name in names if name in graph for other in graph[name] if other not in names
    )

    def rank(table: Table) -> tuple[int, float]:
        return -joined[table.name], -_closeness(table, words)

    return sorted((table for table in schema.tables if table.name in joined), key=rank)


def _closeness(table: Table, words: Sequence[str]) -> float:
    """Return how closely a table's most related column has to do with some words."""
    return max((column_relatedness(table.name, c, words) for c in table.columns), default=0.0)


def _columns(
    schema: Schema,
    tables: Sequence[Table],
    query: Query | None,
    said: Mapping[Place, tuple[str, ...]],
    words: Sequence[str],
) -> list[Place]:
    """Return the columns of some tables, the most important first."""
    named, keys = _named_columns(query), key_columns(schema)

    def ranked() -> Iterator[tuple[int, float, int, Place]]:
        for at, table in enumerate(tables):
            for column in table.columns:
                place = _place(table, column)
                priority = _priority(place, named, keys, said)
                yield priority, -column_relatedness(table.name, column, words), at, place

    return [place for *_, place in sorted(ranked(), key=lambda entry: entry[:3])]


def _priority(
    place: Place,
    named: frozenset[Place],
    keys: frozenset[Place],
    said: Mapping[Place, tuple[str, ...]],
) -> ColumnPriority:
    if place in named:
        return ColumnPriority.USED
    if place in keys:
        return ColumnPriority.KEY
    return ColumnPriority.MATCHED if place in said else ColumnPriority.OTHER


def _expanded(
    database: DatabaseProtocol,
    table: Table,
    column: Column,
    priority: ColumnPriority,
    said: Mapping[Place, tuple[str, ...]],
) -> ExpandedColumn:
    """Return a column with what its profile says of its values."""
    values = said.get(_place(table, column), ())
    try:
        profile = database.profile(table.name, column.name)
    except DatabaseError:
        # A view that cannot be computed has no profile.
        return ExpandedColumn(table.name, column, priority, values)
    if profile.sampled:
        # What a sample lacks the table may hold.
        return ExpandedColumn(
            table.name, column, priority, values, nulls=True if profile.nulls else None
        )
    texts = [value for value, _ in profile.frequent if isinstance(value, str)]
    return ExpandedColumn(
        table.name,
        column,
        priority,
        values,
        tuple(texts) if len(texts) == profile.distinct <= FEW_VALUES else (),
        profile.minimum,
        profile.maximum,
        profile.nulls > 0,
    )
