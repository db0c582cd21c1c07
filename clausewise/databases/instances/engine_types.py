"""The types that a typed engine gives the columns of an SQLite database."""

from __future__ import annotations

import re

from clausewise.databases.affinity import affinity
from clausewise.databases.model import Schema

_DECIMAL = re.compile(r"(?:DECIMAL|NUMERIC)\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)")
_BY_AFFINITY = {"integer": "BIGINT", "text": "VARCHAR", "real": "DOUBLE", "blob": "BLOB"}
_MOST_DIGITS = 38


def engine_type(declared_type: str) -> str:
    """Return the type that DuckDB gives a column of that declared type.

    Dates, times and truth values have types of their own, which SQLite stores as it likes; a
    column without a type is text; numbers without a scale are DOUBLE. All else goes by SQLite's
    affinity.

    >>> [engine_type(name) for name in ("INT", "varchar(20)", "DATETIME", "BOOLEAN", "", "number")]
    ['BIGINT', 'VARCHAR', 'TIMESTAMP', 'BOOLEAN', 'VARCHAR', 'DOUBLE']
    """
    name = declared_type.strip().upper()
    if not name:
        return "VARCHAR"
    if name.startswith(("DATETIME", "TIMESTAMP")):
        return "TIMESTAMP"
    if name in ("DATE", "TIME"):
        return name
    if name.startswith("BOOL"):
        return "BOOLEAN"
    scaled = _DECIMAL.fullmatch(name)
    if scaled and int(scaled[2]) <= int(scaled[1]) <= _MOST_DIGITS:
        return f"DECIMAL({scaled[1]}, {scaled[2]})"
    return _BY_AFFINITY.get(affinity(declared_type), "DOUBLE")


def engine_types(schema: Schema) -> dict[str, dict[str, str]]:
    """Return table to column to the type that DuckDB gives it."""
    return {
        table.name: {column.name: engine_type(column.declared_type) for column in table.columns}
        for table in schema.tables
    }
