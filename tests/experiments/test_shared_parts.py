"""The parts that the experiments share: simulated judges, means, folds, cached inspections."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from clausewise.databases import Databases
from clausewise.datasets import read_cases, read_labels, sample_dir
from clausewise.evaluation import evaluate
from clausewise.models import Detector
from clausewise.signals import inspect_cases, select_signals
from clausewise.types import Case, CaseStatus, Inspection, ScoredCase, Verdict, Vote
from experiments.common.data import System, without_candidates
from experiments.common.folds import KEYS, database_groups, held_out, held_out_by_system, splits
from experiments.common.means import metric_text, system_figures
from experiments.common.results import (
    interval,
    number,
    read_csv,
    write_csv,
)
from experiments.replayed_judge.judges import Judge

GENERATOR = np.random.default_rng(1)


def scored(question: str | int, incorrect: float, database: str = "one") -> ScoredCase:
    verdict = Verdict.INCORRECT if incorrect >= 0.5 else Verdict.CORRECT
    return ScoredCase(
        question_id=question,
        db_id=database,
        predicted_sql="SELECT 1",
        p_correct=1.0 - incorrect,
        verdict=verdict,
        status=CaseStatus.OK,
        reason=None,
        findings=(),
        signals={},
        carried={},
    )


def system(labels: dict[str | int, bool], name: str = "some") -> System:
    return System("benchmark", name, [], labels)


def auc_of(cases: list[ScoredCase], labels: dict[str | int, bool]) -> float:
    gold = {question: f"SELECT {question}" for question in labels}
    return system_figures([system(labels)], {"some": cases}, gold, resamples=2).mean("auc")[0]


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("auc", [0.65, 0.7, 0.78])
def test_a_simulated_judge_has_its_auc_and_repeats_itself(auc: float, graded: bool) -> None:
    labels: dict[str | int, bool] = {f"q{i}": i % 3 != 0 for i in range(2500)}
    simulated = Judge(auc, graded)
    votes = simulated.votes(labels, labels, "0")
    assert votes == simulated.votes(labels, reversed(labels), "0")[::-1]
    assert votes != simulated.votes(labels, labels, "1")
    scores = [float(v.vote is Vote.INCORRECT) if v.score is None else v.score for v in votes]
    cases = [scored(str(v.question_id), s) for v, s in zip(votes, scores, strict=True)]
    assert auc_of(cases, labels) == pytest.approx(auc, abs=0.03)


def test_means_are_those_of_evaluate() -> None:
    labels: dict[str | int, bool] = {f"q{i}": bool(GENERATOR.random() < 0.7) for i in range(300)}
    cases = [
        scored(str(q), round(0.3 * float(GENERATOR.random()) + 0.4 * (not ok), 2))
        for q, ok in labels.items()
    ]
    gold = {question: f"SELECT {question}" for question in labels}
    result = system_figures([system(labels)], {"some": cases}, gold, resamples=20)
    figures = evaluate(cases, labels, bootstrap=0).executable_only.metrics
    for name in ("auc", "average_precision", "accuracy", "precision", "recall", "f1", "ece"):
        assert result.mean(name)[0] == pytest.approx(figures[name].value, abs=1e-4), name
    assert result.gain(result, "auc") == [0.0, 0.0, 0.0]


def test_the_auc_within_databases_does_not_see_their_levels() -> None:
    labels: dict[str | int, bool] = {"a": True, "b": False, "c": True, "d": False}
    cases = [
        scored("a", 0.1, "low"),
        scored("b", 0.2, "low"),
        scored("c", 0.8, "high"),
        scored("d", 0.9, "high"),
    ]
    gold = {question: f"SELECT {question}" for question in labels}
    result = system_figures([system(labels)], {"some": cases}, gold, resamples=200)
    assert result.values["auc_within"][0, 0] == 1.0
    assert result.values["auc"][0, 0] == 0.75


@pytest.fixture(scope="module")
def sample() -> tuple[list[Case], Databases]:
    cases = [case for case in read_cases(sample_dir() / "cases.jsonl") if isinstance(case, Case)]
    return cases, Databases(sample_dir() / "databases")


def test_nothing_of_the_scored_database_is_trained_on(
    sample: tuple[list[Case], Databases],
) -> None:
    cases, databases = sample
    specs = select_signals("sqlens")
    inspections = inspect_cases(cases, databases, specs)
    own = System("sample", "some", inspections, read_labels(sample_dir() / "labels.jsonl"))
    trained_on: list[set[str]] = []

    def fit(systems: list[System]) -> Detector:
        items = [item for of in systems for item in of.inspections]
        trained_on.append({item.case.db_id for item in items if isinstance(item, Inspection)})
        detector = Detector(signals=specs, label_model="majority", classifier="none", start="none")
        return detector.fit_inspections(items)

    found = held_out([own], [own], KEYS["database"], fit)
    every = {case.db_id for case in cases}
    assert [every - of for of in trained_on] == [{name} for name in sorted(every)]
    assert [case.question_id for case in found["some"]] == [case.question_id for case in cases]
    assert held_out_by_system([own], fit) == found
    groups = database_groups(own, 2)
    for outside, inside in splits(own, groups):
        assert {groups(item) for item in outside}.isdisjoint(groups(item) for item in inside)
        assert len(outside) + len(inside) == len(cases)


def test_without_candidates_means_as_if_none_had_been_given(
    sample: tuple[list[Case], Databases],
) -> None:
    cases, databases = sample
    bare = [case.model_copy(update={"candidates": ()}) for case in cases[:12]]
    given = ("SELECT 1", "SELECT 2", "SELECT 3")
    full = [case.model_copy(update={"candidates": given}) for case in bare]
    specs = select_signals("candidate_disagreement,empty_predicate")
    labels: dict[str | int, bool] = {}
    with_candidates = System("s", "x", inspect_cases(full, databases, specs), labels)
    assert any(
        item.outcomes["candidate_disagreement"].answered
        for item in with_candidates.inspections
        if isinstance(item, Inspection)
    )
    expected = inspect_cases(bare, databases, specs)
    assert without_candidates(with_candidates, specs).inspections == expected


def test_means_and_intervals_of_a_csv_file_are_those_that_were_measured(tmp_path: Path) -> None:
    labels: dict[str | int, bool] = {f"q{i}": i % 4 != 0 for i in range(120)}
    cases = [
        scored(q, 0.4 * (not ok) + 0.01 * (i % 37)) for i, (q, ok) in enumerate(labels.items())
    ]
    gold = {question: f"SELECT {question}" for question in labels}
    own = [system(labels), system(labels, "other")]
    figures = system_figures(own, {"some": cases, "other": cases}, gold, resamples=50)
    write_csv(tmp_path / "means.csv", [figures.row()])
    write_csv(tmp_path / "systems.csv", figures.auc_rows())
    (row,) = read_csv(tmp_path / "means.csv")
    assert interval(row, "auc") == figures.mean("auc")
    assert number(row, "ece") == figures.mean("ece")[0]
    assert "ece_low" not in row
    assert metric_text(row, "auc").startswith(f"{figures.mean('auc')[0]:.3f} (")
    systems = read_csv(tmp_path / "systems.csv")
    assert [row["system"] for row in systems] == ["some", "other"]
    assert systems[0]["auc"] == systems[1]["auc"]


def test_figures_are_rounded_and_undefined_ones_left_empty(tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    write_csv(path, [{"a": 1 / 3, "b": float("nan"), "c": None, "d": 2, "e": 'a "b", c'}])
    assert path.read_text() == 'a,b,c,d,e\n0.333333,,,2,"a ""b"", c"\n'
    (row,) = read_csv(path)
    assert np.isnan(number(row, "b"))
    assert row["e"] == 'a "b", c'
    assert read_csv(tmp_path / "none.csv") == []
