"""Records of tables as text (CSV, TSV), one after another."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from clausewise.datasets._records import Record
from clausewise.datasets._text import iter_text, read_text
from clausewise.errors import CaseError, InputError
from clausewise.writing import is_stream

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
_LARGEST_CELL = 2**31 - 1


def read_csv(path: Path) -> Iterator[Record]:
    """Yield the rows of a table whose header shows what separates its columns."""
    return _read(path, None)


def read_tsv(path: Path) -> Iterator[Record]:
    """Yield the rows of a table with tabs."""
    return _read(path, "\t")


def _read(path: Path, delimiter: str | None) -> Iterator[Record]:
    try:
        with _opened(path) as text:
            mark = delimiter or _delimiter(text, path)
            rows = csv.reader(text, strict=True, delimiter=mark)
            header = _header(rows, path)
            if header:
                yield from _rows(rows, header, path)
    except UnicodeDecodeError:
        for _ in iter_text(path):  # raises the error that says where
            pass
        raise


def _opened(path: Path) -> TextIO:
    """Open a table; one that is a pipe is read whole, since its header is read several times."""
    # newline="" leaves line breaks within quoted cells as they are.
    if is_stream(path):
        return io.StringIO(read_text(path), newline="")
    return path.open(encoding="utf-8-sig", newline="")


def _delimiter(text: TextIO, path: Path) -> str:
    """Return what separates the columns, by the header: every table has a `question_id`.

    Raises InputError where a header without one could be read in several ways.
    """
    headers = {}
    with _large_cells():
        for delimiter in DELIMITERS:
            rows = csv.reader(text, delimiter=delimiter)
            headers[delimiter] = [name.strip() for name in next(rows, [])]
            text.seek(0)
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
        with _large_cells():
            header = [name.strip() for name in next(rows, [])]
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", path=path, line=1) from None
    check_columns(header, path)
    return header


def check_columns(names: Sequence[str], path: Path) -> None:
    for name in names:
        # Unnamed columns, such as the index that pandas writes, are left out later.
        if name and names.count(name) > 1:
            raise InputError("there are two columns of this name", path=path, field=name)


def _rows(rows: Any, header: list[str], path: Path) -> Iterator[Record]:
    while True:
        line = rows.line_num + 1
        try:
            with _large_cells():
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
