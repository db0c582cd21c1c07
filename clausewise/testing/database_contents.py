"""The small tables on which a backend is checked, and a script that makes them in a dialect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from clausewise.databases import Cell

LONG_TEXT = "é" * 150 + " tail"
"""Under 200 characters and over 200 bytes: it is shown in a profile and found by its text."""
LONGER_TEXT = "word " * 100
"""Over 200 characters: counted, never shown."""
LONGEST_TEXT = "ab" * 1_000
"""Over the bytes that a profile holds at once."""
ODD_TABLE = 'odd "table" é'
ODD_COLUMN = "a 'b' `c`"

_TYPES = {
    "integer": {"sqlite": "INTEGER"},
    "real": {"sqlite": "REAL", "postgres": "DOUBLE PRECISION"},
    "key text": {"": "VARCHAR(50)"},
    "text": {"": "TEXT"},
    "blob": {"postgres": "BYTEA", "": "BLOB"},
    "decimal": {"": "DECIMAL(10, 2)"},
    "date": {"": "DATE"},
    "timestamp": {"mysql": "DATETIME", "sqlite": "DATETIME", "": "TIMESTAMP"},
}
_ELSE = {"integer": "BIGINT", "real": "DOUBLE"}


@dataclass(frozen=True, slots=True)
class ContractColumn:
    """One column: its name and a kind of value that every backend can store."""

    name: str
    kind: str
    not_null: bool = False
    is_unique: bool = False


@dataclass(frozen=True, slots=True)
class ContractTable:
    """One table with its rows."""

    name: str
    columns: tuple[ContractColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    primary_key: tuple[str, ...] = ()
    refers: tuple[str, str, str] | None = None
    """A column, and the table and column that it refers to."""

    def values(self, column: str) -> list[Cell]:
        """Return the values of a column, row by row."""
        place = [known.name for known in self.columns].index(column)
        return [row[place] for row in self.rows]


def _columns(*columns: tuple[Any, ...]) -> tuple[ContractColumn, ...]:
    return tuple(ContractColumn(*column) for column in columns)


CONTRACT_TABLES = (
    ContractTable(
        "author",
        _columns(
            ("id", "integer", True),
            ("name", "text", True),
            ("Country", "key text"),
            ("birth year", "integer"),
        ),
        (
            (1, "Ada", "UK", 1815),
            (2, "Grace", "US", 1906),
            (3, " ada ", None, None),
            (4, "Łukasz O'Neill", "PL", 1970),
        ),
        ("id",),
    ),
    ContractTable(
        "book",
        _columns(
            ("id", "integer", True),
            ("author_id", "integer"),
            ("title", "text"),
            ("isbn", "key text", False, True),
            ("price", "real"),
            ("order", "integer"),
        ),
        (
            (1, 1, "Notes", "0001", 10.5, 1),
            (2, 2, "Compilers", "0002", 20.0, None),
            (3, 2, "Ada", None, None, 3),
            (4, None, "New  York", "x-4", 5.25, 4),
        ),
        ("id",),
        ("author_id", "author", "id"),
    ),
    ContractTable(
        "kinds",
        _columns(
            ("id", "integer"),
            ("whole", "integer"),
            ("ratio", "real"),
            ("words", "text"),
            ("raw", "blob"),
            ("amount", "decimal"),
            ("day", "date"),
            ("moment", "timestamp"),
            ("nothing", "text"),
        ),
        (
            (1, 2**62, 0.1, "", b"\x00\xff", 10.5, "2024-02-29", "2024-02-29 12:30:00", None),
            (2, -(2**62), -1e300, "12.50", b"", 7, "1999-12-31", "1999-12-31 23:59:59", None),
            (3, 0, 2.5, LONG_TEXT, b"'\\" * 600, -3.25, "2024-02-29", None, None),
            (4, 0, None, LONGER_TEXT, None, None, None, None, None),
            (5, None, 2.5, LONGEST_TEXT, None, 7, None, None, None),
            (6, None, 2.5, "quote ' and \\ and %s and :x", None, 7, None, None, None),
        ),
    ),
    ContractTable(
        ODD_TABLE,
        _columns(("select", "integer"), (ODD_COLUMN, "text")),
        ((1, "Tōkyō"), (2, "Tōkyō"), (3, "tōkyō")),
    ),
    ContractTable("empty_one", _columns(("id", "integer"), ("note", "text")), ()),
    ContractTable(
        "many",
        _columns(("n", "integer"), ("tag", "text")),
        tuple((number, f"tag {number % 30:02d}") for number in range(1, 1_001)),
    ),
)
"""What a database holds that is checked; beside them the view `dear_book`."""

CONTRACT_VIEW = "dear_book"
_VIEW = f"CREATE VIEW {CONTRACT_VIEW} AS SELECT id, title FROM book WHERE price > 10"


def contract_table(name: str) -> ContractTable:
    """Return the table of that name."""
    return next(table for table in CONTRACT_TABLES if table.name == name)


def contract_script(dialect: str) -> str:
    """Return the statements that make all tables, rows and the view, separated by semicolons.

    `dialect` is sqlglot's name: `sqlite`, `postgres`, `mysql`, `duckdb`; another one is written
    with names and texts in the quotes of the standard.
    """
    return ";\n".join((*_statements(dialect), _VIEW)) + ";\n"


def _statements(dialect: str) -> Iterator[str]:
    for table in CONTRACT_TABLES:
        name = _quoted(table.name, dialect)
        parts = [_definition(column, dialect) for column in table.columns]
        if table.primary_key:
            parts.append(f"PRIMARY KEY ({', '.join(table.primary_key)})")
        if table.refers:
            column, target, referred = table.refers
            parts.append(f"FOREIGN KEY ({column}) REFERENCES {target} ({referred})")
        yield f"CREATE TABLE {name} ({', '.join(parts)})"
        if table.rows:
            rows = (f"({', '.join(_literal(cell, dialect) for cell in row)})" for row in table.rows)
            yield f"INSERT INTO {name} VALUES {', '.join(rows)}"


def _definition(column: ContractColumn, dialect: str) -> str:
    types = _TYPES[column.kind]
    declared = types.get(dialect) or types.get("") or _ELSE[column.kind]
    rules = " NOT NULL" * column.not_null + " UNIQUE" * column.is_unique
    return f"{_quoted(column.name, dialect)} {declared}{rules}"


def _quoted(name: str, dialect: str) -> str:
    mark = "`" if dialect == "mysql" else '"'
    return mark + name.replace(mark, 2 * mark) + mark


def _literal(cell: Cell, dialect: str) -> str:
    if cell is None:
        return "NULL"
    if isinstance(cell, bytes):
        return _blob(cell, dialect)
    if isinstance(cell, str):
        text = cell.replace("'", "''")
        return "'" + (text.replace("\\", "\\\\") if dialect == "mysql" else text) + "'"
    return repr(cell)


def _blob(cell: bytes, dialect: str) -> str:
    if dialect == "postgres":
        return f"'\\x{cell.hex()}'::bytea"
    if dialect == "duckdb":
        return f"unhex('{cell.hex()}')"
    return f"x'{cell.hex()}'"
