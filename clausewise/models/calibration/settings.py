"""Calibration by setting: with and without candidates, a question that could be read, judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from clausewise.models.calibration.maps import Calibrator, Floats

IN_SETTING = "in_setting"
"""Key of the calibration file that holds the maps of other settings than the usual one."""


@dataclass(frozen=True, slots=True)
class SettingCalibrators:
    """One map for the usual setting, and others for those in which it would not hold.

    Attributes
    ----------
    usual
        For setting 0, and every setting without a map.
    others
        Setting, a sum of the bits in `clausewise.models.table`, to its map.
    """

    usual: Calibrator
    others: Mapping[int, Calibrator] = field(default_factory=dict)

    def of(self, setting: int) -> Calibrator:
        """Return the map of a setting, else of the largest part of it that has one."""
        parts = (part for part in self.others if part & setting == part and part)
        best = max(parts, key=lambda part: (part.bit_count(), -part), default=None)
        return self.usual if best is None else self.others[best]

    def apply(self, incorrect: Floats, settings: NDArray[np.int8]) -> Floats:
        """Return `[n]` calibrated probabilities of cases in `[n]` settings."""
        if not self.others or not settings.any():
            return self.usual.apply(incorrect)
        found = np.empty_like(incorrect)
        for setting in np.unique(settings).tolist():
            rows = settings == setting
            found[rows] = self.of(setting).apply(incorrect[rows])
        return found

    def mapped(self, change: Callable[[Calibrator], Calibrator]) -> SettingCalibrators:
        """Return the maps after `change`."""
        others = {setting: change(known) for setting, known in self.others.items()}
        return SettingCalibrators(change(self.usual), others)

    def to_json(self) -> dict[str, Any]:
        """Return the maps as plain JSON."""
        others = {str(setting): known.to_json() for setting, known in sorted(self.others.items())}
        return {**self.usual.to_json(), IN_SETTING: others}

    @classmethod
    def from_json(
        cls, saved: Mapping[str, Any], read: Callable[[Mapping[str, Any]], Calibrator]
    ) -> Self:
        """Return the maps that `to_json` described; `read` reads one of them."""
        others = {int(setting): read(known) for setting, known in saved[IN_SETTING].items()}
        return cls(read(saved), others)
