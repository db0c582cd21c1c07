"""The report as CSV, one row a case."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from clausewise.reporting.contents import ReportContents
from clausewise.scored_cases import SUMMARY_COLUMNS, summary_row
from clausewise.text import one_line

_FORMULA = ("=", "+", "-", "@")


def csv_view(report: ReportContents) -> Iterator[str]:
    """Yield `SUMMARY_COLUMNS` and one row for every shown case, lines ending in a line feed.

    A text that a spreadsheet would run as a formula gets an apostrophe before it.
    """
    yield csv_line(SUMMARY_COLUMNS)
    for case in report.scored():
        yield csv_line([csv_cell(value) for value in summary_row(case).values()])


def csv_line(cells: Iterable[object]) -> str:
    """Return one line of CSV, ending in a line feed."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerow(cells)
    return stream.getvalue()


def csv_cell(value: object, *, verbatim: bool = False) -> object:
    """Return a cell that no spreadsheet runs as a formula; text on one line unless `verbatim`."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return value
    text = value if verbatim else one_line(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
