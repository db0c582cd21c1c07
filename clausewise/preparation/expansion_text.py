"""The text of a schema expansion: an outline of all tables, then the part around the query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from clausewise.databases.model import Cell, ForeignKey, Schema, Table
from clausewise.preparation.examples import Place, shortened_line, write_value
from clausewise.preparation.schema_text import (
    KEYS,
    LEFT_OUT,
    SCHEMA_TOKENS,
    describe_column,
    estimate_tokens,
    table_heading,
    write_key,
    write_name,
)

if TYPE_CHECKING:
    from clausewise.preparation.expansion import ExpandedColumn, SchemaExpansion

LONGEST_BOUND = 30
"""Characters of a text that ends a range."""

_OUTLINE = "ALL TABLES AND COLUMNS"
_TABLES = "ALL TABLES"
_MORE = "  ({} more tables left out)"
_AROUND = "THE PART AROUND THE QUERY"


def describe_expansion(
    schema: Schema,
    expansion: SchemaExpansion,
    *,
    tokens: int = SCHEMA_TOKENS,
    send_values: bool = True,
    documentation: Mapping[Place, str] | None = None,
) -> str:
    """Return an expansion as text: all names and keys first, then its columns in detail.

    Parameters
    ----------
    schema
        The whole schema, of which names and keys are told.
    expansion
        The part that is told in detail; all of it is told.
    tokens
        Limit of the text in tokens, as `estimate_tokens` counts them. Where the outline of all
        names does not fit beside the details, it is cut. The details, which the expansion bounds,
        stay.
    send_values
        False leaves out the descriptions of values that come with BIRD's databases.
    documentation
        (table, column), casefolded, to a description that goes in place of the annotated one.
    """
    shown = frozenset(table.name for table in expansion.tables)
    notes = documentation or {}
    details = [_AROUND]
    for table in expansion.tables:
        columns = expansion.of_table(table)
        details.append(table_heading(table))
        details += [_column_line(table, column, notes, send_values) for column in columns]
        left_out = len(table.columns) - len(columns)
        details += [LEFT_OUT.format(left_out)] if left_out else []
    room = tokens - estimate_tokens("\n".join(details))
    return "\n".join([*_outline(schema, shown, room), "", *details])


def _column_line(
    table: Table, expanded: ExpandedColumn, notes: Mapping[Place, str], send_values: bool
) -> str:
    return describe_column(
        table, expanded.column, notes.get(expanded.place), _held(expanded), send_values
    )


def _held(expanded: ExpandedColumn) -> str:
    """Return what is known of a column's values, empty where nothing is."""
    facts = []
    if expanded.values:
        facts.append("said in the question: " + ", ".join(map(write_value, expanded.values)))
    if expanded.held:
        facts.append("holds only: " + ", ".join(map(write_value, expanded.held)))
    elif expanded.minimum is not None and expanded.maximum is not None:
        facts.append(f"from {_bound(expanded.minimum)} to {_bound(expanded.maximum)}")
    if expanded.nulls is not None:
        facts.append("some NULL" if expanded.nulls else "no NULL")
    return "; ".join(facts)


def _bound(value: Cell) -> str:
    """Return one end of a range; of a long text its beginning says enough."""
    return write_value(shortened_line(value, LONGEST_BOUND) if isinstance(value, str) else value)


def _outline(schema: Schema, shown: frozenset[str], tokens: int) -> list[str]:
    """Return all tables with the names of their columns, and all keys, within a limit.

    Where that is too long: the names of tables and the keys of those shown, then fewer names.
    """
    full = [_OUTLINE, *map(_signature, schema.tables), *_keys(schema.foreign_keys)]
    if _fits(full, tokens):
        return full
    own = [key for key in schema.foreign_keys if shown & {key.table, key.referred_table}]
    names = ["  " + write_name(table.name) for table in schema.tables]
    short = [_TABLES, *names, *_keys(own)]
    if _fits(short, tokens):
        return short
    among = _keys([key for key in own if {key.table, key.referred_table} <= shown])
    room = tokens - estimate_tokens("\n".join([_TABLES, *among, _MORE.format(len(names))]))
    kept: list[str] = []
    for name in names:
        room -= estimate_tokens(name + "\n")
        if room < 0:
            break
        kept.append(name)
    return [_TABLES, *kept, _MORE.format(len(names) - len(kept)), *among]


def _fits(lines: Sequence[str], tokens: int) -> bool:
    return estimate_tokens("\n".join(lines)) <= tokens


def _keys(keys: Sequence[ForeignKey]) -> list[str]:
    return [KEYS, *map(write_key, keys)] if keys else []


def _signature(table: Table) -> str:
    columns = ", ".join(write_name(column.name) for column in table.columns)
    return f"  {write_name(table.name)}({columns})"
