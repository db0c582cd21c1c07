"""Corrections against labels: what they fixed, what they broke, and what that cost.

Execution accuracy and shares have Wilson intervals. The gain is a difference of two shares of the
same cases: its interval is the percentile one over resamples of whole cases, taken as independent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from clausewise.corrected_case import CorrectedCase, CorrectionStatus
from clausewise.datasets.corrections import Correction, as_corrections
from clausewise.evaluation.correction_labels import CorrectionLabels
from clausewise.evaluation.correction_results import (
    CorrectionCost,
    CorrectionEvaluation,
    CorrectionFigures,
    StrategyFigures,
)
from clausewise.evaluation.intervals import wilson_interval
from clausewise.evaluation.matching import id_key
from clausewise.evaluation.measuring import resamples
from clausewise.evaluation.results import Figure
from clausewise.types import Json, OutcomeStatus, ScoredCase

_INTERVAL = (2.5, 97.5)
"""Percentiles of the ends of an interval."""


@dataclass(frozen=True, slots=True)
class _Labeled:
    correction: Correction
    before: bool
    after: bool


def evaluate_corrections(
    corrections: Iterable[Correction | CorrectedCase | Mapping[str, Json]],
    labels: CorrectionLabels,
    *,
    signals: Mapping[str | int, frozenset[str]] | None = None,
    bootstrap: int = 1000,
    seed: int = 0,
) -> CorrectionEvaluation:
    """Return what corrections fixed and broke, by strategy, database and signal.

    Parameters
    ----------
    corrections
        What `correct` returned, or dictionaries like the lines that it writes; of one strategy or
        of several.
    labels
        `ExecutionLabels`, or `GivenLabels` from outside. Corrections without a label are left out
        and counted.
    signals
        The signals that fired on each query before the correction, by question id; see
        `fired_signals`.
    bootstrap, seed
        Resamples for the interval of the gain, 0 for none.

    Raises
    ------
    CaseError
        Where an item is no correction.
    InputError, DatabaseError
        Where a query cannot be labeled, as `labels` says.
    """
    by_strategy: dict[str, list[_Labeled]] = {}
    unlabeled = 0
    for correction in as_corrections(corrections):
        known = labels.labels(correction)
        of_strategy = by_strategy.setdefault(correction.strategy, [])
        if known is None:
            unlabeled += 1
        else:
            of_strategy.append(_Labeled(correction, *known))
    by_id = None if signals is None else {id_key(key): fired for key, fired in signals.items()}
    return CorrectionEvaluation(
        {
            name: _strategy_figures(of_strategy, by_id, bootstrap, seed)
            for name, of_strategy in by_strategy.items()
        },
        unlabeled,
        bootstrap,
        seed,
    )


def fired_signals(scores: Iterable[ScoredCase]) -> dict[str | int, frozenset[str]]:
    """Return the signals that fired on each scored query, by question id."""
    return {
        case.question_id: frozenset(
            name for name, outcome in case.signals.items() if outcome is OutcomeStatus.FIRED
        )
        for case in scores
        if case.question_id is not None
    }


def _strategy_figures(
    cases: list[_Labeled],
    signals: Mapping[str, frozenset[str]] | None,
    bootstrap: int,
    seed: int,
) -> StrategyFigures:
    databases: dict[str, list[_Labeled]] = {}
    fired: dict[str, list[_Labeled]] = {}
    for case in cases:
        databases.setdefault(case.correction.db_id or "", []).append(case)
        for name in (signals or {}).get(id_key(case.correction.question_id), ()):
            fired.setdefault(name, []).append(case)

    def by_name(groups: Mapping[str, list[_Labeled]]) -> dict[str, CorrectionFigures]:
        return {name: _figures(of, bootstrap, seed) for name, of in groups.items()}

    return StrategyFigures(
        _figures(cases, bootstrap, seed),
        by_name(databases),
        None if signals is None else by_name({name: fired[name] for name in sorted(fired)}),
    )


def _figures(cases: list[_Labeled], bootstrap: int, seed: int) -> CorrectionFigures:
    before = np.array([case.before for case in cases], dtype=bool)
    after = np.array([case.after for case in cases], dtype=bool)
    n, right, now_right = len(cases), int(before.sum()), int(after.sum())
    fixed, broken = int((after & ~before).sum()), int((before & ~after).sum())
    corrections = [case.correction for case in cases]
    return CorrectionFigures(
        n=n,
        changed=sum(correction.changed for correction in corrections),
        failed=sum(correction.status == CorrectionStatus.FAILED for correction in corrections),
        correct_before=right,
        correct_after=now_right,
        fixed=fixed,
        broken=broken,
        execution_accuracy_before=_share(right, n, "there is no case"),
        execution_accuracy_after=_share(now_right, n, "there is no case"),
        gain=_gain(before, after, bootstrap, seed),
        fixed_share=_share(fixed, n - right, "no query is wrong"),
        broken_share=_share(broken, right, "no query is right"),
        cost=_cost(corrections),
    )


def _share(part: int, whole: int, why: str) -> Figure:
    interval = wilson_interval(part, whole)
    return Figure(None, reason=why) if interval is None else Figure(part / whole, *interval)


def _gain(
    before: np.ndarray[tuple[int], np.dtype[np.bool_]],
    after: np.ndarray[tuple[int], np.dtype[np.bool_]],
    bootstrap: int,
    seed: int,
) -> Figure:
    n = len(before)
    if not n:
        return Figure(None, reason="there is no case")
    change = after.astype(np.int8) - before.astype(np.int8)
    gain = float(change.mean())
    if not bootstrap:
        return Figure(gain)
    means = np.concatenate([change[rows].mean(axis=1) for rows in resamples(n, bootstrap, seed)])
    low, high = np.percentile(means, _INTERVAL)
    return Figure(gain, float(low), float(high))


def _cost(corrections: Iterable[Correction]) -> CorrectionCost | None:
    costs = [correction.cost for correction in corrections if correction.cost is not None]
    if not costs:
        return None
    prices = [cost.usd for cost in costs]
    return CorrectionCost(
        sum(cost.calls for cost in costs),
        sum(cost.prompt_tokens for cost in costs),
        sum(cost.completion_tokens for cost in costs),
        None if None in prices else sum(price for price in prices if price is not None),
    )
