"""What a database must offer to be checked against, of whatever backend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from clausewise.databases.model import (
    Cell,
    ColumnProfile,
    Limits,
    QueryResult,
    Schema,
    ValuePlace,
)

if TYPE_CHECKING:
    import networkx


class DatabaseProtocol(Protocol):
    """The attributes and methods by which signals and the runner use a database.

    An object that has them can be given wherever a database is taken; `BaseDatabase` documents
    each of them, and is what a backend of one's own best begins with. It must be safe to
    use from several threads, and must be picklable for `jobs` above 1.

    Attributes
    ----------
    name
        Stands for the database in messages, and is the `db_id` of `check`.
    schema
        Tables, columns, and declared and inferred keys.
    join_graph
        Tables by name, an edge where keys join two of them.
    dialect
        The SQL dialect of its queries, by sqlglot's name: `sqlite`, `postgres`, `mysql`, `duckdb`.
    has_data
        Whether there is data behind the schema: where it is false, nothing is run or profiled.
    content_key
        Changes with the content: runs are resumed, and caches used, only for the same one.
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def schema(self) -> Schema: ...  # noqa: D102
    @property
    def join_graph(self) -> networkx.Graph: ...  # noqa: D102
    @property
    def dialect(self) -> str: ...  # noqa: D102
    @property
    def has_data(self) -> bool: ...  # noqa: D102
    @property
    def content_key(self) -> str: ...  # noqa: D102

    def run(self, sql: str, limits: Limits | None = None) -> QueryResult:
        """Run one SELECT under limits and return its rows.

        This is where hostile SQL arrives. Raises QueryDenied where the statement would do more
        than read, QueryTimeout, QueryTooLarge, QueryFailed with the database's own message, and
        DatabaseError where the database cannot be read.
        """

    def scalar(self, sql: str, limits: Limits | None = None) -> Cell:
        """Return the first cell of the first row, None where there is no row; raises as `run`."""

    def compile(self, sql: str) -> None:
        """Let the database prepare one SELECT without running it; raises as `run`."""

    def profile(self, table: str, column: str) -> ColumnProfile:
        """Return what a column holds, names in any case.

        Raises NotProfiled where that cannot be said, DatabaseError where there is no such column.
        """

    def row_count(self, table: str) -> int:
        """Return the exact number of rows of a table, its name in any case."""

    def find_value(self, value: str) -> tuple[ValuePlace, ...]:
        """Return where a text is found in the data, whatever its case and white space."""

    def is_indexed(self, table: str, column: str) -> bool:
        """Whether `find_value` knows every text of a column."""

    def close(self) -> None:
        """Close what is open; a later call opens it again."""
