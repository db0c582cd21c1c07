"""Where in the query a model points: the fragments that it copies, the columns that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clausewise.sql import find_fragment
from clausewise.types import Clause, ClauseSpan

if TYPE_CHECKING:
    from clausewise.databases.model import Schema
    from clausewise.signals.context import Context
    from clausewise.sql.model import ColumnUse


def locate(context: Context, fragment: str) -> ClauseSpan | None:
    """Return where a fragment that a model copied stands in the query, None where it does not.

    White space and case may differ. A fragment that reaches over several clauses is the query.
    """
    found = find_fragment(context.query.text, fragment)
    if found is None:
        return None
    clause = context.enclosing_clause(*found)
    if clause.kind is Clause.QUERY:
        return context.query.span
    return context.span(clause.kind, *found)


def locate_or_query(context: Context, fragment: str) -> ClauseSpan:
    """Return where a fragment stands, the whole query where it is empty or cannot be found."""
    return locate(context, fragment) or context.query.span


def clause_named(context: Context, kind: str) -> ClauseSpan | None:
    """Return the query's only clause of a kind, None where it has none or several of them."""
    found = [clause for clause in context.clauses if clause.kind.value == kind]
    return found[0] if len(found) == 1 else None


def unquoted(name: str) -> str:
    """Return a name without the quotes in which a model wrote it.

    >>> unquoted(' "Enrollment (K-12)" ')
    'Enrollment (K-12)'
    """
    name = name.strip()
    quoted = len(name) > 1 and name[0] + name[-1] in ('""', "``", "[]", "''")
    return name[1:-1].strip() if quoted else name


def schema_column(context: Context, name: str) -> tuple[str, str] | None:
    """Return (table, column) in the schema's spelling for a column that a model names.

    A table may be named by its alias in the query. A bare name must belong to one table only.
    None where the schema has no such column.
    """
    bare = unquoted(name)
    holders = _holders(context.schema, bare)
    if holders:
        return holders[0] if len(holders) == 1 else None
    # A dot may stand inside of a name, too.
    for dot in (at for at, character in enumerate(name) if character == "."):
        owner = unquoted(name[:dot].rpartition(".")[2])
        table = context.schema.table(_table_of_alias(context, owner) or owner)
        column = table and table.column(unquoted(name[dot + 1 :]))
        if table is not None and column:
            return table.name, column.name
    return None


def _holders(schema: Schema, column_name: str) -> list[tuple[str, str]]:
    return [
        (table.name, column.name)
        for table in schema.tables
        if (column := table.column(column_name)) is not None
    ]


def _table_of_alias(context: Context, alias: str) -> str | None:
    """Return the table that an alias stands for, None where none or several tables bear it."""
    if context.schema.table(alias) is not None:
        return None
    tables = {
        source.table
        for select in context.query.selects
        for source in select.sources
        if source.alias.casefold() == alias.casefold() and source.table is not None
    }
    return tables.pop() if len(tables) == 1 else None


def used_column(context: Context, name: str) -> ColumnUse | None:
    """Return the first use of a column that a model names, as the query or the schema spells it.

    None where the query does not use it. Uses outside join conditions go first: those join keys.
    """
    uses = sorted(context.columns(), key=lambda use: (use.in_join_condition, use.piece.start))
    written = "".join(name.split()).casefold()
    for use in uses:
        if "".join(use.piece.text.split()).casefold() == written and use.column is not None:
            return use
    place = schema_column(context, name)
    return next((use for use in uses if (use.table, use.column) == place), None)
