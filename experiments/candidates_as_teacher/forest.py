"""A random forest as a classifier of a detector, for comparison only."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from clausewise.models.classifiers.base import twofold
from clausewise.models.features import FeatureTable
from clausewise.models.label_models.votes import LabelModel
from clausewise.models.registries import CLASSIFIERS


class ForestClassifier:
    """Random forest on every case twice: as incorrect with weight p, as correct with 1 - p."""

    holds_pickles: ClassVar[bool] = True

    def fit(
        self,
        table: FeatureTable,
        incorrect: NDArray[np.float64],
        groups: NDArray[np.int64],
        *,
        seed: int = 0,
        time_limit: float | None = None,
    ) -> Self:
        """Learn from `n` cases; `groups` and `time_limit` are not needed."""
        del groups, time_limit
        features, classes, weights = twofold(table.values, incorrect)
        self.model_ = RandomForestClassifier(200, min_samples_leaf=10, random_state=seed, n_jobs=1)
        self.model_.fit(features, classes, sample_weight=weights)
        return self

    def predict(self, table: FeatureTable) -> NDArray[np.float64]:
        """Return `[n]` probabilities in [0, 1] of being incorrect."""
        if not len(table.values):
            return np.zeros(0)
        return np.asarray(self.model_.predict_proba(table.values)[:, 1])

    def save(self, folder: Path) -> None:
        """Refuse: it lives for one experiment only."""
        raise NotImplementedError(f"the forest is not saved, nor to {folder}")

    @classmethod
    def load(cls, folder: Path, label_model: LabelModel) -> Self:
        """Refuse: it is never saved."""
        del label_model
        raise NotImplementedError(f"no forest is saved in {folder}")


def register() -> None:
    """Make the forest known under the name `forest`, once in a process."""
    if "forest" not in CLASSIFIERS:
        CLASSIFIERS.add("forest", ForestClassifier)
