"""What fitting starts from: a detector with the additive classifier, as its folder says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from clausewise.errors import DetectorError
from clausewise.models.calibration.alarms import OperatingPoint
from clausewise.models.calibration.maps import LinearCalibration, calibrator_from_json
from clausewise.models.calibration.settings import SettingCalibrators
from clausewise.models.classifiers.additive import AdditiveClassifier
from clausewise.models.storage.folder import CALIBRATION, CLASSIFIER, MANIFEST, read_json


@dataclass(frozen=True, slots=True)
class Start:
    """A fitted additive classifier, and what its probabilities were calibrated to.

    `balance` is the share of incorrect queries that they hold for. `calibrators` is None where they
    are not straight lines in log-odds, which alone can be moved to another share.
    """

    classifier: AdditiveClassifier
    calibrators: SettingCalibrators | None
    balance: float
    points: tuple[OperatingPoint, ...] = ()
    """Its thresholds by the share of right queries that are called."""

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read the parts of a saved detector that fitting starts from.

        Raises
        ------
        DetectorError
            Where there is none, or its classifier is not the additive one.
        """
        file = folder / CLASSIFIER / AdditiveClassifier.FILE
        if not file.exists():
            raise DetectorError(
                "there is no detector with an additive classifier to start from; "
                "known words: packaged, none",
                path=folder,
                field="start",
            )
        manifest = read_json(folder / MANIFEST)
        saved = read_json(folder / CALIBRATION)
        calibrators = None
        if saved.get("kind") == LinearCalibration.KIND:
            calibrators = SettingCalibrators.from_json(saved, calibrator_from_json)
        return cls(
            AdditiveClassifier.from_json(read_json(file)),
            calibrators,
            float(manifest["class_balance"]),
            tuple(map(OperatingPoint.from_json, manifest["points"])),
        )
