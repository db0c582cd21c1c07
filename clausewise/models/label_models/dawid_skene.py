"""A two-class model of votes, fitted without labels, and the class balance it implies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clausewise.labeling import checked_votes
from clausewise.models.probability import sigmoid

_PRIOR_BALANCE = 0.25
"""Share of incorrect queries expected before any vote is seen: among the queries of published
text-to-SQL systems that run, 0.14 to 0.25 on Spider and 0.2 to 0.6 on BIRD are incorrect."""
_PRIOR_WEIGHT = 4.0
"""What the expected share weighs, in units of the whole data set. It is much, because how often
signals fire says little of how many queries are incorrect: on the same systems they fired on 50 %
of the queries on Spider, and on 40 % on BIRD."""
_PRIOR_ACCURACY = 0.7
"""How often a vote is expected to be right where both classes are equally common."""
_PRIOR_VOTES = 1.0
"""What that expectation weighs, in units of the votes cast."""
_ITERATIONS = 500
_TOLERANCE = 1e-7
_EPSILON = 1e-6


@dataclass(frozen=True, eq=False)
class DawidSkeneModel:
    """Two-class conditionally independent model of votes.

    Attributes
    ----------
    class_balance
        Share in (0, 1) of incorrect queries.
    table
        `[m, 3, 2]`: probability of abstaining, of voting correct and of voting incorrect
        (second axis), given an incorrect and given a correct query (third axis).
    """

    class_balance: float
    table: NDArray[np.float64]

    @property
    def balanced_accuracies(self) -> NDArray[np.float64]:
        """`[m]` chance in (0, 1) that a vote is right where both classes are equally common."""
        right = self.table[:, 2, 0] + self.table[:, 1, 1]
        wrong = self.table[:, 1, 0] + self.table[:, 2, 1]
        return np.asarray(right / (right + wrong))


def fit_dawid_skene(votes: ArrayLike, class_balance: float | None = None) -> DawidSkeneModel:
    """Fit the two unobserved classes by expectation maximization to the most probable parameters.

    Votes are taken to be independent given the class (Dawid and Skene, 1979). They are not, and
    without labels nothing in them distinguishes shared mistakes from shared insight. So a function
    has a strong prior: that a vote is right seven times in ten where
    the classes are equally common, with the weight of as many votes as were cast, which also
    settles which class is which. The share of incorrect queries has a
    stronger one: a quarter, with the weight of four times as many cases as there are.

    Parameters
    ----------
    votes
        `[n, m]` values in {-1, 0, 1}.
    class_balance
        Share of incorrect queries in (0, 1) where it is known; it is not estimated then.
    """
    checked = checked_votes(votes)
    symbols = np.stack([checked == -1, checked == 0, checked == 1], axis=2).astype(np.float64)
    pseudo_counts = _pseudo_counts(symbols)
    table = pseudo_counts / pseudo_counts.sum(axis=1, keepdims=True)
    balance = _PRIOR_BALANCE if class_balance is None else class_balance
    incorrect = np.full(len(checked), balance)
    for _ in range(_ITERATIONS):
        before = incorrect
        incorrect = _belief(symbols, table, balance)
        counts = np.einsum("nmv,ny->mvy", symbols, np.column_stack([incorrect, 1 - incorrect]))
        table = (counts + pseudo_counts) / (counts + pseudo_counts).sum(axis=1, keepdims=True)
        if class_balance is None:
            balance = _updated_balance(incorrect)
        if np.abs(incorrect - before).max(initial=0.0) < _TOLERANCE:
            break
    return DawidSkeneModel(class_balance=balance, table=table)


def estimate_class_balance(votes: ArrayLike) -> float:
    """Return the share of incorrect queries, guessed from unlabeled votes.

    It is the balance of `fit_dawid_skene`: a quarter, moved a fifth of the way to what the
    votes say, and so between 0.2 and 0.4. It is a guess, and the calibrated probabilities are off
    by as much as it is. Whoever knows the share better should give it (`--class-balance`).

    Parameters
    ----------
    votes
        `[n, m]` values in {-1, 0, 1}.
    """
    return fit_dawid_skene(votes).class_balance


def _pseudo_counts(symbols: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `[m, 3, 2]` votes imagined beforehand: as many as were cast, right seven in ten."""
    n_cases, n_functions, _ = symbols.shape
    cast = symbols.sum(axis=0) / max(n_cases, 1)
    lean = 2 * np.array([1 - _PRIOR_ACCURACY, _PRIOR_ACCURACY])
    means = np.empty((n_functions, 3, 2))
    means[:, 1] = cast[:, 1:2] * lean
    means[:, 2] = cast[:, 2:3] * lean[::-1]
    # a function that votes on nearly every case would, leaning, vote on more than all of one class
    means[:, 1:] /= np.maximum(means[:, 1:].sum(axis=1, keepdims=True), 1.0)
    means[:, 0] = 1.0 - means[:, 1:].sum(axis=1)
    return np.asarray(_PRIOR_VOTES * max(n_cases, 1) / 2 * np.maximum(means, _EPSILON))


def _belief(
    symbols: NDArray[np.float64], table: NDArray[np.float64], balance: float
) -> NDArray[np.float64]:
    """Return `[n]` probability of each case being incorrect."""
    n_cases, n_functions, n_symbols = symbols.shape
    flat = symbols.reshape(n_cases, n_functions * n_symbols)
    evidence = flat @ np.log(table).reshape(n_functions * n_symbols, 2)
    return sigmoid(evidence[:, 0] - evidence[:, 1] + np.log(balance / (1.0 - balance)))


def _updated_balance(incorrect: NDArray[np.float64]) -> float:
    if not len(incorrect):
        return _PRIOR_BALANCE
    return float((incorrect.mean() + _PRIOR_WEIGHT * _PRIOR_BALANCE) / (1.0 + _PRIOR_WEIGHT))
