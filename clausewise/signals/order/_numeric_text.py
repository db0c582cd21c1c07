"""Texts that stand for numbers, times or dates, and the order in which people would put them."""

from __future__ import annotations

import re
from collections.abc import Sequence

MOST = 0.9
"""Share of values in [0, 1] that must read alike for a column to count as such."""
_NUMBER = re.compile(
    r"\s*[$€£]?\s*(?P<number>[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?)\s*(?P<unit>%|[^\W\d_]{0,10})\s*"
)
_CLOCK = re.compile(r"\s*(\d+):(\d{1,2})(?::(\d{1,2}))?(\.\d+)?\s*")
_DATE = re.compile(
    r"\s*\d{1,2}[/.-]\d{1,2}[/.-](\d{4})\b.*"
    r"|\s*[^\W\d_]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? (\d{4})\s*"
    r"|\s*\d{1,2}(?:st|nd|rd|th)? [^\W\d_]{3,9}\.?,? (\d{4})\s*"
)
_MOST_UNITS = 2


def reading(values: Sequence[str]) -> tuple[str, list[float | None]] | None:
    """Return what texts stand for (`number`, `time`, `date`) and the size of each.

    The size is None for the few that do not read like the others; dates count by their year.
    None where fewer than `MOST` of the values read alike. Dates that begin with the year are not
    among them: as texts, too, they stand in their order.
    """
    if not values:
        return None
    for kind, read in (("number", _number), ("time", _clock), ("date", _year)):
        sizes = [read(value) for value in values]
        if sum(size is not None for size in sizes) >= MOST * len(values):
            if kind == "number" and not _few_units(values):
                return None
            return kind, sizes
    return None


def _few_units(values: Sequence[str]) -> bool:
    found = (_NUMBER.fullmatch(value) for value in values)
    return len({match["unit"].casefold() for match in found if match is not None}) <= _MOST_UNITS


def _number(value: str) -> float | None:
    match = _NUMBER.fullmatch(value)
    if match is None or not any(character.isdigit() for character in match["number"]):
        return None
    return float(match["number"].replace(",", ""))


def _clock(value: str) -> float | None:
    match = _CLOCK.fullmatch(value)
    if match is None:
        return None
    parts = [int(part) for part in match.groups()[:3] if part is not None]
    size = 0.0
    for part in parts:
        size = 60 * size + part
    return size + float(match[4] or 0)


def _year(value: str) -> float | None:
    match = _DATE.fullmatch(value)
    return None if match is None else float(next(year for year in match.groups() if year))


def misplaced(
    values: Sequence[str], sizes: Sequence[float | None], *, first: int | None, descending: bool
) -> tuple[str, str] | None:
    """Return a value that stands too early when sorted as text, and one that belongs before it.

    Only the first `first` places count where it is given. None where text order is as good.
    """
    pairs = [(v, s) for v, s in zip(values, sizes, strict=True) if s is not None]
    as_text = sorted(pairs, key=lambda pair: pair[0], reverse=descending)
    as_size = sorted(pairs, key=lambda pair: pair[1], reverse=descending)
    for one, other in list(zip(as_text, as_size, strict=True))[:first]:
        if one[1] != other[1]:
            return one[0], other[0]
    return None
