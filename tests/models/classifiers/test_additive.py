"""The additive classifier and the classifier that starts from another."""

from pathlib import Path

import numpy as np
import pytest

from clausewise.errors import InputError, NotFittedError
from clausewise.models.classifiers.additive import SCORE_WEIGHT, AdditiveClassifier, start_weights
from clausewise.models.classifiers.base import LogisticClassifier
from clausewise.models.classifiers.warm_start import WarmStartClassifier
from clausewise.models.label_models.votes import MajorityVote
from clausewise.models.table import FeatureTable

NAMES = ("vote.a", "score.a", "score.b", "score.agree", "answered.agree", "shape.characters")


def _table(n_cases: int = 400, seed: int = 0) -> tuple[FeatureTable, np.ndarray]:
    rng = np.random.default_rng(seed)
    values = np.zeros((n_cases, len(NAMES)))
    values[:, 1] = rng.choice([0.0, 0.5, 0.9], n_cases, p=[0.7, 0.2, 0.1])
    values[:, 2] = rng.choice([0.0, 0.8], n_cases, p=[0.9, 0.1])
    values[:, 5] = rng.normal(4.7, 0.6, n_cases)
    chance = 1 / (1 + np.exp(-(-2 + 4 * values[:, 1])))
    return FeatureTable(np.zeros((n_cases, 1), np.int8), values, NAMES), (
        rng.random(n_cases) < chance
    ).astype(float)


def _fitted(strength: float = 5_000.0) -> AdditiveClassifier:
    table, incorrect = _table()
    return AdditiveClassifier(strength).fit(table, incorrect, np.zeros(400, np.int64))


def test_a_strong_penalty_keeps_the_weights_at_their_start() -> None:
    model = _fitted(1e9)
    start = start_weights(NAMES)
    assert model.weights_ == pytest.approx(start, abs=1e-3)
    assert start["score.a"] == start["score.b"] == SCORE_WEIGHT


def test_a_weak_penalty_lets_cases_speak() -> None:
    model = _fitted(0.1)
    assert model.weights_["score.a"] > 3.0
    assert model.weights_["score.b"] < 1.5


@pytest.mark.parametrize("strength", [0.01, 10.0, 5_000.0])
def test_a_finding_never_speaks_for_a_query(strength: float) -> None:
    weights = _fitted(strength).weights_
    assert all(weight >= 0 for name, weight in weights.items() if name.startswith("score."))


def test_votes_are_not_used() -> None:
    assert "vote.a" not in _fitted().weights_


def test_the_mean_is_learned(tmp_path: Path) -> None:
    table, incorrect = _table()
    model = AdditiveClassifier().fit(table, incorrect, np.zeros(400, np.int64))
    assert model.predict(table).mean() == pytest.approx(incorrect.mean(), abs=0.01)
    model.save(tmp_path)
    loaded = AdditiveClassifier.load(tmp_path, MajorityVote())
    assert (loaded.predict(table) == model.predict(table)).all()


def test_one_class_only_is_refused() -> None:
    table, _ = _table()
    with pytest.raises(InputError, match="one class"):
        AdditiveClassifier().fit(table, np.ones(400), np.zeros(400, np.int64))


def test_before_fit() -> None:
    table, _ = _table()
    with pytest.raises(NotFittedError):
        AdditiveClassifier().predict(table)


def test_a_start_is_completed_for_signals_that_it_does_not_know() -> None:
    start = _fitted().completed((*NAMES, "score.of_a_plugin"))
    assert start.weights_["score.of_a_plugin"] == SCORE_WEIGHT
    assert start.weights_["score.a"] == _fitted().weights_["score.a"]


def test_a_warm_started_classifier_keeps_half_of_its_start(tmp_path: Path) -> None:
    table, _ = _table()
    start = _fitted()
    undecided = np.full(400, 0.5) + np.linspace(-1e-3, 1e-3, 400)
    warm = WarmStartClassifier(start, LogisticClassifier())
    warm.fit(table, undecided, np.zeros(400, np.int64))
    ranks = np.corrcoef(warm.predict(table), start.predict(table))[0, 1]
    assert ranks > 0.95
    warm.save(tmp_path)
    loaded = WarmStartClassifier.load(
        tmp_path, lambda: LogisticClassifier.load(tmp_path, MajorityVote()), LogisticClassifier
    )
    assert (loaded.predict(table) == warm.predict(table)).all()
    assert loaded.holds_pickles is False


def test_labels_stay_labels_under_a_start() -> None:
    table, incorrect = _table()
    warm = WarmStartClassifier(_fitted(), LogisticClassifier())
    warm.fit(table, incorrect, np.zeros(400, np.int64))
    wrong = warm.predict(table)[incorrect == 1].mean()
    right = warm.predict(table)[incorrect == 0].mean()
    assert wrong > right + 0.1
