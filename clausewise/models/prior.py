"""The share of incorrect queries among cases without labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clausewise.models.probability import checked_balance, logit, sigmoid

PRIOR_CASES = 20.0
"""What the share where the probabilities were calibrated weighs, in cases."""
_ROUNDS = 200


def estimate_share(incorrect: NDArray[np.float64], calibrated_at: float) -> float:
    """Return the share in (0, 1) of incorrect queries by expectation maximization.

    It assumes that incorrect queries look alike here and where the probabilities were calibrated,
    and correct ones, too; only the share of the two differs. How far the estimate follows the
    truth is measured in `experiments/share`.

    Parameters
    ----------
    incorrect
        `[n]` calibrated probabilities of being incorrect.
    calibrated_at
        Share in (0, 1) of incorrect queries where they were calibrated.

    Raises
    ------
    InputError
        Where `calibrated_at` is not inside (0, 1).

    References
    ----------
    M. Saerens, P. Latinne, C. Decaestecker. Adjusting the outputs of a classifier to new a priori
    probabilities. Neural Computation 14(1), 2002.
    """
    origin = checked_balance(calibrated_at)
    log_odds = logit(incorrect)
    share = origin
    for _ in range(_ROUNDS):
        moved = sigmoid(log_odds + prior_shift(origin, share))
        share = (float(moved.sum()) + PRIOR_CASES * origin) / (len(moved) + PRIOR_CASES)
    return share


def prior_shift(origin: float, share: float) -> float:
    """Return what to add to log-odds that hold at one share of incorrect queries for another."""
    both = logit(np.array([origin, share]))
    return float(both[1] - both[0])
