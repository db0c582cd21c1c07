"""The share of incorrect queries among cases without labels, and probabilities moved to a share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clausewise.models.probability import checked_balance, logit, sigmoid

FEWEST_CASES = 50
"""With fewer cases the share of a file is not estimated."""
_USUAL, _USUAL_SPREAD = 0.2, 1.2
"""Share of incorrect queries in logs, and the standard deviation of its log-odds from one to the
next, before any case is seen."""
_BETWEEN_DATABASES, _BETWEEN_MAKERS = 0.5, 0.25
"""Standard deviations of log-odds by which an estimate is off beyond chance: findings are more
frequent on one database than on another, and in one kind of domain, without more being wrong."""
_GRID = np.linspace(-5.5, 5.5, 221)
"""Log-odds of the shares that are considered, 0.4 to 99.6 %."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ShareEstimate:
    """A share in (0, 1) of incorrect queries, and the ends of one standard error around it."""

    share: float
    low: float
    high: float


def estimate_share(incorrect: Floats, prior: float, databases: int = 1) -> ShareEstimate:
    """Return the share of incorrect queries that calibrated probabilities lead to.

    Probabilities that hold where the share is `prior` say by their odds how much likelier each case
    is among the incorrect queries than among the correct ones, and so how likely all of them are at
    every share. What logs usually have is weighed by that. The error is that of chance, and that by
    which databases and kinds of domains differ.

    Parameters
    ----------
    incorrect
        `[n]` probabilities in [0, 1] of being incorrect, calibrated at the share `prior`.
    prior
        That share, in (0, 1).
    databases
        How many databases the cases are on, 1 or more.

    References
    ----------
    M. Saerens, P. Latinne, C. Decaestecker. Adjusting the outputs of a classifier to new a priori
    probabilities. Neural Computation 14(1), 2002.
    """
    # sorted, so that the last bits of a sum do not depend on the order of the cases
    ratio = np.exp(np.sort(logit(incorrect)) - float(logit(np.array([prior]))[0]))
    shares = sigmoid(_GRID).tolist()
    seen = np.array([float(np.log1p(share * (ratio - 1.0)).sum()) for share in shares])
    apart = _BETWEEN_DATABASES**2 / max(databases, 1) + _BETWEEN_MAKERS**2
    off = np.exp(-0.5 * (_GRID[:, None] - _GRID) ** 2 / apart)
    usual = float(logit(np.array([_USUAL]))[0])
    weights = np.exp(-0.5 * ((_GRID - usual) / _USUAL_SPREAD) ** 2)
    weights = weights * (off @ np.exp(seen - seen.max()))
    weights = weights / weights.sum()
    middle = float(weights @ _GRID)
    spread = float(weights @ (_GRID - middle) ** 2) ** 0.5
    return ShareEstimate(*sigmoid(np.array([middle, middle - spread, middle + spread])).tolist())


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
