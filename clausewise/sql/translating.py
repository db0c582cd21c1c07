"""A query in the words of another dialect."""

from __future__ import annotations

from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

from clausewise.errors import InputError, ParseError


def translated(text: str, source: str, target: str) -> str:
    """Return one query, written in a dialect, in the words of another.

    sqlglot rewrites what it knows to differ: quotes, functions, casts. What the query gives may
    still differ where the dialects do, and comments and layout are lost.

    Parameters
    ----------
    text : one query.
    source, target : dialects by sqlglot's names.

    Raises
    ------
    ParseError
        Where the text is no single query of the dialect.
    InputError
        For a dialect that sqlglot does not know.

    Examples
    --------
    >>> translated("SELECT IIF([a b] > 1, 'x', 'y') FROM t", "sqlite", "mysql")
    "SELECT IF(`a b` > 1, 'x', 'y') FROM t"
    """
    try:
        grammars = Dialect.get_or_raise(source), Dialect.get_or_raise(target)
    except ValueError as error:
        raise InputError(str(error), field="dialect") from None
    try:
        trees = [tree for tree in grammars[0].parse(text) if tree is not None]
    except (SqlglotError, RecursionError) as error:
        raise ParseError(str(error).strip().split("\n", 1)[0]) from None
    if len(trees) != 1:
        raise ParseError("not exactly one statement")
    return str(trees[0].sql(grammars[1], comments=False))
