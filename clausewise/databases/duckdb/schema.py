"""Reads the schema of a DuckDB file: tables, views, keys, comments and descriptions."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from clausewise.databases.descriptions import ColumnDescription
from clausewise.databases.model import Column, ForeignKey, Schema, Table

logger = logging.getLogger(__name__)

_NO_DESCRIPTION = ColumnDescription(None, None, None)
_HERE = "database_name = current_database() AND NOT internal"
_TABLES = f"""
SELECT schema_name, table_name, false AS is_view, table_oid AS number FROM duckdb_tables()
WHERE {_HERE} UNION ALL
SELECT schema_name, view_name, true, view_oid FROM duckdb_views() WHERE {_HERE}
ORDER BY is_view, number
"""
_COLUMNS = f"""
SELECT table_name, column_name, data_type, is_nullable, comment FROM duckdb_columns()
WHERE {_HERE} AND schema_name = 'main' ORDER BY table_oid, column_index
"""
_CONSTRAINTS = """
SELECT table_name, constraint_type, constraint_column_names, referenced_table,
    referenced_column_names
FROM duckdb_constraints() WHERE database_name = current_database() AND schema_name = 'main'
ORDER BY table_oid, constraint_index
"""
_OTHER_SCHEMA = "only tables of the schema 'main' are read"


def read_schema(
    connection: Any, descriptions: Mapping[tuple[str, str], ColumnDescription]
) -> Schema:
    """Return tables, then views, each in the order of their creation, with declared keys.

    A column's comment in the database stands in for a description that is not given. Tables of
    other schemas than `main`, and views that cannot be opened, are left out, with the reason.
    Raises duckdb.Error where the catalog cannot be read.
    """
    columns: dict[str, list[Column]] = defaultdict(list)
    keys: dict[str, dict[str, list[tuple[str, ...]]]] = defaultdict(lambda: defaultdict(list))
    foreign_keys = []
    for table, kind, names, referred, referred_names in connection.execute(_CONSTRAINTS).fetchall():
        keys[table][kind].append(tuple(names))
        if kind == "FOREIGN KEY":
            foreign_keys.append(ForeignKey(table, tuple(names), referred, tuple(referred_names)))
    for table, name, declared_type, is_nullable, comment in connection.execute(_COLUMNS).fetchall():
        described = descriptions.get((table.casefold(), name.casefold()), _NO_DESCRIPTION)
        primary = keys[table]["PRIMARY KEY"][:1]
        columns[table].append(
            Column(
                name=name,
                declared_type=declared_type,
                not_null=not is_nullable,
                primary_key=1 + primary[0].index(name) if primary and name in primary[0] else 0,
                label=described.label,
                description=described.description or comment,
                value_description=described.value_description,
            )
        )
    tables, left_out = [], {}
    for schema, name, is_view, _ in connection.execute(_TABLES).fetchall():
        if schema != "main":
            left_out[f"{schema}.{name}"] = _OTHER_SCHEMA
        elif not columns[name]:
            left_out[name] = "the view cannot be opened"
        else:
            primary = keys[name]["PRIMARY KEY"]
            unique = tuple(keys[name]["UNIQUE"])
            tables.append(
                Table(name, tuple(columns[name]), primary[0] if primary else (), unique, is_view)
            )
    for name, reason in left_out.items():
        logger.warning("left out '%s': %s", name, reason)
    return Schema(tuple(tables), tuple(dict.fromkeys(foreign_keys)), left_out)
