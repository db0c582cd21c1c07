"""A classifier that starts from one that was trained elsewhere and adapts it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from clausewise.models.calibration.maps import UNLABELED_TEMPERATURE
from clausewise.models.classifiers.additive import AdditiveClassifier
from clausewise.models.classifiers.base import Classifier
from clausewise.models.probability import logit, sigmoid
from clausewise.models.storage.folder import read_json
from clausewise.models.table import FeatureTable

COLUMN = "start.log_odds"
"""The feature by which the fitted classifier sees what the start says."""
FILE = "start.json"
TAUGHT_SHARE = 0.2
"""Weight in [0, 1] of what was learned from the candidates' agreement beside the start."""
VOTED_SHARE = 0.1
"""Weight in [0, 1] of what was learned from votes beside the plain sum of the evidence."""
LABELED_SHARE = 0.75
"""Weight in [0, 1] of what was learned from a great many labels."""
HALF_LABELS = 1000
"""With as many labels half of that weight counts."""


class WarmStartClassifier:
    """What the start says and what is learned here, a weighted average in log-odds.

    From labels, the start's weights move as far as these labels show that they should, and the
    classifier to fit learns with the start's log-odds as one more feature; the fewer the labels,
    the less it weighs.
    Without labels, candidates are what can teach: the start's probability with them, averaged
    with the label model's, is what the same queries without them should have. Where there are
    neither, nothing is learned, and the start's ranking stays exactly as it is; only judges get
    the weights that the cases say they deserve.

    Parameters
    ----------
    start
        The fitted classifier to start from; None for the sum of all evidence with equal weights,
        of which nothing was learned. Then the votes always teach.
    inner
        The classifier to fit.
    """

    sums_votes = False
    learns = True

    start: AdditiveClassifier

    def __init__(self, start: AdditiveClassifier | None, inner: Classifier) -> None:
        self.given = start
        if start is not None:
            self.start = start
        self.inner = inner
        self.share_ = 0.0
        self.has_teacher = True

    @property
    def holds_pickles(self) -> bool:
        """Whether the fitted classifier's files can run code when loaded."""
        return self.share_ > 0.0 and self.inner.holds_pickles

    @property
    def by_row(self) -> bool:
        """Whether the fitted classifier's probabilities are, where it has a word in them."""
        return self.share_ == 0.0 or self.inner.by_row

    def inform(
        self, table: FeatureTable, labels: NDArray[np.float64], groups: NDArray[np.int64]
    ) -> None:
        """Move the start by labels of some cases here; see `AdditiveClassifier.informed`."""
        if self.given is not None:
            self.start = self.start.informed(table, labels, groups)

    def taught(
        self,
        table: FeatureTable,
        incorrect: NDArray[np.float64],
        with_agreement: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        has_teacher: bool,
    ) -> NDArray[np.float64]:
        """Return `[n]` what to learn from without labels, and keep whether that is anything.

        Parameters
        ----------
        table
            The `n` cases without their candidates.
        incorrect
            `[n]` the label model's probabilities of being incorrect.
        with_agreement
            Adds what the candidates say to `[n]` probabilities of the start: gives log-odds.
        has_teacher
            Whether any case has candidates.
        """
        self.has_teacher = has_teacher or self.given is None
        if self.given is None:
            self.start = AdditiveClassifier.of_equal_weights(table, float(incorrect.mean()))
        own = with_agreement(self.start.completed(table.names).judging(table).predict(table))
        return sigmoid((logit(incorrect) / UNLABELED_TEMPERATURE + own) / 2.0)

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
        if self.given is None:
            self.start = AdditiveClassifier.of_equal_weights(table, float(incorrect.mean()))
        self.start = self.start.completed(table.names).judging(table)
        is_label = bool(((incorrect == 0.0) | (incorrect == 1.0)).all())
        if is_label:
            self.share_ = LABELED_SHARE * len(incorrect) / (len(incorrect) + HALF_LABELS)
            self.inform(table, incorrect, groups)
        elif self.has_teacher:
            self.share_ = VOTED_SHARE
            if self.given is not None:
                self.share_ = TAUGHT_SHARE
                self.start = self.start.adapted(table, incorrect)
        else:
            self.share_ = 0.0
            return self
        seen = _with_start(table, self.start.log_odds(table))
        self.inner.fit(seen, incorrect, groups, seed=seed, time_limit=time_limit)
        return self

    def predict(self, table: FeatureTable) -> NDArray[np.float64]:
        """Return `[n]` probabilities in [0, 1] of being incorrect, before calibration."""
        own = self.start.log_odds(table)
        if self.share_ == 0.0:
            return sigmoid(own)
        learned = logit(self.inner.predict(_with_start(table, own)))
        return sigmoid(self.share_ * learned + (1.0 - self.share_) * own)

    def save(self, folder: Path) -> None:
        """Write the start beside the fitted classifier."""
        saved = {"share": self.share_, "start": self.start.to_json()}
        (folder / FILE).write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")
        if self.share_ > 0.0:
            self.inner.save(folder)

    @staticmethod
    def saved_share(folder: Path) -> float:
        """Return the weight of the fitted classifier in what was saved: 0 where there is none."""
        return float(read_json(folder / FILE)["share"])

    @classmethod
    def load(
        cls, folder: Path, fitted: Callable[[], Classifier], unfitted: Callable[[], Classifier]
    ) -> Self:
        """Return what `save` wrote; `fitted` is called where something was learned."""
        share = cls.saved_share(folder)
        start = AdditiveClassifier.from_json(read_json(folder / FILE)["start"])
        model = cls(start, fitted() if share > 0.0 else unfitted())
        model.share_ = share
        return model


def _with_start(table: FeatureTable, own: NDArray[np.float64]) -> FeatureTable:
    values = np.column_stack([table.values, own])
    return FeatureTable(table.votes, values, (*table.names, COLUMN), table.settings)
