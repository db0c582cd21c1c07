"""Small HTML for notebooks: one scored case, and tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from clausewise.text import one_line, shortened, visible

FINDINGS_SHOWN = 5
"""Findings of a case that are written out; the report has all."""
_TEXT_SHOWN = 300
_COLORS = {"incorrect": "#cf222e", "correct": "#1a7f37", "unchecked": "#9a6700"}


def case_html(record: Mapping[str, Any]) -> str:
    """Return a line of the scores file as HTML: verdict, query with marked clauses, findings."""
    verdict = str(record["verdict"])
    p_correct = record["p_correct"]
    probability = "unknown" if p_correct is None else f"{p_correct:.3f}"
    findings = sorted(record["findings"], key=_strongest_first)
    parts = [
        f"<b style='color:{_COLORS[verdict]}'>{verdict}</b>, p(correct) = {probability}, "
        f"case {_text(record['question_id'])}, database {_text(record['db_id'])}"
    ]
    if record["abstained"]:
        parts.append("abstained: too close to call")
    if record["reason"]:
        parts.append(f"{_text(record['status'])}: {_text(record['reason'])}")
    if record["predicted_sql"]:
        places = [(finding["clause"]["start"], finding["clause"]["end"]) for finding in findings]
        parts.append(
            "<pre style='white-space:pre-wrap'>"
            f"{_marked(visible(record['predicted_sql']), places)}</pre>"
        )
    listed = "".join(
        f"<li><b>{_text(finding['signal'])}</b> in {_text(finding['clause']['kind'])} "
        f"({_text(finding['level'])}): {_text(finding['message'])}</li>"
        for finding in findings[:FINDINGS_SHOWN]
    )
    more = len(findings) - FINDINGS_SHOWN + sum(record["more_findings"].values())
    parts.append(f"<ol>{listed}</ol>" if listed else "no findings")
    if more > 0:
        parts.append(f"and {more} more findings")
    return "".join(f"<div>{part}</div>" for part in parts)


def _strongest_first(finding: Mapping[str, Any]) -> tuple[bool, float]:
    """Order a line's findings by falling score, information that moved nothing last."""
    nothing = finding["level"] == "info" and finding["contribution"] == 0.0
    return nothing, -finding["score"]


def table_html(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; every cell is escaped."""
    lines = [_row("th", columns), *(_row("td", row) for row in rows)]
    return f"<table>{''.join(lines)}</table>"


def _row(tag: str, cells: Sequence[object]) -> str:
    shown = "".join(f"<{tag} style='text-align:left'>{_text(cell)}</{tag}>" for cell in cells)
    return f"<tr>{shown}</tr>"


def _text(value: object) -> str:
    return escape(shortened(one_line("" if value is None else value), _TEXT_SHOWN))


def _marked(sql: str, places: Iterable[tuple[int, int]]) -> str:
    """Return the query with the places marked, those left out that cover all of it."""
    marked = [False] * len(sql)
    for start, end in places:
        if end - start < len(sql.strip()):
            marked[start:end] = [True] * (min(end, len(sql)) - min(start, len(sql)))
    pieces = []
    start = 0
    for place in range(1, len(sql) + 1):
        if place == len(sql) or marked[place] != marked[start]:
            piece = escape(sql[start:place])
            pieces.append(f"<mark>{piece}</mark>" if marked[start] else piece)
            start = place
    return "".join(pieces)
