"""The report as a table, one row a case: CSV for spreadsheets, rows for data frames."""

from __future__ import annotations

import csv
import io

from clausewise.reporting.error_report import strongest_first
from clausewise.reporting.report import Report
from clausewise.text import one_line
from clausewise.types import ScoredCase

COLUMNS = (
    "question_id",
    "db_id",
    "p_correct",
    "verdict",
    "abstained",
    "status",
    "reason",
    "findings",
    "signal",
    "clause",
    "message",
)
"""`findings` is their number; `signal`, `clause` and `message` are of the strongest one."""
_FORMULA = ("=", "+", "-", "@")


def csv_view(report: Report) -> str:
    """Return a header and one row for every shown case, lines ending in a line feed.

    A text that a spreadsheet would run as a formula gets an apostrophe before it.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for case in report.cases:
        writer.writerow([_cell(value) for value in _row(case)])
    return stream.getvalue()


def _row(case: ScoredCase) -> tuple[object, ...]:
    strongest = next(iter(strongest_first(case.findings)), None)
    return (
        case.question_id,
        case.db_id,
        None if case.p_correct is None else round(case.p_correct, 6),
        case.verdict.value,
        "true" if case.abstained else "false",
        case.status.value,
        case.reason,
        len(case.findings) + sum(case.more_findings.values()),
        strongest and strongest.signal,
        strongest and strongest.clause.kind.value,
        strongest and strongest.message,
    )


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    text = one_line(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
