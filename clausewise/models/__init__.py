"""Label models, classifiers, calibration, and the detector that is made of them."""

from clausewise.models.choices import CALIBRATIONS, CLASSIFIERS, LABEL_MODELS
from clausewise.models.decision import Band, Costs, DecisionRule, band_for_risk, within_risk
from clausewise.models.detector import Detector, packaged_detector
from clausewise.models.installed import DetectorWarning
from clausewise.models.latent import estimate_class_balance

__all__ = [
    "CALIBRATIONS",
    "CLASSIFIERS",
    "LABEL_MODELS",
    "Band",
    "Costs",
    "DecisionRule",
    "Detector",
    "DetectorWarning",
    "band_for_risk",
    "estimate_class_balance",
    "packaged_detector",
    "within_risk",
]
