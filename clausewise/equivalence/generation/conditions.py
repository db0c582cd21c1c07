"""Whether values meet a comparison with constants, as SQLite would say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from clausewise.databases import Cell
from clausewise.equivalence.generation.kinds import stored_value
from clausewise.sql import Comparison


def meets(comparison: Comparison, values: Iterable[Cell], declared_type: str) -> list[bool | None]:
    """Return for each value whether it meets a comparison; None where that cannot be said.

    A comparison inside a function or arithmetic is not judged, nor is one of two kinds of values.
    """
    if comparison.wrapped or comparison.column.in_aggregate:
        return [None for _ in values]
    constants = [stored_value(literal.value, declared_type) for literal in comparison.literals]
    return [_meets(comparison, value, constants) for value in values]


def _meets(comparison: Comparison, value: Cell, constants: list[Cell]) -> bool | None:
    if value is None and comparison.operator != "IS":
        return False
    found = _plain(comparison.operator, value, constants)
    return None if found is None else found != comparison.negated


def _plain(operator: str, value: Cell, constants: list[Cell]) -> bool | None:
    if operator == "IS" and constants == [None]:
        return value is None
    if value is None:
        return False
    if operator in ("LIKE", "GLOB"):
        pattern = constants[0]
        is_text = isinstance(pattern, str)
        return bool(_pattern(operator, str(pattern)).fullmatch(str(value))) if is_text else None
    signs = [_order(value, constant) for constant in constants]
    known = [sign for sign in signs if sign is not None]
    return _SIGNS[operator](known) if len(known) == len(signs) else None


_SIGNS: dict[str, Callable[[list[int]], bool]] = {
    "=": lambda signs: 0 in signs,
    "IN": lambda signs: 0 in signs,
    "IS": lambda signs: 0 in signs,
    "<>": lambda signs: signs[0] != 0,
    "<": lambda signs: signs[0] < 0,
    "<=": lambda signs: signs[0] <= 0,
    ">": lambda signs: signs[0] > 0,
    ">=": lambda signs: signs[0] >= 0,
    "BETWEEN": lambda signs: signs[0] >= 0 >= signs[-1],
}


def _order(value: Cell, other: Cell) -> int | None:
    """Return the sign of their difference; None for NULL and for two kinds of values."""
    if isinstance(value, str) and isinstance(other, str):
        return (value > other) - (value < other)
    if isinstance(value, int | float) and isinstance(other, int | float):
        return (value > other) - (value < other)
    return None


@lru_cache(maxsize=1_000)
def _pattern(operator: str, pattern: str) -> re.Pattern[str]:
    any_text, any_letter = ("*", "?") if operator == "GLOB" else ("%", "_")
    parts = [
        ".*" if letter == any_text else "." if letter == any_letter else re.escape(letter)
        for letter in pattern
    ]
    flags = re.DOTALL if operator == "GLOB" else re.DOTALL | re.IGNORECASE
    return re.compile("".join(parts), flags)
