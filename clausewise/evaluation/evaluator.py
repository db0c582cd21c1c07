"""Scores against labels, from scored cases to figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from clausewise.datasets import iter_scored_cases
from clausewise.evaluation.localization import Localizer, Tables
from clausewise.evaluation.matching import LabeledCases, match_labels
from clausewise.evaluation.measuring import measure
from clausewise.evaluation.metrics import Counts, Flags
from clausewise.evaluation.reliability import answered_cases, reliability
from clausewise.evaluation.results import CaseSet, Evaluation
from clausewise.evaluation.signal_figures import SignalCounts
from clausewise.types import CaseStatus, Json, ScoredCase


def evaluate(
    scores: Iterable[ScoredCase | Mapping[str, Json]],
    labels: Mapping[str | int, bool],
    gold: Mapping[str | int, str] | None = None,
    *,
    bootstrap: int = 1000,
    seed: int = 0,
    tables: Tables | None = None,
    dialect: str = "sqlite",
) -> Evaluation:
    """Return how well the scores separate incorrect queries (the positive class) from correct ones.

    `labels` says by question id whether the query is correct; ids are compared as text, so 7
    and "7" are the same. Cases that are unchecked or without a label, and labels without a case,
    are left out and counted in `excluded`. A case that does not parse or does not run counts as
    `p_correct` = 0.

    The metrics are defined in `clausewise.evaluation.metrics`; each has a bootstrap 95 %
    interval over `bootstrap` resamples of whole cases, taken as independent. They are given over
    all cases, over the executable ones, and for each database, beside two baselines on the same
    cases. With `gold` (the right query by question id) also `localization`, for which `tables`
    (db_id to table to columns) makes the comparison of names exact. `scores` may be an iterator,
    such as `iter_scores_file` gives: no case is kept.

    Raises InputError where a score is neither a scored case nor a dictionary like one, a label is
    no boolean, or a question id is given twice.
    """
    signals = {scope: SignalCounts() for scope in ("overall", "executable_only")}
    localizer = None if gold is None else Localizer(gold, tables=tables, dialect=dialect)

    def look(case: ScoredCase, incorrect: bool) -> None:
        signals["overall"].add(case, incorrect)
        if case.status is CaseStatus.OK:
            signals["executable_only"].add(case, incorrect)
        if localizer is not None and incorrect:
            localizer.add(case)

    matched = match_labels(iter_scored_cases(scores), labels, look)
    n = len(matched.incorrect)
    scopes = {"overall": np.ones(n, dtype=bool), "executable_only": matched.executable}
    measured = {
        name: _measured(matched, chosen, bootstrap, seed, signals[name])
        for name, chosen in scopes.items()
    }
    databases = {
        name: _measured(matched, _flags(places, n), bootstrap, seed)
        for name, places in matched.databases.items()
    }
    return Evaluation(
        **measured,
        databases=databases,
        excluded=matched.excluded,
        localization=None if localizer is None else localizer.figures(),
        bootstrap=bootstrap,
        seed=seed,
    )


def _flags(places: Counts, n: int) -> Flags:
    flags = np.zeros(n, dtype=bool)
    flags[places] = True
    return flags


def _measured(
    matched: LabeledCases,
    chosen: Flags,
    bootstrap: int,
    seed: int,
    signals: SignalCounts | None = None,
) -> CaseSet:
    """Measure the chosen cases; with the counts of their signals in full."""
    detector = matched.detector().only(chosen)
    answered = matched.answered[chosen]
    return CaseSet(
        metrics=measure(detector, bootstrap=bootstrap, seed=seed),
        answered=answered_cases(detector, answered, bootstrap=bootstrap, seed=seed),
        baselines={
            name: measure(sample.only(chosen), bootstrap=bootstrap, seed=seed)
            for name, sample in matched.baselines().items()
        },
        reliability=reliability(detector) if signals else (),
        signals=signals.figures() if signals else (),
    )
