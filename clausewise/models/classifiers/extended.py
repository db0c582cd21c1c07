"""Signals that a fitted classifier has not seen: they speak with their grade."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clausewise.models.classifiers.additive import SCORE_WEIGHT
from clausewise.models.classifiers.base import Classifier
from clausewise.models.probability import logit, sigmoid, sum_of_rows
from clausewise.models.table import FeatureTable


@dataclass(frozen=True, eq=False)
class Extension:
    """Adds the scores of signals that a classifier was not fitted with to its log-odds.

    Attributes
    ----------
    votes, columns
        `[m]` and `[d]` positions of the votes and columns that it was fitted with.
    names
        The `d` names of these columns.
    added
        Positions of the score columns of the other signals.
    """

    votes: NDArray[np.int64]
    columns: NDArray[np.int64]
    names: tuple[str, ...]
    added: NDArray[np.int64]

    def predict(self, classifier: Classifier, table: FeatureTable) -> NDArray[np.float64]:
        """Return `[n]` probabilities in [0, 1] of being incorrect, before calibration."""
        values = table.values[:, self.columns]
        known = FeatureTable(table.votes[:, self.votes], values, self.names, table.settings)
        predicted = classifier.predict(known)
        scores = sum_of_rows(table.values[:, self.added])
        # a case on which they are silent keeps its probability to the last bit
        return np.where(scores > 0.0, sigmoid(logit(predicted) + SCORE_WEIGHT * scores), predicted)


def positions(wanted: Sequence[str], all_names: Sequence[str]) -> NDArray[np.int64]:
    """Return where each of `wanted` stands in `all_names`.

    Raises KeyError where one is missing.
    """
    place = {name: index for index, name in enumerate(all_names)}
    return np.array([place[name] for name in wanted], dtype=np.int64)
