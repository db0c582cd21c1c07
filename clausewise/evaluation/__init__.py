"""How good the scores are: metrics with intervals, baselines, signals, localization."""

from clausewise.evaluation.ablation import ablate
from clausewise.evaluation.correction_labels import ExecutionLabels, GivenLabels
from clausewise.evaluation.correction_results import (
    CorrectionCost,
    CorrectionEvaluation,
    CorrectionFigures,
    StrategyFigures,
)
from clausewise.evaluation.corrections import evaluate_corrections, fired_signals
from clausewise.evaluation.evaluator import evaluate
from clausewise.evaluation.execution_match import execution_match
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
    "CorrectionCost",
    "CorrectionEvaluation",
    "CorrectionFigures",
    "Evaluation",
    "Excluded",
    "ExecutionLabels",
    "Figure",
    "FiringRate",
    "GivenLabels",
    "Localization",
    "Metrics",
    "ReliabilityBin",
    "SignalFigures",
    "StrategyFigures",
    "ablate",
    "evaluate",
    "evaluate_corrections",
    "execution_match",
    "fired_signals",
    "firing_rates",
]
