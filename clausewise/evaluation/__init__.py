"""How good the scores are: metrics with intervals, baselines, signals, localization."""

from clausewise.evaluation.evaluator import evaluate
from clausewise.evaluation.firing import FiringRate, firing_rates
from clausewise.evaluation.results import (
    Answered,
    Evaluation,
    Excluded,
    Figure,
    Localization,
    Metrics,
    ReliabilityBin,
    Scope,
    SignalFigures,
)

__all__ = [
    "Answered",
    "Evaluation",
    "Excluded",
    "Figure",
    "FiringRate",
    "Localization",
    "Metrics",
    "ReliabilityBin",
    "Scope",
    "SignalFigures",
    "evaluate",
    "firing_rates",
]
