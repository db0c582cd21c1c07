"""Files of records in any container: JSONL, JSON, CSV, Parquet."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from clausewise.datasets._delimited import read_csv, read_tsv
from clausewise.datasets._json import decode_at
from clausewise.datasets._parquet import read_parquet
from clausewise.datasets._records import Record, RecordParser, why_no_json
from clausewise.datasets._text import check_is_file, iter_text, read_text
from clausewise.errors import CaseError, InputError
from clausewise.writing import is_stream

SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
}

_SPACE = re.compile(r"[ \t\r\n]*")


def container_of(path: Path) -> str:
    """Return the container's name by the file's suffix; InputError where it is unknown.

    A pipe or device without a suffix holds JSON lines.
    """
    if not path.suffix and is_stream(path):
        return "jsonl"
    try:
        return SUFFIXES[path.suffix.lower()]
    except KeyError:
        known = ", ".join(SUFFIXES)
        message = f"unknown kind of file '{path.suffix}'; known are {known}"
        raise InputError(message, path=path) from None


def iter_records(path: Path, container: str | None = None) -> Iterator[Record]:
    """Yield all records of the file, in order, the unreadable ones with their problem.

    They are read as they are asked for, those of a JSON array and of a table from a pipe all at
    the first. Raises InputError, then or at once, where the file as a whole cannot be used, an
    empty one among them, and MissingExtraError where Parquet is to be read without pyarrow.
    """
    check_is_file(path)
    return _or_empty(CONTAINERS[container or container_of(path)](path), path)


def _or_empty(records: Iterator[Record], path: Path) -> Iterator[Record]:
    first = next(records, None)
    if first is None:
        raise InputError("the file holds no records", path=path)
    yield first
    yield from records


def read_records(path: Path, container: str | None = None) -> list[Record]:
    """Return all records of the file; see `iter_records`."""
    return list(iter_records(path, container))


def read_table(path: str | Path) -> Iterator[tuple[int, dict[str, Any] | CaseError]]:
    """Yield the line of each record from 1, with its fields or, where it is bad, its problem.

    Raises InputError and MissingExtraError as `iter_records` does.
    """
    for record in iter_records(Path(path)):
        yield record.line, record.problem or record.fields


def _read_jsonl(path: Path) -> Iterator[Record]:
    return _parse_jsonl(iter_text(path), path)


def _parse_jsonl(lines: Iterable[str], path: Path) -> Iterator[Record]:
    parser = RecordParser(path)
    parsed = (parser.line(line, number) for number, line in enumerate(lines, start=1))
    return (record for record in parsed if record is not None)


def _read_json(path: Path) -> Iterator[Record]:
    """Read a JSON array of objects, one object, or JSON lines under the suffix .json."""
    text = read_text(path)
    if not text.strip():
        return iter(())
    if text.lstrip().startswith("["):
        return iter(_parse_array(text, path))
    parser = RecordParser(path)
    try:
        value = parser.decode(text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            # Not splitlines(): text in JSON may hold other line separators as they are.
            return _parse_jsonl(text.split("\n"), path)
        raise InputError(why_no_json(error), path=path, line=error.lineno) from None
    return iter([parser.record(value, 1, text)])


def _parse_array(text: str, path: Path) -> list[Record]:
    parser = RecordParser(path)
    records: list[Record] = []
    at = _after_space(text, text.index("[") + 1)
    line, counted = 1, 0
    try:
        while not text.startswith("]", at):
            if records:
                if not text.startswith(",", at):
                    raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
                at = _after_space(text, at + 1)
            line += text.count("\n", counted, at)
            counted = at
            value, at = decode_at(text, counted, parser.decoder)
            records.append(parser.record(value, line, text[counted:at]))
            at = _after_space(text, at)
        end = _after_space(text, at + 1)
        if end != len(text):
            raise json.JSONDecodeError("Extra data after the array", text, end)
    except json.JSONDecodeError as error:
        raise InputError(why_no_json(error), path=path, line=error.lineno) from None
    return records


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


CONTAINERS: dict[str, Callable[[Path], Iterator[Record]]] = {
    "jsonl": _read_jsonl,
    "json": _read_json,
    "csv": read_csv,
    "tsv": read_tsv,
    "parquet": read_parquet,
}
"""Name of a container to the function that reads it."""
