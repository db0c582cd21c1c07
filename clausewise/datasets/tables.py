"""Scores as a table: one row a case, nested fields as JSON text."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from clausewise.datasets._json import decode
from clausewise.errors import InputError, MissingExtraError
from clausewise.types import RawJson
from clausewise.writing import writing_bytes, writing_text

_INTEGER_END = 2**63
_LARGEST_EXACT = 2**53
"""The largest whole number up to which a floating-point number holds every one exactly."""
_ROW_GROUP = 2_000


@dataclass(slots=True)
class _ColumnValues:
    """What is known of the values of one column."""

    kinds: set[type] = field(default_factory=set)
    largest: int = 0
    """The largest whole number, without its sign."""

    def add(self, value: Any) -> None:
        if value is not None:
            self.kinds.add(type(value))
            if type(value) is int:
                self.largest = max(self.largest, abs(value))

    @property
    def is_text(self) -> bool:
        """Whether the values have only text in common."""
        if self.kinds == {int}:
            return self.largest >= _INTEGER_END
        if self.kinds == {int, float}:
            return self.largest > _LARGEST_EXACT
        return len(self.kinds) > 1 or self.kinds == {str}


Rows: TypeAlias = Iterable[Mapping[str, Any]]


def write_table(lines: Iterable[str], path: str | Path, format: str) -> None:
    """Write the lines of a scores file as a table.

    Parameters
    ----------
    lines
        JSON objects, one a line; iterated twice, so that not all rows need to be held. The
        columns are all their fields, in the order in which they first appear; a field that a line
        lacks is an empty cell.
    path
        The file to write, replaced if there once the table is whole.
    format
        `csv`, `tsv` or `parquet`. Lists and objects are written as JSON text; in Parquet a
        column of both text and numbers becomes text, and so does one of numbers too large for it.

    Raises
    ------
    InputError
        For another format, and where the file cannot be written.
    MissingExtraError
        For Parquet without pyarrow.
    """
    if format not in WRITERS:
        raise InputError(f"'{format}' is no format of a table; known are {', '.join(WRITERS)}")
    if isinstance(lines, Iterator):
        lines = list(lines)
    columns: dict[str, _ColumnValues] = {}
    for row in _rows(lines):
        for name, value in row.items():
            columns.setdefault(name, _ColumnValues()).add(value)
    WRITERS[format](columns, _rows(lines), Path(path))


def _rows(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        yield {name: _cell(value) for name, value in decode(line).items()}


def _cell(value: Any) -> Any:
    if isinstance(value, RawJson):
        return str(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _write_delimited(delimiter: str) -> Callable[[Mapping[str, _ColumnValues], Rows, Path], None]:
    def write(columns: Mapping[str, _ColumnValues], rows: Rows, path: Path) -> None:
        with writing_text(path) as file:
            writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows([_text(row.get(name)) for name in columns] for row in rows)

    return write


def _text(value: Any) -> Any:
    """Return a cell as it is written: true and false as in JSON, so that they are read back."""
    return json.dumps(value) if isinstance(value, bool) else value


def _write_parquet(columns: Mapping[str, _ColumnValues], rows: Rows, path: Path) -> None:
    require_parquet("writing")
    import pyarrow
    from pyarrow import parquet

    types = {bool: pyarrow.bool_(), int: pyarrow.int64(), float: pyarrow.float64()}
    fields = []
    for name, column in columns.items():
        of_values = [types[kind] for kind in (float, int, bool) if kind in column.kinds]
        kind = pyarrow.string() if column.is_text else (of_values or [pyarrow.null()])[0]
        fields.append((name, kind))
    # Some releases of pyarrow declare types and others do not.
    writer_class: Any = parquet.ParquetWriter
    rows = iter(rows)
    with writing_bytes(path) as file, writer_class(file, pyarrow.schema(fields)) as writer:
        while group := list(islice(rows, _ROW_GROUP)):
            arrays = {
                name: pyarrow.array([_typed(row.get(name), columns[name]) for row in group], kind)
                for name, kind in fields
            }
            writer.write_table(pyarrow.table(arrays))


def _typed(value: Any, column: _ColumnValues) -> Any:
    return str(value) if column.is_text and value is not None else value


def require_parquet(what: str) -> None:
    """Raise MissingExtraError where pyarrow is not installed; `what` is "reading" or "writing"."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise MissingExtraError(f"{what} Parquet", "parquet") from None


WRITERS: dict[str, Callable[[Mapping[str, _ColumnValues], Rows, Path], None]] = {
    "csv": _write_delimited(","),
    "tsv": _write_delimited("\t"),
    "parquet": _write_parquet,
}
"""Name of a table's format to the function that writes it."""
