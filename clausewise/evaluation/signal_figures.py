"""How well the firing of each single signal points to incorrect queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from clausewise.evaluation.intervals import wilson_interval
from clausewise.evaluation.metrics import Flags
from clausewise.evaluation.results import SignalFigures
from clausewise.types import OutcomeStatus, ScoredCase


def signal_figures(cases: Sequence[ScoredCase], incorrect: Flags) -> tuple[SignalFigures, ...]:
    """Return the figures of every signal of the cases, in the order of first appearance.

    `incorrect` `[n]` is the truth. Recall and base rate are over all n cases, those included on
    which the signal could not say anything.
    """
    n_incorrect = int(incorrect.sum())
    outcomes: dict[str, Counter[tuple[OutcomeStatus, bool]]] = {}
    for case, wrong in zip(cases, incorrect.tolist(), strict=True):
        for name, outcome in case.signals.items():
            outcomes.setdefault(name, Counter())[outcome, wrong] += 1
    return tuple(
        _figures(name, counted, n_incorrect, len(cases)) for name, counted in outcomes.items()
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
