"""In which clause kinds two queries differ, read off their text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from clausewise.sql.model import ColumnUse, JoinPair, Piece, Query, Role, Select, Source
from clausewise.types import Clause, ClauseSpan

CLAUSE_ORDER = (
    Clause.SET_OPERATION,
    Clause.SELECT,
    Clause.WHERE,
    Clause.JOIN,
    Clause.FROM,
    Clause.GROUP_BY,
    Clause.HAVING,
    Clause.ORDER_BY,
    Clause.LIMIT,
    Clause.WITH,
)
"""The kinds that can differ: first what says what is asked for, then what only arranges it."""

_TOKEN = re.compile(
    r"""
      (?P<skip>\s+|--[^\n]*|/\*.*?\*/)
    | (?P<string>'(?:[^']|'')*')
    | (?P<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])
    | (?P<word>\w+(?:\.\d+)?)
    | (?P<operator><>|!=|<=|>=|==|\|\||.)
    """,
    re.VERBOSE | re.DOTALL,
)
_ONE_SPELLING = {"!=": "<>", "==": "="}
_NESTED = "(select)"
"""Stands for a nested SELECT in the clause around it; its own clauses are compared separately."""

Normal: TypeAlias = str


def differing_clauses(own: Query, other: Query) -> dict[Clause, Select]:
    """Return the clause kinds in which two queries differ, each with the first SELECT of `own`.

    The kinds come in the order of `CLAUSE_ORDER` and are the same whichever query is `own`. The
    SELECT is the one of `own` in which the kind differs, also where it lacks such a clause; for
    `set_operation` and `with` it is the root. Both queries must contain a SELECT.

    Compared is the text of each clause in a normal form: case, comments, spacing, quoting and
    output names do not count, aliases are resolved to their tables. The order of tables, join
    conditions, AND parts and grouping keys does not count either; the order of selected and of
    sorting expressions does. Tables count as `from` where one is exchanged for another and as
    `join` where their number differs. A nested SELECT is compared with the one in the same role
    and place; where only one query has it, the clause that contains it differs.

    Queries that mean the same can still differ here: this compares how they are written.
    """
    unresolved = _unresolved_names(own) | _unresolved_names(other)
    texts = (_NormalText(own, unresolved), _NormalText(other, unresolved))
    differing = dict.fromkeys(_differing_structure(own, other), own.root)
    for role in Role:
        for pair in zip(own.nested(role), other.nested(role), strict=False):
            for kind in _differing_kinds(texts, pair):
                differing.setdefault(kind, pair[0])
    return {kind: differing[kind] for kind in CLAUSE_ORDER if kind in differing}


def _differing_structure(own: Query, other: Query) -> Iterator[Clause]:
    """Yield the kinds that tie SELECTs together and belong to none of them."""
    operators = [
        [select.set_operator for select in query.nested(Role.SET_MEMBER)] for query in (own, other)
    ]
    if operators[0] != operators[1]:
        yield Clause.SET_OPERATION
    if len(list(own.nested(Role.CTE))) != len(list(other.nested(Role.CTE))):
        yield Clause.WITH


def _differing_kinds(
    texts: tuple[_NormalText, _NormalText], pair: tuple[Select, Select]
) -> Iterator[Clause]:
    for kind, view in _VIEWS.items():
        if view(texts[0], pair[0]) != view(texts[1], pair[1]):
            yield kind
    own, other = (Counter(_table_name(source) for source in select.sources) for select in pair)
    if own - other and other - own:
        yield Clause.FROM
    if own.total() != other.total():
        yield Clause.JOIN


def _unresolved_names(query: Query) -> set[str]:
    """Return the column names that somewhere in the query have no known table."""
    return {
        use.name.casefold()
        for select in query.selects
        for use in select.columns
        if _owner(use, select) is None
    }


def _owner(use: ColumnUse, select: Select) -> str | None:
    """Return the table that a column is written as belonging to, None where that is not known."""
    if use.table is not None:
        return use.table.casefold()
    named = [item for item in select.sources if item.alias.casefold() == _folded(use.qualifier)]
    source = use.source or next(iter(named), None)
    return None if source is None or source.select is not None else _table_name(source)


def _folded(name: str | None) -> str | None:
    return None if name is None else name.casefold()


def _table_name(source: Source) -> str:
    if source.select is not None:
        return _NESTED
    return (source.table or source.name).casefold()


@dataclass(frozen=True, slots=True)
class _Replacement:
    start: int
    end: int
    text: Normal


class _NormalText:
    """The normal form of any stretch of one query."""

    def __init__(self, query: Query, unresolved: set[str]) -> None:
        self._text = query.text
        self._unresolved = unresolved
        replacements = [
            _Replacement(select.piece.start, select.piece.end, _NESTED) for select in query.selects
        ]
        for select in query.selects:
            for use in select.columns:
                name = self._column(use, select)
                replacements.append(_Replacement(use.piece.start, use.piece.end, name))
            for literal in select.literals:
                place = literal.piece
                replacements.append(_Replacement(place.start, place.end, repr(literal.value)))
        self._replacements = sorted(replacements, key=lambda item: (item.start, -item.end))
        self._starts = [item.start for item in self._replacements]

    def of(self, piece: Piece | ClauseSpan) -> Normal:
        """Return the piece's tokens, one space between them."""
        return " ".join(self._tokens(piece.start, piece.end))

    def _column(self, use: ColumnUse, select: Select) -> str:
        name = (use.column or use.name).casefold()
        owner = None if use.name.casefold() in self._unresolved else _owner(use, select)
        return f"{owner}.{name}" if owner else name

    def _tokens(self, position: int, end: int) -> Iterator[str]:
        nearest = bisect_left(self._starts, position)
        while position < end:
            while nearest < len(self._starts) and self._starts[nearest] < position:
                nearest += 1
            if nearest < len(self._starts) and self._starts[nearest] == position:
                item = self._replacements[nearest]
                if item.end <= end:
                    yield item.text
                    position = item.end
                    continue
            match = _TOKEN.match(self._text, position, end)
            if match is None:
                return
            position = match.end()
            if match.lastgroup != "skip":
                yield _normal_token(match)


def _normal_token(match: re.Match[str]) -> str:
    text = match.group()
    if match.lastgroup == "string":
        return text
    if match.lastgroup == "quoted":
        return text[1:-1].casefold()
    return _ONE_SPELLING.get(text, text.casefold())


def _projections(text: _NormalText, select: Select) -> list[Normal]:
    normal = []
    for projection in select.projections:
        if projection.star and projection.star_source is not None:
            normal.append(f"{_table_name(projection.star_source)}.*")
        else:
            normal.append(text.of(projection.expression))
    return normal


def _select_view(text: _NormalText, select: Select) -> object:
    return select.distinct, _projections(text, select)


def _join_view(text: _NormalText, select: Select) -> object:
    pairs = Counter(_pair_key(text, pair) for pair in select.join_pairs)
    kinds = Counter(join.kind for join in select.joins if join.kind not in ("inner", "cross"))
    return pairs, kinds, _conditions(text, select, Clause.JOIN)


def _pair_key(text: _NormalText, pair: JoinPair) -> object:
    sides = [text.of(pair.left.piece), text.of(pair.right.piece)]
    return pair.operator, tuple(sorted(sides) if pair.operator == "=" else sides)


def _conditions(text: _NormalText, select: Select, clause: Clause) -> Counter[Normal]:
    """Count the AND parts of that clause which are no join conditions."""
    joining = [pair.clause for pair in select.join_pairs]
    return Counter(
        text.of(conjunct.piece)
        for conjunct in select.conjuncts
        if conjunct.clause is clause and not _is_one_of(conjunct.piece, joining)
    )


def _is_one_of(piece: Piece, spans: Iterable[ClauseSpan]) -> bool:
    return any(piece.start <= span.start and span.end <= piece.end for span in spans)


def _where_view(text: _NormalText, select: Select) -> object:
    return _conditions(text, select, Clause.WHERE)


def _having_view(text: _NormalText, select: Select) -> object:
    return _conditions(text, select, Clause.HAVING)


def _group_view(text: _NormalText, select: Select) -> object:
    return {_key_expression(text, select, piece) for piece in select.group_by}


def _order_view(text: _NormalText, select: Select) -> object:
    return [
        (_key_expression(text, select, item.expression), item.descending)
        for item in select.order_by
    ]


def _key_expression(text: _NormalText, select: Select, piece: Piece) -> Normal:
    """Return a sorting or grouping key, an output name or position replaced by its expression."""
    projections = _projections(text, select)
    if piece.text.isascii() and piece.text.isdecimal() and 0 < int(piece.text) <= len(projections):
        return projections[int(piece.text) - 1]
    written = piece.text.strip('"`[]').casefold()
    for projection, normal in zip(select.projections, projections, strict=True):
        if projection.alias is not None and projection.alias.casefold() == written:
            return normal
    return text.of(piece)


def _limit_view(text: _NormalText, select: Select) -> object:
    clause = select.clause(Clause.LIMIT)
    return None if clause is None else text.of(clause)


_VIEWS: dict[Clause, Callable[[_NormalText, Select], object]] = {
    Clause.SELECT: _select_view,
    Clause.JOIN: _join_view,
    Clause.WHERE: _where_view,
    Clause.GROUP_BY: _group_view,
    Clause.HAVING: _having_view,
    Clause.ORDER_BY: _order_view,
    Clause.LIMIT: _limit_view,
}
