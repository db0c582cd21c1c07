"""Inspected cases as numbers: votes, features, and the setting of each case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

HAS_CANDIDATES, QUESTION_UNREAD, HAS_JUDGES = 1, 2, 4
"""What a case's setting is made of: whether candidates could be compared, whether no signal could
read the question, and whether a judge answered. Evidence means other things in each of them."""


REASON, SILENT = "reason.", "silent."
"""Kinds of columns that say more of a signal than its score: too many for few cases."""


@lru_cache(maxsize=8)
def _coarse_columns(names: tuple[str, ...]) -> NDArray[np.int64] | None:
    kept = [place for place, name in enumerate(names) if not name.startswith((REASON, SILENT))]
    return None if len(kept) == len(names) else np.array(kept, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Cases as a classifier sees them.

    Attributes
    ----------
    votes
        `[n, m]` int8 in {-1, 0, 1}.
    values
        `[n, d]` float64.
    names
        The `d` names of the columns.
    given_settings
        `[n]` int8, sums of `HAS_CANDIDATES`, `QUESTION_UNREAD` and `HAS_JUDGES`; None for 0.
    """

    votes: NDArray[np.int8]
    values: NDArray[np.float64]
    names: tuple[str, ...] = ()
    given_settings: NDArray[np.int8] | None = None

    @property
    def settings(self) -> NDArray[np.int8]:
        """`[n]` sums of `HAS_CANDIDATES`, `QUESTION_UNREAD` and `HAS_JUDGES`."""
        if self.given_settings is None:
            return np.zeros(len(self.values), np.int8)
        return self.given_settings

    def rows(self, chosen: NDArray[Any]) -> FeatureTable:
        """Return the chosen cases, by index or by mask."""
        return FeatureTable(
            self.votes[chosen], self.values[chosen], self.names, self.settings[chosen]
        )

    def coarse(self) -> FeatureTable:
        """Return the cases without the columns of single reasons and of silent signals.

        A classifier that starts from nothing has too few cases for them.
        """
        kept = _coarse_columns(self.names)
        if kept is None:
            return self
        names = tuple(self.names[place] for place in kept.tolist())
        return FeatureTable(self.votes, self.values[:, kept], names, self.settings)

    def with_values(self, values: Mapping[int, float], rows: NDArray[np.bool_]) -> FeatureTable:
        """Return the cases with the same value in some columns of the chosen rows."""
        changed = self.values.copy()
        for column, value in values.items():
            changed[rows, column] = value
        return FeatureTable(self.votes, changed, self.names, self.settings)

    def with_rows(self, other: FeatureTable) -> FeatureTable:
        """Return these cases followed by those of a table with the same columns."""
        return FeatureTable(
            np.concatenate([self.votes, other.votes]),
            np.concatenate([self.values, other.values]),
            self.names,
            np.concatenate([self.settings, other.settings]),
        )
