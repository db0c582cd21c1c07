"""Dawid and Skene's model as a label model, to be compared with those that ship.

crowd-kit has one, but needs nltk and transformers; this is the algorithm itself. Nearly every
labeling function can say one thing only, so an abstention is an answer here: taken for a missing
one, every vote would be as likely under both classes and nothing could be learned.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clausewise.labeling import checked_votes
from clausewise.models.label_models.votes import MajorityVote
from clausewise.models.probability import both_classes, sigmoid

ITERATIONS = 500
TOLERANCE = 1e-7
SMOOTHING = 0.5
"""Answers imagined beforehand of each kind in each class."""


class DawidSkene:
    """Each function answers by a confusion matrix of its own, independently given the class.

    Expectation maximization from the majority vote, which also settles which class is which.
    `table_` is `[m, 3, 2]`: probability of abstaining, of saying correct and of saying incorrect,
    given an incorrect and given a correct query. Unlike `weighted`, which adds strong
    priors, it learns from the votes alone.

    References
    ----------
    A. P. Dawid and A. M. Skene. Maximum likelihood estimation of observer error-rates using the
    EM algorithm. Applied Statistics 28(1), 1979.
    """

    sums_votes: ClassVar[bool] = True

    def __init__(self) -> None:
        self.accuracies_: NDArray[np.float64]
        self.class_balance_: float
        self.table_: NDArray[np.float64]

    def fit(self, votes: ArrayLike, class_balance: float | None = None, seed: int = 0) -> Self:
        """Learn from votes `[n, m]`; the share of incorrect queries is learned where None."""
        del seed
        checked = checked_votes(votes)
        symbols = _symbols(checked)
        start = MajorityVote().fit(checked, class_balance)
        incorrect = start.predict_proba(checked)[:, 0]
        self.class_balance_ = start.class_balance_
        for _ in range(ITERATIONS):
            before = incorrect
            of_class = np.column_stack([incorrect, 1.0 - incorrect])
            counts = np.einsum("nmv,ny->mvy", symbols, of_class) + SMOOTHING
            self.table_ = counts / counts.sum(axis=1, keepdims=True)
            if class_balance is None:
                self.class_balance_ = float(np.clip(incorrect.mean(), 1e-3, 1.0 - 1e-3))
            incorrect = self._incorrect(symbols)
            if np.abs(incorrect - before).max() < TOLERANCE:
                break
        right = self.table_[:, 2, 0] + self.table_[:, 1, 1]
        wrong = self.table_[:, 1, 0] + self.table_[:, 2, 1]
        voted = (checked != -1).any(axis=0)
        self.accuracies_ = np.where(voted, right / (right + wrong), 0.5)
        return self

    def predict_proba(self, votes: ArrayLike) -> NDArray[np.float64]:
        """Return `[n, 2]` probabilities, columns incorrect and correct."""
        return both_classes(self._incorrect(_symbols(checked_votes(votes))))

    def _incorrect(self, symbols: NDArray[np.float64]) -> NDArray[np.float64]:
        weights = np.log(self.table_[:, :, 0]) - np.log(self.table_[:, :, 1])
        prior = np.log(self.class_balance_ / (1.0 - self.class_balance_))
        return sigmoid((symbols * weights).sum(axis=(1, 2)) + prior)

    def to_json(self) -> dict[str, Any]:
        """Return all that was learned as plain JSON."""
        return {
            "accuracies": self.accuracies_.tolist(),
            "class_balance": self.class_balance_,
            "table": self.table_.tolist(),
        }

    @classmethod
    def from_json(cls, learned: Mapping[str, Any]) -> Self:
        """Return the model that `to_json` described."""
        model = cls()
        model.accuracies_ = np.array(learned["accuracies"])
        model.class_balance_ = float(learned["class_balance"])
        model.table_ = np.array(learned["table"])
        return model


def _symbols(votes: NDArray[np.int8]) -> NDArray[np.float64]:
    return np.stack([votes == -1, votes == 0, votes == 1], axis=2).astype(np.float64)
