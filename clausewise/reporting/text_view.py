"""The report for a terminal: the query with its suspect places marked, findings below."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from clausewise.reporting.case_view import (
    DOES_NOT_APPLY,
    CaseView,
    FindingView,
    SkippedView,
    case_view,
    summary_lines,
)
from clausewise.reporting.error_report import Report
from clausewise.reporting.marking import Row, marked_rows

_GUTTER = 6
_INDENT = "   "
_LABEL = 14
_NARROWEST = 40
_MOST_REASONS = 5
"""More reasons why signals do not apply are not written out."""
_VERDICT_STYLE = {"incorrect": "bold red", "correct": "bold green", "unchecked": "bold yellow"}
_LEVEL_STYLE = {"error": "red", "warning": "yellow", "info": "cyan"}


def text_view(report: Report, *, color: bool = False, width: int = 100) -> str:
    """Return the report as text of at most `width` columns, ending in a line feed.

    With `color` it holds ANSI colour codes. Nothing in the cases can add codes of its own.
    """
    width = max(width, _NARROWEST)
    lines: list[Text] = []
    if len(report["cases"]) != 1:
        for line in summary_lines(report):
            lines += _wrapped(line, width)
    for place, case in enumerate(report["cases"]):
        if place or lines:
            lines += [Text(""), Text("-" * min(width, 60), "dim"), Text("")]
        lines += _case_lines(case_view(case), width)
    return _printed(lines, color)


def _printed(lines: list[Text], color: bool) -> str:
    if not color:
        return "".join(line.plain.rstrip() + "\n" for line in lines)
    stream = io.StringIO()
    console = Console(
        file=stream, force_terminal=True, color_system="standard", no_color=False, width=10_000
    )
    for line in lines:
        console.print(line, soft_wrap=True, highlight=False, markup=False, emoji=False)
    return stream.getvalue()


def _case_lines(case: CaseView, width: int) -> Iterator[Text]:
    yield Text(case.title, "bold")
    for label, text in (("question", case.question), ("evidence", case.evidence)):
        if text:
            yield from _labelled(label, text, width)
    yield Text("")
    yield Text.assemble(
        (case.verdict.upper(), _VERDICT_STYLE[case.verdict]),
        f"   p(correct) = {case.probability}",
    )
    if case.abstained:
        yield Text(case.abstained, "bold yellow")
    if case.trouble:
        yield from _wrapped(case.trouble, width)
    if case.sql is not None:
        yield Text("")
        for row in marked_rows(case.sql, case.marks, width - _GUTTER):
            yield from _row_lines(row)
    for finding in case.findings:
        yield Text("")
        yield from _finding_lines(finding, case, width)
    yield Text("")
    yield from _wrapped(case.coverage, width)
    if case.skipped:
        yield Text("Not checked:")
        yield from _all_skipped(case.skipped, width)


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
        f", score {finding.score}",
    )
    yield from _wrapped(finding.message, width, _INDENT)
    for key, value in finding.evidence:
        yield from _labelled(key, value, width)
    repair = finding.suggestion or next(
        (item.instruction for item in case.repairs if item.signal == finding.signal), None
    )
    if repair:
        yield from _labelled("try", repair, width)
    if finding.weight:
        yield from _labelled("weight", finding.weight, width)


def _all_skipped(skipped: Sequence[SkippedView], width: int) -> Iterator[Text]:
    """Yield a line for each reason; where many signals do not apply, one list of their names."""
    idle = [group for group in skipped if group.what == DOES_NOT_APPLY]
    if len(idle) > _MOST_REASONS:
        skipped = [group for group in skipped if group.what != DOES_NOT_APPLY]
    for group in skipped:
        yield from _skipped_lines(group, width)
    if len(idle) > _MOST_REASONS:
        names = ", ".join(name for group in idle for name in group.names)
        yield from _wrapped(
            f"{names}: do not apply (the JSON form has the reasons)", width, _INDENT
        )


def _skipped_lines(skipped: SkippedView, width: int) -> Iterator[Text]:
    yield from _wrapped(
        f"{', '.join(skipped.names)}: {skipped.what}: {skipped.reason}", width, _INDENT
    )


def _labelled(label: str, text: str, width: int) -> Iterator[Text]:
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
