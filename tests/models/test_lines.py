"""Lines of the scores file: the same bytes wherever, and beside whatever, they are made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from clausewise import IN_PROCESS, Isolation
from clausewise.databases import Databases
from clausewise.datasets import dump_line, read_cases, sample_dir
from clausewise.labeling import OutsideVotes
from clausewise.models import Detector
from clausewise.models.classifiers.additive import AdditiveClassifier
from clausewise.models.classifiers.base import LogisticClassifier
from clausewise.models.classifiers.extended import Extension
from clausewise.models.detector import packaged_detector
from clausewise.models.lines import ScoredLine, ScoringJob, iter_lines, line_of
from clausewise.models.probability import logit, sigmoid
from clausewise.models.scoring import Scorer, score_batch
from clausewise.models.table import FeatureTable
from clausewise.signals.runner.cases import inspect_cases
from clausewise.signals.runner.isolated import packed_inspection
from clausewise.types import Case, Inspection, InspectionResult, OutsideVote, UncheckedCase, Vote

STRANGE: list[Case | UncheckedCase] = [
    UncheckedCase("cases.jsonl, line 7: not JSON", line=7),
    Case(question_id="a", db_id="nowhere", question="How many?", predicted_sql="SELECT 1"),
    Case(question_id="b", db_id="clinic", question="How many?", predicted_sql="SELEC 1"),
    Case(question_id="c", db_id="clinic", question="How many?", predicted_sql="SELECT nope"),
]


def sample(count: int = 40) -> list[Case | UncheckedCase]:
    every = read_cases(sample_dir() / "cases.jsonl")
    return [*every[: count // 2], *STRANGE, *every[-count // 2 :]]


@pytest.fixture(scope="module")
def detector() -> Detector:
    return packaged_detector().set_params(isolation=IN_PROCESS)


@pytest.fixture(scope="module")
def inspected(detector: Detector) -> list[InspectionResult]:
    with closing(Databases(sample_dir() / "databases")) as databases:
        return inspect_cases(sample(), databases, detector.specs(), isolation=IN_PROCESS)


@pytest.fixture(scope="module")
def scorer(detector: Detector) -> Scorer:
    return detector.prepared([], sample_dir() / "databases", (), None).scorer


def texts_of(scorer: Scorer, inspected: Sequence[InspectionResult]) -> list[str]:
    scored = score_batch(scorer.learned, inspected, scorer.outside, scorer.rule)
    return [line_of(case).text for case in scored]


@pytest.fixture(scope="module")
def alone(scorer: Scorer, inspected: list[InspectionResult]) -> list[str]:
    return [texts_of(scorer, [item])[0] for item in inspected]


@given(data=st.data())
def test_a_line_does_not_depend_on_the_cases_beside_it(data, scorer, inspected, alone):
    places = data.draw(st.lists(st.integers(0, len(inspected) - 1), max_size=60))
    assert texts_of(scorer, [inspected[place] for place in places]) == [
        alone[place] for place in places
    ]


def table_of(values: NDArray[np.float64]) -> FeatureTable:
    n, d = values.shape
    names = tuple(f"score.s{k}" for k in range(d))
    return FeatureTable(np.full((n, 1), -1, np.int8), values, names, np.zeros(n, np.int8))


def classifiers(d: int) -> Iterator[Any]:
    rng = np.random.default_rng(d)
    additive = AdditiveClassifier()
    additive.intercept_ = -0.1
    additive.weights_ = {f"score.s{k}": float(rng.normal()) for k in range(d)}
    logistic = LogisticClassifier()
    logistic.weights_, logistic.mean_ = rng.normal(size=d), rng.normal(size=d)
    logistic.scale_, logistic.intercept_ = 1.0 + rng.random(d), 0.3
    half = np.arange(0, d, 2)
    extension = Extension(
        np.arange(1), half, tuple(f"score.s{k}" for k in half), np.arange(1, d, 2)
    )
    yield additive.predict
    yield logistic.predict
    yield lambda table: extension.predict(additive, table)


@given(st.integers(0, 2**32 - 1), st.integers(1, 300), st.integers(2, 400))
def test_classifiers_give_a_row_the_same_bits_beside_any_others(seed, n, d):
    values = np.random.default_rng(seed).normal(size=(n, d)) * 3.0
    for predict in classifiers(d):
        together = predict(table_of(values))
        for row in (0, n // 2, n - 1):
            one = predict(table_of(values[row : row + 1]))
            assert one[0] == together[row]
            assert sigmoid(2.0 * logit(one))[0] == sigmoid(2.0 * logit(together))[row]


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_workers_write_the_lines_that_this_process_writes(detector, alone, jobs):
    workers = packaged_detector().set_params(jobs=jobs, isolation=Isolation())
    lines = list(iter_lines(workers, sample(), sample_dir() / "databases"))
    assert [line.text for line in lines] == alone
    here = iter_lines(detector, sample(), sample_dir() / "databases", start=5)
    assert list(here) == lines[5:]


def test_a_line_says_what_is_counted_of_it(detector):
    databases = sample_dir() / "databases"
    for line, case in zip(
        iter_lines(detector, sample(), databases), detector.score(sample(), databases), strict=True
    ):
        levels = {finding.level.value for finding in case.findings}
        if case.status.value in ("unparsable", "not_executable"):
            levels.add("error")
        assert line.text == dump_line(case.to_dict())
        assert (line.verdict, line.status) == (case.verdict, case.status)
        assert set(line.levels) == levels


def test_votes_from_outside_count_in_workers_as_here(detector):
    cases = read_cases(sample_dir() / "cases.jsonl")[:6]
    votes = [OutsideVote(case.question_id or 0, "person", Vote.INCORRECT) for case in cases[::2]]
    databases = sample_dir() / "databases"
    workers = packaged_detector().set_params(jobs=2)
    here = [dump_line(case.to_dict()) for case in detector.score(cases, databases, votes)]
    assert [line.text for line in iter_lines(workers, cases, databases, votes)] == here


def test_other_fields_that_cannot_be_sent_stand_in_the_line(detector):
    case = read_cases(sample_dir() / "cases.jsonl")[0].model_copy()

    class Unsent(str):
        def __reduce__(self):
            raise TypeError("not to be sent")

    case.__pydantic_extra__ = {"note": Unsent("kept")}
    workers = packaged_detector().set_params(jobs=2)
    databases = sample_dir() / "databases"
    (line,) = iter_lines(workers, [case], databases)
    assert '"note": "kept"' in line.text
    assert list(iter_lines(detector, [case], databases)) == [line]


def test_what_cannot_be_scored_in_a_worker_is_sent_as_inspections(scorer, inspected):
    broken = Scorer(scorer.learned, OutsideVotes(), None)  # type: ignore[arg-type]
    job = ScoringJob(None, (), broken)  # type: ignore[arg-type]
    completed = job.complete([inspected[0], "packed before", inspected[1]])
    assert completed == [
        packed_inspection(inspected[0]),
        "packed before",
        packed_inspection(inspected[1]),
    ]
    whole = ScoringJob(None, (), scorer).complete(inspected[:2])  # type: ignore[arg-type]
    assert all(type(line) is ScoredLine for line in whole)


def test_a_classifier_that_is_not_by_row_scores_in_this_process(make_inspections, signals):
    def learned(**settings):
        fitted = Detector(signals=signals, label_model="weighted", start="none", **settings)
        return fitted.fit_inspections(make_inspections()[0]).learned_

    assert learned(classifier="logistic").by_row
    assert not learned(classifier="none").by_row
    assert isinstance(make_inspections(n=1)[0][0], Inspection)
