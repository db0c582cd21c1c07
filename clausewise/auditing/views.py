"""The formats in which an audit is written, by name: one report, many views."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from clausewise._version import __version__
from clausewise.auditing.decisions import DECISION_COLUMNS, DECISIONS
from clausewise.auditing.report import AuditReport
from clausewise.auditing.typology import CATEGORIES
from clausewise.datasets import dump_line
from clausewise.registry import Registry
from clausewise.text import compact, one_line, shortened, visible

AuditView: TypeAlias = Callable[[AuditReport], Iterator[str]]

AUDIT_FORMATS: Registry[AuditView] = Registry("audit format")
"""Every format of `clausewise audit`; a view yields the text in pieces."""

CSV_COLUMNS = (
    "question_id", "db_id", *DECISION_COLUMNS, "suspicion", "status", "side", "category",
    "message", "clause", "other_categories", "question", "evidence", "gold_sql", "suggestion",
    "suggested_sql", "p_correct", "reason", "unchecked",
)  # fmt: skip
"""The columns of the CSV; those of `DECISION_COLUMNS` are empty, for a person to fill in."""
_LONGEST = 200
_VERBATIM = ("question", "evidence", "gold_sql", "suggested_sql")


def jsonl_view(report: AuditReport) -> Iterator[str]:
    """Yield one JSON line for every shown case, in the order of the input."""
    for case in report.cases(in_order=True):
        yield dump_line(case) + "\n"


def csv_view(report: AuditReport) -> Iterator[str]:
    """Yield a table of the shown cases by suspicion, to mark decisions in."""
    from clausewise.reporting.csv_view import csv_cell, csv_line

    yield csv_line(CSV_COLUMNS)
    for case in report.cases():
        row = _row(case)
        yield csv_line(csv_cell(row[name], verbatim=name in _VERBATIM) for name in CSV_COLUMNS)


def text_view(report: AuditReport) -> Iterator[str]:
    """Yield the counts and the shown cases by suspicion as plain text."""
    yield f"{report.summary.line}\n"
    for side, name, _title, cases, strongest in report.summary.by_category():
        counted = f"{cases} {'case' if cases == 1 else 'cases'}"
        yield f"  {side} {name}: {counted}" + (f", {strongest} flagged" if strongest else "") + "\n"
    for case in report.cases():
        if not case["categories"] and case["suspicion"] is not None:
            continue
        yield f"\n{_number(case['suspicion'])} {one_line(case['question_id'])} "
        yield f"({one_line(case['db_id'] or '-')}): {one_line(case['question'] or '-')}\n"
        if case["gold_sql"]:
            yield f"    {one_line(case['gold_sql'])}\n"
        if case["reason"]:
            yield f"    {one_line(case['reason'])}\n"
        for category in case["categories"]:
            yield f"  {category['side']} {category['name']}: "
            yield f"{one_line(shortened(category['message'], _LONGEST))}\n"
        if case["suggested_sql"]:
            yield f"  try: {one_line(case['suggested_sql'])}\n"


def html_view(report: AuditReport) -> Iterator[str]:
    """Yield one page with the shown cases of which anything is to be said, by suspicion.

    It loads nothing from elsewhere and holds no script.
    """
    from clausewise.reporting.markup_views import streamed_template

    summary = report.summary
    shown = (_shown(case) for case in report.cases() if case["categories"] or case["reason"])
    return streamed_template(
        "audit.html.j2",
        cases=shown,
        line=summary.line,
        statuses=[(name.value, count) for name, count in _counts(summary.statuses)],
        categories=summary.by_category(),
        databases=[
            (one_line(name), summary.databases[name], count)
            for name, count in summary.flagged.most_common(_DATABASES)
        ],
        decisions=", ".join(DECISIONS),
        version=__version__,
    )


_DATABASES = 15
"""Databases that the page lists: those with the most flagged cases."""


def _counts(statuses: Mapping[Any, int]) -> list[tuple[Any, int]]:
    from clausewise.audited_case import AuditStatus

    return [(status, statuses[status]) for status in AuditStatus]


def _row(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return a case under the names of `CSV_COLUMNS`; None where there is nothing."""
    categories = case["categories"]
    first = categories[0] if categories else {}
    clause = first.get("clause") or {}
    unchecked = "; ".join(f"{name}: {reason}" for name, reason in case["unchecked"].items())
    made = {
        "side": first.get("side"),
        "category": first.get("name"),
        "message": first.get("message"),
        "clause": clause.get("text"),
        "other_categories": " ".join(category["name"] for category in categories[1:]),
        "suggestion": first.get("suggestion"),
        "unchecked": unchecked,
    }
    return {name: made.get(name, case.get(name)) for name in CSV_COLUMNS}


def _shown(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page shows of a case, as visible text."""
    from clausewise.reporting.marking import marked_pieces, merge_marks

    sql = visible(case["gold_sql"] or "")
    categories = case["categories"]
    # One that belongs to no clause marks nothing, like one that covers the whole query.
    whole = (0, len(sql))
    spans = [
        whole if of["clause"] is None else (of["clause"]["start"], of["clause"]["end"])
        for of in categories
    ]
    return {
        "title": f"{one_line(case['question_id'])} ({one_line(case['db_id'] or '-')})",
        "status": case["status"],
        "suspicion": _number(case["suspicion"]),
        "share": case["suspicion"],
        "p_correct": _number(case["p_correct"]),
        "question": one_line(case["question"] or ""),
        "evidence": one_line(case["evidence"] or ""),
        "reason": one_line(case["reason"] or ""),
        "pieces": marked_pieces(sql, merge_marks(spans, sql)) if sql else [],
        "categories": [_category(category) for category in categories],
        "suggested_sql": visible(case["suggested_sql"] or ""),
        "suggested_because": one_line(case["suggested_because"] or ""),
        "unchecked": [(one_line(a), one_line(b)) for a, b in case["unchecked"].items()],
    }


def _category(category: Mapping[str, Any]) -> dict[str, Any]:
    known = CATEGORIES.get(category["name"])
    return {
        "side": category["side"],
        "title": category["name"] if known is None else known.title,
        "name": category["name"],
        "typology": category["typology"],
        "score": f"{category['score']:.2f}",
        "message": one_line(category["message"]),
        "source": one_line(category["source"]),
        "suggestion": one_line(category["suggestion"] or ""),
        "more": category["more"],
        "evidence": [(one_line(a), compact(b)) for a, b in category["evidence"].items()],
    }


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


for _name, _view in (
    ("text", text_view),
    ("jsonl", jsonl_view),
    ("csv", csv_view),
    ("html", html_view),
):
    AUDIT_FORMATS.add(_name, _view)
