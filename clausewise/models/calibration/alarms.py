"""Thresholds by false alarms: which share of the right queries may be called incorrect.

A team that gates its queries bears few false alarms. So the threshold of a verdict is the lowest
one, and with it the recall the highest, at which at most that share of the right queries is called.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausewise.errors import InputError
from clausewise.models.probability import logit, sigmoid

DEFAULT_ALARMS = 0.05
"""Share of the right queries that may be called incorrect unless another is stated."""
SHARES = (0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3)
"""Shares for which a detector keeps its threshold; between them it is interpolated."""
_HIGHEST = 0.999
"""Threshold where no lower one calls few enough."""


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """A threshold and what it does on databases that were left out, or is expected to do.

    Attributes
    ----------
    alarms
        Share in (0, 1) of the right queries that are called incorrect at most.
    threshold
        Probability in (0, 1) of being incorrect from which a query is called.
    recall
        Share in [0, 1] of the incorrect queries that are called.
    """

    alarms: float
    threshold: float
    recall: float

    def precision(self, share: float) -> float:
        """Return how many of the queries called are incorrect where `share` in (0, 1) of all is."""
        called = share * self.recall + (1.0 - share) * self.alarms
        return share * self.recall / called if called > 0.0 else 1.0

    def moved(self, slope: float, shift: float) -> OperatingPoint:
        """Return the point after a straight line in log-odds."""
        log_odds = slope * logit(np.array([self.threshold])) + shift
        threshold = float(np.clip(sigmoid(log_odds)[0], 1e-4, _HIGHEST))
        return OperatingPoint(self.alarms, threshold, self.recall)

    def to_json(self) -> dict[str, float]:
        """Return the point as plain JSON."""
        return {
            "alarms": self.alarms,
            "threshold": round(self.threshold, 6),
            "recall": round(self.recall, 4),
        }

    @classmethod
    def from_json(cls, saved: Any) -> OperatingPoint:
        """Return the point that `to_json` described."""
        alarms, threshold = float(saved["alarms"]), float(saved["threshold"])
        if not (0.0 < alarms < 1.0 and 0.0 < threshold < 1.0):
            raise ValueError("an operating point lies between 0 and 1")
        return cls(alarms, threshold, float(saved["recall"]))


def operating_points(
    incorrect: NDArray[np.float64],
    target: NDArray[np.float64],
    weights: NDArray[np.float64] | None = None,
    shares: Sequence[float] = SHARES,
) -> tuple[OperatingPoint, ...]:
    """Return the thresholds for some shares of false alarms.

    Parameters
    ----------
    incorrect
        `[n]` calibrated probabilities of being incorrect, of cases that were not learned from.
    target
        `[n]` labels, 1 for incorrect; or the probabilities once more, where there are no labels:
        what is expected if they are true.
    weights
        `[n]` what each case counts; all the same where not given.
    shares
        Rising shares in (0, 1) of the right queries.
    """
    counted = np.ones(len(incorrect)) if weights is None else weights
    order = np.argsort(-incorrect, kind="stable")
    falling = incorrect[order]
    right = np.cumsum((counted * (1.0 - target))[order])
    wrong = np.cumsum((counted * target)[order])
    last_of_its_value = np.append(falling[1:] < falling[:-1], True)[: len(falling)]
    found = []
    for share in shares:
        bearable = np.flatnonzero(last_of_its_value & (right <= share * right[-1] + 1e-9))
        if not len(bearable):
            found.append(OperatingPoint(share, _HIGHEST, 0.0))
            continue
        last = int(bearable[-1])
        # half-way to the next case below, so that rounding moves no case over the threshold
        next_one = falling[last + 1] if last + 1 < len(falling) else falling[last]
        threshold = float(np.clip((falling[last] + next_one) / 2.0, 1e-4, _HIGHEST))
        recall = float(wrong[last] / wrong[-1]) if wrong[-1] > 0.0 else 0.0
        found.append(OperatingPoint(share, threshold, recall))
    return tuple(found)


def point_at(points: Sequence[OperatingPoint], alarms: float) -> OperatingPoint:
    """Return the point for a share of false alarms, interpolated between those that are known.

    Raises InputError where `alarms` is not inside (0, 1), or lies beyond what is known.
    """
    if not points:
        raise InputError("this detector keeps no thresholds by false alarms: fit it again")
    low, high = points[0].alarms, points[-1].alarms
    if not low - 1e-9 <= alarms <= high + 1e-9:
        raise InputError(
            f"the share of false alarms must be between {low:g} and {high:g}, got {alarms:g}",
            field="--alarms",
        )
    shares = np.log([point.alarms for point in points])
    at = float(np.log(alarms))
    thresholds = logit(np.array([point.threshold for point in points]))
    threshold = float(sigmoid(np.array([np.interp(at, shares, thresholds)]))[0])
    recall = float(np.interp(at, shares, [point.recall for point in points]))
    return OperatingPoint(alarms, threshold, recall)


def blended(
    here: Sequence[OperatingPoint], elsewhere: Sequence[OperatingPoint], weight: float
) -> tuple[OperatingPoint, ...]:
    """Return points between two lists of the same shares, by a weight in [0, 1] of the first."""
    found = []
    for own, other in zip(here, elsewhere, strict=True):
        both = logit(np.array([own.threshold, other.threshold]))
        log_odds = weight * both[0] + (1.0 - weight) * both[1]
        recall = weight * own.recall + (1.0 - weight) * other.recall
        threshold = float(sigmoid(np.array([log_odds]))[0])
        found.append(OperatingPoint(own.alarms, threshold, recall))
    return tuple(found)
