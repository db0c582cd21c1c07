"""Reliability bins and answered cases against figures worked out otherwise."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausewise.evaluation import evaluate
from clausewise.evaluation.measuring import Sample, measure
from clausewise.evaluation.reliability import answered_cases, reliability
from clausewise.reporting import evaluation_text

samples = st.lists(
    st.tuples(st.integers(0, 20).map(lambda k: k / 20), st.booleans()), min_size=1, max_size=80
)


def sample_of(pairs, called=None) -> Sample:
    score = np.array([p for p, _ in pairs], dtype=float)
    incorrect = np.array([wrong for _, wrong in pairs], dtype=bool)
    return Sample(incorrect, score, called, probability=True)


@given(samples)
def test_the_bins_hold_all_cases_and_give_the_calibration_error(pairs):
    sample = sample_of(pairs)
    bins = reliability(sample)
    assert sum(part.n for part in bins) == len(pairs)
    assert len(bins) == min(15, len(pairs))
    assert max(part.n for part in bins) - min(part.n for part in bins) <= 1
    means = [part.predicted for part in bins]
    assert all(low <= high + 1e-9 for low, high in itertools.pairwise(means))
    error = sum(part.n * abs(part.predicted - part.incorrect) for part in bins) / len(pairs)
    assert error == pytest.approx(measure(sample, bootstrap=0)["ece"].value, abs=1e-9)


def test_a_calibrated_forecast_lies_on_the_diagonal():
    rng = np.random.default_rng(0)
    predicted = rng.random(30_000)
    bins = reliability(Sample(rng.random(30_000) < predicted, predicted, None, True))
    for part in bins:
        assert part.incorrect == pytest.approx(part.predicted, abs=0.04)


def test_no_case_makes_no_bin():
    assert reliability(sample_of([])) == ()


def test_answered_cases_are_counted_and_judged():
    called = np.array([True, True, False, False, True])
    sample = sample_of([(0.9, True), (0.8, False), (0.1, False), (0.2, True), (0.6, False)], called)
    answered = np.array([True, True, True, False, False])
    figures = answered_cases(sample, answered, bootstrap=500)
    assert figures.n == 3
    assert figures.coverage.value == pytest.approx(0.6)
    assert figures.accuracy.value == pytest.approx(2 / 3)
    assert figures.coverage.low < 0.6 < figures.coverage.high
    nothing = answered_cases(sample, ~called & called, bootstrap=20)
    assert (nothing.n, nothing.accuracy.value) == (0, None)
    assert nothing.accuracy.reason == "no case is answered"


def test_evaluate_reads_the_marks_and_shows_both(make_record):
    records = [make_record(k, (k + 0.5) / 30, abstained=12 <= k < 18) for k in range(30)]
    labels: dict[str | int, bool] = {k: k >= 14 for k in range(30)}
    measured = evaluate(records, labels, bootstrap=50)
    figures: Any = measured.to_dict()
    assert figures["answered"]["n"] == 24
    assert figures["answered"]["coverage"] == pytest.approx(0.8)
    assert figures["answered"]["accuracy"] == 1.0
    assert figures["accuracy"] < 1.0
    assert [part["n"] for part in figures["executable_only"]["reliability"]] == [2] * 15
    text = evaluation_text(measured)
    assert "Abstained on 6 cases" in text
    assert "Reliability" in text


def test_a_file_without_marks_is_answered_whole(make_record):
    measured = evaluate([make_record(k, 0.3) for k in range(4)], dict.fromkeys(range(4), False))
    assert measured.overall.answered.coverage.value == 1.0
    assert "Abstained" not in evaluation_text(measured)
