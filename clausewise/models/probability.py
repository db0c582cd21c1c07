"""Probabilities and log-odds.

`sigmoid` and `logit` are `scipy.special`'s `expit` and `logit` in NumPy: every scoring needs them,
and importing `scipy.special` takes 0.2 s, a fifth of a whole `clausewise check`. What only fitting
needs comes from `scipy.optimize`, imported where it is used.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clausewise.errors import InputError

SMALLEST = 1e-6
"""Probabilities are kept this far from 0 and 1: nothing here is ever certain."""


def sigmoid(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability for log-odds, elementwise, without overflow."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * log_odds)))


def logit(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log-odds of probabilities in [0, 1], which are first kept off both ends."""
    kept = np.minimum(np.maximum(probability, SMALLEST), 1.0 - SMALLEST)
    return np.asarray(np.log(kept) - np.log1p(-kept))


def sum_of_rows(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the `[n]` sums of `[n, d]` values, each the same to the last bit beside any others.

    NumPy adds a row in the order in which its memory is laid out, which is another one where
    columns were chosen of several rows than of one; a product of matrices depends on `n`, too.
    """
    total: NDArray[np.float64] = np.ascontiguousarray(values).sum(axis=1)
    return total


def shift_to_mean(log_odds: NDArray[np.float64], share: float) -> float:
    """Return what to add to log-odds so that the mean probability is `share` in (0, 1)."""
    from scipy.optimize import brentq

    kept = min(max(share, SMALLEST), 1.0 - SMALLEST)
    reach = float(np.abs(log_odds).max(initial=0.0)) + 20.0

    def excess(shift: float) -> float:
        return float(sigmoid(log_odds + shift).mean()) - kept

    return float(brentq(excess, -reach, reach, xtol=1e-12))


def with_mean(log_odds: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Return the log-odds moved together so that the mean probability is `share` in (0, 1)."""
    return log_odds + shift_to_mean(log_odds, share)


def both_classes(incorrect: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `[n, 2]`, columns incorrect and correct, from `[n]` probabilities of incorrect."""
    return np.column_stack([incorrect, 1.0 - incorrect])


def checked_balance(class_balance: float) -> float:
    """Return the share of incorrect queries.

    Raises InputError where it is not inside (0, 1).
    """
    if not 0.0 < class_balance < 1.0:
        raise InputError(
            f"the class balance is the share of incorrect queries, between 0 and 1, "
            f"not {class_balance}"
        )
    return float(class_balance)
