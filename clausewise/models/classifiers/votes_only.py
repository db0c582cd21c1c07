"""A classifier that sees the votes of the labeling functions and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from clausewise.models.classifiers.base import Classifier
from clausewise.models.table import FeatureTable

VOTE = "vote."


class VotesOnly:
    """Hands another classifier the columns of votes: SQLens's decision vector (section 3.2).

    Parameters
    ----------
    inner
        The classifier, to fit or fitted on votes.
    """

    learns = True

    def __init__(self, inner: Classifier) -> None:
        self.inner = inner

    @property
    def holds_pickles(self) -> bool:
        """Whether the classifier's files can run code when loaded."""
        return self.inner.holds_pickles

    @property
    def sums_votes(self) -> bool:
        """Whether the classifier adds votes up."""
        return self.inner.sums_votes

    @property
    def by_row(self) -> bool:
        """Whether the classifier's probabilities are the same whatever cases are beside one."""
        return self.inner.by_row

    def fit(
        self,
        table: FeatureTable,
        incorrect: NDArray[np.float64],
        groups: NDArray[np.int64],
        *,
        seed: int = 0,
        time_limit: float | None = None,
    ) -> Self:
        """Learn from the votes on `n` cases; see `Classifier.fit`."""
        self.inner.fit(_votes(table), incorrect, groups, seed=seed, time_limit=time_limit)
        return self

    def predict(self, table: FeatureTable) -> NDArray[np.float64]:
        """Return `[n]` probabilities in [0, 1] of being incorrect, before calibration."""
        return self.inner.predict(_votes(table))

    def save(self, folder: Path) -> None:
        """Write the classifier's files; the detector's start says that it sees votes only."""
        self.inner.save(folder)


def _votes(table: FeatureTable) -> FeatureTable:
    kept = [place for place, name in enumerate(table.names) if name.startswith(VOTE)]
    names = tuple(table.names[place] for place in kept)
    return FeatureTable(table.votes, table.values[:, kept], names, table.settings)
