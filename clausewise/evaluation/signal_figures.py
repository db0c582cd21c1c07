"""How well the firing of each single signal points to incorrect queries."""

from __future__ import annotations

from collections import Counter

from clausewise.evaluation.intervals import wilson_interval
from clausewise.evaluation.results import SignalFigures
from clausewise.types import OutcomeStatus, ScoredCase


class SignalCounts:
    """How every signal ended on correct and on incorrect queries, counted case by case."""

    def __init__(self) -> None:
        self._outcomes: dict[str, Counter[tuple[OutcomeStatus, bool]]] = {}
        self._cases: Counter[bool] = Counter()

    def add(self, case: ScoredCase, incorrect: bool) -> None:
        """Count the outcomes of one case; `incorrect` is the truth."""
        self._cases[incorrect] += 1
        for name, outcome in case.signals.items():
            self._outcomes.setdefault(name, Counter())[outcome, incorrect] += 1

    def figures(self) -> tuple[SignalFigures, ...]:
        """Return the figures of every signal, in the order of first appearance.

        Recall and base rate are over all cases, those included on which the signal could not say
        anything.
        """
        n_incorrect, n = self._cases[True], self._cases.total()
        return tuple(
            _figures(name, counted, n_incorrect, n) for name, counted in self._outcomes.items()
        )


def _figures(
    name: str, counted: Counter[tuple[OutcomeStatus, bool]], n_incorrect: int, n: int
) -> SignalFigures:
    hits = counted[OutcomeStatus.FIRED, True]
    false_alarms = counted[OutcomeStatus.FIRED, False]
    fired = hits + false_alarms
    precision = hits / fired if fired else None
    base_rate = n_incorrect / n if n else None
    return SignalFigures(
        name=name,
        answered=fired + _total(counted, OutcomeStatus.SILENT),
        not_applicable=_total(counted, OutcomeStatus.NOT_APPLICABLE),
        faults=_total(counted, OutcomeStatus.FAULT),
        fired_on_incorrect=hits,
        fired_on_correct=false_alarms,
        precision=precision,
        precision_interval=wilson_interval(hits, fired),
        recall=hits / n_incorrect if n_incorrect else None,
        lift=precision / base_rate if precision is not None and base_rate else None,
        base_rate=base_rate,
    )


def _total(counted: Counter[tuple[OutcomeStatus, bool]], status: OutcomeStatus) -> int:
    return counted[status, True] + counted[status, False]
