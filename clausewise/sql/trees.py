"""From tokens to sqlglot's syntax tree; what sqlglot says of broken SQL in plain words."""

from __future__ import annotations

import logging
import re
from itertools import pairwise

from sqlglot import Token, TokenType, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError as SqlglotParseError
from sqlglot.parser import Parser

from clausewise.errors import ParseError
from clausewise.sql.tokens import JOIN_MODIFIERS, Tokens
from clausewise.text import shortened

# sqlglot warns of pieces of the queries, which would come unasked to standard error.
logging.getLogger("sqlglot").addHandler(logging.NullHandler())

_OBJECT = re.compile(r"\s*<.*", re.DOTALL)
"""sqlglot puts tokens and classes into its messages as Python shows them, up to their end."""
_BUT_GOT = " but got "
_LONGEST_MESSAGE = 200
_MOST_ODD_ALIASES = 5
_JOIN_ENDS = frozenset(
    {
        TokenType.JOIN,
        TokenType.COMMA,
        TokenType.WHERE,
        TokenType.GROUP_BY,
        TokenType.HAVING,
        TokenType.ORDER_BY,
        TokenType.LIMIT,
        TokenType.UNION,
        TokenType.INTERSECT,
        TokenType.EXCEPT,
        TokenType.R_PAREN,
    }
)


def tree_of(tokens: Tokens, grammar: Dialect) -> exp.Expr:
    """Return the syntax tree of a query.

    Raises ParseError, with the place, where sqlglot cannot read the tokens or makes anything but
    a query of them; RecursionError where they are nested too deeply.
    """
    _check_aliases(tokens)
    parser = grammar.parser()
    try:
        trees = parser.parse(_for_parser(tokens), tokens.text)
    except SqlglotParseError as error:
        raise _parse_error(error, tokens) from None
    except RecursionError:
        raise
    except Exception:
        # Some broken SQL makes sqlglot itself fail: `a ->` without a right side, a TypeError.
        raise tokens.error("broken near here", _reached(parser, tokens)) from None
    tree = trees[0] if trees else None
    if not isinstance(tree, (exp.Select, exp.SetOperation, exp.Subquery)):
        raise tokens.error("no query that sqlglot can read", 0)
    return tree


def _check_aliases(tokens: Tokens) -> None:
    """Raise ParseError for joins without a name after AS: sqlglot's time doubles with each.

    `b AS left` is a name in SQLite, so a few of these are left to sqlglot.
    """
    odd = 0
    for index, (kind, following) in enumerate(pairwise(tokens.kinds)):
        if kind is TokenType.ALIAS and (following is TokenType.JOIN or following in JOIN_MODIFIERS):
            odd += 1
            if following is TokenType.JOIN or odd > _MOST_ODD_ALIASES:
                word = tokens.piece(index, index).text
                raise tokens.error(f"something is missing after {word!r}", index)


def _reached(parser: Parser, tokens: Tokens) -> int:
    """Return the last token that sqlglot took, the first one where that is not known."""
    previous = getattr(parser, "_prev", None)
    return tokens.at.get(getattr(previous, "start", -1), 0)


def _parse_error(error: SqlglotParseError, tokens: Tokens) -> ParseError:
    """Say where sqlglot stopped: it gives the line and the column of a token's last character."""
    details = error.errors[0] if error.errors else {}
    message = _in_plain_words(str(details.get("description") or error), details.get("highlight"))
    place = details.get("line"), details.get("col")
    for index, token in enumerate(tokens.tokens):
        if (token.line, token.col) == place:
            return tokens.error(message, index)
    return ParseError(message, tokens.starts[0], tokens.ends[-1])


def _in_plain_words(message: str, highlight: object) -> str:
    """Return sqlglot's message without Python objects in it, on one line."""
    word = repr(shortened(str(highlight), 40))
    at_the_end = f"{_BUT_GOT}<Token token_type: TokenType.SENTINEL" in message
    if at_the_end or message.startswith("Required keyword"):
        return f"something is missing after {word}"
    if _BUT_GOT in message:
        return f"{message.partition(_BUT_GOT)[0]}, not {word}"
    return shortened(_OBJECT.sub("", message), _LONGEST_MESSAGE)


def _for_parser(tokens: Tokens) -> list[Token]:
    """Return the tokens as sqlglot should see them: joins without a condition as CROSS JOIN.

    For `a JOIN b JOIN c ...` without ON its parser tries every nesting, twice as many with each
    table (half a second at sixteen); CROSS JOIN is read in one go and means the same here.
    """
    joins = [index for index, kind in enumerate(tokens.kinds) if kind is TokenType.JOIN]
    bare = {index for index in joins if not _has_condition(tokens, index)}
    if not bare:
        return tokens.tokens
    result: list[Token] = []
    for index, token in enumerate(tokens.tokens):
        if index in bare:
            before = tokens.kinds[index - 1] if index else TokenType.JOIN
            if before in (TokenType.INNER, TokenType.OUTER):
                result.pop()
            if before not in (TokenType.CROSS, TokenType.NATURAL):
                result.append(
                    Token(TokenType.CROSS, "CROSS", token.line, token.col, token.start, token.start)
                )
        result.append(token)
    return result


def _has_condition(tokens: Tokens, join: int) -> bool:
    index = join + 1
    while index < len(tokens):
        kind = tokens.kinds[index]
        if kind in (TokenType.ON, TokenType.USING):
            return True
        if kind in _JOIN_ENDS:
            return False
        index = tokens.after(index)
    return False
