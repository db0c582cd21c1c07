"""How good the scores are: metrics with intervals, baselines, signals, localization."""

from clausewise.evaluation.ablation import ablate
from clausewise.evaluation.evaluator import evaluate
from clausewise.evaluation.firing import FiringRate, firing_rates
from clausewise.evaluation.results import (
    Ablation,
    AblationRow,
    Answered,
    CaseSet,
    Evaluation,
    Excluded,
    Figure,
    Localization,
    Metrics,
    ReliabilityBin,
    SignalFigures,
)

__all__ = [
    "Ablation",
    "AblationRow",
    "Answered",
    "CaseSet",
    "Evaluation",
    "Excluded",
    "Figure",
    "FiringRate",
    "Localization",
    "Metrics",
    "ReliabilityBin",
    "SignalFigures",
    "ablate",
    "evaluate",
    "firing_rates",
]
