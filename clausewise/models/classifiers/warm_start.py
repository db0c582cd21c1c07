"""A classifier that starts from one that was trained elsewhere and adapts it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from clausewise.models.calibration.maps import UNLABELED_TEMPERATURE
from clausewise.models.classifiers.additive import AdditiveClassifier
from clausewise.models.classifiers.base import Classifier
from clausewise.models.features import FeatureTable
from clausewise.models.probability import logit, sigmoid
from clausewise.models.storage.folder import read_json

COLUMN = "start.log_odds"
"""The feature by which the fitted classifier sees what the start says."""
FILE = "start.json"
UNLABELED_SHARE = 0.1
"""Weight in [0, 1] of what was learned without labels beside the start."""
LABELED_SHARE = 0.75
"""Weight in [0, 1] of what was learned from labels."""


class WarmStartClassifier:
    """What the start says and what is learned here, a weighted average in log-odds.

    The fitted classifier sees the start's log-odds as one more feature, and, where it learns
    without labels, learns from the average of the label model, flattened since it counts the same
    evidence several times, and the start: a start trained on other databases knows what a signal is
    worth, the votes of the new domain where it differs.

    Parameters
    ----------
    start
        The fitted classifier to start from.
    inner
        The classifier to fit.
    """

    sums_votes: ClassVar[bool] = False

    def __init__(self, start: AdditiveClassifier, inner: Classifier) -> None:
        self.start = start
        self.inner = inner
        self.share_ = UNLABELED_SHARE

    @property
    def holds_pickles(self) -> bool:
        """Whether the fitted classifier's files can run code when loaded."""
        return self.inner.holds_pickles

    @property
    def learns(self) -> bool:
        """Whether the classifier to fit learns anything."""
        return self.inner.learns

    def fit(
        self,
        table: FeatureTable,
        incorrect: NDArray[np.float64],
        groups: NDArray[np.int64],
        *,
        seed: int = 0,
        time_limit: float | None = None,
    ) -> Self:
        """Learn from `n` cases; probabilities of exactly 0 and 1 are labels and stay so."""
        self.start = self.start.completed(table.names).judging(table)
        own = self.start.log_odds(table)
        is_label = (incorrect == 0.0) | (incorrect == 1.0)
        blended = sigmoid((logit(incorrect) / UNLABELED_TEMPERATURE + own) / 2)
        target = incorrect if is_label.all() else blended
        self.share_ = LABELED_SHARE if is_label.all() else UNLABELED_SHARE
        self.inner.fit(_with_start(table, own), target, groups, seed=seed, time_limit=time_limit)
        return self

    def predict(self, table: FeatureTable) -> NDArray[np.float64]:
        """Return `[n]` probabilities in [0, 1] of being incorrect, before calibration."""
        own = self.start.log_odds(table)
        learned = logit(self.inner.predict(_with_start(table, own)))
        return sigmoid(self.share_ * learned + (1.0 - self.share_) * own)

    def save(self, folder: Path) -> None:
        """Write the start beside the fitted classifier."""
        saved = {"share": self.share_, "start": self.start.to_json()}
        (folder / FILE).write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")
        self.inner.save(folder)

    @classmethod
    def load(cls, folder: Path, inner: Classifier) -> Self:
        """Read what `save` wrote besides the fitted classifier."""
        saved = read_json(folder / FILE)
        model = cls(AdditiveClassifier.from_json(saved["start"]), inner)
        model.share_ = float(saved["share"])
        return model


def _with_start(table: FeatureTable, own: NDArray[np.float64]) -> FeatureTable:
    values = np.column_stack([table.values, own])
    return FeatureTable(table.votes, values, (*table.names, COLUMN))
