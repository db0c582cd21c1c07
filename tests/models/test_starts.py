"""A fit without labels: what it keeps of its start, and what it learns beside it."""

import numpy as np
import pytest
from scipy.stats import rankdata

from clausewise.models import Detector


def incorrect_of(detector: Detector, inspections) -> np.ndarray:
    return np.array([1 - case.p_correct for case in detector.score_inspections(inspections)])


@pytest.fixture
def start(signals, make_inspections, tmp_path):
    inspections, incorrect = make_inspections(n=800, seed=11)
    labels = {
        item.case.question_id: not wrong for item, wrong in zip(inspections, incorrect, strict=True)
    }
    detector = Detector(
        signals=signals, label_model="weighted", classifier="additive", start="none",
        calibration="platt",
    )  # fmt: skip
    detector.fit_inspections(inspections, labels).save(tmp_path / "start")
    return detector, tmp_path / "start"


@pytest.mark.parametrize("classifier", ["additive", "logistic", "autogluon"])
def test_without_labels_and_candidates_the_ranking_stays_the_starts(
    signals, make_inspections, start, classifier
) -> None:
    known, folder = start
    log, _ = make_inspections(n=300, seed=12, balance=0.6)
    detector = Detector(
        signals=signals, label_model="weighted", classifier=classifier, start=folder
    )
    detector.fit_inspections(log)
    before, after = incorrect_of(known, log), incorrect_of(detector, log)
    np.testing.assert_array_equal(rankdata(before.round(9)), rankdata(after.round(9)))
    assert detector.training_["balance"] == "estimated"
    assert detector.class_balance_ > known.class_balance_
    assert after.mean() == pytest.approx(detector.class_balance_, abs=1e-6)


def test_a_given_share_is_what_the_probabilities_lead_to(signals, make_inspections, start) -> None:
    _, folder = start
    log, _ = make_inspections(n=300, seed=12)
    detector = Detector(
        signals=signals, label_model="weighted", classifier="additive", start=folder,
        class_balance=0.1,
    )  # fmt: skip
    detector.fit_inspections(log)
    assert incorrect_of(detector, log).mean() == pytest.approx(0.1, abs=1e-6)
    assert detector.training_["balance"] == "given"


def test_from_nothing_the_share_is_assumed(signals, make_inspections) -> None:
    log, _ = make_inspections(n=300)
    detector = Detector(
        signals=signals, label_model="weighted", classifier="logistic", start="none"
    )
    assert detector.fit_inspections(log).training_["balance"] == "assumed"
