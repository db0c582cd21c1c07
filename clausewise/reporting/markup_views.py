"""The report as Markdown and as one HTML file, from templates."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from clausewise.reporting.case_view import CaseView, case_view, noteworthy
from clausewise.reporting.contents import ReportContents
from clausewise.reporting.explaining import sum_text
from clausewise.reporting.marking import marked_pieces, marked_rows
from clausewise.reporting.summary_view import cases_table, summary_lines, summary_tables
from clausewise.text import compact, one_line
from clausewise.types import Verdict

_MARKDOWN_SPECIAL = re.compile(r"[\\`*_\[\]<>&|~#!$]")
_MARKDOWN_BLOCK = re.compile(r"^(\s*)(\d+(?=[.)](?:\s|$))|(?=[-+=]))(.)")
_LINK = re.compile(r"(?i)(?<=:)(?=//)|(?<=\bwww)(?=\.)|(?=@)")
_ROW_WIDTH = 100
LISTED = 50
"""Cases of an HTML report in which the signals that did not apply are named."""
PIECES = 500
"""Pieces of a template that are written at once; a case has about a hundred."""
BARS = 20
"""Of the histogram of p(correct)."""
_VERDICTS = (Verdict.INCORRECT, Verdict.CORRECT, Verdict.UNCHECKED)


def markdown_view(report: ReportContents, *, details: bool = False) -> Iterator[str]:
    """Yield the report as CommonMark with tables, ending in a line feed.

    Of many cases it has a table of all and writes out those that a person should look at; with
    `details` all, and what was not checked. Texts from the cases are escaped, so that they are
    shown as they are: no markup, HTML or links of their own.
    """
    tables = summary_tables(report)
    if report.summary.cases > 1 and report.cases:
        tables = (*tables, cases_table(report.scored()))
    places = noteworthy(report, details=details)
    return _rendered("report.md.j2", report, places, details, details, tables=tables)


def html_view(report: ReportContents, *, details: bool = False) -> Iterator[str]:
    """Yield the report as one HTML file, ending in a line feed.

    It loads nothing from elsewhere and holds no script; the filter by verdict is style only.
    What was not checked is folded, and with more than `LISTED` cases only counted; with
    `details` every finding is written out and every signal that did not apply is named.
    """
    return _rendered(
        "report.html.j2",
        report,
        range(len(report.cases)),
        details,
        details or len(report.cases) <= LISTED,
        tables=summary_tables(report),
        counts=_counts(report),
        bars=_bars(report),
        verdicts=[verdict.value for verdict in _VERDICTS],
    )


def _rendered(
    template: str,
    report: ReportContents,
    places: Sequence[int],
    details: bool,
    list_skipped: bool,
    **values: object,
) -> Iterator[str]:
    """Yield the report with the cases at `places` written out one after the other."""
    return streamed_template(
        template,
        cases=(
            case_view(report.cases[place], details=details, list_skipped=list_skipped)
            for place in places
        ),
        number=len(places),
        details=details,
        summary=summary_lines(report),
        settings={one_line(key): compact(value) for key, value in report.settings.items()},
        version=report.generator.version,
        **values,
    )


def rendered_template(template: str, **values: object) -> str:
    """Return a template of this package filled in, ending in one line feed."""
    return _environment().get_template(template).render(**values).rstrip("\n") + "\n"


def streamed_template(template: str, **values: object) -> Iterator[str]:
    """Yield a template of this package filled in, piece by piece, ending in one line feed."""
    pieces = _environment().get_template(template).stream(**values)
    pieces.enable_buffering(PIECES)
    return _with_one_line_feed(pieces)


def _with_one_line_feed(pieces: Iterable[str]) -> Iterator[str]:
    """Yield the pieces of a text so that it ends in one line feed, whatever it ended in."""
    held = ""
    for piece in pieces:
        text = held + piece
        shown = text.rstrip("\n")
        if shown:
            yield shown
        held = text[len(shown) :]
    yield "\n"


def _counts(report: ReportContents) -> list[tuple[str, int, str]]:
    """Return name, cases and their share in percent, for the head of the page."""
    summary = report.summary
    counts = {verdict.value: summary.verdicts[verdict] for verdict in _VERDICTS}
    if summary.abstained:
        counts["abstained"] = summary.abstained
    total = max(summary.cases, 1)
    return [(name, count, f"{count / total:.0%}") for name, count in counts.items()]


def _bars(report: ReportContents) -> list[tuple[int, int, int]]:
    """Return place, height in percent and cases of the histogram of p(correct), if of all."""
    if report.selection:
        return []
    known = [digest.p_correct for digest in report.digests() if digest.p_correct is not None]
    if len(known) < 2:
        return []
    counted = Counter(min(int(p * BARS), BARS - 1) for p in known)
    most = max(counted.values())
    return [(place, round(100 * counted[place] / most), counted[place]) for place in range(BARS)]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("clausewise.reporting"),
        autoescape=lambda name: name is not None and ".html" in name,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["md"] = markdown_text
    environment.filters["code"] = markdown_code
    environment.globals["fenced_query"] = _fenced_query
    environment.globals["fenced_sql"] = _fenced_sql
    environment.globals["query_pieces"] = _query_pieces
    environment.globals["sum_text"] = sum_text
    return environment


def markdown_text(text: str) -> str:
    """Return one line of visible text with everything escaped that Markdown would act on."""
    escaped = _MARKDOWN_SPECIAL.sub(r"\\\g<0>", text)
    escaped = _MARKDOWN_BLOCK.sub(r"\1\2\\\3", escaped)
    return _LINK.sub(r"\\", escaped)


def markdown_code(text: str) -> str:
    """Return one line of visible text as a code span, whatever backticks it holds."""
    ticks = "`" * (_longest_run(text) + 1)
    padding = " " if text.startswith("`") or text.endswith("`") or not text.strip() else ""
    return f"{ticks}{padding}{text}{padding}{ticks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


def _fenced_query(case: CaseView) -> str:
    lines = []
    for row in marked_rows(case.sql or "", case.marks, _ROW_WIDTH):
        if row.skipped:
            lines.append(f"     ... {row.skipped} rows without a finding ...")
            continue
        lines.append(f"{row.line if row.line is not None else '':>3} | {row.text}".rstrip())
        lines += [f"    | {under}" for under in row.under]
    return _fenced("\n".join(lines), "text")


def _fenced_sql(text: str) -> str:
    return _fenced(text, "sql")


def _fenced(body: str, language: str) -> str:
    fence = "`" * max(3, _longest_run(body) + 1)
    return f"{fence}{language}\n{body}\n{fence}"


def _query_pieces(case: CaseView) -> list[tuple[str, str]]:
    return marked_pieces(case.sql or "", case.marks)
