"""What the checks of databases share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from clausewise.databases import DatabaseProtocol
from clausewise.errors import DatabaseError

OpenDatabase: TypeAlias = Callable[[], DatabaseProtocol]
"""Opens the database that is checked, another object at each call."""


def contents(database: DatabaseProtocol) -> tuple[object, ...]:
    """Return all rows of all tables and views, and the schema."""
    rows = [
        sorted(database.run(f"SELECT * FROM {quoted(table.name, database)}").rows, key=repr)
        for table in database.schema.tables
    ]
    return (database.schema.tables, database.schema.foreign_keys, rows)


@contextmanager
def opened(open_database: OpenDatabase) -> Iterator[DatabaseProtocol]:
    """Open the database, and close it at the end."""
    database = open_database()
    try:
        yield database
    finally:
        database.close()


def quoted(name: str, database: DatabaseProtocol) -> str:
    """Return a name in the quotes of the database's dialect."""
    mark = "`" if database.dialect == "mysql" else '"'
    return mark + name.replace(mark, 2 * mark) + mark


def error_of(call: Callable[[str], object], sql: str) -> object:
    """Return the error of a call, or what it returned."""
    try:
        return call(sql)
    except DatabaseError as error:
        return error
