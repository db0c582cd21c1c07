"""Which part has which share of the log-odds, and what a fit says of it."""

import numpy as np
import pytest

from clausewise.labeling import OutsideVotes
from clausewise.models import Detector
from clausewise.models.classifiers.additive import AdditiveClassifier
from clausewise.models.classifiers.base import PassThrough
from clausewise.models.classifiers.warm_start import WarmStartClassifier
from clausewise.models.label_models.votes import MajorityVote
from clausewise.models.probability import logit
from clausewise.models.shares import has_learned, shares_of, shares_text
from clausewise.models.table import FeatureTable
from clausewise.types import OutsideVote, Vote

NAMES = ("score.a", "score.b", "asked.judge", "score.judge")


def additive(**weights: float) -> AdditiveClassifier:
    made = AdditiveClassifier()
    made.weights_ = {f"score.{name}": weight for name, weight in weights.items()}
    made.weights_ |= {"asked.judge": 0.0}
    made.intercept_ = -1.0
    return made


def table_of(*rows: tuple[float, float, float, float]) -> FeatureTable:
    return FeatureTable(np.zeros((len(rows), 1), np.int8), np.array(rows), NAMES)


TABLE = table_of((0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0), (1, 1, 1, 1))


def test_a_share_is_the_mean_distance_from_the_mean_contribution() -> None:
    started = WarmStartClassifier(additive(a=1.0, b=0.0, judge=0.0), PassThrough(MajorityVote()))
    started.start = additive(a=1.0, b=3.0, judge=0.0)
    own = started.start.log_odds(TABLE)
    shares = shares_of(started, TABLE, own, np.zeros(4))
    assert shares == {"start": 0.25, "start moved": 0.75, "learned here": 0.0}
    assert has_learned(shares)


def test_judges_and_candidates_have_shares_of_their_own() -> None:
    started = WarmStartClassifier(additive(a=2.0, b=0.0, judge=0.0), PassThrough(MajorityVote()))
    started.start = additive(a=2.0, b=0.0, judge=4.0)
    own = started.start.log_odds(TABLE)
    # distances from the mean: start 1, judge 1.5, candidates 2.5
    shares = shares_of(started, TABLE, own, np.array([2.5, -2.5, 2.5, -2.5]))
    assert shares == {"start": 0.2, "learned here": 0.0, "judges": 0.3, "candidates": 0.5}
    assert not has_learned(shares)


def test_calibration_that_flattens_leaves_the_classifier_less_beside_candidates() -> None:
    classifier = additive(a=2.0, b=0.0, judge=0.0)
    own, candidates = classifier.log_odds(TABLE), np.array([1.0, -1.0, 1.0, -1.0])
    assert shares_of(classifier, TABLE, own + 7.0, candidates)["candidates"] == 0.5
    assert shares_of(classifier, TABLE, own / 3.0, candidates)["candidates"] == 0.75


def test_shares_add_up_to_one_after_rounding() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        values = np.column_stack([rng.random((30, 2)), np.ones(30), rng.random(30)])
        table = FeatureTable(np.zeros((30, 1), np.int8), values, NAMES)
        started = WarmStartClassifier(
            additive(a=1.0, b=2.0, judge=0.0), PassThrough(MajorityVote())
        )
        started.start = additive(a=1.3, b=1.9, judge=0.4)
        shares = shares_of(started, table, started.start.log_odds(table), rng.normal(size=30))
        assert sum(shares.values()) == pytest.approx(1.0, abs=1e-12)
        assert all(0.0 <= share <= 1.0 for share in shares.values())
        text = shares_text(shares, "autogluon")
        assert sum(int(part.split(" %")[0]) for part in text.split(", ") if "%" in part) == 100


def test_cases_that_do_not_differ_are_the_first_parts() -> None:
    table = table_of((1, 0, 0, 0), (1, 0, 0, 0))
    classifier = additive(a=2.0, b=0.0, judge=0.0)
    assert shares_of(classifier, table, logit(np.array([0.3, 0.3])), np.zeros(2)) == {
        "learned here": 1.0
    }


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
    return tmp_path / "start"


@pytest.mark.learn
def test_autogluon_that_learned_nothing_has_no_share(signals, make_inspections, start) -> None:
    log, _ = make_inspections(n=200, seed=12)
    detector = Detector(
        signals=signals, label_model="weighted", classifier="autogluon", start=start
    ).fit_inspections(log)
    assert detector.training_["parts"] == {"start": 1.0, "learned here": 0.0}
    assert detector.training_["points_from"] == "start"


def test_labels_give_what_is_fitted_here_a_share(signals, make_inspections, start) -> None:
    log, incorrect = make_inspections(n=300, seed=12)
    labels = {item.case.question_id: not bad for item, bad in zip(log, incorrect, strict=True)}
    detector = Detector(
        signals=signals, label_model="weighted", classifier="logistic", start=start
    ).fit_inspections(log, labels)
    parts = detector.training_["parts"]
    assert 0.05 < parts["learned here"] < 0.95
    assert sum(parts.values()) == pytest.approx(1.0)
    assert detector.training_["points_from"] == "labels and start"


def test_without_a_start_the_plain_sum_of_the_evidence_stands_beside_it(
    signals, make_inspections
) -> None:
    log, _ = make_inspections(n=300, seed=12)
    detector = Detector(
        signals=signals, label_model="weighted", classifier="logistic", start="none"
    ).fit_inspections(log)
    assert set(detector.training_["parts"]) == {"plain sum", "learned here"}


def test_a_judge_has_a_share(signals, make_inspections, start) -> None:
    log, incorrect = make_inspections(n=300, seed=12)
    votes = [
        OutsideVote(
            question_id=item.case.question_id,
            signal="review",
            vote=Vote.INCORRECT if wrong else Vote.CORRECT,
        )
        for item, wrong in zip(log, incorrect, strict=True)
    ]
    detector = Detector(
        signals=signals, label_model="weighted", classifier="additive", start=start
    ).fit_inspections(log, votes=votes)
    parts = detector.training_["parts"]
    assert parts["judges"] > 0.2
    assert parts["learned here"] == 0.0
    assert OutsideVotes(votes).signals == ("review",)
