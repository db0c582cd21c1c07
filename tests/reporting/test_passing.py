"""Where the verdict stands, and how a finding is shown that people let pass."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clausewise.datasets import as_scored_cases
from clausewise.reporting import render, report_dict
from clausewise.reporting.passing import is_let_pass
from clausewise.scored_cases import ScoredCases, summary_row
from clausewise.signals import SIGNALS, load_signals

VIEWS = ("text", "markdown", "html")
MESSAGE = "the count is shown, and nobody asked for it"


def convention(**changed: Any) -> dict[str, Any]:
    """Return a finding as relaxed conventions leave it."""
    return {
        "signal": "projection_mismatch",
        "code": "QST01",
        "clause": {"kind": "select", "text": "COUNT(*)", "start": 25, "end": 33},
        "score": 0.99,
        "message": MESSAGE,
        "evidence": {},
        "suggestion": "select exactly what the question asks for",
        "level": "info",
        "contribution": 0.0,
        "reason": "unasked_count",
        "measure": None,
        **changed,
    }


@pytest.fixture
def passing(records: list[dict[str, Any]]) -> dict[str, Any]:
    """The wrong record with a convention beside its findings."""
    record = records[0]
    return {
        **record,
        "findings": [convention(), *record["findings"]],
        "signals": {**record["signals"], "projection_mismatch": "fired"},
    }


@pytest.mark.parametrize("view", VIEWS)
def test_the_threshold_stands_beside_the_probability(records, signal_notes, view) -> None:
    shown = render(records[:1], view, signals=signal_notes)
    assert "called incorrect at 0.565 or less" in shown
    older = {name: value for name, value in records[0].items() if name != "threshold"}
    assert "called incorrect" not in render([older], view, signals=signal_notes)


@pytest.mark.parametrize("view", VIEWS)
def test_a_query_beyond_the_threshold_that_is_not_called_has_a_reason(
    records, signal_notes, view
) -> None:
    why = "called incorrect at 0.565 or less, but no finding says why"
    assert why not in render(records[:2], view, signals=signal_notes)
    silent = records[0] | {"verdict": "correct", "findings": []}
    assert why in render([silent], view, signals=signal_notes)


def test_the_threshold_is_in_the_data_formats(records, signal_notes) -> None:
    (case,) = report_dict(records[:1], signals=signal_notes)["cases"]
    assert case["threshold"] == 0.435
    sarif = json.loads(render(records[:1], "sarif", signals=signal_notes))
    assert sarif["runs"][0]["artifacts"][0]["properties"]["threshold"] == 0.435


@pytest.mark.parametrize("view", VIEWS)
def test_what_people_let_pass_comes_last_and_asks_for_nothing(passing, signal_notes, view) -> None:
    load_signals()
    notes = {**SIGNALS, **signal_notes}
    shown = render([passing], view, signals=notes)
    assert f"let pass: {MESSAGE}" in shown
    assert shown.index("no row satisfies") < shown.index(MESSAGE)
    assert "score 0.99" not in shown
    assert "select exactly what" not in shown
    assert "2 findings" in shown  # those that moved the log-odds


def test_only_a_convention_that_moved_nothing_is_let_pass(records) -> None:
    def passes(**changed: Any) -> bool:
        (case,) = as_scored_cases([records[0] | {"findings": [convention(**changed)]}])
        return is_let_pass(case.findings[0])

    assert passes()
    assert not passes(contribution=1.2)
    assert not passes(contribution=None)
    assert not passes(level="warning")
    assert not passes(reason="too_few")
    assert not passes(signal="a_plug_in_that_is_not_there")


def test_there_is_nothing_to_correct_in_it(passing, signal_notes) -> None:
    (case,) = report_dict([passing], signals=signal_notes)["cases"]
    assert "projection_mismatch" not in {entry["signal"] for entry in case["error_report"]}
    assert "projection_mismatch" in {finding["signal"] for finding in case["findings"]}


def test_it_is_never_the_strongest_finding(passing, records) -> None:
    scored = ScoredCases(as_scored_cases([passing]))
    assert summary_row(scored[0])["signal"] == "empty_predicate"
    html = scored[0]._repr_html_()
    assert html.index("no row satisfies") < html.index(MESSAGE)
    alone = as_scored_cases([records[0] | {"findings": [convention()]}])
    assert summary_row(alone[0])["signal"] == "projection_mismatch"


def test_it_is_a_note_in_sarif(passing, signal_notes) -> None:
    sarif = json.loads(render([passing], "sarif", signals=signal_notes))
    (note,) = [x for x in sarif["runs"][0]["results"] if x["ruleId"] == "QST01"]
    assert note["level"] == "note"
    assert note["message"]["text"].startswith(f"let pass: {MESSAGE}")
