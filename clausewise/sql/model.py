"""What clausewise knows of a query's text: clauses with exact spans, and the facts in them.

Everything here is read off the text and the names of the schema; nothing is run. Positions are
character offsets into the original text, so `query.text[item.start:item.end]` is the item as its
author wrote it: comments, quoting and line breaks kept. Signals build the statements they run
from these pieces of text, never by printing a syntax tree.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from clausewise.types import Clause, ClauseSpan


class Role(StrEnum):
    """Where a SELECT stands in its query."""

    ROOT = "root"
    """The outermost SELECT, or the first member of the outermost set operation."""
    SET_MEMBER = "set_member"
    """A further member of a set operation."""
    SUBQUERY = "subquery"
    """Inside an expression: `x = (SELECT ...)`, `IN (SELECT ...)`, `EXISTS (SELECT ...)`."""
    DERIVED = "derived"
    """In FROM or JOIN."""
    CTE = "cte"
    """In WITH."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the original text, `text == query.text[start:end]`."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Source:
    """One entry of FROM or JOIN.

    `table` is the schema's spelling of a base table, None for a derived table, a CTE or a name
    that the schema does not know. `alias` is the name by which columns refer to it, unquoted.
    """

    name: str
    alias: str
    table: str | None
    piece: Piece
    """The source with its alias, without JOIN and ON: `orders AS o`."""
    select: Select | None = field(default=None, repr=False, compare=False)
    """The SELECT that defines it, for derived tables and CTEs."""
    join: Join | None = field(default=None, repr=False, compare=False)
    """The join that brings it in; None for the first source and after a comma."""


@dataclass(frozen=True, slots=True)
class ColumnUse:
    """One mention of a column.

    `table` and `column` are the schema's spelling where the mention was resolved to a base table,
    else None. `source` is what it resolved to, `depth` how many SELECTs outwards (0 = own).
    """

    name: str
    qualifier: str | None
    clause: Clause
    piece: Piece
    table: str | None
    column: str | None
    source: Source | None = field(repr=False)
    depth: int
    in_join_condition: bool
    """Part of a column-to-column equality that joins two sources (ON, USING, WHERE)."""
    in_aggregate: bool
    quoted_with_double_quotes: bool
    """Written "so": where no such column exists, SQLite reads it as a text literal."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant in the text. `value` is Python's: str, int, float, bool or None for NULL."""

    value: str | int | float | bool | None
    piece: Piece
    clause: Clause
    operator: str = ""
    """What it is compared by, with the constant on the right (`3 < age` is `>`): an operator of
    `Comparison`, whatever stands on the left; `BETWEEN` for its lower bound, `AND` for its upper
    one; `LIMIT` or `OFFSET`; empty where the constant is compared with nothing by itself."""

    is_double_quoted: bool = False
    """Whether it is a name "so": SQLite reads it as text where no such column exists."""

    @property
    def is_text(self) -> bool:
        """Whether it was written as a text literal."""
        return isinstance(self.value, str)


@dataclass(frozen=True, slots=True)
class Keyword:
    """A keyword or an operator in the text: `word` in upper case, `!=` as `<>`, `==` as `=`."""

    word: str
    start: int


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function: `function` in upper case, `piece` with its arguments."""

    function: str
    piece: Piece


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of one column with constants: `name = 'x'`, `age BETWEEN 1 AND 2`, `a IS NULL`.

    `operator` is one of `=`, `<>`, `<`, `<=`, `>`, `>=`, `LIKE`, `GLOB`, `IN`, `BETWEEN`, `IS`,
    with the column on the left (`3 < age` is `>`). `negated` for NOT IN, NOT LIKE, IS NOT,
    NOT (...): what the text itself says. `wrapped` where the column or a constant stands inside
    a function or arithmetic (`LOWER(name) = 'x'`, `day > DATE('now')`).
    """

    column: ColumnUse
    operator: str
    literals: tuple[Literal, ...]
    negated: bool
    wrapped: bool
    clause: ClauseSpan
    """Its own text with its NOT; its kind is that of the clause it stands in, `select` in CASE."""
    in_negated_group: bool = False
    """Under a NOT that covers more than it, `NOT (a = 1 OR b = 2)`, and is not in its text."""


@dataclass(frozen=True, slots=True)
class JoinPair:
    """An equality (or other comparison) between columns of two different sources."""

    left: ColumnUse
    right: ColumnUse
    operator: str
    clause: ClauseSpan
    """The condition's own text; kind `join`, or `where` for joins written in WHERE."""


@dataclass(frozen=True, slots=True)
class Join:
    """One JOIN with its condition. `kind`: `inner`, `left`, `right`, `full`, `cross`, `natural`."""

    kind: str
    source: Source = field(repr=False)
    pairs: tuple[JoinPair, ...]
    clause: ClauseSpan
    """From JOIN (with its INNER, LEFT, ...) to the end of ON or USING."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A call of an aggregate function. `function` in lower case; `star` for COUNT(*)."""

    function: str
    distinct: bool
    star: bool
    columns: tuple[ColumnUse, ...]
    clause: Clause
    piece: Piece
    argument: ColumnUse | None = None
    """Set where it takes a bare column and nothing else: `MAX(price)`, `COUNT(DISTINCT name)`."""
    conditional: bool = False
    """CASE or IIF stands in its brackets: `SUM(CASE WHEN ... END)`."""


@dataclass(frozen=True, slots=True)
class Projection:
    """One selected expression. `column` is set where it is a bare column, `star` for `*`, `t.*`."""

    piece: Piece
    """With its alias."""
    expression: Piece
    alias: str | None
    column: ColumnUse | None
    star: bool
    star_source: Source | None
    """The source of `t.*`; None for a plain `*`."""
    has_aggregate: bool
    columns: tuple[ColumnUse, ...]
    aggregate: Aggregate | None = None
    """Set where it is the call of an aggregate and nothing else: `COUNT(*) AS n`."""


@dataclass(frozen=True, slots=True)
class OrderItem:
    """One key of ORDER BY."""

    piece: Piece
    expression: Piece
    column: ColumnUse | None
    """Set where the key is a bare column (also through an alias or a position)."""
    descending: bool
    has_aggregate: bool
    selected: Projection | None = None
    """The selected expression that the key names by its alias or its position."""
    nulls_last: bool = False
    """Written with NULLS LAST."""


@dataclass(frozen=True, slots=True)
class Conjunct:
    """One top-level AND part of WHERE, HAVING or a join condition.

    `predicate` is what it is as a whole, brackets around it aside: a comparison of a column with
    constants, with a column of another source or of the same one, or with a sub-query; None for
    anything else, such as `a = 1 OR b = 2`. `column` is set where it is a bare column, NOT and
    brackets aside: `WHERE NOT active`.
    """

    piece: Piece
    clause: Clause
    has_subquery: bool
    columns: tuple[ColumnUse, ...]
    predicate: Predicate | None = field(default=None, repr=False, compare=False)
    column: ColumnUse | None = None


@dataclass(frozen=True, slots=True)
class SubqueryFilter:
    """A comparison of an expression with a sub-query: `x = (SELECT ...)`, `x IN (SELECT ...)`.

    `operator` as in Comparison, with the sub-query on the right, or `EXISTS`. `column` is set
    where the expression is a bare column.
    """

    operator: str
    negated: bool
    column: ColumnUse | None
    subquery: Select = field(repr=False)
    clause: ClauseSpan


Predicate: TypeAlias = Comparison | JoinPair | SubqueryFilter


@dataclass(frozen=True, slots=True)
class UnknownName:
    """A table or column that the schema does not know; `name` is `*` for an unknown `t.*`."""

    name: str
    qualifier: str | None
    place: ClauseSpan

    @property
    def written(self) -> str:
        """The name with its qualifier, without quotes: `t.name`."""
        return self.name if self.qualifier is None else f"{self.qualifier}.{self.name}"


@dataclass(slots=True, eq=False)
class Select:
    """One SELECT of the query with everything in it that is not inside a nested SELECT."""

    role: Role
    index: int
    """Position among the query's SELECTs, in text order."""
    piece: Piece
    """From SELECT to the end of its last clause; without WITH, and without the ORDER BY and LIMIT
    of a set operation that it is a member of."""
    parent: Select | None = field(default=None, repr=False)
    clauses: tuple[ClauseSpan, ...] = ()
    """In text order; one `join` entry for each JOIN. ORDER BY and LIMIT of a set operation belong
    to its first member."""
    sources: tuple[Source, ...] = ()
    joins: tuple[Join, ...] = ()
    join_pairs: tuple[JoinPair, ...] = ()
    """Of all joins and of WHERE."""
    outer_pairs: tuple[JoinPair, ...] = ()
    """Comparisons of an own column with one of an enclosing SELECT: what correlates a sub-query."""
    self_pairs: tuple[JoinPair, ...] = ()
    """Comparisons of a column with itself, `a.id = a.id`, in any clause."""
    projections: tuple[Projection, ...] = ()
    columns: tuple[ColumnUse, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    subquery_filters: tuple[SubqueryFilter, ...] = ()
    conjuncts: tuple[Conjunct, ...] = ()
    literals: tuple[Literal, ...] = ()
    aggregates: tuple[Aggregate, ...] = ()
    group_by: tuple[Piece, ...] = ()
    group_columns: tuple[ColumnUse, ...] = ()
    grouped_projections: tuple[Projection, ...] = ()
    """Selected expressions that GROUP BY names: by alias, by position or written again."""
    order_by: tuple[OrderItem, ...] = ()
    limit: int | None = None
    """The literal of LIMIT; None where there is none or it is an expression."""
    offset: Piece | None = None
    """What stands after OFFSET, or before the comma of LIMIT."""
    distinct: bool = False
    correlated: bool = False
    """Whether a column in it, or in a SELECT nested in it, belongs to an enclosing SELECT."""
    set_operator: str | None = None
    """How it is tied to the member before: `UNION`, `UNION ALL`, `INTERSECT`, `EXCEPT`."""

    picks_rows: bool = False
    """Written with DISTINCT ON or QUALIFY: it leaves out rows that its other clauses let pass."""

    def clause(self, kind: Clause) -> ClauseSpan | None:
        """Return the first clause of that kind, or None."""
        return next((clause for clause in self.clauses if clause.kind is kind), None)

    def is_conjunct(self, predicate: Predicate) -> bool:
        """Whether a predicate is a whole AND part: no row passes that does not meet it."""
        place = predicate.clause.start
        first = bisect_right(self.conjuncts, place, key=lambda part: part.piece.start) - 1
        return first >= 0 and self.conjuncts[first].predicate is predicate

    @property
    def has_aggregate(self) -> bool:
        """Whether any aggregate function is called in this SELECT itself."""
        return bool(self.aggregates)


@dataclass(slots=True, eq=False)
class Query:
    """One parsed statement. Built by `clausewise.sql.parse`."""

    text: str
    dialect: str
    statement: str
    """`SELECT` for anything that only reads, else the statement's verb: `DROP`, `INSERT`, ..."""
    selects: tuple[Select, ...]
    """Every SELECT in text order, nested ones included; empty where `statement` is not SELECT."""
    span: ClauseSpan
    """The whole statement, kind `query`, without a trailing semicolon."""
    set_operations: tuple[ClauseSpan, ...] = ()
    """The words UNION, INTERSECT, EXCEPT (with ALL)."""
    with_clause: ClauseSpan | None = None
    unknown_names: tuple[UnknownName, ...] = ()
    """Tables and columns that the schema does not know, in text order."""
    token_count: int = 0
    depth: int = 0
    """Nesting of SELECTs: 1 for a plain query, 0 where there is none."""
    calls: tuple[Call, ...] = ()
    """Every call of a function in text order."""
    keywords: tuple[Keyword, ...] = ()
    """Every keyword and operator in text order; no names, constants or comments."""

    @property
    def functions(self) -> tuple[str, ...]:
        """Every function called, upper case, in text order."""
        return tuple(call.function for call in self.calls)

    def has_keyword(self, *words: str) -> bool:
        """Whether one of the keywords or operators (upper case) stands anywhere in the query."""
        return any(keyword.word in words for keyword in self.keywords)

    def has_keyword_in(self, piece: Piece, *words: str) -> bool:
        """Whether one of the keywords or operators stands within a piece of the query."""
        return any(
            keyword.word in words and piece.start <= keyword.start < piece.end
            for keyword in self.keywords
        )

    def calls_in(self, piece: Piece) -> Iterator[Call]:
        """Yield the calls that stand within a piece of the query."""
        return (
            call
            for call in self.calls
            if piece.start <= call.piece.start and call.piece.end <= piece.end
        )

    @property
    def root(self) -> Select:
        """The outermost SELECT, or the first member of the outermost set operation."""
        return next(select for select in self.selects if select.role is Role.ROOT)

    def nested(self, role: Role) -> Iterator[Select]:
        """Yield the SELECTs of that role in text order."""
        return (select for select in self.selects if select.role is role)

    @property
    def clauses(self) -> tuple[ClauseSpan, ...]:
        """Every clause of every SELECT, set operation and WITH, in text order."""
        found = [clause for select in self.selects for clause in select.clauses]
        found.extend(self.set_operations)
        if self.with_clause is not None:
            found.append(self.with_clause)
        return tuple(sorted(found, key=lambda clause: (clause.start, clause.end)))
