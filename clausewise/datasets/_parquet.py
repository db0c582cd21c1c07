"""Records of Parquet files, one after another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from clausewise.datasets._delimited import check_columns
from clausewise.datasets._json import carried_fields
from clausewise.datasets._records import Record
from clausewise.datasets.tables import require_parquet
from clausewise.errors import CaseError, InputError

_ROWS_AT_A_TIME = 1_000
_LONGEST_PROBLEM = 100


def read_parquet(path: Path) -> Iterator[Record]:
    """Yield the rows of a Parquet file, a few at a time."""
    require_parquet("reading")
    import pyarrow
    from pyarrow import parquet

    # Some releases of pyarrow declare types and others do not.
    open_parquet: Any = parquet.ParquetFile
    row = 0
    try:
        with open_parquet(path) as file:
            names = file.schema_arrow.names
            check_columns(names, path)
            for batch in file.iter_batches(batch_size=_ROWS_AT_A_TIME):
                columns = [
                    (name, _cells(column))
                    for name, column in zip(names, batch.columns, strict=True)
                ]
                for place in range(batch.num_rows):
                    yield _parquet_record(columns, place, row + place, path)
                row += batch.num_rows
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"not a Parquet file: {error}", path=path) from None


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


def _parquet_record(
    columns: Sequence[tuple[str, list[Any]]], place: int, row: int, path: Path
) -> Record:
    fields, spoilt = carried_fields((name, cells[place]) for name, cells in columns)
    if spoilt is None:
        return Record(row + 1, fields)
    name, why = spoilt
    return Record(row + 1, fields, CaseError(why, path=path, line=row + 1, field=name))
