import numpy as np
import pytest

from clausewise.errors import InputError
from clausewise.models.prior import estimate_share, moved, share_shift
from clausewise.models.probability import sigmoid

SHARE = 0.25


def probabilities(share: float, n: int = 4_000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return probabilities calibrated at a share of a quarter, and labels, at another share."""
    rng = np.random.default_rng(seed)
    incorrect = rng.random(n) < share
    evidence = rng.normal(np.where(incorrect, 0.5, -0.5), 1.0)
    return sigmoid(evidence + np.log(SHARE / (1.0 - SHARE))), incorrect


@pytest.mark.parametrize("share", [0.03, 0.1, 0.3, 0.5, 0.7])
def test_the_share_is_found_from_evidence_that_hardly_tells_the_classes_apart(share: float) -> None:
    here, labels = probabilities(share, seed=1)
    found = estimate_share(here, SHARE, databases=100)
    assert found.low < labels.mean() < found.high
    assert found.high / found.low < 3.0


@pytest.mark.parametrize("share", [0.05, 0.6])
def test_probabilities_moved_to_the_share_have_it_as_their_mean(share: float) -> None:
    here, labels = probabilities(share)
    found = estimate_share(here, SHARE, databases=20)
    own = moved(here, share_shift(SHARE, found.share))
    assert own.mean() == pytest.approx(labels.mean(), abs=0.04)


def test_a_few_cases_say_what_logs_usually_have() -> None:
    found = estimate_share(np.array([]), SHARE)
    assert found.share == pytest.approx(0.2, abs=0.002)
    seen = estimate_share(probabilities(0.2)[0], SHARE)
    assert seen.high - seen.low < found.high - found.low


def test_cases_of_more_databases_draw_further_from_what_is_usual() -> None:
    here, labels = probabilities(0.7)
    one, some, many = (estimate_share(here, SHARE, n) for n in (1, 5, 50))
    assert 0.2 < one.share < some.share < many.share < labels.mean()
    assert many.high - many.low < one.high - one.low


def test_the_order_of_the_cases_does_not_count() -> None:
    here, _ = probabilities(0.4)
    assert estimate_share(here, SHARE) == estimate_share(here[::-1], SHARE)


def test_a_share_of_nothing_or_of_all_is_refused() -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        share_shift(SHARE, 1.0)
