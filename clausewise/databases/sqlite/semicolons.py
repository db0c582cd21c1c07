"""The end of a statement, where models write semicolons that Python's sqlite3 does not take."""

from __future__ import annotations

import re

_PART = re.compile(
    r"""(?P<blank>[\s;]+|--[^\n]*|/\*.*?(?:\*/|\Z))"""
    r"""|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[^\s;'"`\[/-]+|.""",
    re.DOTALL,
)


def without_semicolons(sql: str) -> str:
    """Return the statement without the semicolons behind it, where there are several.

    sqlite3 takes what follows the first semicolon for a second statement, be it another
    semicolon. With the last ones go white space and comments between and behind them.

    >>> without_semicolons("SELECT ';' ; -- all" + chr(10) + ";")
    "SELECT ';'"
    """
    if sql.count(";") < 2:
        return sql
    parts = _PART.finditer(sql)
    return sql[: max((part.end() for part in parts if part.lastgroup is None), default=0)]
