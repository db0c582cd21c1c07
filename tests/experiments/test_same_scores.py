"""Comparing the scores of two runs: what differs is counted by signal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from experiments import same_scores
from experiments.same_scores import compare, read, record, write


def scored(**changes: Any) -> dict[str, Any]:
    finding = {
        "signal": "empty_predicate",
        "clause": {"kind": "where", "start": 20, "end": 31, "text": "WHERE a = 1"},
        "score": 0.8,
        "level": "warning",
        "message": "no row has it",
        "suggestion": None,
    }
    line = {
        "p_correct": 0.25,
        "status": "ok",
        "signals": {"empty_predicate": "fired", "extra_number": "silent"},
        "findings": [{**finding, **changes.pop("finding", {})}],
    }
    return {**line, **changes}


def run(*cases: dict[str, Any]) -> list[dict[str, str]]:
    return [record(("bird", "False", "some", str(place)), of) for place, of in enumerate(cases)]


def test_equal_runs_are_equal_also_after_they_were_written(tmp_path: Path) -> None:
    found = run(scored(), scored(p_correct=None, status="unchecked", signals={}, findings=[]))
    write(tmp_path / "run.csv.gz", found)
    differences = compare(read(tmp_path / "run.csv.gz"), found)
    assert not differences.any
    assert differences.report().startswith("2 predictions compared, 0 in one run only")


@pytest.mark.parametrize(("gap", "differs"), [(5e-10, False), (2e-9, True)])
def test_probabilities_are_compared_to_the_tolerance(gap: float, differs: bool) -> None:
    differences = compare(run(scored()), run(scored(p_correct=0.25 + gap)))
    assert differences.any is differs
    assert differences.probabilities == differs


def test_a_probability_that_is_gone_differs() -> None:
    differences = compare(run(scored()), run(scored(p_correct=None, status="unchecked")))
    assert differences.probabilities == 1
    assert differences.statuses == {"ok -> unchecked": 1}


def test_outcomes_and_findings_are_counted_by_signal() -> None:
    silent = scored(signals={"extra_number": "fired", "empty_predicate": "silent"}, findings=[])
    differences = compare(run(scored(), scored()), run(scored(), silent))
    assert differences.outcomes == {
        ("empty_predicate", "fired", "silent"): 1,
        ("extra_number", "silent", "fired"): 1,
    }
    assert differences.lost == {"empty_predicate": 1}
    assert not differences.gained
    assert differences.examples == ["bird False some 1"]
    assert "| empty_predicate | outcome fired -> silent | 1 |" in differences.report()


@pytest.mark.parametrize("change", [{"score": 0.9}, {"level": "info"}])
def test_a_changed_finding_is_lost_and_gained(change: dict[str, Any]) -> None:
    differences = compare(run(scored()), run(scored(finding=change)))
    assert differences.lost == differences.gained == {"empty_predicate": 1}
    assert not differences.texts


def test_a_changed_message_is_counted_apart_and_is_no_example() -> None:
    differences = compare(run(scored()), run(scored(finding={"message": "nothing has it"})))
    assert differences.texts == {"empty_predicate": 1}
    assert not differences.lost
    assert not differences.examples
    assert differences.any


def test_a_prediction_of_one_run_only_differs() -> None:
    assert compare(run(scored(), scored()), run(scored())).missing == 1


def test_the_command_needs_a_file_to_write_or_to_compare_with(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["same_scores", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        same_scores.main()
    assert ended.value.code == 2
    assert "give --write or --before" in capsys.readouterr().err
