"""Corrections: strategies that propose another query, and the loop that keeps or changes.

A strategy is a function, registered like a signal::

    @strategy(name="shortest", description="Takes the shortest candidate.", margin=0.1)
    def shortest(task: CorrectionTask) -> Proposal:
        return Proposal(min(task.candidates, key=len), "it is the shortest")

`correct` gives every case to it, judges what it proposes with a detector, and keeps the original
query unless the proposal is better.
"""

from clausewise.corrected_case import ClauseChange, CorrectedCase, CorrectionStatus, CorrectionStep
from clausewise.correction.base import (
    STRATEGIES,
    CorrectionTask,
    EarlierRound,
    Proposal,
    QueryExecution,
    StrategyOptions,
    StrategySpec,
    load_strategies,
    strategy,
)
from clausewise.correction.driver import OWN_MARGIN, correct, iter_corrections

__all__ = [
    "OWN_MARGIN",
    "STRATEGIES",
    "ClauseChange",
    "CorrectedCase",
    "CorrectionStatus",
    "CorrectionStep",
    "CorrectionTask",
    "EarlierRound",
    "Proposal",
    "QueryExecution",
    "StrategyOptions",
    "StrategySpec",
    "correct",
    "iter_corrections",
    "load_strategies",
    "strategy",
]
