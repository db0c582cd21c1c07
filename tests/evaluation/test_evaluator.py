"""From records and labels to an evaluation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clausewise.errors import InputError
from clausewise.evaluation import evaluate
from clausewise.types import CaseStatus, OutcomeStatus, ScoredCase, Verdict


def test_cases_are_joined_by_id_and_the_rest_is_counted(make_record):
    scores = [
        make_record(1, 0.9),
        make_record("2", 0.2),
        make_record(3, 0.7),
        make_record(4, None, status="unchecked", reason="no such database"),
    ]
    evaluation = evaluate(scores, {"1": True, 2: False, 4: True, 99: False}, bootstrap=0)
    assert evaluation.overall.metrics.n == 2
    assert evaluation.overall.metrics.n_incorrect == 1
    assert evaluation.overall.metrics["auc"].value == 1.0
    assert evaluation.excluded.to_dict() == {
        "unchecked": 1,
        "unlabeled": 1,
        "labels_without_case": 1,
    }


def test_a_query_that_does_not_run_counts_as_surely_incorrect(make_record):
    scores = [
        make_record(1, 0.9),
        make_record(2, 0.8, status="not_executable", reason="no such column"),
        make_record(3, 0.1),
    ]
    evaluation = evaluate(scores, {1: True, 2: False, 3: False}, bootstrap=0)
    overall = evaluation.overall.metrics
    assert overall["recall"].value == 1.0
    assert overall["brier"].value == pytest.approx((0.01 + 0.0 + 0.01) / 3)
    executable = evaluation.executable_only.metrics
    assert (executable.n, executable.n_incorrect) == (2, 1)


def test_every_database_has_its_own_figures_and_baselines(make_record):
    scores = [make_record(place, 0.9 - place / 10, db_id="ab"[place % 2]) for place in range(8)]
    labels: dict[str | int, bool] = {place: place < 5 for place in range(8)}
    databases = evaluate(scores, labels, bootstrap=0).databases
    assert {name: scope.metrics.n for name, scope in databases.items()} == {"a": 4, "b": 4}
    assert set(databases["a"].baselines) == {"length", "vote_count"}


def test_baselines_rank_by_length_and_by_the_number_of_fired_signals(make_record):
    fired, silent = {"a": "fired", "b": "fired"}, {"a": "silent", "b": "fault"}
    scores = [
        make_record(1, 0.5, predicted_sql="SELECT 1", signals=fired),
        make_record(2, 0.5, predicted_sql="SELECT 1 + 1", signals=silent),
    ]
    baselines = evaluate(scores, {1: False, 2: True}, bootstrap=0).overall.baselines
    assert baselines["vote_count"]["auc"].value == 1.0
    assert baselines["length"]["auc"].value == 0.0


def test_signals_are_measured_by_what_they_fire_on(make_record):
    outcomes = ["fired", "fired", "silent", "not_applicable", "fault", "fired"]
    scores = [
        make_record(place, 0.5, signals={"empty_predicate": outcome})
        for place, outcome in enumerate(outcomes)
    ]
    labels: dict[str | int, bool] = {0: False, 1: True, 2: True, 3: False, 4: True, 5: False}
    (signal,) = evaluate(scores, labels, bootstrap=0).overall.signals
    assert (signal.fired, signal.fired_on_incorrect, signal.fired_on_correct) == (3, 2, 1)
    assert (signal.answered, signal.not_applicable, signal.faults) == (4, 1, 1)
    assert signal.precision == pytest.approx(2 / 3)
    assert signal.recall == pytest.approx(2 / 3)
    assert signal.lift == pytest.approx((2 / 3) / 0.5)


def test_a_signal_that_never_fired_has_no_precision(make_record):
    (signal,) = evaluate(
        [make_record(1, 0.5, signals={"s": "silent"})], {1: True}, bootstrap=0
    ).overall.signals
    assert (signal.precision, signal.precision_interval, signal.lift) == (None, None, None)
    assert signal.recall is None


def test_scored_cases_are_taken_as_they_are():
    scored = ScoredCase(
        question_id=1,
        db_id="shop",
        predicted_sql="SELECT 1",
        p_correct=0.25,
        verdict=Verdict.INCORRECT,
        status=CaseStatus.OK,
        reason=None,
        findings=(),
        signals={"s": OutcomeStatus.FIRED},
        carried={},
    )
    evaluation = evaluate([scored], {1: False}, bootstrap=0)
    assert evaluation.overall.metrics["precision"].value == 1.0
    assert evaluation.overall.signals[0].fired == 1


def test_the_dictionary_has_the_contract_s_names_and_is_json(make_record):
    scores = [make_record(place, place / 20, signals={"s": "fired"}) for place in range(20)]
    result: Any = evaluate(
        scores, {place: place > 8 for place in range(20)}, bootstrap=50
    ).to_dict()
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    names = {"accuracy", "auc", "average_precision", "precision", "recall", "f1", "brier", "ece"}
    for part in (result, result["executable_only"], result["databases"]["shop"]):
        assert {"n", "n_incorrect", "coverage_at_risk", *names} <= set(part)
        assert set(part["coverage_at_risk"]) == {"5", "10", "20"}
        assert set(part["baselines"]) == {"length", "vote_count"}
        for name in names:
            low, high = part["intervals"][name]
            assert low <= part[name] <= high
    assert {"fired", "precision", "recall", "lift"} <= set(result["signals"]["s"])
    assert result["localization"] is None


def test_no_labeled_case_gives_nulls_with_reasons(make_record):
    result: Any = evaluate([make_record(1, 0.5)], {}).to_dict()
    assert result["n"] == 0
    assert result["auc"] is None
    assert result["reasons"]["auc"] == "there is no case"
    assert result["databases"] == {}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"p_correct": 1.5}, "p_correct"),
        ({"p_correct": None}, "p_correct"),
        ({"verdict": "maybe"}, "verdict"),
        ({"signals": {"s": "vote"}}, "signals.s"),
        ({"findings": [{}]}, "findings.0.clause"),
    ],
)
def test_a_broken_record_is_named_by_place_and_field(make_record, change, field):
    with pytest.raises(InputError) as caught:
        evaluate([make_record(1), make_record(2) | change], {1: True})
    assert (caught.value.line, caught.value.field) == (2, field)


def test_an_id_given_twice_is_refused(make_record):
    with pytest.raises(InputError, match="also the id of case 1"):
        evaluate([make_record(1), make_record("1")], {1: True})
    with pytest.raises(InputError, match="twice"):
        evaluate([make_record(1)], {1: True, "1": True})


def test_a_label_that_is_no_boolean_is_refused(make_record):
    with pytest.raises(InputError, match="neither true nor false"):
        evaluate([make_record(1)], {1: "yes"})  # type: ignore[dict-item]
