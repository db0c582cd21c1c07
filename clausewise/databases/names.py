"""Names in SQL text."""

from __future__ import annotations


def quote_name(name: str) -> str:
    """Return a table's or column's name quoted for SQL, whatever is in it.

    >>> quote_name('order "by" me')
    '"order ""by"" me"'
    """
    return '"' + name.replace('"', '""') + '"'
