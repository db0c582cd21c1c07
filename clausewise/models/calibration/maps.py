"""Calibration: from a classifier's probability to one that means what it says.

All of these are monotone, so they never turn the ranking of two cases around.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from clausewise.errors import DetectorError, InputError
from clausewise.models.probability import checked_balance, logit, shift_to_mean, sigmoid

Floats: TypeAlias = NDArray[np.float64]

UNLABELED_TEMPERATURE = 3.0
"""By what log-odds are divided that votes were added up to: votes that share their mistakes count
the same evidence about that many times (on published systems' predictions the slope that labels
give is 0.25 on Spider and 0.43 on BIRD for the weighted vote, about 1 for what adds no votes)."""

_SLOPE_SPREAD = 0.5
"""How far from 1 the slope of `fit_platt` is assumed to lie: a few labels say little about it."""
_SMALLEST_SLOPE = 0.05


class Calibrator(Protocol):
    """A monotone map of probabilities.

    Attributes
    ----------
    KIND
        Its name in the calibration file.
    by_row
        Whether what becomes of one is the same, to the last bit, whatever others are beside it.
    """

    KIND: ClassVar[str]

    @property
    def by_row(self) -> bool: ...  # noqa: D102
    def apply(self, incorrect: Floats) -> Floats:
        """Return `[n]` calibrated probabilities in [0, 1] of being incorrect."""

    def to_json(self) -> dict[str, Any]:
        """Return the map as plain JSON."""


@dataclass(frozen=True, slots=True)
class NoCalibration:
    """Leaves probabilities as they are."""

    KIND: ClassVar[str] = "none"
    by_row: ClassVar[bool] = True

    def apply(self, incorrect: Floats) -> Floats:
        """Return the same `[n]` probabilities."""
        return incorrect

    def to_json(self) -> dict[str, Any]:
        """Return the map as plain JSON."""
        return {"kind": self.KIND}


@dataclass(frozen=True, slots=True)
class LinearCalibration:
    """A straight line in log-odds: `slope * logit(p) + shift`, with `slope > 0`."""

    KIND: ClassVar[str] = "linear"
    by_row: ClassVar[bool] = True
    slope: float
    shift: float

    def apply(self, incorrect: Floats) -> Floats:
        """Return `[n]` calibrated probabilities in (0, 1)."""
        return sigmoid(self.slope * logit(incorrect) + self.shift)

    def after(self, first: Calibrator) -> LinearCalibration:
        """Return the map that applies `first` and then this one.

        Raises TypeError where `first` is no straight line.
        """
        if not isinstance(first, LinearCalibration):
            raise TypeError("only straight lines can be chained")
        shift = self.slope * first.shift + self.shift
        return LinearCalibration(self.slope * first.slope, shift)

    def to_json(self) -> dict[str, Any]:
        """Return the map as plain JSON."""
        return {"kind": self.KIND, "slope": self.slope, "shift": self.shift}


@dataclass(frozen=True, eq=False)
class IsotonicCalibration:
    """Straight pieces between knots: `log_odds` rising, `probability` not falling."""

    KIND: ClassVar[str] = "isotonic"
    by_row: ClassVar[bool] = True
    log_odds: Floats
    probability: Floats

    def apply(self, incorrect: Floats) -> Floats:
        """Return `[n]` calibrated probabilities, constant beyond the outer knots."""
        return np.interp(logit(incorrect), self.log_odds, self.probability)

    def to_json(self) -> dict[str, Any]:
        """Return the map as plain JSON."""
        return {
            "kind": self.KIND,
            "log_odds": self.log_odds.tolist(),
            "probability": self.probability.tolist(),
        }


def calibrator_from_json(saved: Mapping[str, Any]) -> Calibrator:
    """Return the calibrator that `to_json` described.

    Raises DetectorError where the kind is unknown, or the numbers make no monotone map.
    """
    kind = saved.get("kind")
    if kind == NoCalibration.KIND:
        return NoCalibration()
    if kind == LinearCalibration.KIND:
        slope, shift = float(saved["slope"]), float(saved["shift"])
        if not (math.isfinite(slope) and slope > 0.0 and math.isfinite(shift)):
            raise DetectorError("the slope must be above 0, and both numbers finite", field="slope")
        return LinearCalibration(slope, shift)
    if kind == IsotonicCalibration.KIND:
        log_odds = np.array(saved["log_odds"], dtype=np.float64)
        probability = np.array(saved["probability"], dtype=np.float64)
        if log_odds.ndim != 1 or log_odds.shape != probability.shape or not len(log_odds):
            raise DetectorError("the knots must be two lists of one length", field="log_odds")
        if not (np.isfinite(log_odds).all() and (np.diff(log_odds) >= 0.0).all()):
            raise DetectorError("the knots must be finite and rise", field="log_odds")
        inside = (probability >= 0.0) & (probability <= 1.0)
        if not (inside.all() and (np.diff(probability) >= 0.0).all()):
            raise DetectorError("must lie in [0, 1] and not fall", field="probability")
        return IsotonicCalibration(log_odds, probability)
    raise DetectorError(f"unknown kind of calibration {kind!r}", field="kind")


def fit_balance(
    incorrect: Floats, class_balance: float, temperature: float = UNLABELED_TEMPERATURE
) -> LinearCalibration:
    """Flatten log-odds, and shift them to the class balance. Needs no labels.

    Parameters
    ----------
    incorrect
        `[n]` probabilities in [0, 1] of being incorrect.
    class_balance
        Share in (0, 1) of incorrect queries; the mean of the calibrated probabilities is made
        equal to it.
    temperature
        The log-odds are divided by it first: above 1 it makes them less sure.
    """
    checked_balance(class_balance)
    if temperature <= 0.0:
        raise InputError(f"the temperature must be above 0, not {temperature}")
    if not len(incorrect):
        raise InputError("there is no case to calibrate on")
    log_odds = logit(incorrect) / temperature
    return LinearCalibration(1.0 / temperature, shift_to_mean(log_odds, class_balance))


def fit_platt(incorrect: Floats, labels: Floats) -> LinearCalibration:
    """Fit slope and shift in log-odds to labels, a few of which are enough.

    The targets are drawn in from 0 and 1 as Platt does, and the slope is pulled toward 1, the
    more so the fewer the labels.

    Parameters
    ----------
    incorrect
        `[n]` probabilities in [0, 1] of being incorrect, of cases whose labels the classifier
        has not seen.
    labels
        `[n]` 1 for incorrect, 0 for correct.

    References
    ----------
    J. Platt. Probabilistic outputs for support vector machines. 1999.
    """
    from scipy.optimize import minimize, root

    positives = float(labels.sum())
    negatives = len(labels) - positives
    targets = np.where(labels > 0.5, (positives + 1.0) / (positives + 2.0), 1.0 / (negatives + 2.0))
    design = np.column_stack([logit(incorrect), np.ones(len(labels))])
    penalty = np.array([1.0 / _SLOPE_SPREAD**2, 1e-6])
    center = np.array([1.0, 0.0])

    def loss(solution: Floats) -> tuple[float, Floats]:
        log_odds = (design * solution).sum(axis=1)
        away = solution - center
        total = np.logaddexp(0.0, log_odds) - targets * log_odds
        slope = design.T @ (sigmoid(log_odds) - targets) + penalty * away
        return float(total.sum() + 0.5 * (penalty * away**2).sum()), slope

    def curvature(solution: Floats) -> Floats:
        predicted = sigmoid((design * solution).sum(axis=1))
        weighted = (design.T * (predicted * (1.0 - predicted))) @ design
        return np.asarray(weighted + np.diag(penalty))

    # the loss is convex: a trust region keeps Newton's steps from overshooting on separable
    # samples, and the zero of the slope is found more exactly than the least loss
    near = minimize(loss, center, jac=True, hess=curvature, method="trust-exact")
    solution = root(lambda x: loss(x)[1], near.x, jac=curvature, tol=1e-14).x
    return LinearCalibration(max(float(solution[0]), _SMALLEST_SLOPE), float(solution[1]))


def fit_isotonic(incorrect: Floats, labels: Floats) -> IsotonicCalibration:
    """Fit a rising step function to labels, and draw it straight between the steps' centers.

    The straight pieces keep cases of one step apart (centered isotonic regression). It bends to
    any shape and so wants some hundreds of labels.

    Parameters
    ----------
    incorrect
        `[n]` probabilities in [0, 1] of being incorrect, of cases whose labels the classifier
        has not seen.
    labels
        `[n]` 1 for incorrect, 0 for correct.

    References
    ----------
    A. P. Oron and N. Flournoy. Centered isotonic regression. Statistics in Biopharmaceutical
    Research 9(3), 2017.
    """
    from sklearn.isotonic import IsotonicRegression

    log_odds = logit(incorrect)
    order = np.argsort(log_odds, kind="stable")
    steps = IsotonicRegression().fit_transform(log_odds[order], labels[order])
    heights, members, counts = np.unique(steps, return_inverse=True, return_counts=True)
    centers = np.bincount(members, weights=log_odds[order]) / counts
    edge = 1.0 / (2.0 * len(labels) + 2.0)
    return IsotonicCalibration(centers, np.clip(heights, edge, 1.0 - edge))


def best_f1_threshold(incorrect: Floats, targets: Floats, slack: float = 0.0) -> float:
    """Return the threshold on `[n]` probabilities that gives the best F1 of the incorrect class.

    A case is called incorrect at or above it. Where no case can be incorrect, 0.5; of equally
    good thresholds the one nearest to 0.5.

    Parameters
    ----------
    incorrect
        `[n]` calibrated probabilities of being incorrect.
    targets
        `[n]` labels, 1 for incorrect and 0 for correct; or without labels the calibrated
        probabilities once more, for the best F1 to be expected if they are true.
    slack
        How much of the best F1 may be given up: the highest threshold is taken that gives no less.
    """
    if not targets.any():
        return 0.5
    order = np.argsort(-incorrect, kind="stable")
    ranked = incorrect[order]
    f1 = 2.0 * np.cumsum(targets[order]) / (np.arange(1, len(ranked) + 1) + targets.sum())
    last_of_its_value = np.append(ranked[1:] < ranked[:-1], True)
    below = np.append(ranked[1:], ranked[-1])
    candidates = ((ranked + below) / 2.0)[last_of_its_value]
    reached = f1[last_of_its_value]
    if slack > 0.0:
        return float(candidates[reached >= reached.max() - slack].max())
    best = candidates[reached >= reached.max() - 1e-12]
    return float(best[np.argmin(np.abs(best - 0.5))])
