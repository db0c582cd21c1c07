"""Arithmetic and casts in a query's text, each with exact spans of its operands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sqlglot import TokenType
from sqlglot.dialects.dialect import Dialect

from clausewise.sql.model import Piece, Query
from clausewise.sql.tokenizing import tokenize
from clausewise.sql.tokens import Tokens

_TIGHT = {TokenType.STAR: "*", TokenType.SLASH: "/", TokenType.MOD: "%"}
_LOOSE = {TokenType.PLUS: "+", TokenType.DASH: "-"}
_OPERATORS = _TIGHT | _LOOSE
_PERHAPS = re.compile(r"[-+*/%]|\bcast\b", re.IGNORECASE)
_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})
_VALUES = frozenset(
    {TokenType.NUMBER, TokenType.STRING, TokenType.NULL, TokenType.TRUE, TokenType.FALSE}
)
_CLOSERS = frozenset({TokenType.R_PAREN, TokenType.END})
_OPENERS = frozenset({TokenType.L_PAREN, TokenType.CASE})
_WORDS_BETWEEN = frozenset(
    {"ALL", "AND", "AS", "ASC", "BETWEEN", "BY", "CASE", "COLLATE", "CROSS", "DESC", "DISTINCT"}
    | {"ELSE", "ESCAPE", "EXCEPT", "EXISTS", "FROM", "FULL", "GLOB", "GROUP", "HAVING", "IN"}
    | {"INNER", "INTERSECT", "IS", "JOIN", "LIKE", "LIMIT", "MATCH", "NATURAL", "NOT", "OFFSET"}
    | {"ON", "OR", "ORDER", "OUTER", "OVER", "REGEXP", "SELECT", "THEN", "UNION", "USING"}
    | {"VALUES", "WHEN", "WHERE", "WINDOW", "WITH"}
)
"""Words that end an operand; any other word may be a column's name."""


@dataclass(frozen=True, slots=True)
class Operand(Piece):
    """What is calculated with or cast.

    `inner` is it without the brackets around it. `number` is set where it is a number and nothing
    else, `function` (in lower case) where it is one call and nothing else.
    """

    inner: Piece
    number: int | float | None = None
    function: str | None = None


@dataclass(frozen=True, slots=True)
class Calculation:
    """`left operator right` with one of `+ - * / %`; chains are read from the left."""

    operator: str
    left: Operand
    right: Operand
    piece: Piece


@dataclass(frozen=True, slots=True)
class Cast:
    """`CAST(operand AS target)`; `target` is the type's name in upper case, without a length."""

    operand: Operand
    target: str
    piece: Piece


def calculations(query: Query) -> tuple[Calculation, ...]:
    """Return every arithmetic operation between two operands, by the place of its operator.

    >>> from clausewise.sql import parse
    >>> [(c.left.text, c.operator, c.right.text) for c in calculations(parse("SELECT a + b * 2"))]
    [('a', '+', 'b * 2'), ('b', '*', '2')]
    """
    return _read(query.text, query.dialect)[0] if query.selects else ()


def casts(query: Query) -> tuple[Cast, ...]:
    """Return every CAST, by the place of the word.

    >>> from clausewise.sql import parse
    >>> [(c.operand.text, c.target) for c in casts(parse("SELECT CAST(a * 1.5 AS int)"))]
    [('a * 1.5', 'INT')]
    """
    return _read(query.text, query.dialect)[1] if query.selects else ()


@lru_cache(maxsize=512)
def _read(text: str, dialect: str) -> tuple[tuple[Calculation, ...], tuple[Cast, ...]]:
    if not _PERHAPS.search(text):
        return (), ()
    tokens = tokenize(text, Dialect.get_or_raise(dialect))
    tokens.match_brackets()
    found = []
    converted = []
    for index, kind in enumerate(tokens.kinds):
        if kind in _OPERATORS:
            calculation = _calculation(tokens, index)
            if calculation is not None:
                found.append(calculation)
        elif tokens.tokens[index].text.upper() == "CAST":
            cast = _cast(tokens, index)
            if cast is not None:
                converted.append(cast)
    return tuple(found), tuple(converted)


def _calculation(tokens: Tokens, index: int) -> Calculation | None:
    """Return the operation at an operator; None where it is `*` for all columns, or a sign."""
    kind = tokens.kinds[index]
    left, right = _start(tokens, index - 1), _end(tokens, index + 1)
    if left is None or right is None:
        return None
    left = _extend_left(tokens, left, _TIGHT if kind in _TIGHT else _OPERATORS)
    if kind in _LOOSE:
        right = _extend_right(tokens, right)
    return Calculation(
        _OPERATORS[kind],
        _operand(tokens, left, index - 1),
        _operand(tokens, index + 1, right),
        tokens.piece(left, right),
    )


def _operand(tokens: Tokens, first: int, last: int) -> Operand:
    whole = tokens.piece(first, last)
    first, last = tokens.without_brackets(first, last)
    called = tokens.partner.get(first + 1) == last and tokens.kinds[first + 1] is TokenType.L_PAREN
    name = tokens.tokens[first].text.lower()
    return Operand(
        whole.text,
        whole.start,
        whole.end,
        tokens.piece(first, last),
        _number(tokens, first, last),
        name if called and name.isidentifier() else None,
    )


def _number(tokens: Tokens, first: int, last: int) -> int | float | None:
    """Return a number with its sign; None where the tokens are anything else."""
    sign = 1
    if tokens.kinds[first] in _LOOSE and first < last:
        sign = -1 if tokens.kinds[first] is TokenType.DASH else 1
        first += 1
    dotted = tokens.kinds[first] is TokenType.DOT
    if tokens.kinds[last] is not TokenType.NUMBER or last != first + dotted:
        return None
    text = "." * dotted + tokens.tokens[last].text
    try:
        return sign * (int(text) if text.isdigit() else float(text))
    except ValueError:
        return None


def _extend_left(tokens: Tokens, first: int, operators: dict[TokenType, str]) -> int:
    """Return where the chain of such operators begins that ends in the operand at `first`."""
    while first > 1 and tokens.kinds[first - 1] in operators:
        before = _start(tokens, first - 2)
        if before is None:
            break
        first = before
    return first


def _extend_right(tokens: Tokens, last: int) -> int:
    """Return where the product ends that begins with the operand up to `last`."""
    while last + 2 < len(tokens) and tokens.kinds[last + 1] in _TIGHT:
        after = _end(tokens, last + 2)
        if after is None:
            break
        last = after
    return last


def _start(tokens: Tokens, last: int) -> int | None:
    """Return the first token of the operand that ends with token `last`, None where none does."""
    if last < 0:
        return None
    kind = tokens.kinds[last]
    first = last
    if kind in _CLOSERS:
        if last not in tokens.partner:
            return None
        first = tokens.partner[last]
        if kind is TokenType.R_PAREN and first > 0 and _is_name(tokens, first - 1):
            first -= 1
    elif kind in _VALUES:
        dotted = first > 0 and tokens.kinds[first - 1] is TokenType.DOT
        return first - 1 if dotted and kind is TokenType.NUMBER else first
    elif not _is_name(tokens, last):
        return None
    while first > 1 and tokens.kinds[first - 1] is TokenType.DOT and _is_name(tokens, first - 2):
        first -= 2
    return first


def _end(tokens: Tokens, first: int) -> int | None:
    """Return the last token of the operand that begins with token `first`."""
    size = len(tokens)
    while first < size and tokens.kinds[first] in (*_LOOSE, TokenType.DOT):
        first += 1  # a sign, or the dot of .5
    if first >= size:
        return None
    kind = tokens.kinds[first]
    if kind in _OPENERS:
        return tokens.partner.get(first)
    if kind in _VALUES:
        return first
    return _end_of_name(tokens, first) if _is_name(tokens, first) else None


def _end_of_name(tokens: Tokens, first: int) -> int | None:
    """Return the last token of a column or a function call, None for `t.*`."""
    size, last = len(tokens), first
    while last + 2 < size and tokens.kinds[last + 1] is TokenType.DOT:
        if not _is_name(tokens, last + 2):
            return None
        last += 2
    if last + 1 < size and tokens.kinds[last + 1] is TokenType.L_PAREN:
        return tokens.partner.get(last + 1)
    return last


def _is_name(tokens: Tokens, index: int) -> bool:
    if tokens.kinds[index] in _NAMES:
        quoted = tokens.kinds[index] is TokenType.IDENTIFIER
        return quoted or tokens.tokens[index].text.upper() not in _WORDS_BETWEEN
    word = tokens.tokens[index].text
    return word[:1].isalpha() and word.split()[0].upper() not in _WORDS_BETWEEN


def _cast(tokens: Tokens, index: int) -> Cast | None:
    if index + 1 >= len(tokens) or tokens.kinds[index + 1] is not TokenType.L_PAREN:
        return None
    last = tokens.partner[index + 1]
    place = index + 2
    while place < last and tokens.kinds[place] is not TokenType.ALIAS:
        place = tokens.after(place)
    if not index + 2 < place < last - 1:
        return None
    target = tokens.piece(place + 1, last - 1).text
    return Cast(
        _operand(tokens, index + 2, place - 1),
        target.partition("(")[0].strip().upper(),
        tokens.piece(index, last),
    )
