"""The values around a constant that a query compares a column with."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.databases import Cell
from clausewise.databases.affinity import reads_as_number
from clausewise.equivalence.generation.kinds import neighbors_of_date, plain_text

_ANY_TEXT = ("", "xy")
_NO_MATCH = "qq"


def values_around(operator: str, value: Cell) -> Iterator[Cell]:
    """Yield values that a comparison with a constant tells apart, the likeliest ones first.

    Equal, just below, just above; for a pattern, texts that match it and texts that do not.
    """
    if value is None or isinstance(value, bytes):
        return
    if isinstance(value, str) and operator in ("LIKE", "GLOB"):
        yield from _of_pattern(value, *(("*", "?") if operator == "GLOB" else ("%", "_")))
    elif isinstance(value, str):
        yield value
        yield from neighbors_of_date(value)
        if reads_as_number(value):
            yield from (plain_text(near) for near in _near(float(value)))
        elif operator not in ("=", "IN", "<>", "IS"):
            yield value + "a"
            yield value[:-1]
    else:
        yield value
        yield from _near(value)


def odd_values(operator: str, value: Cell) -> Iterator[str]:
    """Yield texts that differ from a constant in case or in blanks around it."""
    if isinstance(value, str) and value.strip() and operator not in ("LIKE", "GLOB"):
        for text in (value.lower(), value.upper(), value.capitalize(), f"{value} ", f" {value}"):
            if text != value:
                yield text


def _near(value: float) -> Iterator[int | float]:
    step = 1
    yield value - step
    yield value + step
    if isinstance(value, float) and not value.is_integer():
        yield round(value - 0.1, 6)
        yield round(value + 0.1, 6)


def _of_pattern(pattern: str, any_text: str, any_letter: str) -> Iterator[str]:
    """Yield texts that a LIKE or GLOB pattern matches, then some that it nearly matches."""
    for filler in _ANY_TEXT:
        yield pattern.replace(any_letter, "a").replace(any_text, filler)
    bare = pattern.replace(any_letter, "").replace(any_text, "")
    if bare:
        yield f"x{bare}"
        yield f"{bare}x"
        yield bare
        yield bare[::-1] if bare[::-1] != bare else _NO_MATCH
        yield bare.swapcase()
