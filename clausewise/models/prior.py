"""The share of incorrect queries among cases without labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

ADJUSTED_WEIGHT = 0.25
"""What the adjusted count weighs beside the mean probability, which is nearer to the truth where
shares differ little."""
FEW_CASES = 20.0
"""With as many cases half of what they say beyond their mean probability counts."""
_SMALLEST, _LARGEST = 0.02, 0.98


def estimate_share(incorrect: NDArray[np.float64], class_means: Sequence[float]) -> float:
    """Return the share in (0, 1) of incorrect queries that calibrated probabilities lead to.

    The mean probability follows the share only half-way: most of what makes a query likely wrong
    is found in some of the incorrect ones only. What share would give this mean follows it all
    the way, but takes every difference between domains for one of the share. The estimate lies
    between the two. How far it follows the truth is measured in `experiments/share`.

    Parameters
    ----------
    incorrect
        `[n]` calibrated probabilities of being incorrect.
    class_means
        Mean probability of the correct and of the incorrect queries where it was calibrated.

    References
    ----------
    G. Forman. Quantifying counts and costs via classification. Data Mining and Knowledge
    Discovery 17(2), 2008: the adjusted count.
    """
    if not len(incorrect):
        return float(np.mean(class_means))
    mean = float(incorrect.mean())
    low, high = class_means
    if high - low < 0.05:
        return mean
    adjusted = min(max((mean - low) / (high - low), _SMALLEST), _LARGEST)
    certainty = len(incorrect) / (len(incorrect) + FEW_CASES)
    return mean + ADJUSTED_WEIGHT * certainty * (adjusted - mean)
