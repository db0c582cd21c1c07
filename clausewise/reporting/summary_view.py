"""What the readable views show of all cases together, before any escaping."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from clausewise.reporting.case_view import NAME_SHOWN, cost_text, probability_text
from clausewise.reporting.contents import ReportContents
from clausewise.reporting.error_report import strongest_first
from clausewise.reporting.passing import passing_message
from clausewise.text import one_line, shortened
from clausewise.types import CaseStatus, ScoredCase, Verdict

CELL_SHOWN = 120
"""Characters of a message in a table of cases."""
SIGNALS_SHOWN = 10
"""Signals in the table of a readable view; the JSON view has all."""


@dataclass(frozen=True, slots=True)
class TableView:
    """A table of visible texts; all columns but the first `text_columns` hold numbers.

    `rows` may be an iterator, which can be read once.
    """

    title: str
    columns: tuple[str, ...]
    rows: Iterable[tuple[str, ...]]
    text_columns: int = 1


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One case on one line: its strongest finding, or why it could not be checked."""

    question_id: str
    db_id: str
    probability: str
    verdict: str
    status: str
    signal: str
    clause: str
    message: str


def summary_lines(report: ReportContents) -> list[str]:
    """Return what a report says of all its cases: verdicts, statuses, what is shown."""
    summary = report.summary
    total = summary.cases
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in summary.verdicts.items())
    lines = [f"{total} {'case' if total == 1 else 'cases'}: {verdicts}"]
    if summary.abstained:
        lines.append(f"abstained on {summary.abstained} of them: too close to call")
    if any(count for status, count in summary.statuses.items() if status is not CaseStatus.OK):
        counts = [
            f"{count} {status.value.replace('_', ' ')}"
            for status, count in summary.statuses.items()
            if count
        ]
        lines.append(f"status: {', '.join(counts)}")
    if any(
        summary.statuses[status] for status in (CaseStatus.UNPARSABLE, CaseStatus.NOT_EXECUTABLE)
    ):
        lines.append("a query that does not parse or run counts as incorrect")
    if summary.not_run:
        lines.append(
            f"{summary.not_run} of {total} not run, and no value looked up: only the schema was "
            "given"
        )
    if report.selection:
        lines.append(f"shown: {summary.shown} of {total} ({report.selection})")
    return [*lines, *filter(None, [cost_text(summary.cost)])]


def summary_tables(report: ReportContents) -> tuple[TableView, ...]:
    """Return the cases by database and by signal; nothing for a report of one case."""
    summary = report.summary
    if summary.cases < 2:
        return ()
    tables: list[TableView] = []
    if len(summary.databases) > 1:
        rows: list[tuple[str, ...]] = [
            (
                _name(name or "(none)"),
                str(counts.cases),
                str(counts.incorrect),
                f"{counts.incorrect / counts.cases:.0%}",
                str(counts.unchecked),
                str(counts.abstained),
            )
            for name, counts in summary.databases.items()
        ]
        columns = ("database", "cases", "incorrect", "share", "unchecked", "abstained")
        tables.append(TableView("By database", columns, tuple(rows)))
    if summary.signals:
        shown = list(summary.signals.items())[:SIGNALS_SHOWN]
        title = "By signal"
        if len(summary.signals) > len(shown):
            title += f" (first {len(shown)} of {len(summary.signals)})"
        of_signals = [
            (_name(name), str(counts.fired), str(counts.incorrect), str(counts.faults))
            for name, counts in shown
        ]
        named = ("signal", "fired", "on incorrect", "failed")
        tables.append(TableView(title, named, tuple(of_signals)))
    return tuple(tables)


def cases_table(cases: Iterable[ScoredCase]) -> TableView:
    """Return a table with one row for every case, each made when it is asked for."""
    columns = ("case", "database", "verdict", "p(correct)", "strongest finding")
    return TableView("Cases", columns, _case_rows(cases), text_columns=len(columns))


def _case_rows(cases: Iterable[ScoredCase]) -> Iterator[tuple[str, ...]]:
    for row in map(case_row, cases):
        where = f"{row.signal} ({row.clause}): " if row.signal else ""
        strongest = shortened(f"{where}{row.message}", CELL_SHOWN)
        yield row.question_id, row.db_id, row.verdict, row.probability, strongest


def case_row(case: ScoredCase) -> CaseRow:
    """Return the line of one case."""
    strongest = next(iter(strongest_first(case.findings)), None)
    unchecked = case.verdict is Verdict.UNCHECKED
    message = "" if strongest is None else passing_message(strongest)
    return CaseRow(
        question_id="" if case.question_id is None else _name(case.question_id),
        db_id=_name(case.db_id or ""),
        probability=probability_text(case),
        verdict=f"{case.verdict.value}{', abstained' if case.abstained else ''}",
        status=case.status.value,
        signal="" if strongest is None else _name(strongest.signal),
        clause="" if strongest is None else strongest.clause.kind.value.replace("_", " "),
        message=one_line((case.reason or "") if unchecked or not message else message),
    )


def _name(value: object) -> str:
    return shortened(one_line(value), NAME_SHOWN)
