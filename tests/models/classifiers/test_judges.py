"""The worth of a judge is found without labels, and one who knows nothing gets none."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from clausewise.models.classifiers.judges import learn_judges
from clausewise.models.table import FeatureTable

N = 4_000


class World:
    """Cases of which the log-odds of being incorrect are known, and judges who look at them."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.log_odds = self.rng.normal(size=N) * 1.5 - 1.2
        self.incorrect = self.rng.random(N) < 1 / (1 + np.exp(-self.log_odds))

    def judge(self, accuracy: float) -> NDArray[np.float64]:
        """Return plain votes, 1 for incorrect and -1 for correct."""
        right = self.rng.random(N) < accuracy
        return np.where(right == self.incorrect, 1.0, -1.0)


def table(**judges: NDArray[np.float64]) -> FeatureTable:
    names = [f"score.{name}" for name in judges] + [f"asked.{name}" for name in judges]
    columns = [np.nan_to_num(scores) for scores in judges.values()]
    columns += [np.isfinite(scores).astype(float) for scores in judges.values()]
    return FeatureTable(np.zeros((N, 1), np.int8), np.column_stack(columns), tuple(names))


@pytest.mark.parametrize("accuracy", [0.65, 0.7, 0.78])
def test_the_weight_of_an_independent_judge_is_that_of_the_discriminant_with_labels(accuracy):
    world = World(seed=1)
    learned = learn_judges(table(judge=world.judge(accuracy)), world.log_odds)
    apart = 2 * (2 * accuracy - 1)
    within = 1 - (2 * accuracy - 1) ** 2
    assert learned.weights[0] == pytest.approx(apart / within, rel=0.3)


def test_a_judge_who_guesses_gets_hardly_any_weight():
    world = World(seed=2)
    guesses = np.where(world.rng.random(N) < 0.3, 1.0, -1.0)
    learned = learn_judges(table(judge=guesses), world.log_odds)
    assert learned.weights[0] < 0.15


def test_a_judge_who_is_usually_wrong_is_ignored_not_believed():
    world = World(seed=3)
    learned = learn_judges(table(judge=-world.judge(0.8)), world.log_odds)
    assert learned.weights[0] == 0.0


@pytest.mark.parametrize("accuracy", [0.65, 0.7, 0.78])
def test_judge_and_rest_together_rank_better_than_either(accuracy):
    world = World(seed=4)
    votes = world.judge(accuracy)
    learned = learn_judges(table(judge=votes), world.log_odds)
    together = world.log_odds + votes * learned.weights[0]
    alone = max(
        roc_auc_score(world.incorrect, votes), roc_auc_score(world.incorrect, world.log_odds)
    )
    assert roc_auc_score(world.incorrect, together) > alone


def test_six_copies_of_one_judge_weigh_together_about_as_much_as_one():
    world = World(seed=5)
    votes = world.judge(0.7)
    once = learn_judges(table(judge=votes), world.log_odds).weights.sum()
    copies = table(**{f"copy{k}": votes for k in range(6)})
    assert learn_judges(copies, world.log_odds).weights.sum() == pytest.approx(once, rel=0.2)


def test_answers_to_some_cases_only_are_enough():
    world = World(seed=6)
    votes = world.judge(0.75)
    votes[::2] = np.nan
    learned = learn_judges(table(judge=votes), world.log_odds)
    assert learned.weights[0] == pytest.approx(np.log(3), rel=0.35)


def test_a_score_of_0_to_1_is_centered_between_the_classes():
    world = World(seed=7)
    scores = np.clip(0.3 + 0.3 * world.incorrect + 0.2 * world.rng.normal(size=N), 0, 1)
    learned = learn_judges(table(judge=scores), world.log_odds)
    assert -learned.offsets[0] / learned.weights[0] == pytest.approx(0.45, abs=0.05)


def test_with_a_handful_of_answers_nothing_is_learned():
    votes = np.full(N, np.nan)
    votes[:10] = 1.0
    assert learn_judges(table(judge=votes), World(seed=8).log_odds) is None


def test_a_judge_who_always_says_the_same_gets_no_weight():
    learned = learn_judges(table(judge=np.ones(N)), World(seed=9).log_odds)
    assert learned.weights[0] == 0.0


def test_a_judge_who_contradicts_another_makes_neither_an_oracle():
    world = World(seed=10)
    votes = world.judge(0.75)
    alone = learn_judges(table(judge=votes), world.log_odds)
    both = learn_judges(table(judge=votes, opposite=-votes), world.log_odds)
    assert both.weights[0] == pytest.approx(alone.weights[0])
    assert both.weights[1] == 0.0


def test_no_judge_weighs_more_beside_others_than_alone():
    world = World(seed=11)
    judges = {f"judge{n}": world.judge(accuracy) for n, accuracy in enumerate((0.6, 0.7, 0.8))}
    together = learn_judges(table(**judges), world.log_odds).weights
    alone = [learn_judges(table(judge=of), world.log_odds).weights[0] for of in judges.values()]
    assert (together <= np.array(alone) * 1.001).all()
