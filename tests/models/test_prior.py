import numpy as np
import pytest

from clausewise.models.prior import ADJUSTED_WEIGHT, estimate_share
from clausewise.models.probability import sigmoid

SHARE = 0.25


def probabilities(share: float, n: int = 4_000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return calibrated probabilities at a share of a quarter, and labels, at another share."""
    rng = np.random.default_rng(seed)
    incorrect = rng.random(n) < share
    evidence = rng.normal(np.where(incorrect, 1.0, -1.0), 1.0)
    return sigmoid(2.0 * evidence + np.log(SHARE / (1.0 - SHARE))), incorrect


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7])
def test_the_estimate_lies_between_the_mean_and_the_share(share: float) -> None:
    known, labels = probabilities(SHARE)
    means = float(known[~labels].mean()), float(known[labels].mean())
    here, _ = probabilities(share, seed=1)
    between = ADJUSTED_WEIGHT * share + (1 - ADJUSTED_WEIGHT) * float(here.mean())
    assert estimate_share(here, means) == pytest.approx(between, abs=0.02)


def test_a_few_cases_say_their_mean() -> None:
    assert estimate_share(np.array([0.9]), (0.1, 0.6)) == pytest.approx(0.9, abs=0.02)
    assert estimate_share(np.array([]), (0.1, 0.6)) == pytest.approx(0.35)


def test_probabilities_that_do_not_tell_the_classes_apart_say_their_mean() -> None:
    assert estimate_share(np.full(100, 0.3), (0.3, 0.31)) == pytest.approx(0.3)
