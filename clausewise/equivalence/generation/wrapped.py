"""Comparisons inside functions and arithmetic: values to try, and the database as their judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

from clausewise.databases import Cell, Table
from clausewise.databases.instances import Instance, InstanceTable, MemoryInstances
from clausewise.equivalence.generation.kinds import plain_text
from clausewise.equivalence.generation.links import Condition
from clausewise.equivalence.generation.literals import odd_values, values_around
from clausewise.errors import (
    DatabaseError,
    QueryDenied,
    QueryFailed,
    QueryTimeout,
    QueryTooLarge,
)
from clausewise.sql import Comparison
from clausewise.text import quote_name

_FAILURES = (DatabaseError, QueryDenied, QueryFailed, QueryTimeout, QueryTooLarge)
_DATE_FUNCTIONS = frozenset(
    {"STRFTIME", "DATE", "DATETIME", "JULIANDAY", "YEAR", "MONTH", "DAY", "EXTRACT", "DATE_PART"}
)
_SUBSTRINGS = frozenset({"SUBSTR", "SUBSTRING", "LEFT", "INSTR"})
_CASES = frozenset({"LOWER", "UPPER", "TRIM", "LTRIM", "RTRIM"})
_LONGEST = 60
_FILLER = "Lorem ipsum dolor sit amet"
_PLAIN = (int, float, str)


def values_behind(condition: Condition, constant: Cell) -> Iterator[Cell]:
    """Yield values of a column on both sides of a comparison that it is wrapped in.

    They are guesses by the functions that are called: which of them meet the comparison is for
    the database to say, see `judged`.
    """
    if constant is None or isinstance(constant, bytes):
        return
    operator = condition.comparison.operator
    functions = frozenset(condition.functions)
    near = [value for value in values_around(operator, constant) if isinstance(value, _PLAIN)]
    for value in near:
        if functions & _DATE_FUNCTIONS:
            yield from _dates(plain_text(value), condition.others)
        if functions & _SUBSTRINGS:
            yield from _containing(plain_text(value), condition.others)
        if "LENGTH" in functions and isinstance(value, int) and 0 < value <= _LONGEST:
            yield (_FILLER * 3)[:value]
    if functions & _CASES:
        yield from odd_values(operator, constant)
    yield from near
    if isinstance(constant, int | float):
        yield from _calculated(constant, condition.others)
        if "ABS" in functions:
            yield from (-value for value in near if isinstance(value, int | float))


def _calculated(constant: float, others: Sequence[Cell]) -> Iterator[Cell]:
    """Yield what a number may be before it is calculated with and compared with a constant."""
    for number in others:
        if isinstance(number, int | float):
            results = [constant - number, constant + number, constant * number, number - constant]
            if number:
                results.append(constant / number)
            for result in results:
                yield from values_around("=", result)


def judged(
    comparison: Comparison, table: Table, column: str, values: Sequence[Cell]
) -> list[bool | None]:
    """Return for each value of a column whether SQLite says that it meets a comparison.

    Every element is None where the comparison cannot be run by itself.
    """
    place = [known.name for known in table.columns].index(column)
    width = len(table.columns)
    rows = tuple(
        tuple(value if number == place else None for number in range(width)) for value in values
    )
    names = tuple(known.name for known in table.columns)
    alias = comparison.column.qualifier or table.name
    query = (
        f"SELECT ({comparison.clause.text}) FROM {quote_name(table.name)} AS {quote_name(alias)}"
    )
    try:
        with closing(MemoryInstances([table])) as memory:
            memory.fill(Instance((InstanceTable(table.name, names, rows),)))
            found = memory.run(query).rows
    except _FAILURES:
        return [None] * len(values)
    if len(found) != len(values):
        return [None] * len(values)
    return [bool(cell) for (cell,) in found]


def _dates(text: str, formats: Sequence[Cell]) -> Iterator[str]:
    """Yield dates of which a part reads as the text."""
    asked = [value for value in formats if isinstance(value, str) and "%" in value]
    padded = text.zfill(2)
    if len(text) == 10:
        yield text
        yield f"{text} 10:30:00"
    elif any("%m" in form or "%M" in form for form in asked) and len(text) <= 2:
        yield f"2019-{padded}-15"
        yield f"2020-{padded}-01"
    elif any("%d" in form for form in asked) and len(text) <= 2:
        yield f"2019-05-{padded}"
    elif len(text) == 7:
        yield f"{text}-15"
        yield f"{text}-01"
    elif len(text) == 4 and text.isdecimal():
        yield f"{text}-06-15"
        yield f"{text}-12-31"
        yield f"{text}-01-01"
    elif text.isdecimal() and len(text) <= 3:
        # An age, perhaps: a date so many years before about now.
        yield f"{2020 - int(text)}-06-15"
        yield f"{2030 - int(text)}-06-15"
        yield f"{2000 - int(text)}-06-15"


def _containing(text: str, positions: Sequence[Cell]) -> Iterator[str]:
    """Yield texts that hold the text at a position; dates where it may be a part of one."""
    starts = [value for value in positions if isinstance(value, int) and 1 <= value <= _LONGEST]
    start = starts[0] if starts else 1
    if text.isdecimal() and len(text) == 4 and start == 1:
        yield f"{text}-06-15"
    if text.isdecimal() and len(text) == 2 and start in (6, 9):
        yield f"2019-{text}-15" if start == 6 else f"2019-05-{text}"
    if start == 1:
        yield f"{text}rest"
        yield f"{text} 1"
    else:
        before = (_FILLER * 3)[: start - 1]
        yield before + text
        yield f"{before}{text}x"
