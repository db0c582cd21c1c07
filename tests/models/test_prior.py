import numpy as np
import pytest

from clausewise.errors import InputError
from clausewise.models.prior import estimate_share, prior_shift
from clausewise.models.probability import sigmoid


def probabilities(share: float, n: int = 4_000, seed: int = 0) -> np.ndarray:
    """Return calibrated probabilities at a share of a quarter, of cases with another share."""
    rng = np.random.default_rng(seed)
    incorrect = rng.random(n) < share
    evidence = rng.normal(np.where(incorrect, 1.0, -1.0), 1.0)
    return sigmoid(2.0 * evidence + prior_shift(0.5, 0.25))


@pytest.mark.parametrize("share", [0.05, 0.1, 0.3, 0.5, 0.7])
def test_the_estimate_follows_the_share(share: float) -> None:
    assert estimate_share(probabilities(share), 0.25) == pytest.approx(share, abs=0.03)


def test_a_few_cases_stay_near_what_is_known() -> None:
    assert estimate_share(np.array([0.999]), 0.25) == pytest.approx(0.25, abs=0.04)
    assert estimate_share(np.array([]), 0.25) == 0.25


def test_the_share_must_be_one() -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        estimate_share(np.array([0.5]), 1.0)
