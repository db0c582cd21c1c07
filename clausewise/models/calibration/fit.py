"""Fits the chosen calibration and settles the verdict's threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausewise.errors import InputError
from clausewise.models.calibration.custom import CustomCalibration
from clausewise.models.calibration.maps import (
    UNLABELED_TEMPERATURE,
    Calibrator,
    NoCalibration,
    best_f1_threshold,
    fit_balance,
    fit_isotonic,
    fit_platt,
)

ISOTONIC_LABELS = 400
"""Fewer labels than this are calibrated with Platt's straight line."""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What calibration settles: the map of probabilities and the verdict's threshold.

    A case is called incorrect where its calibrated probability of being incorrect is at least
    `threshold`.
    """

    calibrator: Calibrator
    threshold: float


def calibrate(
    method: str | Any,
    raw: NDArray[np.float64],
    labels: NDArray[np.float64],
    class_balance: float,
    threshold: float | None,
    temperature: float = UNLABELED_TEMPERATURE,
) -> Calibrated:
    """Fit the calibration and settle the threshold.

    Parameters
    ----------
    method
        A name in `CALIBRATIONS`, or anything that `CustomCalibration.fit` takes.
    raw
        `[n]` probabilities of being incorrect, from a classifier that did not see the labels.
    labels
        `[n]` 1 for incorrect, 0 for correct, NaN where unknown.
    class_balance
        Share of incorrect queries, what `balance` calibrates to.
    threshold
        The verdict's threshold where it is given; else the one of best F1 on the labels, and
        without labels of both classes the one of the best F1 to be expected from the calibrated
        probabilities.
    temperature
        What `balance` divides the log-odds by: 1 for a classifier that does not add votes up.

    Raises
    ------
    InputError
        Where the method needs labels and there are none.
    """
    known = ~np.isnan(labels)
    n_labels = int(known.sum())
    both = n_labels > 0 and labels[known].min() < labels[known].max()
    if isinstance(method, str) and method == "auto":
        method = _automatic(n_labels, both)
    if isinstance(method, str) and method in ("platt", "isotonic") and not n_labels:
        raise InputError(f"the calibration '{method}' needs labels; without any, use 'balance'")
    calibrator: Calibrator = NoCalibration()
    if not isinstance(method, str):
        seen = raw[known] if n_labels else raw
        calibrator = CustomCalibration.fit(
            method, seen, labels[known] if n_labels else None, class_balance
        )
    elif method == "balance":
        calibrator = fit_balance(raw, class_balance, temperature)
    elif method == "platt":
        calibrator = fit_platt(raw[known], labels[known])
    elif method == "isotonic":
        calibrator = fit_isotonic(raw[known], labels[known])
    if threshold is None:
        calibrated = calibrator.apply(raw)
        if both:
            threshold = best_f1_threshold(calibrated[known], labels[known])
        else:
            threshold = best_f1_threshold(calibrated, calibrated)
    return Calibrated(calibrator, threshold)


def _automatic(n_labels: int, both: bool) -> str:
    if not both:
        return "balance"
    return "isotonic" if n_labels >= ISOTONIC_LABELS else "platt"
