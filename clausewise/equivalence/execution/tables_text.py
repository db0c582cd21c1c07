"""An instance as text for a prompt: every table with its columns and keys, and every row."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.databases.instances import Instance, InstanceTable
from clausewise.databases.model import Cell, Column, ForeignKey, Schema
from clausewise.preparation.examples import shortened_line
from clausewise.preparation.schema_text import write_name
from clausewise.text import single_spaced

LONGEST_NOTE = 200
"""Characters of a column's description that are shown."""


def tables_text(instance: Instance, schema: Schema) -> str:
    """Return the tables of an instance with all of their rows, then the keys between them."""
    lines = [line for table in instance.tables for line in _table(table, schema)]
    names = {table.name.casefold() for table in instance.tables}
    keys = [
        f"  {_key_text(key)}"
        for key in schema.foreign_keys
        if not key.inferred and {key.table.casefold(), key.referred_table.casefold()} <= names
    ]
    return "\n".join([*lines, *(["FOREIGN KEYS", *keys] if keys else [])])


def write_cell(cell: Cell) -> str:
    """Return a cell as SQL writes it, whole, since an answer may have to repeat it.

    >>> write_cell(" O'Reilly")
    "' O''Reilly'"
    """
    if cell is None:
        return "NULL"
    if isinstance(cell, bytes):
        return f"a blob of {len(cell)} bytes"
    return "'" + cell.replace("'", "''") + "'" if isinstance(cell, str) else str(cell)


def _table(table: InstanceTable, schema: Schema) -> Iterator[str]:
    declared = schema.table(table.name)
    count = len(table.rows)
    yield f"TABLE {write_name(table.name)}, {count} row{'s' * (count != 1)}"
    primary = () if declared is None else tuple(name.casefold() for name in declared.primary_key)
    for name in table.columns:
        column = None if declared is None else declared.column(name)
        kind = "" if column is None else single_spaced(column.declared_type)
        key = "primary key" if len(primary) == 1 else "in primary key"
        facts = [write_name(name), kind, key if name.casefold() in primary else ""]
        note = "" if column is None else _note(column)
        yield "  column " + " ".join(filter(None, facts)) + (f" -- {note}" if note else "")
    for number, row in enumerate(table.rows, 1):
        cells = zip(table.columns, row, strict=True)
        shown = ", ".join(f"{write_name(name)} = {write_cell(cell)}" for name, cell in cells)
        yield f"  row {number}: {shown}"


def _note(column: Column) -> str:
    texts = (column.label, column.description, column.value_description)
    lines = [shortened_line(text or "", LONGEST_NOTE) for text in texts]
    said = {column.name.casefold(), ""}
    return "; ".join(line for line in dict.fromkeys(lines) if line.casefold() not in said)


def _key_text(key: ForeignKey) -> str:
    pairs = zip(key.columns, key.referred_columns, strict=True)
    parts = [
        f"{write_name(key.table)}.{write_name(own)} = "
        f"{write_name(key.referred_table)}.{write_name(other)}"
        for own, other in pairs
    ]
    return " AND ".join(parts)
