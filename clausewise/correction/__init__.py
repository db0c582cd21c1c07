"""Corrections: strategies that propose another query, and the loop that keeps or changes.

A strategy is a function, registered like a signal::

    @strategy(name="shortest", description="Takes the shortest candidate.", margin=0.1)
    def shortest(task: CorrectionTask) -> Proposal:
        return Proposal(min(task.candidates, key=len), "it is the shortest")

`correct` gives every case to it, judges what it proposes with a detector, and keeps the original
query unless the proposal is better.
"""

from clausewise.corrected_case import CorrectedCase, CorrectionStatus, CorrectionStep
from clausewise.correction.base import (
    STRATEGIES,
    CorrectionTask,
    Proposal,
    StrategySpec,
    load_strategies,
    strategy,
)
from clausewise.correction.driver import correct, iter_corrections

__all__ = [
    "STRATEGIES",
    "CorrectedCase",
    "CorrectionStatus",
    "CorrectionStep",
    "CorrectionTask",
    "Proposal",
    "StrategySpec",
    "correct",
    "iter_corrections",
    "load_strategies",
    "strategy",
]
