"""Fits the chosen calibration and settles the verdict's threshold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausewise.errors import InputError
from clausewise.models.calibration.alarms import (
    DEFAULT_ALARMS,
    OperatingPoint,
    blended,
    operating_points,
    point_at,
)
from clausewise.models.calibration.custom import CustomCalibration
from clausewise.models.calibration.maps import (
    UNLABELED_TEMPERATURE,
    Calibrator,
    LinearCalibration,
    NoCalibration,
    fit_balance,
    fit_isotonic,
    fit_platt,
)
from clausewise.models.calibration.settings import SettingCalibrators
from clausewise.models.probability import logit, shift_to_mean

ISOTONIC_LABELS = 400
"""Fewer labels than this are calibrated with Platt's straight line."""


ORIGIN_RIGHT = 100.0
"""What the thresholds of an origin weigh beside those on labels, in correct queries: of a few the
highest twentieth says little."""
SETTING_CASES = 100
"""With fewer cases a setting is calibrated like the usual one."""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What calibration settles: the maps of probabilities and the verdict's threshold.

    A case is called incorrect where its calibrated probability of being incorrect is at least
    `threshold`.
    """

    calibrators: SettingCalibrators
    threshold: float
    points: tuple[OperatingPoint, ...] = ()


@dataclass(frozen=True, slots=True)
class Uncalibrated:
    """What calibration sees of `n` cases.

    Attributes
    ----------
    raw
        `[n]` probabilities of being incorrect, from a classifier that did not see the labels.
    labels
        `[n]` 1 for incorrect, 0 for correct, NaN where unknown.
    settings
        `[n]` settings of the cases.
    class_balance
        Share of incorrect queries, what maps without labels lead to.
    temperature
        What `balance` divides the log-odds by: 1 for a classifier that does not add votes up.
    origin
        Maps that hold elsewhere for the same classifier, None where there are none.
    origin_points
        Thresholds that hold elsewhere for the same classifier.
    """

    raw: NDArray[np.float64]
    labels: NDArray[np.float64]
    settings: NDArray[np.int8]
    class_balance: float
    temperature: float = UNLABELED_TEMPERATURE
    origin: SettingCalibrators | None = None
    origin_points: tuple[OperatingPoint, ...] = ()

    def rows(self, chosen: NDArray[np.bool_]) -> Uncalibrated:
        """Return the chosen cases."""
        return replace(
            self,
            raw=self.raw[chosen],
            labels=self.labels[chosen],
            settings=self.settings[chosen],
        )

    @property
    def labeled(self) -> NDArray[np.bool_]:
        """`[n]` whether the label is known."""
        return ~np.isnan(self.labels)

    @property
    def has_both(self) -> bool:
        """Whether there are labels of both classes."""
        known = self.labels[self.labeled]
        return bool(len(known)) and known.min() < known.max()


def calibrate(method: str | Any, cases: Uncalibrated, threshold: float | None) -> Calibrated:
    """Fit the calibration, for each setting with enough cases, and settle the threshold.

    Parameters
    ----------
    method
        A name in `CALIBRATIONS`, or anything that `CustomCalibration.fit` takes.
    cases
        What to fit to.
    threshold
        The verdict's threshold where it is given; else that of `DEFAULT_ALARMS`: on the labels,
        without labels of both classes that of the origin, moved like its maps, and without an
        origin the one to be expected from the calibrated probabilities; of the usual setting where
        it has cases.

    Raises
    ------
    InputError
        Where the method needs labels and there are none.
    """
    needs_labels = isinstance(method, str) and method in ("platt", "isotonic")
    if needs_labels and not cases.labeled.any():
        raise InputError(f"the calibration '{method}' needs labels; without any, use 'balance'")
    line = LinearCalibration(1.0, 0.0)
    usual = cases.rows(cases.settings == 0) if (cases.settings == 0).any() else cases
    if cases.origin is not None and method in ("auto", "balance", "platt"):
        calibrators, line = _from_origin(method, cases, cases.origin)
    else:
        calibrators = SettingCalibrators(
            _one_map(method, usual if _is_enough(usual, cases) else cases),
            _other_maps(method, cases),
        )
    points = _points(usual, calibrators, line)
    if threshold is None:
        threshold = point_at(points, DEFAULT_ALARMS).threshold
    return Calibrated(calibrators, threshold, points)


def _points(
    cases: Uncalibrated, calibrators: SettingCalibrators, line: LinearCalibration
) -> tuple[OperatingPoint, ...]:
    """Return the thresholds by false alarms; `line` moved the origin's maps."""
    calibrated = calibrators.apply(cases.raw, cases.settings)
    elsewhere = tuple(point.moved(line.slope, line.shift) for point in cases.origin_points)
    if cases.has_both:
        known = cases.labeled
        here = operating_points(calibrated[known], cases.labels[known])
        n_right = float((cases.labels[known] < 0.5).sum())
        return blended(here, elsewhere, n_right / (n_right + ORIGIN_RIGHT)) if elsewhere else here
    return elsewhere or operating_points(calibrated, calibrated)


def _from_origin(
    method: str, cases: Uncalibrated, origin: SettingCalibrators
) -> tuple[SettingCalibrators, LinearCalibration]:
    """Return the origin's maps, moved to the share here and, with labels, straightened.

    Also return the line in log-odds by which they were.
    """
    first = logit(origin.apply(cases.raw, cases.settings))
    shift = shift_to_mean(first, cases.class_balance)
    line = LinearCalibration(1.0, shift)
    moved = origin.mapped(line.after)
    if method == "balance" or not cases.has_both:
        return moved, line
    known = cases.labeled
    seen = moved.apply(cases.raw[known], cases.settings[known])
    straight = fit_platt(seen, cases.labels[known])
    return moved.mapped(straight.after), straight.after(line)


def _is_enough(part: Uncalibrated, cases: Uncalibrated) -> bool:
    if cases.has_both:
        return part.has_both and int(part.labeled.sum()) >= SETTING_CASES
    return len(part.raw) >= min(SETTING_CASES, len(cases.raw))


def _other_maps(method: str | Any, cases: Uncalibrated) -> dict[int, Calibrator]:
    """Return the maps of the settings with enough cases, beside the usual one."""
    if not isinstance(method, str) or method == "none":
        return {}
    found = {}
    for setting in np.unique(cases.settings[cases.settings != 0]).tolist():
        part = cases.rows(cases.settings == setting)
        if len(part.raw) < len(cases.raw) and _is_enough(part, cases):
            found[setting] = _one_map(method, part)
    return found


def _one_map(method: str | Any, cases: Uncalibrated) -> Calibrator:
    known, raw = cases.labeled, cases.raw
    n_labels = int(known.sum())
    if not isinstance(method, str):
        seen, labels = (raw[known], cases.labels[known]) if n_labels else (raw, None)
        return CustomCalibration.fit(method, seen, labels, cases.class_balance)
    if method == "auto":
        method = _automatic(n_labels, cases.has_both)
    if method == "balance":
        return fit_balance(raw, cases.class_balance, cases.temperature)
    if method == "platt":
        return fit_platt(raw[known], cases.labels[known])
    if method == "isotonic":
        return fit_isotonic(raw[known], cases.labels[known])
    return NoCalibration()


def _automatic(n_labels: int, both: bool) -> str:
    if not both:
        return "balance"
    return "isotonic" if n_labels >= ISOTONIC_LABELS else "platt"
