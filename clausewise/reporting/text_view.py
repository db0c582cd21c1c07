"""The report for a terminal: the query with its suspect places marked, findings below."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from clausewise.reporting.case_view import (
    CaseView,
    FindingView,
    SkippedView,
    case_view,
    noteworthy,
)
from clausewise.reporting.console_tables import new_table, printed
from clausewise.reporting.contents import ReportContents
from clausewise.reporting.explaining import sum_text
from clausewise.reporting.marking import Row, marked_rows
from clausewise.reporting.summary_view import summary_lines, summary_tables

if TYPE_CHECKING:
    from rich.console import RenderableType

_GUTTER = 6
_INDENT = "   "
_LABEL = 14
_NARROWEST = 40
_VERDICT_STYLE = {"incorrect": "bold red", "correct": "bold green", "unchecked": "bold yellow"}
_LEVEL_STYLE = {"error": "red", "warning": "yellow", "info": "cyan"}


def text_view(
    report: ReportContents, *, color: bool = False, width: int = 100, details: bool = False
) -> Iterator[str]:
    """Yield the report as text of at most `width` columns, ending in a line feed.

    Of many cases it gives a summary and the cases that a person should look at. With `color` it
    holds ANSI color codes. Nothing in the cases can add codes of its own.
    """
    width = max(width, _NARROWEST)
    shown = noteworthy(report, details=details)
    alone = report.summary.cases == 1
    show = _colored() if color else _plain
    if not alone:
        yield show(_head_lines(report, len(shown), width))
        yield printed(_tables(report), color=color, width=width)
    rule = (Text(""), Text("-" * min(width, 60), "dim"), Text(""))
    for number, place in enumerate(shown):
        view = case_view(report.cases[place], details=details)
        above = () if alone and not number else rule
        yield show([*above, *_case_lines(view, width)])


def _head_lines(report: ReportContents, written: int, width: int) -> Iterator[Text]:
    for line in summary_lines(report):
        yield from _wrapped(line, width)
    unwritten = len(report.cases) - written
    if unwritten:
        cases = "case is" if unwritten == 1 else "cases are"
        yield from _wrapped(
            f"{unwritten} correct {cases} not written out (--only correct or --details does)", width
        )


def _tables(report: ReportContents) -> Iterator[RenderableType]:
    for place, table in enumerate(summary_tables(report)):
        if not place:
            yield ""
        made = new_table(table.title, *table.columns)
        made.title = table.title
        for row in table.rows:
            made.add_row(*row)
        yield made


def _plain(lines: Iterable[Text]) -> str:
    return "".join(line.plain.rstrip() + "\n" for line in lines)


def _colored() -> Callable[[Iterable[Text]], str]:
    """Return a function that gives lines with ANSI codes; the console is made once for all."""
    stream = io.StringIO()
    console = Console(
        file=stream, force_terminal=True, color_system="standard", no_color=False, width=10_000
    )

    def show(lines: Iterable[Text]) -> str:
        stream.seek(0)
        stream.truncate()
        for line in lines:
            console.print(line, soft_wrap=True, highlight=False, markup=False, emoji=False)
        return stream.getvalue()

    return show


def _case_lines(case: CaseView, width: int) -> Iterator[Text]:
    yield Text(case.title, "bold")
    for label, text in (("question", case.question), ("evidence", case.evidence)):
        if text:
            yield from _labeled(label, text, width)
    yield Text("")
    yield from _verdict_lines(case, width)
    if case.abstained:
        yield Text(case.abstained, "bold yellow")
    if case.trouble:
        yield from _wrapped(case.trouble, width)
    if case.unread:
        yield from _wrapped(case.unread, width)
    if case.sql is not None:
        yield Text("")
        for row in marked_rows(case.sql, case.marks, width - _GUTTER):
            yield from _row_lines(row)
    for finding in case.findings:
        yield Text("")
        yield from _finding_lines(finding, case, width)
    yield Text("")
    if case.summed:
        parts = sum_text(case.summed, case.probability)
        yield from _wrapped(f"log-odds of an error: {parts}", width)
    yield from _wrapped(case.coverage, width)
    for group in (*case.failed, *case.skipped):
        yield from _skipped_lines(group, width)


def _verdict_lines(case: CaseView, width: int) -> Iterator[Text]:
    verdict = Text.assemble(
        (case.verdict.upper(), _VERDICT_STYLE[case.verdict]),
        f"   p(correct) = {case.probability}",
    )
    beside = f"   ({case.called})" if case.called else ""
    if len(verdict) + len(beside) <= width:
        yield verdict.append(beside)
    else:
        yield verdict
        yield from _wrapped(f"({case.called})", width)


def _row_lines(row: Row) -> Iterator[Text]:
    if row.skipped:
        yield Text(f"     ... {row.skipped} rows without a finding ...", "dim")
        return
    gutter = f"{row.line if row.line is not None else '':>3} | "
    query = Text(row.text)
    for start, end in row.marked:
        query.stylize("bold red", start, end)
    yield Text.assemble((gutter, "dim"), query)
    for under in row.under:
        yield Text.assemble((" " * (_GUTTER - 2) + "| ", "dim"), (under, "red"))


def _finding_lines(finding: FindingView, case: CaseView, width: int) -> Iterator[Text]:
    yield Text.assemble(
        (f"{finding.number}. {f'{finding.code} {finding.signal}'.strip()}", "bold"),
        f" in {finding.clause}, ",
        (finding.level, _LEVEL_STYLE[finding.level]),
        "" if finding.let_pass else f", score {finding.score}",
    )
    yield from _wrapped(finding.message, width, _INDENT)
    for key, value in finding.evidence:
        yield from _labeled(key, value, width)
    if finding.counterexample is not None:
        from clausewise.reporting.counterexample_text import counterexample_lines

        yield Text("")
        yield from counterexample_lines(finding.counterexample, width, _INDENT)
        yield Text("")
    repair = finding.suggestion or next(
        (item.instruction for item in case.repairs if item.signal == finding.signal), None
    )
    if repair and not finding.let_pass:
        yield from _labeled("try", repair, width)
    if finding.weight:
        yield from _labeled("weight", finding.weight, width)
    if finding.more:
        yield from _wrapped(finding.more, width, _INDENT)


def _skipped_lines(skipped: SkippedView, width: int) -> Iterator[Text]:
    yield from _wrapped(
        f"{', '.join(skipped.names)}: {skipped.what}: {skipped.reason}", width, _INDENT
    )


def _labeled(label: str, text: str, width: int) -> Iterator[Text]:
    head = f"{_INDENT}{label:<{_LABEL}} "
    lines = textwrap.wrap(
        text, width, initial_indent=head, subsequent_indent=" " * (len(_INDENT) + _LABEL + 1)
    )
    for place, line in enumerate(lines):
        shown = Text(line)
        if place == 0:
            shown.stylize("dim", 0, len(head))
        yield shown


def _wrapped(text: str, width: int, indent: str = "") -> Iterator[Text]:
    for line in textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent):
        yield Text(line)
