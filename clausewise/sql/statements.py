"""Text helpers for statements that are put together from pieces of a query."""

from __future__ import annotations

from clausewise.sql.model import Piece, Query, Select
from clausewise.types import Clause, ClauseSpan


def with_prefix(query: Query) -> str:
    """Return the query's WITH clause and a line break, or nothing where it has none."""
    return f"{query.with_clause.text}\n" if query.with_clause is not None else ""


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
