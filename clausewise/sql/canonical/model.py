"""What a canonical form is made of: relations with their declared facts, and blocks of queries.

Expressions are plain tuples, the operator first, so that rewrites are ordinary functions:

    ("col", relation, key)            ("num", text)   ("str", text)   ("null",)
    ("cmp", operator, left, right)    ("is", left, right)             ("isnull", value)
    ("and", parts)  ("or", parts)     ("not", condition)
    ("exists", query)                 ("insub", values, query)        ("scalar", query)
    ("agg", name, distinct, argument or None for *)
    ("fn", name, arguments)           ("arith", operator, left, right)
    ("case", ((condition, value), ...), otherwise)                    ("cast", affinity, value)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Expression: TypeAlias = tuple[Any, ...]
Column: TypeAlias = tuple["Relation", str]
"""A column of one relation, by its folded name or, in a derived table, by its position."""

NULL: Expression = ("null",)
ONE: Expression = ("num", "1")


class Untranslatable(Exception):
    """A query that holds something whose meaning is not modelled; nothing is proved of it."""


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What is declared of a column. `affinity` is None where it has none or is not known."""

    name: str
    affinity: str | None
    not_null: bool = False


@dataclass(frozen=True, slots=True)
class KeyFacts:
    """A declared NOT NULL or nullable foreign key of one table."""

    columns: tuple[str, ...]
    referred_table: str
    referred_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableFacts:
    """A base table as declared. All names are folded but `name` and those in `ColumnFacts`.

    `keys` are sets of columns of which no two rows agree, unless one of them is NULL.
    """

    name: str
    columns: Mapping[str, ColumnFacts]
    keys: tuple[frozenset[str], ...] = ()
    foreign_keys: tuple[KeyFacts, ...] = ()


@dataclass(slots=True, eq=False)
class Relation:
    """One table or derived table in FROM. Each has its own identity, even where texts agree."""

    facts: TableFacts
    query: Query | None = None
    """What defines a derived table."""
    optional: bool = False
    """Whether it stands on the inner side of an outer join, so that its columns may be NULL."""

    def column(self, key: str) -> ColumnFacts:
        """Return what is declared of a column."""
        return self.facts.columns[key]

    @property
    def title(self) -> str:
        """The table's name."""
        return self.facts.name


@dataclass(slots=True, eq=False)
class OuterPart:
    """The inner side of a LEFT JOIN: relations joined with each other, and all its conditions."""

    relations: list[Relation]
    on: list[Expression]


@dataclass(frozen=True, slots=True)
class OrderTerm:
    """One term of ORDER BY."""

    value: Expression
    descending: bool
    nulls_first: bool


@dataclass(slots=True, eq=False)
class SelectBlock:
    """One SELECT: the product of `inner`, then each LEFT JOIN, then the conditions.

    Conditions of inner joins stand in `where`: an inner join is a product with a filter, and the
    filter may be applied last even where LEFT JOINs stand before it.
    """

    inner: list[Relation] = field(default_factory=list)
    outer: list[OuterPart] = field(default_factory=list)
    where: list[Expression] = field(default_factory=list)
    group: list[Expression] | None = None
    having: list[Expression] = field(default_factory=list)
    select: list[Expression] = field(default_factory=list)
    distinct: bool = False
    order: list[OrderTerm] = field(default_factory=list)
    limit: int | None = None
    offset: int = 0
    aggregated: bool = False
    """Whether it has GROUP BY or an aggregate, so that its rows are groups."""

    @property
    def relations(self) -> list[Relation]:
        """All relations of FROM."""
        return [*self.inner, *(relation for part in self.outer for relation in part.relations)]

    @property
    def plain(self) -> bool:
        """Whether it is a filter over a join and nothing else."""
        return not (self.distinct or self.aggregated or self.limit is not None or self.offset)


@dataclass(slots=True, eq=False)
class SetBlock:
    """A set operation. `operator` is `union all`, `union`, `intersect` or `except`.

    The first two have two members or more, the others two. The values of ORDER BY are
    `("position", number)`, from 0.
    """

    operator: str
    members: list[Query]
    order: list[OrderTerm] = field(default_factory=list)
    limit: int | None = None
    offset: int = 0


Query: TypeAlias = SelectBlock | SetBlock


@dataclass(slots=True)
class RewriteNotes:
    """The rewrites that were made, in words, and the declared keys that they rest on."""

    steps: list[str] = field(default_factory=list)
    foreign_keys: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def add(self, step: str) -> None:
        """Note a rewrite, once."""
        if step not in self.steps:
            self.steps.append(step)


def width(query: Query) -> int:
    """Return the number of columns of a query's result."""
    while isinstance(query, SetBlock):
        query = query.members[0]
    return len(query.select)


def conjunction(parts: Sequence[Expression]) -> Expression:
    """Return the AND of some conditions; true for none."""
    if len(parts) == 1:
        return parts[0]
    return ("and", tuple(parts)) if parts else ONE
