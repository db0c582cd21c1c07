"""The share of incorrect queries among cases without labels, and probabilities moved to a share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clausewise.models.probability import checked_balance, logit, sigmoid

FEWEST_CASES = 50
"""With fewer cases the share of a file is not estimated."""
_FALSE, _TRUE = 5.0, 2.0
"""A Beta distribution of shares of incorrect queries in logs, before any case is seen: mean 0.29,
most likely 0.2."""
_SMALLEST, _LARGEST = 0.005, 0.995
_ROUNDS = 500
_CLOSE = 1e-9
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ShareEstimate:
    """A share in (0, 1) of incorrect queries with its standard error.

    `low` and `high` are one standard error away; they stay inside (0, 1).
    """

    share: float
    error: float

    @property
    def low(self) -> float:
        """The share that is to be expected at least."""
        return max(self.share - self.error, _SMALLEST)

    @property
    def high(self) -> float:
        """The share that is to be expected at most."""
        return min(self.share + self.error, _LARGEST)


def estimate_share(incorrect: Floats, prior: float) -> ShareEstimate:
    """Return the share of incorrect queries that calibrated probabilities lead to.

    Probabilities that hold where the share is `prior` say by their odds how much likelier each case
    is among the incorrect queries than among the correct ones. The share here is the one that makes
    all of them together most likely, by expectation maximization, drawn to what logs usually have.

    Parameters
    ----------
    incorrect
        `[n]` probabilities in [0, 1] of being incorrect, calibrated at the share `prior`.
    prior
        That share, in (0, 1).

    References
    ----------
    M. Saerens, P. Latinne, C. Decaestecker. Adjusting the outputs of a classifier to new a priori
    probabilities. Neural Computation 14(1), 2002.
    """
    # sorted, so that the last bits of a sum do not depend on the order of the cases
    ratio = np.exp(np.sort(logit(incorrect)) - float(logit(np.array([prior]))[0]))
    share = prior
    for _ in range(_ROUNDS):
        posterior = share * ratio / (share * ratio + 1.0 - share)
        found = (float(posterior.sum()) + _TRUE - 1.0) / (len(ratio) + _TRUE + _FALSE - 2.0)
        found = min(max(found, _SMALLEST), _LARGEST)
        is_close = abs(found - share) < _CLOSE
        share = found
        if is_close:
            break
    slopes = (ratio - 1.0) / (share * ratio + 1.0 - share)
    information = float(slopes @ slopes)
    information += (_TRUE - 1.0) / share**2 + (_FALSE - 1.0) / (1.0 - share) ** 2
    return ShareEstimate(share, information**-0.5)


def share_shift(prior: float, share: float) -> float:
    """Return what is added to log-odds of being incorrect where the share is another one.

    Raises InputError where `share` is not inside (0, 1).
    """
    both = logit(np.array([checked_balance(share), prior]))
    return float(both[0] - both[1])


def moved(incorrect: Floats, shift: float) -> Floats:
    """Return `[n]` probabilities of being incorrect after a shift of their log-odds."""
    return sigmoid(logit(incorrect) + shift)


def prior_of(log_odds: float) -> float:
    """Return the share in (0, 1) of incorrect queries whose log-odds an explanation holds."""
    return float(sigmoid(np.array([log_odds]))[0])
