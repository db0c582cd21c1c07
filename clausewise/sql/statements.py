"""Text helpers for statements that are put together from pieces of a query."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from clausewise.sql.model import Piece, Query, Select
from clausewise.types import Clause, ClauseSpan

_QUOTED = r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]"""
_UNCLOSED = r"""['"`\[].*|/\*.*"""
_BLANK = r"(?:[ \t\n\f\r]|--[^\n]*|/\*.*?\*/)+"
_QUOTED_OR_BLANK = re.compile(rf"({_QUOTED})|{_BLANK}|({_UNCLOSED})", re.DOTALL)
_WORD_OR_MARK = re.compile(r"\w+|[^\w\s]")


def with_prefix(query: Query) -> str:
    """Return the query's WITH clause and a line break, or nothing where it has none."""
    return f"{query.with_clause.text}\n" if query.with_clause is not None else ""


def replaced(place: ClauseSpan, changes: Iterable[tuple[Piece, str]]) -> str:
    """Return a stretch of the query with other text in the place of pieces inside it.

    >>> from clausewise.sql import parse
    >>> (part,) = parse("SELECT a FROM t WHERE not a > '5'").root.comparisons
    >>> replaced(part.clause, [(part.literals[0].piece, "5"), (part.column.piece, "t.a")])
    'not t.a > 5'
    """
    text = place.text
    for piece, new in sorted(changes, key=lambda change: change[0].start, reverse=True):
        text = text[: piece.start - place.start] + new + text[piece.end - place.start :]
    return text


def from_text(query: Query, select: Select) -> str:
    """Return the text of a SELECT's FROM with all its joins, or nothing where it has none."""
    parts = [clause for clause in select.clauses if clause.kind in (Clause.FROM, Clause.JOIN)]
    if not parts:
        return ""
    return query.text[parts[0].start : max(part.end for part in parts)]


def count_from(source: Piece | str, condition: Piece | ClauseSpan | str | None = None) -> str:
    """Return a statement that counts the rows of a source that meet a condition.

    Line breaks stand around the pieces, so that a comment at the end of one hides nothing.

    >>> count_from("orders AS o", "o.total > 5")
    'SELECT COUNT(*) FROM orders AS o\\nWHERE o.total > 5\\n'
    """
    table = source if isinstance(source, str) else source.text
    if condition is None:
        return f"SELECT COUNT(*) FROM {table}\n"
    text = condition if isinstance(condition, str) else condition.text
    return f"SELECT COUNT(*) FROM {table}\nWHERE {text}\n"


def same_statement(text: str) -> str:
    """Return a statement's text without extra white space, comments and semicolons at its ends.

    What stands in quotes stays, and what follows a quote or comment that is never closed. White
    space is what SQLite takes for it: a no-break space is part of a name. Works on broken text,
    too. Statements whose texts are equal so are the same.

    >>> same_statement("SELECT  'a  b' -- two\\n;")
    "SELECT 'a  b'"
    """
    return _QUOTED_OR_BLANK.sub(lambda found: found[1] or found[2] or " ", text).strip(" ;")


def find_fragment(text: str, fragment: str) -> tuple[int, int] | None:
    """Return the offsets of a fragment in a query's text, None where it does not stand there.

    White space may differ, and case where the fragment does not stand there in its own. Words are
    whole words.
    """
    words = _WORD_OR_MARK.findall(fragment.strip("`; \t\r\n"))
    if not words or sum(map(len, words)) > len(text):
        return None
    pattern = re.escape(words[0])
    for before, word in pairwise(words):
        apart = r"\s+" if before[-1].isalnum() and word[0].isalnum() else r"\s*"
        pattern += apart + re.escape(word)
    pattern = r"(?<!\w)" * _is_word(words[0][0]) + pattern + r"(?!\w)" * _is_word(words[-1][-1])
    found = re.search(pattern, text) or re.search(pattern, text, re.IGNORECASE)
    return None if found is None else found.span()


def _is_word(character: str) -> bool:
    return character == "_" or character.isalnum()
