"""What clausewise knows of a database: schema, keys, column profiles, query results, limits."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

from clausewise.databases.sampling import RowSample

P = ParamSpec("P")
T = TypeVar("T")

MOST_KEPT = 20_000
"""Results of one function that a schema keeps."""

Cell: TypeAlias = int | float | str | bytes | None


@dataclass(frozen=True, slots=True)
class Limits:
    """What one statement may spend. `steps` is the deterministic one; `seconds` a backstop."""

    steps: int = 200_000_000
    """Instructions of SQLite's virtual machine."""
    seconds: float = 10.0
    """Wall-clock seconds."""
    rows: int = 10_000
    """Rows fetched; more are cut off and the result is marked `truncated`."""
    cell_bytes: int = 5_000_000
    """Largest text or blob that may be made or read."""
    result_bytes: int = 100_000_000
    """What all rows of one result may take together."""


@dataclass(frozen=True, slots=True)
class QueryResult:
    """Rows of one statement, in the order in which the database gave them."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    truncated: bool = False
    """Whether there were more rows than the limit."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column as declared, with the descriptions that came with the data set."""

    name: str
    declared_type: str
    not_null: bool = False
    primary_key: int = 0
    """Position in the primary key from 1, 0 outside it."""
    label: str | None = None
    """A readable name (BIRD's `column_name`)."""
    description: str | None = None
    value_description: str | None = None


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns of one table that refer to columns of another."""

    table: str
    columns: tuple[str, ...]
    referred_table: str
    referred_columns: tuple[str, ...]
    inferred: bool = False
    """Found in the data (uniqueness and inclusion), not declared: weaker evidence."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table or view as declared."""

    name: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    """Declared UNIQUE column sets."""
    is_view: bool = False
    has_collations: bool = False
    """Whether its definition speaks of COLLATE: equal texts may then be different ones."""
    has_key_index: bool = False
    """Whether SQLite keeps the primary key in an index of its own; if so, it numbers no rows."""

    def column(self, name: str) -> Column | None:
        """Return the column of that name in any case, or None."""
        folded = name.casefold()
        return next((column for column in self.columns if column.name.casefold() == folded), None)


@dataclass(frozen=True, slots=True, eq=False)
class Schema:
    """All tables and keys. Look-ups ignore case, as SQL does; spelling is the schema's."""

    tables: tuple[Table, ...]
    foreign_keys: tuple[ForeignKey, ...] = ()
    """Declared ones first, then inferred ones (only where none are declared for that table)."""
    left_out: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Names of tables, views and columns that cannot be read, to the reason."""
    _by_name: Mapping[str, Table] = field(init=False, repr=False)
    _digest: bytes = field(init=False, repr=False)
    _made: dict[Callable[[Schema], Any], Any] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "_by_name", {table.name.casefold(): table for table in self.tables}
        )
        # Signals keep what they learn of a schema in caches; to hash and compare every column at
        # each look-up took longer than the signals.
        content = repr((self.tables, self.foreign_keys)).encode("utf-8", "surrogatepass")
        object.__setattr__(self, "_digest", blake2b(content, digest_size=16).digest())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self._digest == other._digest

    def __hash__(self) -> int:
        return hash(self._digest)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle what was read of the database, not what was made of it since."""
        return (Schema, (self.tables, self.foreign_keys, self.left_out))

    def once(self, make: Callable[[Schema], T]) -> T:
        """Return `make(self)`, computed when it is first asked for; it lives as long as the schema.

        `make` is a function of a module, the same object at each call.
        """
        if make not in self._made:
            self._made[make] = make(self)
        made: T = self._made[make]
        return made

    def table(self, name: str) -> Table | None:
        """Return the table of that name in any case, or None."""
        return self._by_name.get(name.casefold())

    def names(self) -> Mapping[str, Sequence[str]]:
        """Return table name to column names: what the SQL side needs to resolve columns."""
        return self.once(_names)


def _names(schema: Schema) -> Mapping[str, Sequence[str]]:
    return {table.name: [column.name for column in table.columns] for table in schema.tables}


def kept_by_schema(
    function: Callable[Concatenate[Schema, P], T],
) -> Callable[Concatenate[Schema, P], T]:
    """Keep what a function makes of a schema and plain arguments with the schema itself.

    At most `MOST_KEPT` results are kept; then all are made anew.
    """

    def results(_schema: Schema) -> dict[tuple[object, ...], T]:
        return {}

    @functools.wraps(function)
    def kept(schema: Schema, /, *arguments: P.args, **named: P.kwargs) -> T:
        known = schema.once(results)
        if arguments not in known:
            if len(known) >= MOST_KEPT:
                known.clear()
            known[arguments] = function(schema, *arguments, **named)
        return known[arguments]

    return kept


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """What one column really holds.

    Blobs, and texts of over 200 characters, are counted and never shown: they are left out of
    `frequent`, and `minimum` or `maximum` is None where it would be one of them.
    """

    table: str
    column: str
    rows: int
    nulls: int
    distinct: int
    """Distinct non-null values."""
    stored_types: Mapping[str, int]
    """SQLite storage class (`integer`, `real`, `text`, `blob`) to count of non-null values."""
    minimum: Cell = None
    maximum: Cell = None
    frequent: tuple[tuple[Cell, int], ...] = ()
    """Up to 20 (value, count), most frequent first, ties by value."""
    numeric_text: int = 0
    """How many of the text values read as numbers."""
    sampled: bool = False
    """Whether the table is so large that all counts are those of a sample of its rows.

    Then `distinct`, `minimum` and `maximum` are what the sample holds: all rows may hold more.
    """
    sample: RowSample | None = None
    """Which rows the sample is, and how far its shares may be off."""

    @property
    def null_share(self) -> float:
        """Share in [0, 1] of rows that are NULL; 0 for an empty table."""
        return self.nulls / self.rows if self.rows else 0.0

    @property
    def unique(self) -> bool:
        """Whether no two non-null values are equal (and there is at least one).

        Of a sample it is said only where the column is declared unique, too.
        """
        if self.sampled and not (self.sample is not None and self.sample.is_key):
            return False
        return self.distinct > 0 and self.distinct == self.rows - self.nulls

    def margin(self, share: float) -> float | None:
        """Return how far a share of all rows may be from that of the sample, at 95 %.

        0 where all rows were read, None where the sample does not say.
        """
        return self.sample.margin(share, self.rows) if self.sample else 0.0

    @property
    def read(self) -> str:
        """Which rows the counts are of, in words."""
        return self.sample.stated(self.rows) if self.sample else f"{self.rows:,} rows"


@dataclass(frozen=True, slots=True)
class ValuePlace:
    """Where a value stands: `value` is its stored spelling, `count` its rows in that column."""

    table: str
    column: str
    value: str
    count: int
