"""Files into text and values into JSON lines, with nothing in between that can fail later."""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

from clausewise.errors import InputError
from clausewise.types import Json

_SURROGATE = re.compile("[\ud800-\udfff]")


def read_text(path: Path) -> str:
    """Return the whole file as text; a byte-order mark of UTF-8 is dropped.

    Raises InputError where the file is missing, a folder, unreadable, or not UTF-8 (the message
    gives the byte's position, counted from 0, and its line).
    """
    data = read_bytes(path)
    mark = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    try:
        return data[mark:].decode("utf-8")
    except UnicodeDecodeError as error:
        at = error.start + mark
        line = data.count(b"\n", 0, at) + 1
        raise not_utf8(path, at, data[at], line, data[:2]) from None


def not_utf8(path: Path, at: int, byte: int, line: int, begins: bytes) -> InputError:
    """Return the error for a file that `begins` so and whose byte at position `at` is not UTF-8."""
    utf16 = begins in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    hint = "; the file is UTF-16: save it as UTF-8" if utf16 else ""
    return InputError(f"not UTF-8 text: byte {at} is 0x{byte:02x}{hint}", path=path, line=line)


def read_bytes(path: Path) -> bytes:
    """Return the whole file; InputError where there is no such file or it cannot be read."""
    check_is_file(path)
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None


def check_is_file(path: Path) -> None:
    """Raise InputError where there is nothing, or no file, at `path`."""
    if path.is_dir():
        raise InputError("is a folder, a file is needed", path=path)
    if not path.exists():
        raise InputError("no such file", path=path)


def dump_line(record: Mapping[str, Any]) -> str:
    """Return `record` as one line of JSON, without the line break.

    The same record always gives the same text: fields keep their order, text outside ASCII is
    written as itself. What JSON cannot hold is made safe, so that every line can be encoded as
    UTF-8 and read by any JSON parser: NaN and infinities become null, halves of surrogate pairs
    become U+FFFD (one character for one, so that offsets stay true), binary values become SQL
    blob literals (X'00FF'), dates ISO text, decimals numbers.

    Raises TypeError where a value is of a kind that has no JSON value.

    >>> dump_line({"question": "Où ?", "score": float("nan")})
    '{"question": "Où ?", "score": null}'
    """
    try:
        line = json.dumps(record, ensure_ascii=False, allow_nan=False)
        line.encode("utf-8")
    except (TypeError, ValueError):
        line = json.dumps(to_json_object(record), ensure_ascii=False, allow_nan=False)
    return line


def to_json(value: Any) -> Json:
    """Return `value` with everything replaced that JSON cannot hold, as `dump_line` says.

    Raises TypeError where a value is of a kind that has no JSON value.
    """
    if isinstance(value, Mapping):
        return to_json_object(value)
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    return _scalar_to_json(value)


def _scalar_to_json(value: Any) -> str | int | float | None:
    if isinstance(value, str):
        return _without_surrogates(value)
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float | Decimal):
        number = float(value)
        return number if math.isfinite(number) else None
    if isinstance(value, bytes | bytearray | memoryview):
        return f"X'{bytes(value).hex().upper()}'"
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    raise TypeError(f"a value of type {type(value).__name__} cannot be written as JSON")


def to_json_object(value: Mapping[str, Any]) -> dict[str, Json]:
    """Return `to_json` of every field of an object."""
    return {_without_surrogates(str(key)): to_json(item) for key, item in value.items()}


def _without_surrogates(text: str) -> str:
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
