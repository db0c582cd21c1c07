"""A schema from a script of CREATE TABLE statements."""

from __future__ import annotations

from itertools import chain

from clausewise.databases.model import Column, ForeignKey, Schema, Table
from clausewise.databases.sqlite.schema import resolved_key
from clausewise.sql.definitions import DefinedTable, Definitions


def schema_of(definitions: Definitions) -> Schema:
    """Return the schema that a script defines.

    A foreign key to a table or column that it does not define is dropped.
    """
    defined = list(definitions.tables.values())
    schema = Schema(tuple(map(_table, defined)))
    keys = chain.from_iterable(
        _keys(schema, table, one) for table, one in zip(schema.tables, defined, strict=True)
    )
    return Schema(schema.tables, tuple(dict.fromkeys(keys)), dict(definitions.left_out))


def _table(table: DefinedTable) -> Table:
    places = {name: place for place, name in enumerate(table.primary_key, 1)}
    columns = tuple(
        Column(
            name=column.name,
            declared_type=column.type,
            not_null=column.not_null,
            primary_key=places.get(column.name, 0),
            description=column.comment,
        )
        for column in table.columns
    )
    key_types = [column.declared_type.upper() for column in columns if column.primary_key]
    return Table(
        name=table.name,
        columns=columns,
        primary_key=table.primary_key,
        unique=table.unique,
        is_view=table.is_view,
        has_collations=table.has_collations,
        has_key_index=bool(key_types) and key_types != ["INTEGER"],
    )


def _keys(schema: Schema, table: Table, defined: DefinedTable) -> list[ForeignKey]:
    found = []
    for key in defined.foreign_keys:
        targets = key.referred_columns or (None,) * len(key.columns)
        if len(targets) != len(key.columns):
            continue
        parts = [
            (key.referred_table, own, target)
            for own, target in zip(key.columns, targets, strict=True)
        ]
        resolved = resolved_key(schema, table, parts) if parts else None
        if resolved is not None:
            found.append(resolved)
    return found
