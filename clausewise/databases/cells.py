"""Values as drivers give them, turned into cells: the same ones for each kind of database."""

from __future__ import annotations

import datetime
import json
import math
import uuid
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from clausewise.databases.model import Cell


def cell_of(value: object) -> Cell:
    """Return a value as a cell.

    Truth values are 0 and 1, decimals integers where they are whole and else floating point, dates
    and times ISO 8601 text with a blank before the time, lists and objects JSON text, what is no
    number (NaN) the text 'NaN', and what is of a kind unknown here its own text.

    >>> import datetime
    >>> cell_of(Decimal("2.50")), cell_of(datetime.date(2024, 2, 29)), cell_of(True)
    (2.5, '2024-02-29', 1)
    """
    kind = type(value)
    if value is None or kind is str or kind is int or kind is bytes:
        return value  # type: ignore[return-value]
    for types, convert in _CONVERTERS:
        if isinstance(value, types):
            return convert(value)
    return str(value)


def _of_decimal(value: object) -> Cell:
    assert isinstance(value, Decimal)
    if not value.is_finite():
        return _of_float(value)
    whole = value.to_integral_value()
    return int(whole) if value == whole else float(value)


def _of_moment(value: object) -> Cell:
    assert isinstance(value, datetime.datetime)
    return value.isoformat(sep=" ")


def _of_day(value: object) -> Cell:
    assert isinstance(value, datetime.date | datetime.time)
    return value.isoformat()


def _of_duration(value: object) -> Cell:
    """Return hours, minutes and seconds, as MySQL shows a TIME."""
    assert isinstance(value, datetime.timedelta)
    sign = "-" if value < datetime.timedelta(0) else ""
    seconds, fraction = divmod(abs(value) // datetime.timedelta(microseconds=1), 1_000_000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    rest = f".{fraction:06d}" if fraction else ""
    return f"{sign}{hours:02d}:{minutes:02d}:{seconds:02d}{rest}"


def _of_parts(value: object) -> Cell:
    return json.dumps(value, ensure_ascii=False, default=_json_of)


def _json_of(value: object) -> object:
    if isinstance(value, set | frozenset | tuple):
        return sorted(map(cell_of, value), key=repr) if not isinstance(value, tuple) else value
    cell = cell_of(value)
    return cell.hex() if isinstance(cell, bytes) else cell


def _of_float(value: Any) -> Cell:
    """Return a number; NaN would differ from itself, and SQLite cannot hold it."""
    number = float(value)
    return "NaN" if math.isnan(number) else number


def _of_bool(value: object) -> Cell:
    return int(bool(value))


def _of_bytes(value: object) -> Cell:
    return bytes(value)  # type: ignore[call-overload, no-any-return]


_CONVERTERS: tuple[tuple[Any, Callable[[Any], Cell]], ...] = (
    (bool, _of_bool),
    (Decimal, _of_decimal),
    (datetime.datetime, _of_moment),
    ((datetime.date, datetime.time), _of_day),
    (datetime.timedelta, _of_duration),
    ((bytearray, memoryview), _of_bytes),
    (uuid.UUID, str),
    (str, str),
    (int, int),
    (float, _of_float),
    ((Mapping, Sequence, set, frozenset), _of_parts),
)


_BYTES_OF_ROW = 64


def size_of(rows: Sequence[Sequence[Cell]]) -> int:
    """Return about how many bytes of memory rows take."""
    return sum(cell.__sizeof__() for row in rows for cell in row) + _BYTES_OF_ROW * len(rows)
