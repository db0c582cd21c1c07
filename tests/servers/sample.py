"""A SQLite database as a script of another dialect, and the packaged sample on every backend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from clausewise.databases import (
    Cell,
    Column,
    Database,
    DatabaseProtocol,
    ForeignKey,
    Table,
    open_database,
)
from clausewise.datasets import read_cases, sample_dir
from clausewise.errors import ParseError
from clausewise.sql.translating import translated
from clausewise.types import Case

NAMES = ("bookshop", "clinic", "cycling")
FILES = {name: sample_dir() / "databases" / name / f"{name}.sqlite" for name in NAMES}
CASES = [case for case in read_cases(sample_dir() / "cases.jsonl") if isinstance(case, Case)]

_DESCRIPTIONS = FILES["clinic"].with_name("database_description")

_TYPES = {"integer": "BIGINT", "real": "DOUBLE PRECISION", "text": "TEXT"}
_KEY_TEXT = "VARCHAR(100)"
"""MySQL indexes no TEXT."""
_COLLATIONS = {"mysql": " COLLATE utf8mb4_bin"}
"""Texts are compared byte by byte, as SQLite does by default; the other servers do so already."""


@dataclass(frozen=True)
class LoadedSample:
    """The sample's databases in one dialect."""

    dialect: str
    targets: Mapping[str, str | Path]

    def open(self) -> dict[str, DatabaseProtocol]:
        """Open all databases, with the descriptions of the sample."""
        return {
            name: open_database(target, descriptions=_DESCRIPTIONS if name == "clinic" else None)
            for name, target in self.targets.items()
        }


SQLITE = LoadedSample("sqlite", FILES)


def in_dialect(case: Case, dialect: str) -> Case:
    """Return a case with its queries in the words of a dialect."""
    candidates = tuple(words(sql, dialect) for sql in case.candidates)
    return case.model_copy(
        update={"predicted_sql": words(case.predicted_sql, dialect), "candidates": candidates}
    )


def words(sql: str, dialect: str) -> str:
    """Return a query in the words of a dialect; one that cannot be parsed stays as it is."""
    try:
        return translated(sql, "sqlite", dialect)
    except ParseError:
        return sql


def script_of(file: Path, dialect: str) -> str:
    """Return the statements that make the tables of a SQLite file: types, keys and rows."""
    with Database(file) as database:
        return ";\n".join(_statements(database, dialect)) + ";\n"


def _statements(database: Database, dialect: str) -> Iterator[str]:
    tables = [table for table in database.declared_schema.tables if not table.is_view]
    for table in tables:
        yield f"CREATE TABLE {_quoted(table.name, dialect)} ({_parts(database, table, dialect)})"
    for table in tables:
        rows = database.run(f'SELECT * FROM "{table.name}"').rows
        values = (f"({', '.join(_literal(cell, dialect) for cell in row)})" for row in rows)
        yield f"INSERT INTO {_quoted(table.name, dialect)} VALUES {', '.join(values)}"
    for key in database.declared_schema.foreign_keys:
        if (
            dialect != "duckdb"
        ):  # which adds no key to a table, so that a circle of keys is left open
            yield (f"ALTER TABLE {_quoted(key.table, dialect)} ADD {_reference(key, dialect)}")


def _parts(database: Database, table: Table, dialect: str) -> str:
    in_keys = {name for names in (table.primary_key, *table.unique) for name in names}
    in_keys |= {
        name
        for key in database.declared_schema.foreign_keys
        for owner, names in ((key.table, key.columns), (key.referred_table, key.referred_columns))
        if owner == table.name
        for name in names
    }
    parts = [
        _definition(database, table, column, dialect, is_key=column.name in in_keys)
        for column in table.columns
    ]
    if table.primary_key:
        parts.append(f"PRIMARY KEY ({_names(table.primary_key, dialect)})")
    parts += [f"UNIQUE ({_names(names, dialect)})" for names in table.unique]
    if dialect == "duckdb":
        made = [known.name for known in database.declared_schema.tables]
        parts += [
            _reference(key, dialect)
            for key in database.declared_schema.foreign_keys
            if key.table == table.name and key.referred_table in made[: made.index(table.name)]
        ]
    return ", ".join(parts)


def _definition(
    database: Database, table: Table, column: Column, dialect: str, *, is_key: bool
) -> str:
    (kind,) = {*database.profile(table.name, column.name).stored_types} or {"text"}
    declared = _KEY_TEXT if kind == "text" and is_key else _TYPES[kind]
    collation = _COLLATIONS.get(dialect, "") if kind == "text" else ""
    rule = " NOT NULL" * column.not_null
    return f"{_quoted(column.name, dialect)} {declared}{collation}{rule}"


def _reference(key: ForeignKey, dialect: str) -> str:
    return (
        f"FOREIGN KEY ({_names(key.columns, dialect)}) REFERENCES "
        f"{_quoted(key.referred_table, dialect)} ({_names(key.referred_columns, dialect)})"
    )


def _names(names: tuple[str, ...], dialect: str) -> str:
    return ", ".join(_quoted(name, dialect) for name in names)


def _quoted(name: str, dialect: str) -> str:
    mark = "`" if dialect == "mysql" else '"'
    return mark + name.replace(mark, 2 * mark) + mark


def _literal(cell: Cell, dialect: str) -> str:
    if cell is None:
        return "NULL"
    if isinstance(cell, str):
        text = cell.replace("'", "''")
        return "'" + (text.replace("\\", "\\\\") if dialect == "mysql" else text) + "'"
    return repr(cell)
