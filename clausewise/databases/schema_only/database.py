"""A database of which only the schema is known."""

from __future__ import annotations

from functools import cached_property
from hashlib import blake2b
from typing import NoReturn

from clausewise.databases.base import BaseDatabase
from clausewise.databases.model import (
    Cell,
    ColumnProfile,
    Limits,
    QueryResult,
    Schema,
    ValuePlace,
)
from clausewise.databases.store import Store
from clausewise.errors import NoData


class SchemaDatabase(BaseDatabase):
    """Tables, columns and keys without any data: queries are parsed and resolved, never run.

    Everything that would look at data raises NoData, so that signals that need it do not apply.

    Parameters
    ----------
    schema : tables, columns and keys; inferred keys count as such.
    name : the `db_id` of cases that are checked on it alone.
    dialect : the SQL dialect of its queries, by sqlglot's name.
    target : stands for the schema in messages: the file that it was read from.

    Examples
    --------
    >>> from clausewise.databases import Column, Schema, Table
    >>> shop = SchemaDatabase(Schema((Table("books", (Column("title", "TEXT"),)),)), "shop")
    >>> shop.has_data, shop.schema.names()
    (False, {'books': ['title']})
    """

    has_data = False
    reopens = True

    def __init__(
        self, schema: Schema, name: str, dialect: str = "sqlite", target: str | None = None
    ) -> None:
        super().__init__(target or name, name)
        self.dialect = dialect
        self._schema = schema

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the schema itself: the file that it was read from may be gone."""
        return (type(self), (self._schema, self.name, self.dialect, self.target))

    @property
    def declared_schema(self) -> Schema:
        """The schema as it was given."""
        return self._schema

    @cached_property
    def schema(self) -> Schema:
        """The schema as it was given, with the inferred keys that it states."""
        return self._schema

    @cached_property
    def content_key(self) -> str:
        """32 hexadecimal digits that stand for the schema and the dialect."""
        known = (self.dialect, self._schema.tables, self._schema.foreign_keys)
        content = repr((*known, sorted(self._schema.left_out.items())))
        return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def run(self, sql: str, limits: Limits | None = None) -> QueryResult:  # noqa: ARG002
        """Raise NoData."""
        _refuse()

    def scalar(self, sql: str, limits: Limits | None = None) -> Cell:  # noqa: ARG002
        """Raise NoData."""
        _refuse()

    def exists(self, sql: str, limits: Limits | None = None) -> bool:  # noqa: ARG002
        """Raise NoData."""
        _refuse()

    def compile(self, sql: str) -> None:  # noqa: ARG002
        """Raise NoData."""
        _refuse()

    def profile(self, table: str, column: str) -> ColumnProfile:  # noqa: ARG002
        """Raise NoData."""
        _refuse()

    def row_count(self, table: str) -> int:  # noqa: ARG002
        """Raise NoData."""
        _refuse()

    def find_value(self, value: str) -> tuple[ValuePlace, ...]:  # noqa: ARG002
        """Raise NoData."""
        _refuse()

    def is_indexed(self, table: str, column: str) -> bool:  # noqa: ARG002
        """Raise NoData."""
        _refuse()

    def _execute(self, sql: str, limits: Limits) -> tuple[QueryResult, int]:  # noqa: ARG002
        _refuse()

    def _new_store(self) -> Store:
        _refuse()


def _refuse() -> NoReturn:
    raise NoData
