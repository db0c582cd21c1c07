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
    yield _line(SUMMARY_COLUMNS)
    for case in report.scored():
        yield _line([_cell(value) for value in summary_row(case).values()])


def _line(cells: Iterable[object]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerow(cells)
    return stream.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return value
    text = one_line(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
