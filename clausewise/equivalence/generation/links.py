"""What the columns of a query have to do with each other and with its constants."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from clausewise.databases import Cell
from clausewise.equivalence.plan import Place
from clausewise.sql import ColumnUse, Comparison, Literal, Query, Role, Select, Source
from clausewise.types import Clause

Variable = tuple[int, str]
"""A mention of a base table in a query, by its number, and one of the table's columns."""

T = TypeVar("T", bound=tuple[object, ...])

MOST_THRESHOLD = 200
"""Counts beyond this are not reached: instances would be too large to read or to run."""
_COUNTED = frozenset({"=", "<>", "<", "<=", ">", ">=", "BETWEEN", "AND", "LIMIT", "OFFSET", "IN"})


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """A comparison of one variable with constants, by itself or inside functions."""

    variable: Variable
    comparison: Comparison
    functions: tuple[str, ...] = ()
    """The functions called in it, in upper case."""
    others: tuple[Cell, ...] = ()
    """Constants in it that the variable is not compared with: a format, a summand."""


@dataclass(slots=True, eq=False)
class QueryLinks:
    """One query as what its rows must have in common to come into its result.

    The query reads one row for each number in `tables`; `must` and `may` are pairs of variables
    that a row of the result has equal, for certain or perhaps, and `unequal` pairs that are
    compared in another way.
    """

    tables: list[str] = field(default_factory=list)
    """Of each mention of a base table, in the order of the query's SELECTs."""
    must: list[tuple[Variable, Variable]] = field(default_factory=list)
    may: list[tuple[Variable, Variable]] = field(default_factory=list)
    unequal: list[tuple[Variable, Variable]] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    """Comparisons of a column's values with constants, those of SUM, AVG, MIN and MAX included."""
    keyed: list[Variable] = field(default_factory=list)
    """Columns by which rows are sorted or grouped."""
    thresholds: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    """Counts of rows at which the result changes, of HAVING, LIMIT and OFFSET; each with the
    mentions of tables in its SELECT."""

    ranked: bool = False
    """Whether some groups are taken and others not: by HAVING, or the first of them."""

    def place(self, variable: Variable) -> Place:
        """Return the table and column of a variable."""
        return self.tables[variable[0]], variable[1]


def links_of(query: Query, tables: Container[str]) -> QueryLinks:
    """Read off a query what its columns have to do with each other.

    Only what it says of these base tables counts.
    """
    return _LinkReading(query, tables).links


class _LinkReading:
    def __init__(self, query: Query, tables: Container[str]) -> None:
        self.links = QueryLinks()
        self._numbers: dict[int, int] = {}
        for select in query.selects:
            for source in select.sources:
                name = source.table
                if name is not None and name in tables and id(source) not in self._numbers:
                    self._numbers[id(source)] = len(self.links.tables)
                    self.links.tables.append(name)
        self._query = query
        first = None
        for select in query.selects:
            if select.role is not Role.SET_MEMBER:
                first = select
            self._joins(select)
            self._comparisons(select)
            self._keys(select)
            has_having = any(item.clause is Clause.HAVING for item in select.literals)
            if select.group_by and (select.limit is not None or has_having):
                self.links.ranked = True
            if select.role is Role.SET_MEMBER and first is not None:
                self._positions(first, select)

    def _joins(self, select: Select) -> None:
        links = self.links
        for pair in (*select.join_pairs, *select.outer_pairs):
            ends = self._variable(pair.left), self._variable(pair.right)
            if ends[0] is None or ends[1] is None:
                continue
            (links.must if pair.operator == "=" else links.unequal).append((ends[0], ends[1]))
        for condition in select.subquery_filters:
            if condition.column is None or not condition.subquery.projections:
                continue
            inner = self._projected(condition.subquery, 0)
            outer = self._variable(condition.column)
            if inner is None or outer is None:
                continue
            is_equal = condition.operator in ("IN", "=") and not condition.negated
            (links.must if is_equal else links.may).append((outer, inner))

    def _comparisons(self, select: Select) -> None:
        covered: list[tuple[int, int]] = []
        counts = [a.piece for a in select.aggregates if a.function == "count"]
        for comparison in select.comparisons:
            use = comparison.column
            is_count = use.in_aggregate and any(
                piece.start <= use.piece.start < piece.end for piece in counts
            )
            variable = None if is_count else self._variable(use)
            if variable is not None:
                self.links.conditions.append(self._condition(variable, comparison, select))
                covered.append((comparison.clause.start, comparison.clause.end))
        for literal in select.literals:
            if any(start <= literal.piece.start < end for start, end in covered):
                continue
            if is_count_like(literal) and self._may_count(literal, select):
                sources = (self._numbers.get(id(source)) for source in select.sources)
                mentions = tuple(number for number in sources if number is not None)
                self.links.thresholds.append((int(literal.value or 0), mentions))

    def _may_count(self, literal: Literal, select: Select) -> bool:
        """Whether a constant stands where a number of rows may be compared with it."""
        if literal.clause in (Clause.HAVING, Clause.LIMIT):
            return True
        start = literal.piece.start
        nested = [condition.clause for condition in select.subquery_filters]
        derived = [
            c.clause for c in select.comparisons if c.column.source and c.column.source.select
        ]
        return any(span.start <= start < span.end for span in (*nested, *derived))

    def _condition(self, variable: Variable, comparison: Comparison, select: Select) -> Condition:
        if not comparison.wrapped:
            return Condition(variable, comparison)
        start, end = comparison.clause.start, comparison.clause.end
        compared = [literal.piece.start for literal in comparison.literals]
        return Condition(
            variable,
            comparison,
            tuple(
                call.function
                for call in self._query.calls
                if start <= call.piece.start and call.piece.end <= end
            ),
            tuple(
                literal.value
                for literal in select.literals
                if start <= literal.piece.start < end and literal.piece.start not in compared
            ),
        )

    def _keys(self, select: Select) -> None:
        uses = [*select.group_columns, *(item.column for item in select.order_by)]
        for use in uses:
            variable = None if use is None else self._variable(use)
            if variable is not None:
                self.links.keyed.append(variable)

    def _positions(self, first: Select, member: Select) -> None:
        for position in range(min(len(first.projections), len(member.projections))):
            ends = self._projected(first, position), self._projected(member, position)
            if ends[0] is not None and ends[1] is not None:
                self.links.may.append((ends[0], ends[1]))

    def _projected(self, select: Select, position: int) -> Variable | None:
        projection = select.projections[position]
        if projection.column is not None:
            return self._variable(projection.column)
        aggregate = projection.aggregate
        if aggregate is None or aggregate.function == "count" or aggregate.argument is None:
            return None
        return self._variable(aggregate.argument)

    def _variable(self, use: ColumnUse) -> Variable | None:
        """Return the base column behind a mention, through derived tables and CTEs."""
        source: Source | None = use.source
        if source is None:
            return None
        if source.table is not None and use.column is not None:
            number = self._numbers.get(id(source))
            return None if number is None else (number, use.column)
        inner = source.select
        if inner is None:
            return None
        for position, projection in enumerate(inner.projections):
            name = projection.alias or (projection.column.name if projection.column else None)
            if name is not None and name.casefold() == use.name.casefold():
                return self._projected(inner, position)
        return None


def is_count_like(literal: Literal) -> bool:
    """Whether a constant may be compared with a number of rows, one that can be reached."""
    value = literal.value
    if isinstance(value, bool) or not isinstance(value, int):
        return False
    return literal.operator in _COUNTED and 0 <= value <= MOST_THRESHOLD


def places_linked(links: QueryLinks) -> Iterator[tuple[Place, Place]]:
    """Yield the pairs of columns of base tables that a query compares with each other."""
    for pairs in (links.must, links.may, links.unequal):
        for left, right in pairs:
            yield links.place(left), links.place(right)


def grouped(members: Iterable[T], pairs: Iterable[tuple[T, T]]) -> dict[T, T]:
    """Return for each member the first one that it is tied to, by one pair or several.

    >>> grouped([("a",), ("b",), ("c",)], [(("c",), ("b",))])
    {('a',): ('a',), ('b',): ('b',), ('c',): ('b',)}
    """
    order = {member: number for number, member in enumerate(members)}
    up = {member: member for member in order}

    def top(member: T) -> T:
        while up[member] != member:
            member = up[member]
        return member

    for left, right in pairs:
        first, second = sorted((top(left), top(right)), key=order.__getitem__)
        up[second] = first
    return {member: top(member) for member in order}
