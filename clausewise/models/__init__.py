"""Label models, classifiers, calibration, and the detector that is made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clausewise.lazy_names import lazy_names

if TYPE_CHECKING:
    from clausewise.models.calibration.decision import Band as Band
    from clausewise.models.calibration.decision import Costs as Costs
    from clausewise.models.calibration.decision import DecisionRule as DecisionRule
    from clausewise.models.calibration.decision import band_for_risk as band_for_risk
    from clausewise.models.calibration.decision import within_risk as within_risk
    from clausewise.models.detector import Detector as Detector
    from clausewise.models.detector import packaged_detector as packaged_detector
    from clausewise.models.fitted_signals import DetectorWarning as DetectorWarning
    from clausewise.models.label_models.dawid_skene import (
        estimate_class_balance as estimate_class_balance,
    )
    from clausewise.models.registries import CALIBRATIONS as CALIBRATIONS
    from clausewise.models.registries import CLASSIFIERS as CLASSIFIERS
    from clausewise.models.registries import LABEL_MODELS as LABEL_MODELS
    from clausewise.models.streaming import DoubtfulOnly as DoubtfulOnly

_HOMES = {
    "CALIBRATIONS": "clausewise.models.registries",
    "CLASSIFIERS": "clausewise.models.registries",
    "LABEL_MODELS": "clausewise.models.registries",
    "Band": "clausewise.models.calibration.decision",
    "Costs": "clausewise.models.calibration.decision",
    "DecisionRule": "clausewise.models.calibration.decision",
    "Detector": "clausewise.models.detector",
    "DetectorWarning": "clausewise.models.fitted_signals",
    "DoubtfulOnly": "clausewise.models.streaming",
    "band_for_risk": "clausewise.models.calibration.decision",
    "estimate_class_balance": "clausewise.models.label_models.dawid_skene",
    "packaged_detector": "clausewise.models.detector",
    "within_risk": "clausewise.models.calibration.decision",
}
"""Public name to the module that it is imported from."""

__all__ = sorted(_HOMES)  # noqa: PLE0605 - all of them are strings

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
