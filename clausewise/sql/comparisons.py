"""Predicates: comparisons with constants, joins of columns, comparisons with sub-queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from sqlglot import TokenType, exp

from clausewise.sql.mentions import Mentions, Place, Window
from clausewise.sql.model import ColumnUse, Comparison, JoinPair, Literal, Predicate, SubqueryFilter
from clausewise.sql.nodes import QUERIES, first_select, is_aggregate, unwrap
from clausewise.sql.scopes import Scope
from clausewise.types import Clause, ClauseSpan

PREDICATES: dict[type[exp.Expr], tuple[str, bool, frozenset[TokenType]]] = {
    exp.EQ: ("=", False, frozenset({TokenType.EQ})),
    exp.NEQ: ("<>", False, frozenset({TokenType.NEQ})),
    exp.LT: ("<", False, frozenset({TokenType.LT})),
    exp.LTE: ("<=", False, frozenset({TokenType.LTE})),
    exp.GT: (">", False, frozenset({TokenType.GT})),
    exp.GTE: (">=", False, frozenset({TokenType.GTE})),
    exp.Like: ("LIKE", False, frozenset({TokenType.LIKE})),
    exp.ILike: ("LIKE", False, frozenset({TokenType.ILIKE})),
    exp.Glob: ("GLOB", False, frozenset({TokenType.GLOB})),
    exp.In: ("IN", False, frozenset({TokenType.IN})),
    exp.Between: ("BETWEEN", False, frozenset({TokenType.BETWEEN})),
    exp.Is: ("IS", False, frozenset({TokenType.IS, TokenType.ISNULL, TokenType.NOTNULL})),
    exp.NullSafeEQ: ("IS", False, frozenset({TokenType.IS})),
    exp.NullSafeNEQ: ("IS", True, frozenset({TokenType.IS})),
    exp.Exists: ("EXISTS", False, frozenset({TokenType.EXISTS})),
}
"""Node to operator, whether the node itself negates, and the words that stand for it."""
_MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<=", "IS": "IS"}
_BETWEEN_COLUMNS = frozenset({"=", "<>", "<", "<=", ">", ">="})
_CALLS = (exp.Case, exp.Cast, exp.Ceil, exp.Chr, exp.Floor, exp.If, exp.Substring, exp.Trim)
"""Calls that have no position in the tree."""
_OPAQUE = (*QUERIES, exp.Star, exp.Window)


@dataclass(slots=True)
class _Side:
    """One side of a comparison."""

    columns: list[ColumnUse] = field(default_factory=list)
    literals: list[Literal] = field(default_factory=list)
    query: exp.Select | None = None
    """Set where the side is a sub-query and nothing else."""
    is_bare: bool = True
    """Whether it is one column or one constant and nothing else."""
    is_plain: bool = True
    """Whether its columns and literals are all that it depends on."""

    @property
    def column(self) -> ColumnUse | None:
        """The bare column that it is, if it is one."""
        return self.columns[0] if self.is_bare and len(self.columns) == 1 else None


class Predicates:
    """Takes down the predicates of one SELECT."""

    def __init__(self, mentions: Mentions, by_node: Mapping[int, Scope]) -> None:
        self.mentions = mentions
        self.tokens = mentions.tokens
        self.by_node = by_node
        self.comparisons: list[Comparison] = []
        self.join_pairs: list[JoinPair] = []
        self.outer_pairs: list[JoinPair] = []
        self.self_pairs: list[JoinPair] = []
        self.subquery_filters: list[SubqueryFilter] = []
        self._at: dict[Window, Predicate] | None = None

    def at(self, start: int, end: int) -> Predicate | None:
        """Return the predicate with that very extent in the text; asked for when all are added."""
        if self._at is None:
            lists = (self.comparisons, self.subquery_filters, self.self_pairs)
            pairs = (self.join_pairs, self.outer_pairs)
            found: chain[Predicate] = chain(*lists, *pairs)
            self._at = {(item.clause.start, item.clause.end): item for item in found}
        return self._at.get((start, end))

    def add(self, node: exp.Expr, place: Place) -> None:
        """Take down one predicate; does nothing where it is none of the three kinds."""
        operator, negates, words = PREDICATES[type(node)]
        extent = self._extent(node, words, place)
        if extent is None:
            return
        negated = (negates or bool(node.args.get("negate"))) != (place.nots % 2 == 1)
        inner = place.within(extent)
        if place.nots:
            extent = self.tokens.with_nots(*extent, place.window)
        span = self.tokens.span(place.clause, *extent)
        if isinstance(node, exp.Exists):
            self._subquery_filter(operator, negated, None, first_select(node.this), span)
            return
        is_joinable = not negated and not place.in_negated_group
        if is_joinable and self._join_pair(node, operator, span, place):
            return
        left, right = self._side([node.this], inner), self._side(_right_parts(node), inner)
        if right.query is not None:
            self._subquery_filter(operator, negated, left.column, right.query, span)
        elif left.query is not None:
            operator = _MIRRORED.get(operator, operator)
            self._subquery_filter(operator, negated, right.column, left.query, span)
        elif left.is_plain and right.is_plain:
            self._comparison(operator, negated, (left, right), span, place.in_negated_group)

    def _extent(self, node: exp.Expr, words: frozenset[TokenType], place: Place) -> Window | None:
        name = self.tokens.at.get(node.meta_get("start", -1), -1)
        if name >= 0 and name + 1 in self.tokens.partner:
            return name, self.tokens.partner[name + 1]  # GLOB(pattern, x)
        reach = self._reach(node)
        return None if reach is None else self.tokens.atom(reach, place.window, words)

    def _reach(self, node: exp.Expr) -> Window | None:
        """Return the first and last token of what has a position in the node.

        Sub-queries, brackets and calls without a position reach to the brackets around them, so
        that `(a = 1) = TRUE` is not taken for `a = 1`.
        """
        places: list[int] = []
        stack = [node]
        while stack:
            part = stack.pop()
            if isinstance(part, QUERIES):
                select = first_select(part)
                if select is not None:
                    first = self.by_node[id(select)].region.first
                    places.extend(self.tokens.enclosing(first, first))
            elif part is not node and isinstance(part, (exp.Paren, *_CALLS)):
                places.extend(self._reach_around(part))
            else:
                token = self.tokens.at.get(part.meta_get("start", -1), -1)
                if token >= 0:
                    places.append(token)
                stack.extend(part.iter_expressions())
        return (min(places), max(places)) if places else None

    def _reach_around(self, node: exp.Expr) -> tuple[int, ...]:
        """Return the brackets around what has a position in the node, its name left out."""
        inside = self._reach(node)
        if inside is None:
            return ()
        outer = first, _ = self.tokens.enclosing(*inside)
        if not isinstance(node, exp.Func):
            return outer
        name = first if self.tokens.kinds[first] is TokenType.CASE else first - 1
        is_call = self.tokens.tokens[name].text.upper() in type(node).sql_names()
        return outer if is_call else inside

    def _join_pair(self, node: exp.Expr, operator: str, span: ClauseSpan, place: Place) -> bool:
        """Take down `a.x = b.y` between two own sources; False where the node is something else."""
        ends = _two_columns(node)
        if ends is None:
            return False
        left, right = ends
        sources = [self.mentions.own_source(end, place.clause) for end in ends]
        if sources[0] is sources[1]:
            if sources[0] is not None and operator in _BETWEEN_COLUMNS:
                self._self_pair(left, right, operator, span, place)
            return False
        if place.clause not in (Clause.WHERE, Clause.JOIN):
            return False
        if None in sources:
            self._outer_pair(left, right, operator, span, place)
            return False
        left_use = self.mentions.column(left, place, in_join=operator == "=")
        right_use = self.mentions.column(right, place, in_join=operator == "=")
        if isinstance(left_use, ColumnUse) and isinstance(right_use, ColumnUse):
            self.join_pairs.append(JoinPair(left_use, right_use, operator, span))
        return True

    def _self_pair(
        self, left: exp.Column, right: exp.Column, operator: str, span: ClauseSpan, place: Place
    ) -> None:
        """Take down `a.x = a.x`."""
        first, second = (self.mentions.column(end, place) for end in (left, right))
        if not isinstance(first, ColumnUse) or not isinstance(second, ColumnUse):
            return
        if (first.column or first.name).casefold() == (second.column or second.name).casefold():
            self.self_pairs.append(JoinPair(first, second, operator, span))

    def _outer_pair(
        self, left: exp.Column, right: exp.Column, operator: str, span: ClauseSpan, place: Place
    ) -> None:
        """Take down `own.x = outer.y`, where one end belongs to an enclosing SELECT."""
        uses = [self.mentions.column(end, place) for end in (left, right)]
        first, second = uses
        if not isinstance(first, ColumnUse) or not isinstance(second, ColumnUse):
            return
        if (first.depth == 0) != (second.depth == 0) and first.source and second.source:
            self.outer_pairs.append(JoinPair(first, second, operator, span))

    def _side(self, nodes: list[exp.Expr], place: Place) -> _Side:
        """Read one side of a comparison; several nodes for IN and BETWEEN."""
        side = _Side()
        for node in nodes:
            inner = unwrap(node)
            if isinstance(inner, (exp.Subquery, *QUERIES)) and len(nodes) == 1:
                side.query = first_select(inner)
            elif not self._take(inner, side, place):
                side.is_bare = False
                self._take_inside(inner, side, place)
        side.literals.sort(key=lambda literal: literal.piece.start)
        return side

    def _take(self, node: exp.Expr, side: _Side, place: Place) -> bool:
        """Add a column or constant to the side; False where the node is neither."""
        found: ColumnUse | Literal | None
        if isinstance(node, exp.Column):
            found = self.mentions.column(node, place)
            side.is_plain = side.is_plain and found is not None
        else:
            found = self.mentions.constant(node, place)
        if isinstance(found, ColumnUse):
            side.columns.append(found)
        elif found is not None:
            side.literals.append(found)
        return found is not None or isinstance(node, exp.Column)

    def _take_inside(self, node: exp.Expr, side: _Side, place: Place) -> None:
        stack = [(node, place)]
        while stack:
            current, where = stack.pop()
            if isinstance(current, _OPAQUE):
                side.is_plain = False
            elif not self._take(current, side, where):
                inside = where.aggregated() if is_aggregate(current) else where
                stack.extend((child, inside) for child in current.iter_expressions())

    def _subquery_filter(
        self,
        operator: str,
        negated: bool,
        column: ColumnUse | None,
        query: exp.Select | None,
        span: ClauseSpan,
    ) -> None:
        if query is not None:
            subquery = self.by_node[id(query)].select
            found = SubqueryFilter(operator, negated, column, subquery, span)
            self.subquery_filters.append(found)

    def _comparison(
        self,
        operator: str,
        negated: bool,
        sides: tuple[_Side, _Side],
        span: ClauseSpan,
        in_negated_group: bool,
    ) -> None:
        left, right = sides
        if not left.columns:
            if operator not in _MIRRORED:
                return
            operator, left, right = _MIRRORED[operator], right, left
        if len(left.columns) != 1 or right.columns or not right.literals:
            return
        self.comparisons.append(
            Comparison(
                column=left.columns[0],
                operator=operator,
                literals=tuple(right.literals),
                negated=negated,
                wrapped=not (left.is_bare and right.is_bare),
                clause=span,
                in_negated_group=in_negated_group,
            )
        )


def _two_columns(node: exp.Expr) -> tuple[exp.Column, exp.Column] | None:
    """Return both sides of a comparison where each is a bare column."""
    other = node.args.get("expression")
    if other is None:
        return None
    left, right = unwrap(node.this), unwrap(other)
    if isinstance(left, exp.Column) and isinstance(right, exp.Column):
        return left, right
    return None


def compared_constants(node: exp.Expr) -> Iterator[tuple[exp.Expr, str]]:
    """Yield the operands of a predicate with what each is compared by, seen from the left side."""
    operator = PREDICATES[type(node)][0]
    if isinstance(node, exp.Between):
        yield unwrap(node.args["low"]), "BETWEEN"
        yield unwrap(node.args["high"]), "AND"
    elif isinstance(node, exp.Binary):
        yield unwrap(node.this), _MIRRORED.get(operator, operator)
        yield unwrap(node.expression), operator
    elif isinstance(node, exp.In):
        yield from ((unwrap(part), operator) for part in node.expressions)


def _right_parts(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Between):
        return [node.args["low"], node.args["high"]]
    if isinstance(node, exp.In):
        query = node.args.get("query")
        return list(node.expressions) if query is None else [query]
    return [node.expression]
