"""The SQL in a language model's reply: out of a Markdown fence, behind a label, after prose.

Only text is looked at, nothing is parsed. What surrounds the SQL is replaced with blanks, so that
every offset into the bare text is one into the reply.
"""

from __future__ import annotations

import re

_BEGINS_AS_SQL = re.compile(r"\s*(?:--|/\*|(?:\(\s*)*(?:SELECT|WITH|VALUES)\b)", re.IGNORECASE)
_BEGINS_AS_QUERY = re.compile(r"\s*(?:\(\s*)*(?:SELECT|WITH|VALUES)\b", re.IGNORECASE)
_THOUGHT = re.compile(r"\s*<think>.*?</think>", re.IGNORECASE | re.DOTALL)
_FENCE = re.compile(r"(?<![^\s:*])(?:```|~~~)")
_LANGUAGE = re.compile(
    r"[ \t]*(?:sqlite3?|sql|postgres(?:ql)?|mysql|duckdb|tsql|plsql)\b"
    r"|[ \t]*[\w+-]*[ \t]*(?=\r?\n)",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^[ \t>*#_-]*(?:(?:the|final|predicted|generated|corrected)[ \t]+)*"
    r"(?:sqlite|sql)?[ \t]*(?:query|answer|statement|code|output|response|sqlite|sql)"
    r"[ \t*_]*[:=][ \t*_]*",
    re.IGNORECASE | re.MULTILINE,
)
_NEXT_LABEL = re.compile(
    r"^[ \t>*#_-]*(?:SQL ?Result|Result|Answer|Explanation|Note|Question|Reasoning)[ \t*_]*:",
    re.IGNORECASE | re.MULTILINE,
)


def bare_sql(text: str) -> str | None:
    """Return the text with all that surrounds its SQL replaced with blanks, None for bare SQL.

    Taken for what surrounds it are a Markdown fence, closed or not, with what stands before and
    behind it; labels such as ``SQL:`` or ``SQLQuery:``; a thought in ``<think>`` tags. Where
    there are several fences with a query, or none of these is found, the result is None. The
    length is that of the text, and line breaks stay.

    >>> bare_sql("```sql" + chr(10) + "SELECT 1" + chr(10) + "```").strip()
    'SELECT 1'
    >>> bare_sql("SQL: SELECT 1")
    '     SELECT 1'
    >>> bare_sql("SELECT 1") is None
    True
    """
    if _BEGINS_AS_SQL.match(text) and "```" not in text and "~~~" not in text:
        return None
    extent = _extent(text)
    if extent is None:
        return None
    start, end = extent
    return _blank(text[:start]) + text[start:end] + _blank(text[end:])


def bare_statement(text: str) -> str:
    """Return the SQL in the text alone; the text itself where nothing surrounds it."""
    bare = bare_sql(text)
    return text if bare is None else bare.strip()


def _extent(text: str) -> tuple[int, int] | None:
    """Return start and end of the SQL in the text, None where it is not plain which it is."""
    start, end = 0, len(text)
    thought = _THOUGHT.match(text)
    if thought:
        start = thought.end()
    is_sql = _BEGINS_AS_SQL.match(text, start) is not None
    if is_sql and not _BEGINS_AS_QUERY.match(text, start):
        return None  # a comment may hold anything
    fence = _first_fence(text, start, is_sql)
    if fence is not None:
        blocks = _blocks(text, start)
        queries = [block for block in blocks if _query_start(text, *block) is not None]
        if len(queries) == 1:
            start, end = queries[0]
        elif is_sql and not queries:
            end = fence  # the reply goes on behind a fence that the prompt opened
        else:
            return None
    query_start = _query_start(text, start, end)
    if query_start is None:
        return None
    if query_start > start:
        label = _NEXT_LABEL.search(text, query_start, end)
        end = label.start() if label else end
    stripped = text[query_start:end].strip()
    offset = text.index(stripped, query_start)
    if not stripped or (offset, offset + len(stripped)) == (0, len(text)):
        return None
    return offset, offset + len(stripped)


def _first_fence(text: str, start: int, is_sql: bool) -> int | None:
    quotes = 0
    for found in _FENCE.finditer(text, start):
        quotes += text.count("'", start, found.start())
        start = found.start()
        # In a query that begins as one, three backticks within a literal are no fence.
        if not is_sql or quotes % 2 == 0:
            return start
    return None


def _blocks(text: str, start: int) -> list[tuple[int, int]]:
    """Return start and end of what stands in each fence; an unclosed one ends with the text."""
    blocks = []
    at = start
    while opened := _FENCE.search(text, at):
        begin = opened.end()
        language = _LANGUAGE.match(text, begin)
        begin = language.end() if language else begin
        closing = text.find(opened.group(), begin)
        end = len(text) if closing < 0 else closing
        blocks.append((begin, end))
        at = end + len(opened.group())
    return blocks


def _query_start(text: str, start: int, end: int) -> int | None:
    """Return where the SQL begins in a stretch of text: at once, or behind a label."""
    if _BEGINS_AS_SQL.match(text, start, end):
        return start
    for label in _LABEL.finditer(text, start, end):
        if _BEGINS_AS_QUERY.match(text, label.end(), end):
            return label.end()
    return None


def _blank(text: str) -> str:
    return re.sub(r"[^\n\r]", " ", text)
