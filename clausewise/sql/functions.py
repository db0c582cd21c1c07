"""Which functions a query calls, and which keywords and operators it holds."""

from __future__ import annotations

from sqlglot import TokenType

from clausewise.sql.model import Call, Keyword
from clausewise.sql.outline import Outline
from clausewise.sql.tokens import Tokens

_NO_FUNCTIONS = frozenset(
    {
        TokenType.IDENTIFIER,
        TokenType.STRING,
        TokenType.SELECT,
        TokenType.DISTINCT,
        TokenType.ALL,
        TokenType.ALIAS,
        TokenType.FROM,
        TokenType.JOIN,
        TokenType.ON,
        TokenType.USING,
        TokenType.WHERE,
        TokenType.HAVING,
        TokenType.LIMIT,
        TokenType.OFFSET,
        TokenType.UNION,
        TokenType.INTERSECT,
        TokenType.EXCEPT,
        TokenType.VALUES,
        TokenType.WITH,
        TokenType.AND,
        TokenType.OR,
        TokenType.NOT,
        TokenType.IN,
        TokenType.IS,
        TokenType.EXISTS,
        TokenType.BETWEEN,
        TokenType.LIKE,
        TokenType.GLOB,
        TokenType.RLIKE,
        TokenType.MATCH,
        TokenType.ESCAPE,
        TokenType.CASE,
        TokenType.WHEN,
        TokenType.THEN,
        TokenType.ELSE,
        TokenType.OVER,
        TokenType.FILTER,
    }
)
"""Words that can stand before a bracket and call nothing."""
_BEFORE_NAMES = frozenset({TokenType.ALIAS, TokenType.R_PAREN})
"""What stands before types (`AS DECIMAL(9)`) and names of tables with their columns."""


_NO_KEYWORDS = frozenset(
    {TokenType.IDENTIFIER, TokenType.STRING, TokenType.NUMBER, TokenType.VAR}
    | {TokenType.L_PAREN, TokenType.R_PAREN, TokenType.COMMA, TokenType.DOT, TokenType.STAR}
)
_SPELLINGS = {"!=": "<>", "==": "="}


def keywords(tokens: Tokens) -> tuple[Keyword, ...]:
    """Return the keywords and operators in text order, those of two words as two."""
    found: list[Keyword] = []
    for token, kind, start in zip(tokens.tokens, tokens.kinds, tokens.starts, strict=True):
        if kind not in _NO_KEYWORDS:
            found.extend(
                Keyword(_SPELLINGS.get(word, word), start) for word in token.text.upper().split()
            )
    return tuple(found)


def calls(tokens: Tokens, places: Outline) -> tuple[Call, ...]:
    """Return the calls of functions in text order: names before a bracket.

    Read off the tokens because the tree renames some functions and makes operators of others.
    """
    with_end = places.with_words[1] if places.with_words else -1
    found = []
    for index in range(len(tokens) - 1):
        if tokens.kinds[index + 1] is not TokenType.L_PAREN:
            continue
        text = tokens.tokens[index].text
        before = tokens.kinds[index - 1] if index else None
        names_a_cte = index <= with_end and tokens.around[index] < 0
        is_name = text.isidentifier() and tokens.kinds[index] not in _NO_FUNCTIONS
        if is_name and before not in _BEFORE_NAMES and not names_a_cte:
            found.append(Call(text.upper(), tokens.piece(index, tokens.partner[index + 1])))
    return tuple(found)
