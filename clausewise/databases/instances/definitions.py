"""The statements that define tables, views and unique indexes, as a SQLite file keeps them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from clausewise.databases.model import Column, Table
from clausewise.databases.protocol import DatabaseProtocol
from clausewise.errors import DatabaseError
from clausewise.text import quote_name

_STATEMENTS = (
    "SELECT type, name, tbl_name, sql, sqlite_version() FROM sqlite_master "
    "WHERE sql IS NOT NULL ORDER BY rowid"
)
_PATTERNS = {
    "table": re.compile(r"\s*CREATE\s+TABLE\b", re.IGNORECASE),
    "view": re.compile(r"\s*CREATE\s+VIEW\b", re.IGNORECASE),
    "index": re.compile(r"\s*CREATE\s+UNIQUE\s+INDEX\b", re.IGNORECASE),
}
_PLAIN_TYPE = re.compile(r"[A-Za-z_0-9 ]*(\([0-9, ]*\))?", re.ASCII)
_TOKEN = re.compile(
    r"""(?P<skip>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))"""
    r"""|(?P<quoted>'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])|(?P<word>\w+)|.""",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Definition:
    """One statement of the schema: `kind` is `table`, `view` or `index` (unique ones only)."""

    kind: str
    name: str
    table: str
    """The table or view itself, or the table of the index."""
    sql: str


def read_definitions(database: DatabaseProtocol) -> tuple[Definition, ...]:
    """Return a database's own statements in the order of their creation.

    Only plain tables, views and unique indexes: what else a file says of itself is never run. For
    a database that is not SQLite the tables are stated anew from its schema, without CHECK and
    views.
    """
    try:
        rows: Sequence[tuple[Any, ...]] = database.run(_STATEMENTS).rows
    except DatabaseError:
        rows = ()
    found = tuple(
        Definition(kind, str(name), str(table), sql)
        for kind, name, table, sql, _ in rows
        if kind in _PATTERNS and isinstance(sql, str) and _PATTERNS[kind].match(sql)
    )
    stated = {entry.name.casefold() for entry in found if entry.kind == "table"}
    missing = (table for table in database.schema.tables if table.name.casefold() not in stated)
    return (
        *(Definition("table", t.name, t.name, stated_table(t)) for t in missing if not t.is_view),
        *found,
    )


def stated_table(table: Table) -> str:
    """Return a CREATE TABLE statement with the types and keys that the schema knows."""
    parts = [
        f"{quote_name(column.name)} {type_name(column)}" + " NOT NULL" * column.not_null
        for column in table.columns
    ]
    keys = [("PRIMARY KEY", table.primary_key)] if table.primary_key else []
    for words, names in [*keys, *(("UNIQUE", names) for names in table.unique)]:
        parts.append(f"{words} ({', '.join(map(quote_name, names))})")
    return f"CREATE TABLE {quote_name(table.name)} ({', '.join(parts)})"


def type_name(column: Column) -> str:
    """Return a column's type as a statement says it; SQLite takes any text for one."""
    declared = column.declared_type
    return declared if _PLAIN_TYPE.fullmatch(declared) else quote_name(declared)


def checks_of(sql: str) -> tuple[str, ...]:
    """Return the expressions of all CHECK constraints of a CREATE TABLE statement, in text order.

    >>> checks_of("CREATE TABLE t (a INT CHECK (a > 0), b TEXT, CHECK (length(b) < 5))")
    ('a > 0', 'length(b) < 5')
    """
    return tuple(_checks(sql))


def _checks(sql: str) -> Iterator[str]:
    is_check = False
    begin = depth = 0
    for token in _TOKEN.finditer(sql):
        text = token[0]
        if token.lastgroup == "skip":
            continue
        if begin:
            depth += (text == "(") - (text == ")")
            if depth == 0:
                yield sql[begin : token.start()].strip()
                begin = 0
        elif is_check and text == "(":
            begin, depth = token.end(), 1
        is_check = token.lastgroup == "word" and text.upper() == "CHECK"
