"""The joins of one SELECT, with the column pairs that USING and NATURAL imply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import TokenType, exp

from clausewise.sql.model import ColumnUse, Join, JoinPair, Piece
from clausewise.sql.outline import Slot
from clausewise.sql.resolution import Names
from clausewise.sql.scopes import Entry, Scope
from clausewise.sql.tokens import Tokens
from clausewise.types import Clause, ClauseSpan

_KINDS = {
    TokenType.NATURAL: "natural",
    TokenType.LEFT: "left",
    TokenType.RIGHT: "right",
    TokenType.FULL: "full",
    TokenType.CROSS: "cross",
}


def using_pairs(scope: Scope, tokens: Tokens, names: Names) -> list[JoinPair]:
    """Return the column pairs of USING; both ends stand at the name in the brackets."""
    pairs: list[JoinPair] = []
    for index, slot in _join_slots(scope):
        if slot.condition < 0 or tokens.kinds[slot.condition] is not TokenType.USING:
            continue
        for first, last in tokens.split(slot.condition + 2, slot.last - 1, TokenType.COMMA):
            piece = tokens.piece(first, last)
            clause = ClauseSpan(Clause.JOIN, piece.text, piece.start, piece.end)
            pairs.extend(_pair(scope, index, tokens.tokens[last].text, piece, clause, names))
    return pairs


def natural_pairs(scope: Scope, tokens: Tokens, names: Names) -> list[JoinPair]:
    """Return the column pairs that NATURAL JOIN implies; both ends stand at the whole join."""
    pairs: list[JoinPair] = []
    for index, slot in _join_slots(scope):
        if tokens.kinds[slot.first] is TokenType.NATURAL:
            clause = tokens.span(Clause.JOIN, slot.first, slot.last)
            piece = Piece(clause.text, clause.start, clause.end)
            columns = names.columns(scope.entries[index]) or {}
            for name, spelling in columns.items():
                pairs.extend(_pair(scope, index, spelling or name, piece, clause, names))
    return pairs


def _join_slots(scope: Scope) -> Iterator[tuple[int, Slot]]:
    """Yield the written joins with the index of the source that each brings in."""
    if len(scope.region.sources) == len(scope.entries):
        for index, source in enumerate(scope.region.sources):
            if source.join is not None:
                yield index, source.join


def _pair(
    scope: Scope, index: int, name: str, piece: Piece, clause: ClauseSpan, names: Names
) -> Iterator[JoinPair]:
    """Yield the pair with the first earlier source that has the name, as SQLite does."""
    right = scope.entries[index]
    for left in scope.entries[:index]:
        columns = names.columns(left)
        if columns is None or name.casefold() in columns:
            left_use, right_use = (_use(entry, name, piece, names) for entry in (left, right))
            yield JoinPair(left_use, right_use, "=", clause)
            return


def _use(entry: Entry, name: str, piece: Piece, names: Names) -> ColumnUse:
    column = (names.columns(entry) or {}).get(name.casefold())
    return ColumnUse(
        name=name,
        qualifier=None,
        clause=Clause.JOIN,
        piece=piece,
        table=entry.source.table if column else None,
        column=column,
        source=entry.source,
        depth=0,
        in_join_condition=True,
        in_aggregate=False,
        quoted_with_double_quotes=piece.text.startswith('"'),
    )


def attach_joins(scope: Scope, tokens: Tokens, pairs: Sequence[JoinPair]) -> None:
    """Fill `select.joins`, and `join` of the sources that they bring in."""
    joins = []
    for index, slot in _join_slots(scope):
        clause = tokens.span(Clause.JOIN, slot.first, slot.last)
        own = tuple(
            pair
            for pair in pairs
            if clause.start <= pair.clause.start and pair.clause.end <= clause.end
        )
        source = scope.entries[index].source
        join = Join(_kind(tokens, slot), source, own, clause)
        object.__setattr__(source, "join", join)  # the two name each other: one has to wait
        joins.append(join)
    scope.select.joins = tuple(joins)


def _kind(tokens: Tokens, slot: Slot) -> str:
    for kind in tokens.kinds[slot.first : slot.body]:
        if kind in _KINDS:
            return _KINDS[kind]
    return "inner"


def joins_of(node: exp.Expr) -> Iterator[exp.Join]:
    """Yield the joins of a SELECT, with those inside brackets in FROM."""
    from_ = node.args.get("from_")
    if from_ is not None:
        yield from _inner_joins(from_.this)
    for join in node.args.get("joins") or ():
        yield join
        yield from _inner_joins(join.this)


def _inner_joins(source: exp.Expr) -> Iterator[exp.Join]:
    if isinstance(source, exp.Subquery) and isinstance(source.this, (exp.Table, exp.Subquery)):
        yield from _inner_joins(source.this)
    for join in source.args.get("joins") or ():
        yield join
        yield from _inner_joins(join.this)
