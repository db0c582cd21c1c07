"""Reports of a scores file: the same text as of a list, in memory that hardly grows."""

from __future__ import annotations

import itertools
import json
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clausewise.datasets import ScoresFile
from clausewise.errors import CaseError, RegistryError
from clausewise.registry import Registry
from clausewise.reporting import (
    VIEWS,
    View,
    ViewOptions,
    build_report,
    iter_view,
    render,
    stream_report,
    to_json,
)
from clausewise.reporting.json_view import filled_json

LINE = 20_000
"""Characters of a line at least; what is kept of a line does not grow with it."""
MOST_PER_LINE = 1_000
"""Bytes of memory that a report or an evaluation may take for each further line."""


@pytest.fixture
def write_scores(records, tmp_path) -> Callable[[int, int], Path]:
    """Return a writer of scores files: the records again and again, each with an id of its own."""

    def write(number: int, size: int = 0) -> Path:
        path = tmp_path / f"{number}.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for place, record in zip(range(number), itertools.cycle(records), strict=False):
                mine = {"question_id": place, "padding": "x" * size}
                file.write(json.dumps(record | mine) + "\n")
        return path

    return write


CHOICES: list[dict[str, Any]] = [
    {},
    {"only": ["incorrect", "unchecked"]},
    {"top": 5},
    {"sort": "db"},
    {"sort": "id", "top": 7, "only": ["correct"]},
]


@pytest.mark.parametrize("choice", CHOICES, ids=str)
@pytest.mark.parametrize("details", [False, True])
@pytest.mark.parametrize("view", list(VIEWS))
def test_a_file_gives_the_text_that_a_list_gives(write_scores, signal_notes, view, details, choice):
    path = write_scores(12)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    held = VIEWS[view](
        build_report(lines, signals=signal_notes, **choice), ViewOptions(details=details)
    )
    assert render(lines, view, signals=signal_notes, details=details, **choice) == held
    assert render(iter(lines), view, signals=signal_notes, details=details, **choice) == held
    with ScoresFile(path) as cases:
        streamed = render(cases, view, signals=signal_notes, details=details, **choice)
    assert streamed == held


def test_json_that_is_written_item_by_item_is_that_of_the_whole(records, signal_notes):
    report = build_report(records, {"list": []}, signals=signal_notes)
    assert render(records, "json", signals=signal_notes, settings={"list": []}) == to_json(
        report.to_dict()
    )
    for number in (len(records), 1, 0):
        for view in ("json", "sarif"):
            text = render(records[:number], view, signals=signal_notes)
            assert to_json(json.loads(text)) == text
    frame = {"a": "[]", "b": [], "c": {"d": [], "e": []}}
    whole = {"a": "[]", "b": [], "c": {"d": [{"f": ["\n[]", 1]}, 2], "e": []}}
    assert "".join(filled_json(frame, iter(whole["c"]["d"]), iter([]))) == to_json(whole)


def peak(work: Callable[[], object]) -> int:
    """Return the most bytes that were allocated at a time meanwhile."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def growth(write_scores: Callable[[int, int], Path], work: Callable[[Path], object]) -> float:
    """Return the bytes by which the peak of memory grows with a line, from 100 to 300 lines."""
    few, many = write_scores(100, LINE), write_scores(300, LINE)
    work(few)  # what is imported and compiled once
    return (peak(lambda: work(many)) - peak(lambda: work(few))) / 200


def drain(chunks: Iterator[str]) -> None:
    for _ in chunks:
        pass


@pytest.mark.parametrize("view", list(VIEWS))
def test_memory_does_not_grow_with_what_a_report_is_of(write_scores, signal_notes, view):
    def work(path: Path) -> None:
        with ScoresFile(path) as cases:
            report = stream_report(cases, signals=signal_notes, sort="id")
            drain(iter_view(report, view, ViewOptions(details=True)))

    assert growth(write_scores, work) < MOST_PER_LINE


def test_a_view_of_a_plugin_gets_the_report_and_returns_text(records, signal_notes, monkeypatch):
    known: Registry[View] = Registry("report format")
    known.add("first", lambda report, options: f"{report.cases[0].question_id} {options.width}\n")
    monkeypatch.setattr("clausewise.reporting.views.VIEWS", known)
    assert render(records, "first", signals=signal_notes, width=70) == "7 70\n"


def test_an_unknown_format_is_refused_before_the_cases_are_read(records):
    cases = iter(records)
    with pytest.raises(RegistryError, match="unknown report format 'pdf'"):
        render(cases, "pdf")
    assert len(list(cases)) == len(records)


def test_a_case_that_is_nested_too_deeply_for_a_format_is_named(records, tmp_path):
    deep: Any = 1
    for _ in range(900):
        deep = {"a": deep}
    finding = records[0]["findings"][0] | {"evidence": {"x": deep}}
    spoilt = [records[0], records[0] | {"findings": [finding]}]
    for view in ("text", "json", "markdown", "html", "sarif"):
        with pytest.raises(CaseError, match=f"scores:2: nested too deeply for the .* '{view}'"):
            render(spoilt, view, signals={})
    path = tmp_path / "scores.jsonl"
    path.write_text("\n".join(["", *map(json.dumps, spoilt)]), encoding="utf-8")
    named = r"scores\.jsonl:3: field 'findings': nested too deeply"
    with ScoresFile(path) as cases, pytest.raises(CaseError, match=named):
        render(cases, "json", signals={})
    assert render(spoilt, "csv", signals={}).count("\n") == 3
