"""Files into text and values into JSON lines, with nothing in between that can fail later."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from clausewise.datasets._json import decode, json_text
from clausewise.errors import InputError
from clausewise.types import RawJson


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


def iter_text(path: Path) -> Iterator[str]:
    """Yield the lines of a file as text, without line feeds; as `read_text`.

    Only line feeds end a line: text in JSON may hold other line separators as they are.
    """
    start, begins = 0, b""
    for number, line in enumerate(_byte_lines(path), start=1):
        if number == 1:
            begins = line[:2]
        mark = len(codecs.BOM_UTF8) if number == 1 and line.startswith(codecs.BOM_UTF8) else 0
        try:
            yield line[mark:].removesuffix(b"\n").decode("utf-8")
        except UnicodeDecodeError as error:
            at = error.start + mark
            raise not_utf8(path, start + at, line[at], number, begins) from None
        start += len(line)


def _byte_lines(path: Path) -> Iterator[bytes]:
    check_is_file(path)
    try:
        with path.open("rb") as file:
            yield from file
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None


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
    """Raise InputError where there is nothing, or no file, at `path`.

    Pipes and terminals are read to their end; other devices, such as /dev/zero, may have none.
    """
    if path.is_dir():
        raise InputError("is a folder, a file is needed", path=path)
    if not path.exists():
        raise InputError("no such file", path=path)
    if path.is_block_device() or (path.is_char_device() and not _is_terminal(path)):
        raise InputError("is a device, a file is needed", path=path)


def _is_terminal(path: Path) -> bool:
    try:
        with path.open("rb", buffering=0) as file:
            return file.isatty()
    except OSError:
        return False


def dump_line(record: Mapping[str, Any]) -> str:
    """Return `record` as one line of JSON, without the line break.

    The same record always gives the same text: fields keep their order, text outside ASCII is
    written as itself, a field that is a `RawJson` as it was read. What JSON cannot hold is made
    safe, so that every line can be encoded as UTF-8 and read by any JSON parser: NaN and
    infinities become null, halves of surrogate pairs become U+FFFD (one character for one, so
    that offsets stay true), binary values become SQL blob literals (X'00FF'), dates ISO text,
    decimals numbers. Nesting of any depth and numbers of any length can be written.

    Raises TypeError where a value is of a kind that has no JSON value, or holds itself.

    >>> dump_line({"question": "Où ?", "score": float("nan")})
    '{"question": "Où ?", "score": null}'
    """
    if RawJson in map(type, record.values()):
        return json_text(record)
    try:
        line = json.dumps(record, ensure_ascii=False, allow_nan=False)
        line.encode("utf-8")
    except (TypeError, ValueError, RecursionError):
        line = json_text(record)
    return line


def load_line(line: str) -> Any:
    """Return the value of a line that `dump_line` wrote; a field of any depth can be read.

    Raises json.JSONDecodeError where the line is no JSON.
    """
    return decode(line)
