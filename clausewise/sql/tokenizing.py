"""From text to the tokens of one statement; what is no token is an error with its place."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from sqlglot import Token, TokenType
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import TokenError

from clausewise.errors import ParseError
from clausewise.sql.tokens import MAX_CHARACTERS, Tokens

_SPLIT_KEYWORDS = {"group": TokenType.GROUP_BY, "order": TokenType.ORDER_BY}
_QUOTED_OR_COMMENT = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|/\*.*?\*/""", re.DOTALL
)
_UNCLOSED = re.compile(r"""['"`\[]|/\*""")
_BROKEN_BLOB = re.compile(r"\b[xX]'(?!(?:[0-9a-fA-F]{2})*')[^']*'")
_NUMBER = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SHORT = 18
_HEX = ("0x", "0X")
_HEX_DIGITS = 16
"""Most digits of a 64-bit number in hexadecimal."""


def tokenize(text: str, dialect: Dialect) -> Tokens:
    """Cut `text` into the tokens of one statement, trailing semicolons dropped.

    Raises ParseError for blank or over-long text, NUL characters, unclosed quotes or comments,
    numbers that are broken off or that floating point cannot hold, PostgreSQL's names with
    escapes, and for more than one statement.
    """
    if len(text) > MAX_CHARACTERS:
        message = f"{len(text)} characters of SQL, more than the {MAX_CHARACTERS} that are read"
        raise ParseError(message, MAX_CHARACTERS, len(text))
    if "\0" in text:
        place = text.index("\0")
        raise ParseError("a NUL character in the SQL", place, place + 1)
    try:
        found = dialect.tokenize(text)
    except TokenError:
        raise _token_error(text) from None
    while found and found[-1].token_type is TokenType.SEMICOLON:
        found.pop()
    if not found:
        raise ParseError("there is no statement in the SQL", 0, len(text))
    _refuse_several(found)
    name = type(dialect).__name__.lower()
    if '&"' in text and name == "postgres":
        _refuse_escaped_names(found)
    _check_numbers(found, text)
    has_comments = "--" in text or "/*" in text
    return Tokens(text, _join_keywords(found) if has_comments else found, name)


def _token_error(text: str) -> ParseError:
    """Point at the quote or comment that runs to the end, or at the blob that is none."""
    rest = _QUOTED_OR_COMMENT.sub(lambda match: " " * len(match[0]), text)
    opening = _UNCLOSED.search(rest)
    if opening:
        start = opening.start()
        return ParseError(f"{text[start : start + 2]!r} is never closed", start, len(text))
    blob = _BROKEN_BLOB.search(text)
    if blob:
        return ParseError("a blob that is not hexadecimal", *blob.span())
    return ParseError("text that cannot be cut into words and marks", 0, len(text))


def _check_numbers(tokens: Iterable[Token], text: str) -> None:
    """Raise ParseError for what begins as a number and is none, or none that can be held."""
    for token in tokens:
        if token.token_type is TokenType.NUMBER:
            problem = _problem_of_number(token.text, text[token.start - 1 : token.start] == ".")
        elif token.token_type is TokenType.HEX_STRING and text.startswith(_HEX, token.start):
            too_long = len(token.text.lstrip("0")) > _HEX_DIGITS
            problem = "a hexadecimal number of more than 64 bits" if too_long else None
        else:
            continue
        if problem:
            raise ParseError(problem, token.start, token.end + 1)


def _problem_of_number(written: str, after_dot: bool) -> str | None:
    if written.isdecimal() and len(written) <= _SHORT:
        return None
    if not _NUMBER.fullmatch(written) or (after_dot and "." in written):
        return "a number that is broken off"
    return "a number beyond the range of floating point" if math.isinf(float(written)) else None


def _refuse_escaped_names(tokens: list[Token]) -> None:
    """Raise ParseError for a name as `U&"d\\0061t"`, which would be read as three words."""
    for before, mark, name in zip(tokens, tokens[1:], tokens[2:], strict=False):
        is_escaped = before.text in ("U", "u") and mark.token_type is TokenType.AMP
        if is_escaped and before.end + 2 == mark.end + 1 == name.start:
            raise ParseError("a name written with escapes", before.start, name.end + 1)


def _refuse_several(tokens: list[Token]) -> None:
    kinds = [token.token_type for token in tokens]
    if TokenType.SEMICOLON not in kinds:
        return
    pairs = zip(kinds, [*kinds[1:], TokenType.SEMICOLON], strict=True)
    count = sum(kind is not TokenType.SEMICOLON is following for kind, following in pairs)
    first = kinds.index(TokenType.SEMICOLON)
    message = f"{count} statements where one is expected" if count > 1 else "a stray semicolon"
    raise ParseError(message, tokens[first].start, tokens[-1].end + 1)


def _join_keywords(tokens: list[Token]) -> list[Token]:
    """Repair GROUP BY and ORDER BY that a comment cuts in two: sqlglot reads them as two names."""
    joined: list[Token] = []
    for token in tokens:
        last = joined[-1] if joined else None
        if last and token.token_type is TokenType.VAR and token.text.lower() == "by":
            kind = _SPLIT_KEYWORDS.get(last.text.lower())
            if kind and last.token_type is TokenType.VAR:
                joined[-1] = Token(
                    kind, f"{last.text} BY", token.line, token.col, last.start, token.end
                )
                continue
        joined.append(token)
    return joined
