import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausewise.errors import DetectorError, InputError
from clausewise.models import Detector
from clausewise.models.calibration.maps import (
    UNLABELED_TEMPERATURE,
    LinearCalibration,
    NoCalibration,
    best_f1_threshold,
    calibrator_from_json,
    fit_balance,
    fit_isotonic,
    fit_platt,
)
from clausewise.models.probability import logit, sigmoid

probabilities = st.lists(st.floats(0, 1), min_size=1, max_size=40).map(np.array)
balances = st.floats(0.01, 0.99)


@st.composite
def labeled(draw):
    values = draw(probabilities)
    labels = draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values)))
    return values, np.array(labels, dtype=float)


@given(probabilities, balances, st.floats(0.5, 3))
def test_balance_makes_the_mean_the_balance(values, balance, temperature):
    calibrated = fit_balance(values, balance, temperature).apply(values)
    assert calibrated.mean() == pytest.approx(balance, abs=1e-9)


@given(labeled(), balances)
def test_every_calibration_keeps_the_order_and_stays_a_probability(sample, balance):
    values, labels = sample
    grid = np.linspace(0, 1, 101)
    for calibrator in (
        NoCalibration(),
        fit_balance(values, balance),
        fit_platt(values, labels),
        fit_isotonic(values, labels),
    ):
        calibrated = calibrator.apply(grid)
        assert (np.diff(calibrated) >= -1e-12).all()
        assert ((calibrated >= 0) & (calibrated <= 1)).all()


def test_a_sample_that_the_probability_separates_is_fitted():
    labels = np.array([1.0] * 11 + [0.0] * 9)
    fitted = fit_platt(labels.copy(), labels)
    assert 0.15 < fitted.slope < 0.25
    assert fitted.apply(np.array([1.0]))[0] == pytest.approx(12 / 13, abs=0.02)
    assert fitted.apply(np.array([0.0]))[0] == pytest.approx(1 / 11, abs=0.02)


@given(labeled())
def test_every_calibration_survives_json(sample):
    values, labels = sample
    for calibrator in (NoCalibration(), fit_platt(values, labels), fit_isotonic(values, labels)):
        again = calibrator_from_json(json.loads(json.dumps(calibrator.to_json())))
        np.testing.assert_array_equal(again.apply(values), calibrator.apply(values))


def test_platt_finds_slope_and_shift():
    rng = np.random.default_rng(0)
    raw = rng.uniform(0.02, 0.98, 5000)
    labels = (rng.random(5000) < sigmoid(0.6 * logit(raw) - 1.0)).astype(float)
    calibrator = fit_platt(raw, labels)
    assert calibrator.slope == pytest.approx(0.6, abs=0.06)
    assert calibrator.shift == pytest.approx(-1.0, abs=0.1)


def test_platt_believes_a_handful_of_labels_only_so_far():
    raw = np.array([0.2, 0.4, 0.6, 0.8])
    against = fit_platt(raw, np.array([1.0, 1.0, 0.0, 0.0]))
    assert 0.4 < against.slope < 1


def test_isotonic_follows_any_rising_curve_and_never_claims_certainty():
    rng = np.random.default_rng(0)
    raw = rng.random(4000)
    truth = np.where(raw < 0.5, 0.1, 0.7)
    calibrated = fit_isotonic(raw, (rng.random(4000) < truth).astype(float)).apply(raw)
    away_from_the_step = np.abs(raw - 0.5) > 0.1
    assert np.abs(calibrated - truth)[away_from_the_step].mean() < 0.05
    extreme = fit_isotonic(np.array([0.1, 0.9]), np.array([0.0, 1.0])).apply(np.array([0.0, 1.0]))
    assert 0 < extreme[0] < extreme[1] < 1


@given(labeled())
def test_no_other_threshold_has_a_better_f1(sample):
    values, labels = sample

    def f1(threshold):
        called = values >= threshold
        hits = (called & (labels > 0.5)).sum()
        return 2 * hits / max(called.sum() + labels.sum(), 1)

    best = f1(best_f1_threshold(values, labels))
    assert all(best >= f1(value) - 1e-9 for value in values)


def test_without_labels_the_threshold_expects_the_best_f1():
    rng = np.random.default_rng(0)
    probabilities = rng.beta(1.5, 4, 20_000)
    labels = (rng.random(20_000) < probabilities).astype(float)
    expected = best_f1_threshold(probabilities, probabilities)
    assert expected == pytest.approx(best_f1_threshold(probabilities, labels), abs=0.03)
    assert expected < 0.5


def test_the_threshold_without_an_incorrect_case_is_one_half():
    assert best_f1_threshold(np.array([0.1, 0.9]), np.zeros(2)) == 0.5


def test_unusable_input_is_refused():
    with pytest.raises(InputError, match="no case to calibrate on"):
        fit_balance(np.zeros(0), 0.5)
    with pytest.raises(InputError, match="temperature must be above 0"):
        fit_balance(np.array([0.5]), 0.5, temperature=0)
    with pytest.raises(DetectorError, match="unknown kind of calibration 'spline'"):
        calibrator_from_json({"kind": "spline"})


@given(probabilities)
def test_log_odds_and_probabilities_are_inverse(values):
    kept = np.clip(values, 1e-6, 1 - 1e-6)
    np.testing.assert_allclose(LinearCalibration(1.0, 0.0).apply(values), kept, rtol=1e-9)


def test_only_what_adds_votes_up_is_flattened_without_labels(signals, make_inspections):
    inspections, _ = make_inspections(n=1500)

    def slope_of(detector):
        return detector.calibrator_.slope

    def slope(classifier, label_model="weighted"):
        detector = Detector(
            signals=signals, label_model=label_model, classifier=classifier, start="none"
        )
        return slope_of(detector.fit_inspections(inspections))

    assert slope("additive") == slope("none", "majority") == 1.0
    assert slope("none") == 1.0 / UNLABELED_TEMPERATURE
    assert slope("logistic") == 1.0  # beside the plain sum of the evidence, which adds no votes


def test_a_little_of_f1_buys_a_higher_threshold() -> None:
    rng = np.random.default_rng(3)
    labels = (rng.random(4_000) < 0.25).astype(float)
    incorrect = sigmoid(rng.normal(np.where(labels > 0.5, 0.5, -1.5), 1.0))

    def f1(threshold: float) -> float:
        called = incorrect >= threshold
        return float(2.0 * (called * labels).sum() / (called.sum() + labels.sum()))

    best = best_f1_threshold(incorrect, labels)
    higher = best_f1_threshold(incorrect, labels, slack=0.01)
    assert higher > best + 0.01
    assert f1(best) - 0.01 <= f1(higher) <= f1(best)
