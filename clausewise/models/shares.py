"""Which part of the log-odds has which share in how cases are ranked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausewise.models.classifiers.judges import ASKED, SCORE, judge_names
from clausewise.models.classifiers.warm_start import WarmStartClassifier
from clausewise.models.probability import logit
from clausewise.models.table import FeatureTable

START, LEARNED, JUDGES, CANDIDATES = "start", "learned here", "judges", "candidates"
_DIGITS = 3
Floats = NDArray[np.float64]


def shares_of(classifier: Any, table: FeatureTable, candidates: Floats) -> dict[str, float]:
    """Return the share of each part in the log-odds of `n` cases; they add up to 1.

    A part's share is its covariance with the whole over the variance of the whole, which is what
    the part contributes to the differences between the cases. A part that only repeats the others
    in the other direction has none.

    Parameters
    ----------
    classifier
        A fitted classifier.
    table
        Features of the cases without their candidates.
    candidates
        `[n]` what candidates add to the log-odds.

    Returns
    -------
    dict
        `start`, what the start's weights say; `learned here`, the classifier that was fitted;
        `judges`, the votes of judges; `candidates`. Parts that are not there are left out.
    """
    parts: dict[str, Floats] = {}
    if isinstance(classifier, WarmStartClassifier):
        judged = _judges(classifier.start.weights_, table)
        own = classifier.start.log_odds(table) - judged
        kept = 1.0 - classifier.share_
        parts = {START: kept * own, JUDGES: kept * judged}
        if classifier.share_ > 0.0:
            parts[LEARNED] = logit(classifier.predict(table)) - kept * (own + judged)
    else:
        parts = {LEARNED: logit(classifier.predict(table))}
    parts[CANDIDATES] = candidates
    whole = sum(parts.values(), np.zeros(len(candidates)))
    away = whole - whole.mean()
    found = {name: max(0.0, float(away @ (part - part.mean()))) for name, part in parts.items()}
    total = sum(found.values())
    if total <= 0.0:
        return {next(iter(parts)): 1.0}
    return {
        name: round(of / total, _DIGITS)
        for name, of in found.items()
        if round(of / total, _DIGITS) > 0.0 or name in (START, LEARNED)
    }


def _judges(weights: Mapping[str, float], table: FeatureTable) -> Floats:
    judges = judge_names(table.names)
    own = {f"{kind}{judge}" for kind in (SCORE, ASKED) for judge in judges}
    columns = [
        (place, weights.get(name, 0.0)) for place, name in enumerate(table.names) if name in own
    ]
    said: Floats = np.zeros(len(table.values))
    for place, weight in columns:
        said = said + weight * table.values[:, place]
    return said


def shares_text(shares: Mapping[str, float], classifier: str) -> str:
    """Return the shares in words, the largest first; `classifier` is what was fitted here."""
    names = {START: "the start's weights", LEARNED: classifier}
    ranked = sorted(shares.items(), key=lambda item: -item[1])
    return ", ".join(f"{share:.0%} {names.get(name, name)}" for name, share in ranked)
