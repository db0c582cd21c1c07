"""What kind of values a column takes, and values turned into the form in which it stores them."""

from __future__ import annotations

import math
import re
from datetime import date, timedelta
from enum import StrEnum

from clausewise.databases import Cell, Column, ColumnProfile
from clausewise.databases.affinity import affinity, holds_numeric_text, reads_as_number
from clausewise.equivalence.generation.words import is_dated, is_timed

_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)([ T]\d\d:\d\d(:\d\d(\.\d+)?)?)?")
_DATE_TYPES = ("DATE", "TIME")
_MOST_DIGITS = 15


class ColumnKind(StrEnum):
    """What a column holds."""

    WHOLE = "whole numbers"
    REAL = "numbers"
    NUMERIC_TEXT = "numbers as text"
    DATE = "dates"
    DATETIME = "points in time"
    TEXT = "text"

    @property
    def is_number(self) -> bool:
        """Whether values are stored as numbers."""
        return self in (ColumnKind.WHOLE, ColumnKind.REAL)


def kind_of(column: Column, profile: ColumnProfile | None) -> ColumnKind:
    """Return what a column holds by its profile, or by its type and name where there is none."""
    stored = affinity(column.declared_type)
    if profile is not None and profile.stored_types:
        found = _of_profile(profile, stored)
        if found is not None:
            return found
    if stored == "integer":
        return ColumnKind.WHOLE
    if stored == "real":
        return ColumnKind.REAL
    declared = column.declared_type.upper()
    if any(part in declared for part in _DATE_TYPES) or (
        stored == "text" and is_dated(column.name)
    ):
        has_time = "TIME" in declared or is_timed(column.name)
        return ColumnKind.DATETIME if has_time else ColumnKind.DATE
    if stored == "numeric":
        return ColumnKind.WHOLE if "BOOL" in declared else ColumnKind.REAL
    return ColumnKind.TEXT


def _of_profile(profile: ColumnProfile, stored: str) -> ColumnKind | None:
    types = profile.stored_types
    texts = types.get("text", 0)
    if texts > sum(types.values()) / 2:
        if stored in ("integer", "real"):
            return None
        frequent = [value for value, _ in profile.frequent if isinstance(value, str)]
        if frequent and all(_DATE.fullmatch(value) for value in frequent):
            has_time = any(len(value) > 10 for value in frequent)
            return ColumnKind.DATETIME if has_time else ColumnKind.DATE
        return ColumnKind.NUMERIC_TEXT if holds_numeric_text(profile) else ColumnKind.TEXT
    if types.get("real", 0) and stored not in ("integer", "text"):
        return ColumnKind.REAL
    if types.get("integer", 0):
        return ColumnKind.WHOLE if stored != "text" else ColumnKind.NUMERIC_TEXT
    return None


def stored_value(value: Cell, declared_type: str) -> Cell:
    """Return a value in the form in which a column of that type stores it.

    >>> stored_value("5", "INTEGER"), stored_value(5, "TEXT"), stored_value(5, "REAL")
    (5, '5', 5.0)
    """
    stored = affinity(declared_type)
    if isinstance(value, bool):
        value = int(value)
    if value is None or isinstance(value, bytes) or stored == "blob":
        return value
    if stored == "text":
        return plain_text(value)
    if isinstance(value, str):
        if not reads_as_number(value) or len(value) > _MOST_DIGITS:
            return value
        value = _number(value.strip())
    if stored == "real":
        return float(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 10**_MOST_DIGITS:
        return int(value)
    return value


def plain_text(value: str | float) -> str:
    """Return a value as text, a whole number without its decimals."""
    if isinstance(value, float) and value.is_integer() and math.isfinite(value):
        return str(int(value))
    return str(value)


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def neighbors_of_date(text: str) -> list[str]:
    """Return dates near one, in its own form: the days around it, ends of its month and year.

    Empty where the text is no date.

    >>> neighbors_of_date("2012-01-31")[:2]
    ['2012-01-30', '2012-02-01']
    """
    match = _DATE.fullmatch(text)
    if match is None:
        return []
    try:
        day = date(int(match[1]), int(match[2]), int(match[3]))
        before, after = day - timedelta(days=1), day + timedelta(days=1)
        month = day.replace(day=1)
        dates = [before, after, month, month - timedelta(days=1)]
        dates += [day.replace(month=12, day=31), day.replace(month=1, day=1)]
    except (ValueError, OverflowError):
        return []
    tail = match[4] or ""
    return list(dict.fromkeys(found.isoformat() + tail for found in dates))
