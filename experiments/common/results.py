"""Results of experiments: CSV files, and Markdown that is made of nothing but them.

Figures are rounded when they are written, so that a run gives the same bytes on every machine, and
tables and plots are made of what was written: the Markdown cannot say anything else than the CSV.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from experiments.common.tables import Interval

DIGITS = 6
ENDS = ("", "_low", "_high")
Cell = str | int | float | bool | None
Row = dict[str, str]
"""A line of a CSV file: column to text, empty where there is no figure."""


def write_csv(path: Path, rows: Sequence[Mapping[str, Cell]]) -> None:
    """Write rows that all have the same columns; floats are rounded to `DIGITS` digits."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _text(value) for name, value in row.items()} for row in rows)


def read_csv(path: Path) -> list[Row]:
    """Return the rows of a CSV file, nothing where there is none."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def number(row: Row, column: str) -> float:
    """Return a figure, NaN where it is undefined."""
    return float(row[column]) if row[column] else math.nan


def interval(row: Row, column: str) -> Interval:
    """Return a figure with the ends of its interval."""
    return [number(row, column + end) for end in ENDS]


def interval_columns(column: str, figures: Interval) -> dict[str, Cell]:
    """Return the three columns of a figure with its interval."""
    return dict(zip((column + end for end in ENDS), figures, strict=True))


def grouped(rows: Sequence[Row], *columns: str) -> dict[tuple[str, ...], list[Row]]:
    """Return the rows by their values in some columns, in the order of the file."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[column] for column in columns), []).append(row)
    return found


def write_report(out: Path, report: Callable[[Path], str]) -> str:
    """Write `results.md`, made by `report` of the folder's CSV files, and return it."""
    text = report(out)
    (out / "results.md").write_text(text, encoding="utf-8")
    return text


def _text(value: Cell) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(round(float(value), DIGITS)) if isinstance(value, float) else str(value)
