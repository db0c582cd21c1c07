"""The report as Markdown and as one HTML file, from templates."""

from __future__ import annotations

import re
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from clausewise.reporting.case_view import CaseView, case_view, summary_lines
from clausewise.reporting.error_report import Report
from clausewise.reporting.marking import marked_pieces, marked_rows
from clausewise.text import compact, one_line
from clausewise.types import Verdict

_MARKDOWN_SPECIAL = re.compile(r"[\\`*_\[\]<>&|~#!$]")
_MARKDOWN_BLOCK = re.compile(r"^(\s*)(\d+(?=[.)](?:\s|$))|(?=[-+=]))(.)")
_LINK = re.compile(r"(?i)(?<=:)(?=//)|(?<=\bwww)(?=\.)|(?=@)")
_ROW_WIDTH = 100
_VERDICTS = (Verdict.INCORRECT, Verdict.CORRECT, Verdict.UNCHECKED)


def markdown_view(report: Report) -> str:
    """Return the report as CommonMark, ending in a line feed.

    Texts from the cases are escaped, so that they are shown as they are: no markup, HTML or
    links of their own.
    """
    return _rendered("report.md.j2", report)


def html_view(report: Report) -> str:
    """Return the report as one HTML file, ending in a line feed.

    It loads nothing from elsewhere and holds no script; the filter by verdict is style only.
    """
    return _rendered("report.html.j2", report)


def _rendered(template: str, report: Report) -> str:
    text = (
        _environment()
        .get_template(template)
        .render(
            cases=[case_view(case) for case in report["cases"]],
            summary=summary_lines(report),
            settings={one_line(key): compact(value) for key, value in report["settings"].items()},
            version=report["generator"]["version"],
            verdicts=[verdict.value for verdict in _VERDICTS],
        )
    )
    return text.rstrip("\n") + "\n"


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
    environment.globals["query_pieces"] = _query_pieces
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
    body = "\n".join(lines)
    fence = "`" * max(3, _longest_run(body) + 1)
    return f"{fence}text\n{body}\n{fence}"


def _query_pieces(case: CaseView) -> list[tuple[str, str]]:
    return marked_pieces(case.sql or "", case.marks)
