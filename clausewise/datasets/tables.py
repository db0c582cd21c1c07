"""Scores as a table: one row a case, nested fields as JSON text."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from clausewise.errors import InputError, MissingExtraError


def write_table(lines: Iterable[str], path: str | Path, format: str) -> None:
    """Write the lines of a scores file as a table.

    Parameters
    ----------
    lines
        JSON objects, one a line. The columns are all their fields, in the order in which they
        first appear; a field that a line lacks is an empty cell.
    path
        The file to write, replaced if there.
    format
        `csv`, `tsv` or `parquet`. Lists and objects are written as JSON text; in Parquet a
        column of both text and numbers becomes text.

    Raises
    ------
    InputError
        For another format.
    MissingExtraError
        For Parquet without pyarrow.
    """
    if format not in WRITERS:
        raise InputError(f"'{format}' is no format of a table; known are {', '.join(WRITERS)}")
    rows = [json.loads(line) for line in lines]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    WRITERS[format](columns, [[_cell(row.get(name)) for name in columns] for row in rows], path)


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _write_delimited(delimiter: str) -> Callable[[Sequence[str], list[list[Any]], Any], None]:
    def write(columns: Sequence[str], rows: list[list[Any]], path: str | Path) -> None:
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows([_text(value) for value in row] for row in rows)

    return write


def _text(value: Any) -> Any:
    """Return a cell as it is written: true and false as in JSON, so that they are read back."""
    return json.dumps(value) if isinstance(value, bool) else value


def _write_parquet(columns: Sequence[str], rows: list[list[Any]], path: str | Path) -> None:
    require_parquet("writing")
    import pyarrow
    from pyarrow import parquet

    arrays = {}
    for index, name in enumerate(columns):
        values = [row[index] for row in rows]
        kinds = {type(value) for value in values} - {type(None)}
        if len(kinds) > 1 and kinds != {int, float}:
            values = [None if value is None else str(value) for value in values]
        arrays[name] = pyarrow.array(values)
    # Some releases of pyarrow declare types and others do not.
    write: Any = parquet.write_table
    write(pyarrow.table(arrays), path)


def require_parquet(what: str) -> None:
    """Raise MissingExtraError where pyarrow is not installed; `what` is "reading" or "writing"."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise MissingExtraError(f"{what} Parquet", "parquet") from None


WRITERS: dict[str, Callable[[Sequence[str], list[list[Any]], Any], None]] = {
    "csv": _write_delimited(","),
    "tsv": _write_delimited("\t"),
    "parquet": _write_parquet,
}
"""Name of a table's format to the function that writes it."""
