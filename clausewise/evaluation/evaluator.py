"""Scores against labels, from records to figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from clausewise.evaluation.localization import Tables, localize
from clausewise.evaluation.matching import LabelledCases, match_labels
from clausewise.evaluation.measuring import measure
from clausewise.evaluation.metrics import Flags
from clausewise.evaluation.reliability import answered_cases, reliability
from clausewise.evaluation.results import Evaluation, Scope
from clausewise.evaluation.signal_figures import signal_figures
from clausewise.reporting.records import as_records
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
    """Return how well the scores tell incorrect queries (the positive class) from correct ones.

    `labels` says by question id whether the query is correct; ids are compared as text, so 7
    and "7" are the same. Cases that are unchecked or without a label, and labels without a case,
    are left out and counted in `excluded`. A case that does not parse or does not run counts as
    `p_correct` = 0.

    The metrics are defined in `clausewise.evaluation.metrics`; each has a bootstrap 95 %
    interval over `bootstrap` resamples of whole cases, taken as independent. They are given over
    all cases, over the executable ones, and for each database, beside two baselines on the same
    cases. With `gold` (the right query by question id) also `localization`, for which `tables`
    (db_id to table to columns) makes the comparison of names exact.

    Raises InputError where a record is no scores record, a label is no boolean, or a question id
    is given twice.
    """
    cases = match_labels(as_records(scores), labels)
    by_database: dict[str, list[int]] = {}
    for place, record in enumerate(cases.records):
        by_database.setdefault(str(record["db_id"]), []).append(place)
    everything = np.ones(len(cases.records), dtype=bool)
    databases = {
        name: _scope(cases, _flags(places, len(everything)), bootstrap, seed, details=False)
        for name, places in by_database.items()
    }
    localization = None
    if gold is not None:
        localization = localize(
            cases.records, cases.incorrect, gold, tables=tables, dialect=dialect
        )
    return Evaluation(
        overall=_scope(cases, everything, bootstrap, seed),
        executable_only=_scope(cases, cases.executable, bootstrap, seed),
        databases=databases,
        excluded=cases.excluded,
        localization=localization,
        bootstrap=bootstrap,
        seed=seed,
    )


def _flags(places: list[int], n: int) -> Flags:
    flags = np.zeros(n, dtype=bool)
    flags[places] = True
    return flags


def _scope(
    cases: LabelledCases, chosen: Flags, bootstrap: int, seed: int, *, details: bool = True
) -> Scope:
    records = [cases.records[place] for place in np.flatnonzero(chosen).tolist()]
    detector = cases.detector().only(chosen)
    answered = cases.answered()[chosen]
    return Scope(
        metrics=measure(detector, bootstrap=bootstrap, seed=seed),
        answered=answered_cases(detector, answered, bootstrap=bootstrap, seed=seed),
        baselines={
            name: measure(sample.only(chosen), bootstrap=bootstrap, seed=seed)
            for name, sample in cases.baselines().items()
        },
        reliability=reliability(detector) if details else (),
        signals=signal_figures(records, cases.incorrect[chosen]) if details else (),
    )
