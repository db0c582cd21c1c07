"""AND and OR in the conditions of a clause."""

from __future__ import annotations

from sqlglot import TokenType
from sqlglot.dialects.dialect import Dialect

from clausewise.errors import ParseError
from clausewise.sql.tokenizing import tokenize
from clausewise.types import ClauseSpan


def unbracketed(clause: ClauseSpan, dialect: str) -> int | None:
    """Return the offset in the query of the first OR with an AND on its level of brackets.

    None if there is none; the AND of BETWEEN does not count.
    """
    try:
        tokens = tokenize(clause.text, Dialect.get_or_raise(dialect))
        tokens.match_brackets()
    except ParseError:
        return None
    level, between, levels = [0], 0, 0
    joined: dict[int, set[TokenType]] = {}
    first_or: dict[int, int] = {}
    for index, kind in enumerate(tokens.kinds):
        partner = tokens.partner.get(index)
        if partner is not None:
            if partner > index:
                levels += 1
                level.append(levels)
            else:
                level.pop()
        elif kind is TokenType.BETWEEN:
            between += 1
        elif kind is TokenType.AND and between:
            between -= 1
        elif kind in (TokenType.AND, TokenType.OR):
            joined.setdefault(level[-1], set()).add(kind)
            if kind is TokenType.OR:
                first_or.setdefault(level[-1], clause.start + tokens.starts[index])
    mixed = [first_or[at] for at, kinds in joined.items() if len(kinds) > 1]
    return min(mixed, default=None)
