"""Files of records in any container (JSONL, JSON, CSV, Parquet), before their fields mean a thing.

A record that cannot be read keeps its place in the list with its problem, so that every reader
decides by itself whether one bad line is a problem of that line or of the file.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clausewise.datasets._json import carried_fields, decode, decode_at, finite, to_json_object
from clausewise.datasets._text import check_is_file, read_text
from clausewise.datasets.tables import require_parquet
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

KNOWN_CELLS = frozenset(
    (
        "question_id",
        "db_id",
        "question",
        "evidence",
        "candidates",
        "candidate_systems",
        "correct",
        "gold_sql",
        "signal",
        "vote",
        "score",
        "message",
    )
)
"""Columns in which an empty CSV cell says that there is no value; elsewhere it is empty text."""

ABSENT_CELLS = frozenset({"", "nan", "NaN"})

DELIMITERS = (",", ";", "\t", "|")
"""What may separate the columns of a CSV file; spreadsheets write `;` in many countries."""

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_SPACE = re.compile(r"[ \t\r\n]*")
_LARGEST_CELL = 2**31 - 1
_LONGEST_PROBLEM = 100


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a file.

    `line` counts from 1: the line on which the record starts, in Parquet the row. `problem` is
    set where the record cannot be used; `fields` then holds what could be read.
    """

    line: int
    fields: dict[str, Any] = field(default_factory=dict)
    problem: CaseError | None = None


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


def read_records(path: Path, container: str | None = None) -> list[Record]:
    """Return all records of the file, in order, the unreadable ones with their problem.

    Raises InputError where the file as a whole cannot be used, an empty one among them, and
    MissingExtraError where Parquet is to be read without pyarrow.
    """
    check_is_file(path)
    records = CONTAINERS[container or container_of(path)](path)
    if not records:
        raise InputError("the file holds no records", path=path)
    return records


def read_table(path: str | Path) -> Iterator[tuple[int, dict[str, Any] | CaseError]]:
    """Yield the line of each record from 1, with its fields or, where it is bad, its problem.

    Raises InputError and MissingExtraError as `read_records` does.
    """
    for record in read_records(Path(path)):
        yield record.line, record.problem or record.fields


class RecordParser:
    """Parses JSON and notices what Python takes for JSON and other programs do not.

    Those are the constants NaN, Infinity and -Infinity, and halves of surrogate pairs.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.constants: list[str] = []
        self.decoder = json.JSONDecoder(parse_constant=self._constant, parse_float=finite)

    def _constant(self, name: str) -> float:
        self.constants.append(name)
        return float(name)

    def decode(self, text: str) -> Any:
        """Return the one value in a text; json.JSONDecodeError where it is no JSON."""
        return decode(text, self.decoder)

    def line(self, text: str, line: int) -> Record | None:
        """Return the record of one line of JSONL; None where the line is blank."""
        stripped = text.strip(" \t\r")
        if not stripped:
            return None
        try:
            return self.record(self.decode(stripped), line, stripped)
        except json.JSONDecodeError as error:
            self.constants.clear()
            return Record(line, problem=CaseError(_why(error), path=self.path, line=line))

    def record(self, value: Any, line: int, source: str) -> Record:
        """Return the value decoded from `source` as a record; it must be a clean object."""
        constants = self.constants[:]
        self.constants.clear()
        if not isinstance(value, dict):
            message = "not a JSON object: fields in braces are needed"
            return Record(line, problem=CaseError(message, path=self.path, line=line))
        if not constants and not _SURROGATE_ESCAPE.search(source):
            return Record(line, value)
        clean = to_json_object(value)
        if clean == value and not constants:
            return Record(line, value)
        changed = (key for key in value if clean.get(key) != value[key])
        spoilt = next(changed, None)
        message = "holds half of a surrogate pair, which is not text"
        if constants:
            message = f"{constants[0]} is not JSON; write null"
            holding = (key for key in value if _holds_as_text(value[key], constants[0]))
            spoilt = spoilt or next(holding, None)
        return Record(line, clean, CaseError(message, path=self.path, line=line, field=spoilt))


def _holds_as_text(value: Any, constant: str) -> bool:
    """Whether a value is the text of a list or an object that no parser took."""
    return isinstance(value, str) and value[:1] in ("[", "{") and constant in value


def _why(error: json.JSONDecodeError) -> str:
    return f"not JSON: {error.msg} at column {error.colno}"


def _read_jsonl(path: Path) -> list[Record]:
    return _parse_jsonl(read_text(path), path)


def _parse_jsonl(text: str, path: Path) -> list[Record]:
    parser = RecordParser(path)
    # Not splitlines(): text in JSON may hold other line separators as they are.
    parsed = (parser.line(chunk, line) for line, chunk in enumerate(text.split("\n"), start=1))
    return [record for record in parsed if record is not None]


def _read_json(path: Path) -> list[Record]:
    """Read a JSON array of objects, one object, or JSON lines under the suffix .json."""
    text = read_text(path)
    if not text.strip():
        return []
    if text.lstrip().startswith("["):
        return _parse_array(text, path)
    parser = RecordParser(path)
    try:
        value = parser.decode(text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            return _parse_jsonl(text, path)
        raise InputError(_why(error), path=path, line=error.lineno) from None
    return [parser.record(value, 1, text)]


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
        raise InputError(_why(error), path=path, line=error.lineno) from None
    return records


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _read_csv(path: Path) -> list[Record]:
    text = read_text(path)
    return _parse_table(text, _delimiter(text, path), path)


def _read_tsv(path: Path) -> list[Record]:
    return _parse_table(read_text(path), "\t", path)


def _parse_table(text: str, delimiter: str, path: Path) -> list[Record]:
    # newline="" leaves line breaks within quoted cells as they are.
    rows = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)
    with _large_cells():
        header = _header(rows, path)
        return list(_rows(rows, header, path)) if header else []


def _delimiter(text: str, path: Path) -> str:
    """Return what separates the columns, by the header: every table has a `question_id`.

    Raises InputError where a header without one could be read in several ways.
    """
    headers = {}
    with _large_cells():
        for delimiter in DELIMITERS:
            rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
            headers[delimiter] = [name.strip() for name in next(rows, [])]
    found = [mark for mark, names in headers.items() if "question_id" in names]
    found = found or [mark for mark, names in headers.items() if len(names) > 1]
    if len(found) > 1 and len(headers[found[0]]) > 1:
        marks = " or ".join(repr(mark) for mark in found)
        message = f"the header does not show whether {marks} separates the columns"
        raise InputError(message, path=path, line=1)
    return found[0] if found else DELIMITERS[0]


@contextmanager
def _large_cells() -> Iterator[None]:
    before = csv.field_size_limit(_LARGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _header(rows: Iterator[list[str]], path: Path) -> list[str]:
    try:
        header = [name.strip() for name in next(rows, [])]
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", path=path, line=1) from None
    _check_columns(header, path)
    return header


def _check_columns(names: Sequence[str], path: Path) -> None:
    for name in names:
        # Unnamed columns, such as the index that pandas writes, are left out later.
        if name and names.count(name) > 1:
            raise InputError("there are two columns of this name", path=path, field=name)


def _rows(rows: Any, header: list[str], path: Path) -> Iterator[Record]:
    while True:
        line = rows.line_num + 1
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            if "unexpected end of data" in str(error):
                message = "a quote is opened in this row and never closed"
                raise InputError(message, path=path, line=line) from None
            problem = CaseError(f"not CSV: {error}", path=path, line=line)
            yield Record(line, problem=problem)
            continue
        if not cells:
            continue
        raw = {name: cell for name, cell in zip(header, cells, strict=False) if name}
        if len(cells) != len(header):
            message = f"the row has {len(cells)} cells, the header has {len(header)}"
            yield Record(line, _typed(raw), CaseError(message, path=path, line=line))
        else:
            yield Record(line, _typed(raw))


def _typed(row: dict[str, str]) -> dict[str, Any]:
    fields: dict[str, Any] = {
        name: cell
        for name, cell in row.items()
        if not (name in KNOWN_CELLS and cell.strip() in ABSENT_CELLS)
    }
    question_id = fields.get("question_id")
    if question_id is not None and _INTEGER.fullmatch(question_id):
        fields["question_id"] = int(question_id)
    return fields


def _read_parquet(path: Path) -> list[Record]:
    require_parquet("reading")
    import pyarrow
    from pyarrow import parquet

    # Some releases of pyarrow declare types and others do not.
    open_parquet: Any = parquet.ParquetFile
    try:
        with open_parquet(path) as file:
            table = file.read()
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"not a Parquet file: {error}", path=path) from None
    _check_columns(table.column_names, path)
    columns = [(name, _cells(table.column(name))) for name in table.column_names]
    return [_parquet_record(columns, row, path) for row in range(table.num_rows)]


def _cells(column: Any) -> list[Any]:
    """Return the cells of a column as Python's values, an error in the place of any that has none.

    Dates after the year 9999 have none, nor do lists that are nested too deeply.
    """
    try:
        cells: list[Any] = column.to_pylist()
    except (ValueError, ArithmeticError, RecursionError):
        return [_cell(value) for value in column]
    return cells


def _cell(value: Any) -> Any:
    try:
        return value.as_py()
    except (ValueError, ArithmeticError, RecursionError):
        return TypeError(f"a value of type {value.type} that cannot be read"[:_LONGEST_PROBLEM])


def _parquet_record(columns: Sequence[tuple[str, list[Any]]], row: int, path: Path) -> Record:
    fields, spoilt = carried_fields((name, cells[row]) for name, cells in columns)
    if spoilt is None:
        return Record(row + 1, fields)
    name, why = spoilt
    return Record(row + 1, fields, CaseError(why, path=path, line=row + 1, field=name))


CONTAINERS: dict[str, Callable[[Path], list[Record]]] = {
    "jsonl": _read_jsonl,
    "json": _read_json,
    "csv": _read_csv,
    "tsv": _read_tsv,
    "parquet": _read_parquet,
}
"""Name of a container to the function that reads it."""
