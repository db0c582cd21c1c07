"""Reads the schema of a SQLite file: tables, views, keys, and the descriptions beside it."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from operator import itemgetter

from clausewise.databases.descriptions import ColumnDescription
from clausewise.databases.model import Column, ForeignKey, Schema, Table
from clausewise.text import quote_name

logger = logging.getLogger(__name__)

_NO_DESCRIPTION = ColumnDescription(None, None, None)
_HIDDEN_COLUMN = 1
_BAD_NAME = "its name is not valid UTF-8, so no query can mention it"


def read_schema(
    connection: sqlite3.Connection,
    descriptions: Mapping[tuple[str, str], ColumnDescription],
) -> Schema:
    """Return tables and views in the order of their creation, with declared keys.

    SQLite's own tables, and those behind virtual tables, are left out. So is, with the reason in
    `left_out` and a warning in the log, a view or virtual table that SQLite cannot open (it reads
    a table that is gone, its module is missing), and a table or column whose name is not valid
    UTF-8. A foreign key to a table or column that does not exist is dropped. Raises sqlite3.Error
    where the file is damaged.
    """
    left_out: dict[str, str] = {}
    entries = []
    with _text_as_bytes(connection):
        rows = connection.execute(
            "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') "
            "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
        ).fetchall()
    for raw, kind in rows:
        try:
            entries.append((raw.decode("utf-8"), kind.decode("ascii")))
        except UnicodeDecodeError:
            left_out[raw.decode("utf-8", "replace")] = _BAD_NAME
    # Rows: schema, name, type, ...; SQLite before 3.37 does not know this pragma and gives none.
    shadows = {
        row[1] for row in connection.execute("PRAGMA table_list").fetchall() if row[2] == "shadow"
    }
    tables = []
    for name, kind in entries:
        if name in shadows:
            continue
        try:
            tables.append(_read_table(connection, name, kind == "view", descriptions, left_out))
        except sqlite3.OperationalError as error:
            left_out[name] = f"the {kind} cannot be opened: {error}"
    for name, reason in left_out.items():
        logger.warning("left out '%s': %s", name, reason)
    schema = Schema(tuple(tables))
    keys = [key for table in tables for key in _read_foreign_keys(connection, schema, table)]
    return Schema(schema.tables, tuple(dict.fromkeys(keys)), left_out)


@contextmanager
def _text_as_bytes(connection: sqlite3.Connection) -> Iterator[None]:
    """Let text arrive as it is stored."""
    factory = connection.text_factory
    connection.text_factory = bytes
    try:
        yield
    finally:
        connection.text_factory = factory


def _read_table(
    connection: sqlite3.Connection,
    name: str,
    is_view: bool,
    descriptions: Mapping[tuple[str, str], ColumnDescription],
    left_out: dict[str, str],
) -> Table:
    """Return a table or view; what cannot be read of it is added to `left_out`."""
    columns = []
    is_key_readable = True
    with _text_as_bytes(connection):
        rows = connection.execute(f"PRAGMA table_xinfo({quote_name(name)})").fetchall()
    for _, raw, raw_type, not_null, _, position, hidden in rows:
        if hidden == _HIDDEN_COLUMN:
            continue
        try:
            column = raw.decode("utf-8")
        except UnicodeDecodeError:
            left_out[f"{name}.{raw.decode('utf-8', 'replace')}"] = _BAD_NAME
            is_key_readable = is_key_readable and not position
            continue
        declared_type = (raw_type or b"").decode("utf-8", "replace")
        described = descriptions.get((name.casefold(), column.casefold()), _NO_DESCRIPTION)
        columns.append(
            Column(
                name=column,
                declared_type=declared_type,
                not_null=bool(not_null),
                primary_key=position,
                label=described.label,
                description=described.description,
                value_description=described.value_description,
            )
        )
    if not is_key_readable:
        # A part of a key identifies no row.
        columns = [replace(column, primary_key=0) for column in columns]
    in_key = sorted((column for column in columns if column.primary_key), key=_key_position)
    known = {column.name for column in columns}
    return Table(
        name=name,
        columns=tuple(columns),
        primary_key=tuple(column.name for column in in_key),
        unique=tuple(names for names in _read_unique_sets(connection, name) if known >= set(names)),
        is_view=is_view,
        has_collations=_has_collations(connection, name),
        has_key_index=_has_key_index(connection, name),
    )


def _has_collations(connection: sqlite3.Connection, name: str) -> bool:
    """Whether a table's or view's definition speaks of COLLATE, which no pragma tells."""
    statement = "SELECT sql LIKE '%collate%' FROM sqlite_master WHERE name = ?"
    row = connection.execute(statement, (name,)).fetchone()
    return bool(row and row[0])


def _has_key_index(connection: sqlite3.Connection, name: str) -> bool:
    rows = connection.execute(f"PRAGMA index_list({quote_name(name)})").fetchall()
    return any(origin == "pk" for *_, origin, _partial in rows)


def _key_position(column: Column) -> int:
    return column.primary_key


def _read_unique_sets(connection: sqlite3.Connection, table: str) -> Iterable[tuple[str, ...]]:
    """Yield the columns of every UNIQUE constraint or index that covers all rows."""
    indexes = connection.execute(f"PRAGMA index_list({quote_name(table)})").fetchall()
    # SQLite lists the newest index first.
    for _, index, unique, origin, partial in reversed(indexes):
        if not unique or partial or origin == "pk":
            continue
        rows = connection.execute(f"PRAGMA index_info({quote_name(index)})").fetchall()
        names = tuple(row[2] for row in rows)
        if None not in names:
            yield names


def _read_foreign_keys(
    connection: sqlite3.Connection, schema: Schema, table: Table
) -> Iterable[ForeignKey]:
    rows = connection.execute(f"PRAGMA foreign_key_list({quote_name(table.name)})").fetchall()
    # SQLite numbers the keys from the last declared to the first.
    rows.sort(key=lambda row: (-row[0], row[1]))
    for _, parts in groupby(rows, key=itemgetter(0)):
        key = resolved_key(schema, table, [row[2:5] for row in parts])
        if key is not None:
            yield key


def resolved_key(
    schema: Schema, table: Table, parts: list[tuple[str, str, str | None]]
) -> ForeignKey | None:
    """Return the key in the schema's spelling; one that names no columns refers to the key."""
    referred = schema.table(parts[0][0])
    if referred is None:
        return None
    columns = [table.column(source) for _, source, _ in parts]
    targets = [target for _, _, target in parts]
    if None in targets:
        targets = list(referred.primary_key)
    referred_columns = [referred.column(name or "") for name in targets]
    if len(columns) != len(referred_columns):
        return None
    names = tuple(column.name for column in columns if column)
    referred_names = tuple(column.name for column in referred_columns if column)
    if not len(names) == len(referred_names) == len(columns):
        return None
    return ForeignKey(table.name, names, referred.name, referred_names)
