"""Label models, classifiers, calibration, and the detector that is made of them."""

from clausewise.models.calibration.decision import (
    Band,
    Costs,
    DecisionRule,
    band_for_risk,
    within_risk,
)
from clausewise.models.detector import Detector, packaged_detector
from clausewise.models.fitted_signals import DetectorWarning
from clausewise.models.label_models.dawid_skene import estimate_class_balance
from clausewise.models.registries import CALIBRATIONS, CLASSIFIERS, LABEL_MODELS
from clausewise.models.streaming import DoubtfulOnly

__all__ = [
    "CALIBRATIONS",
    "CLASSIFIERS",
    "LABEL_MODELS",
    "Band",
    "Costs",
    "DecisionRule",
    "Detector",
    "DetectorWarning",
    "DoubtfulOnly",
    "band_for_risk",
    "estimate_class_balance",
    "packaged_detector",
    "within_risk",
]
