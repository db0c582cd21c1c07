"""The walk through the expressions of one SELECT that collects the facts in them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from sqlglot import exp

from clausewise.sql.comparisons import PREDICATES, Predicates, compared_constants
from clausewise.sql.mentions import Mentions, Place, Window
from clausewise.sql.model import (
    Aggregate,
    ColumnUse,
    Comparison,
    JoinPair,
    Piece,
    SubqueryFilter,
)
from clausewise.sql.nodes import QUERIES, is_aggregate, unwrap
from clausewise.sql.scopes import Scope
from clausewise.types import Clause

_CONSTANTS = (
    *(exp.Literal, exp.Null, exp.Boolean, exp.Neg),
    *(exp.ByteString, exp.National, exp.RawString),
)
_AROUND_CALL = frozenset({exp.Window, exp.Filter, exp.IgnoreNulls, exp.RespectNulls})
_LISTING = ("group_concat", "string_agg", "listagg")

Spanned = TypeVar("Spanned", Comparison, JoinPair, SubqueryFilter)


class FactFinder:
    """Walks the expressions of one SELECT, not entering nested ones."""

    def __init__(self, mentions: Mentions, by_node: Mapping[int, Scope]) -> None:
        self.mentions = mentions
        self.tokens = mentions.tokens
        self.predicates = Predicates(mentions, by_node)
        self.aggregates: list[Aggregate] = []
        self._arguments: dict[int, exp.Expr] = {}
        """Start of an aggregate in the text to what stands in its brackets."""

    def walk(self, node: exp.Expr, clause: Clause, window: Window) -> None:
        """Collect the facts of an expression that stands in `window`."""
        stack = [(node, Place(clause, window))]
        while stack:
            current, place = stack.pop()
            inside = self._visit(current, place)
            if inside is not None:
                children = [(child, inside) for child in current.iter_expressions()]
                stack.extend(reversed(children))

    def _visit(self, node: exp.Expr, place: Place) -> Place | None:
        """Take down what the node says; return the place of its children, None to skip them."""
        if isinstance(node, QUERIES) or self._leaf(node, place):
            return None
        if isinstance(node, exp.Window):
            self._window(node, place)
            return None
        if isinstance(node, (exp.Paren, exp.Not, exp.Connector)):
            return _inside_logic(node, place)
        if isinstance(node, exp.Escape):
            return place
        if type(node) in PREDICATES:
            for operand, operator in compared_constants(node):
                self.mentions.compared[id(operand)] = operator
            if place.is_predicate:
                self.predicates.add(node, place)
            return place.operand()
        return self._inside_call(node, place)

    def _leaf(self, node: exp.Expr, place: Place) -> bool:
        """Take down a column or a constant; False where the node is something else."""
        if isinstance(node, exp.Column):
            if node.arg_key != "field":  # `x IN t` names a table
                self.mentions.column(node, place)
            return True
        return isinstance(node, _CONSTANTS) and self.mentions.constant(node, place) is not None

    def _inside_call(self, node: exp.Expr, place: Place) -> Place:
        if is_aggregate(node):
            self._aggregate(node, place)
            return place.aggregated()
        if isinstance(node, exp.Filter):
            return place.aggregated()
        if isinstance(node, exp.Binary):
            return place.operand()
        return Place(place.clause, place.window, place.in_aggregate)

    def _window(self, node: exp.Window, place: Place) -> None:
        """Walk `f(x) OVER (...)`: no aggregate, and its ORDER BY is not the query's."""
        call: exp.Expr = node
        while type(call) in _AROUND_CALL:
            for part in call.iter_expressions():
                if part is not call.this:
                    self.walk(part, place.clause, place.window)
            call = call.this
        for part in call.iter_expressions():
            self.walk(part, place.clause, place.window)

    def _aggregate(self, node: exp.Expr, place: Place) -> None:
        first = self._call_token(node, place)
        if first < 0 or first + 1 not in self.tokens.partner:
            return
        inside = node.this if isinstance(node.this, exp.Expr) else None
        piece = self.tokens.piece(first, self.tokens.partner[first + 1])
        if inside is not None and len(list(node.iter_expressions())) == 1:
            self._arguments[piece.start] = inside
        self.aggregates.append(
            Aggregate(
                function=self.tokens.tokens[first].text.lower(),
                distinct=isinstance(inside, exp.Distinct),
                star=inside is not None and inside.is_star,
                columns=(),
                clause=place.clause,
                piece=piece,
                conditional=node.find(exp.Case, exp.If) is not None,
            )
        )

    def _argument(self, aggregate: Aggregate) -> ColumnUse | None:
        """Return the bare column that an aggregate takes, None where it takes something else."""
        inside = self._arguments.get(aggregate.piece.start)
        if isinstance(inside, exp.Distinct) and len(inside.expressions) == 1:
            inside = inside.expressions[0]
        use = self.mentions.known(unwrap(inside)) if inside is not None else None
        return use if isinstance(use, ColumnUse) else None

    def _call_token(self, node: exp.Expr, place: Place) -> int:
        """Return the token of a function's name; GROUP_CONCAT has no position in the tree.

        Nor has what a dialect reads in a way of its own: DuckDB's MAX(x, n).
        """
        if "start" in node.meta:
            return self.tokens.at.get(node.meta["start"], -1)
        tokens = self.tokens
        is_listing = isinstance(node, exp.GroupConcat)
        names = _LISTING if is_listing else tuple(name.lower() for name in _names_of(node))

        def matches(token: int) -> bool:
            is_name = tokens.tokens[token].text.lower() in names
            return is_name and token + 1 in tokens.partner

        return self.mentions.claim(f"call {names[0]}", place.window, matches)

    def sort(self) -> None:
        """Put all facts in text order, and into the aggregates the columns inside them."""
        self.mentions.columns.sort(key=lambda use: (use.piece.start, use.piece.end))
        self.mentions.literals.sort(key=lambda literal: literal.piece.start)
        _sort_by_clause(self.predicates.comparisons)
        _sort_by_clause(self.predicates.join_pairs)
        _sort_by_clause(self.predicates.outer_pairs)
        _sort_by_clause(self.predicates.self_pairs)
        _sort_by_clause(self.predicates.subquery_filters)
        self.aggregates = [
            replace(
                aggregate,
                columns=columns_in(self.mentions.columns, aggregate.piece),
                argument=self._argument(aggregate),
            )
            for aggregate in sorted(self.aggregates, key=lambda aggregate: aggregate.piece.start)
        ]


def _names_of(node: exp.Expr) -> Sequence[str]:
    return type(node).sql_names() if isinstance(node, exp.Func) else (node.name,)


def _inside_logic(node: exp.Expr, place: Place) -> Place:
    """Return the place inside brackets, NOT, AND and OR."""
    nots, in_group = place.nots, place.in_negated_group
    if isinstance(node, exp.Not):
        nots += 1
    elif isinstance(node, exp.Connector):
        nots, in_group = 0, in_group != (nots % 2 == 1)
    return Place(place.clause, place.window, place.in_aggregate, True, nots, in_group)


def _sort_by_clause(items: list[Spanned]) -> None:
    items.sort(key=lambda item: (item.clause.start, item.clause.end))


def columns_in(columns: Sequence[ColumnUse], piece: Piece) -> tuple[ColumnUse, ...]:
    """Return the columns that stand within a piece of the text, from a list in text order."""
    first = bisect_left(columns, piece.start, key=_start)
    return tuple(columns[first : bisect_left(columns, piece.end, lo=first, key=_start)])


def _start(use: ColumnUse) -> int:
    return use.piece.start
