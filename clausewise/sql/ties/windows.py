"""Functions whose value hangs on the order of rows: window functions, and group_concat."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clausewise.sql.model import Call, Query, Select
from clausewise.sql.statements import with_prefix
from clausewise.sql.ties.grouping import NotEstablishedError, constant_in_groups
from clausewise.sql.ties.model import TieCheck
from clausewise.sql.ties.places import Places, bracketed, first_argument
from clausewise.types import Clause

_SAME_FOR_PEERS = frozenset({"RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST"})
_WHOLE_FRAME = frozenset({"AVG", "COUNT", "MAX", "MIN", "SUM", "TOTAL"})
_FRAME = re.compile(r"\b(?:ROWS|GROUPS|RANGE)\b", re.IGNORECASE)
_OVER = re.compile(r"\bOVER\b", re.IGNORECASE)
_FILTER = re.compile(r"\s*FILTER\b", re.IGNORECASE)

_ORDERED_AGGREGATES = frozenset({"GROUP_CONCAT", "STRING_AGG", "JSON_GROUP_ARRAY"})
_UNKNOWN_AGGREGATES = frozenset(
    {"ANY_VALUE", "ARBITRARY", "ARG_MAX", "ARG_MIN", "ARRAY_AGG", "FIRST", "JSON_GROUP_OBJECT"}
    | {"JSONB_GROUP_ARRAY", "JSONB_GROUP_OBJECT", "LAST", "LIST", "LISTAGG", "MAX_BY", "MIN_BY"}
    | {"MODE"}
)
_CHANGING = frozenset(
    {"CHANGES", "CURRVAL", "GEN_RANDOM_UUID", "GETDATE", "LAST_INSERT_ROWID", "NEXTVAL", "NOW"}
    | {"RAND", "RANDOM", "RANDOMBLOB", "SYSDATE", "TODAY", "TOTAL_CHANGES", "UUID"}
)
_CLOCK_WORDS = (
    "CURRENT_DATE",
    "CURRENT_TIME",
    "CURRENT_TIMESTAMP",
    "LOCALTIME",
    "LOCALTIMESTAMP",
)
_TIME_FUNCTIONS = frozenset({"DATE", "DATETIME", "JULIANDAY", "TIME", "UNIXEPOCH"})
_CLOCK_TEXTS = frozenset({"now", "today", "tomorrow", "yesterday"})
_OPEN_WORDS = re.compile(
    r"\bDISTINCT\s+ON\b|\b(?:FETCH|QUALIFY|SAMPLE|TABLESAMPLE)\b", re.IGNORECASE
)
"""What other dialects leave open, and is not looked at here."""
_CLOCK = re.compile(rf"\b(?:{'|'.join(_CLOCK_WORDS)})\b", re.IGNORECASE)


def changing_part(query: Query) -> str:
    """Return what gives another value each time it is run, or nothing."""
    is_sqlite = query.dialect.lower().startswith("sqlite")
    open_words = None if is_sqlite else _OPEN_WORDS.search(_without_quoted(query.text))
    if open_words is not None:
        return open_words[0]
    for call in query.calls:
        first, rest = first_argument(call.piece)
        is_clock = (call.function in _TIME_FUNCTIONS and not first.strip()) or (
            call.function in ("AGE", "STRFTIME") and not rest.strip()
        )
        if call.function in _CHANGING or is_clock:
            return call.piece.text
    for select in query.selects:
        for literal in select.literals:
            text = literal.value.strip().casefold() if isinstance(literal.value, str) else ""
            if text == "now" or (text in _CLOCK_TEXTS and not is_sqlite):
                return literal.piece.text
        for use in select.columns:
            if use.column is None and use.table is not None:
                return use.piece.text
    found = next((word.word for word in query.keywords if word.word in _CLOCK_WORDS), "")
    return found or next((m[0] for m in _CLOCK.finditer(_without_quoted(query.text))), "")


def ordered_calls(places: Places, select: Select) -> Iterator[TieCheck]:
    """Yield what must hold so that functions of ordered rows give one value each.

    Raises NotEstablishedError.
    """
    windows = list(_windows(places, select))
    over = {call.piece.start for call, _ in windows}
    for call, body in windows:
        whole = call.function in _WHOLE_FRAME and not _FRAME.search(body)
        if call.function not in _SAME_FOR_PEERS and not whole:
            yield _window_check(places, select, call, body)
    for call in places.query.calls_in(select.piece):
        if call.piece.start in over or places.innermost(call.piece.start) is not select:
            continue
        if call.function in _UNKNOWN_AGGREGATES:
            raise NotEstablishedError(f"{call.function} takes rows in no certain order")
        if call.function in _ORDERED_AGGREGATES:
            yield _concatenation_check(places, select, call)


def _windows(places: Places, select: Select) -> Iterator[tuple[Call, str]]:
    """Yield the window functions of a SELECT with what stands in the brackets of OVER."""
    query = places.query
    for word in query.keywords:
        if word.word != "OVER" or places.innermost(word.start) is not select:
            continue
        extent = bracketed(query.text, word.start + len("OVER"))
        before = [call for call in query.calls if call.piece.end <= word.start]
        call = max(before, key=lambda call: call.piece.end, default=None)
        if extent is None or call is None:
            raise NotEstablishedError("a named window")
        if query.text[call.piece.end : word.start].strip():
            raise NotEstablishedError("a window function with a filter")
        yield call, query.text[slice(*extent)]


def _window_check(places: Places, select: Select, call: Call, body: str) -> TieCheck:
    """Return the check that no two rows tie: row_number() and rank() agree on all."""
    if select.correlated:
        raise NotEstablishedError("a window function in a correlated sub-query")
    query, shown = places.query, select.clause(Clause.SELECT)
    clauses = [c for c in select.clauses if c.kind not in (Clause.ORDER_BY, Clause.LIMIT)]
    if shown is None:
        raise NotEstablishedError("a window function outside SELECT")
    rest = query.text[shown.end : max(clause.end for clause in clauses)]
    inner = (
        f"{query.text[select.piece.start : shown.end]}\n, row_number() OVER ({body}\n) AS _n, "
        f"rank() OVER ({body}\n) AS _r {rest}\n"
    )
    statement = f"{with_prefix(query)}SELECT 1 FROM ({inner}) WHERE _n <> _r\n"
    return TieCheck(f"{call.function} over rows that tie", statement)


def _concatenation_check(places: Places, select: Select, call: Call) -> TieCheck:
    first, rest = first_argument(call.piece)
    start = call.piece.end - 1 - len(rest)
    is_constant = not any(start <= use.piece.start < call.piece.end for use in select.columns)
    if (
        select.correlated
        or not is_constant
        or re.search(r"\bORDER\s+BY\b", call.piece.text, re.IGNORECASE)
    ):
        raise NotEstablishedError(f"the order of rows in {call.function}")
    value = re.sub(r"^\s*DISTINCT\b", "", first, flags=re.IGNORECASE)
    return constant_in_groups(places, select, [value], f"the order of rows in {call.function}")


def _without_quoted(text: str) -> str:
    return re.sub(
        r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/""", "", text, flags=re.DOTALL
    )
