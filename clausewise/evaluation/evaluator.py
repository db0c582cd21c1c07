"""Scores against labels, from scored cases to figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from clausewise.datasets import as_scored_cases
from clausewise.evaluation.localization import Tables, localize
from clausewise.evaluation.matching import LabeledCases, match_labels
from clausewise.evaluation.measuring import measure
from clausewise.evaluation.metrics import Flags
from clausewise.evaluation.reliability import answered_cases, reliability
from clausewise.evaluation.results import CaseSet, Evaluation
from clausewise.evaluation.signal_figures import signal_figures
from clausewise.types import Json, ScoredCase


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
    (db_id to table to columns) makes the comparison of names exact.

    Raises InputError where a score is neither a scored case nor a dictionary like one, a label is
    no boolean, or a question id is given twice.
    """
    matched = match_labels(as_scored_cases(scores), labels)
    by_database: dict[str, list[int]] = {}
    for place, case in enumerate(matched.cases):
        by_database.setdefault(str(case.db_id), []).append(place)
    everything = np.ones(len(matched.cases), dtype=bool)
    databases = {
        name: _measured(matched, _flags(places, len(everything)), bootstrap, seed, details=False)
        for name, places in by_database.items()
    }
    localization = None
    if gold is not None:
        localization = localize(
            matched.cases, matched.incorrect, gold, tables=tables, dialect=dialect
        )
    return Evaluation(
        overall=_measured(matched, everything, bootstrap, seed),
        executable_only=_measured(matched, matched.executable, bootstrap, seed),
        databases=databases,
        excluded=matched.excluded,
        localization=localization,
        bootstrap=bootstrap,
        seed=seed,
    )


def _flags(places: list[int], n: int) -> Flags:
    flags = np.zeros(n, dtype=bool)
    flags[places] = True
    return flags


def _measured(
    matched: LabeledCases, chosen: Flags, bootstrap: int, seed: int, *, details: bool = True
) -> CaseSet:
    cases = [matched.cases[place] for place in np.flatnonzero(chosen).tolist()]
    detector = matched.detector().only(chosen)
    answered = matched.answered()[chosen]
    return CaseSet(
        metrics=measure(detector, bootstrap=bootstrap, seed=seed),
        answered=answered_cases(detector, answered, bootstrap=bootstrap, seed=seed),
        baselines={
            name: measure(sample.only(chosen), bootstrap=bootstrap, seed=seed)
            for name, sample in matched.baselines().items()
        },
        reliability=reliability(detector) if details else (),
        signals=signal_figures(cases, matched.incorrect[chosen]) if details else (),
    )
