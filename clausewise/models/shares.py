"""Which part of the log-odds has which share in how cases are ranked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausewise.models.classifiers.additive import AdditiveClassifier
from clausewise.models.classifiers.base import PassThrough
from clausewise.models.classifiers.judges import ASKED, SCORE, judge_names
from clausewise.models.classifiers.warm_start import WarmStartClassifier
from clausewise.models.probability import logit
from clausewise.models.table import FeatureTable

START, SUM = "start", "plain sum"
"""What the detector says that was started from; without one, the sum of all evidence."""
MOVED = "start moved"
"""What the start's weights say more since they moved to the cases here."""
LEARNED, LABEL_MODEL = "learned here", "label model"
"""The classifier that was fitted here; the label model where it is the classifier."""
JUDGES, CANDIDATES = "judges", "candidates"
FROM_CASES = (LEARNED, MOVED, LABEL_MODEL)
"""The parts that a fit learns from its cases."""
_UNITS = 1_000
_LEAST = 1e-9
Floats = NDArray[np.float64]


def shares_of(
    classifier: Any, table: FeatureTable, calibrated: Floats, candidates: Floats
) -> dict[str, float]:
    """Return the share in [0, 1] of each part in the log-odds of `n` cases; they add up to 1.

    A part moves a case by its contribution minus the mean contribution over all cases, in
    log-odds. Its share is the mean size of that, divided by the sum over all parts. So what is
    the same for every case, such as an intercept or a calibration that shifts, has no share.

    Parameters
    ----------
    classifier
        A fitted classifier.
    table
        Features of the cases without their candidates.
    calibrated
        `[n]` their calibrated log-odds: what the classifier says may count more or less in them.
    candidates
        `[n]` what candidates add to the calibrated log-odds.

    Returns
    -------
    dict
        `start`, what the start says as it came, or `plain sum`, where there was none and all
        evidence counts alike; `start moved`, what its weights say more since they moved here;
        `learned here`, the classifier that was fitted; `label model`, where that is the classifier;
        `judges`, the votes of judges; `candidates`. Parts without a share are left out, but for
        the start and what was learned here.
    """
    raw = _size(logit(classifier.predict(table)))
    scale = _size(calibrated) / raw if raw > 0.0 else 1.0
    sizes = {name: scale * _size(part) for name, part in _parts(classifier, table).items()}
    sizes[CANDIDATES] = _size(candidates)
    shares = _rounded(sizes)
    return {
        name: share
        for name, share in shares.items()
        if share > 0.0 or name in (START, SUM, LEARNED, LABEL_MODEL)
    }


def _size(part: Floats) -> float:
    """Return how far `[n]` contributions are from their mean, on average."""
    size = float(np.abs(part - part.mean()).mean())
    return size if size > _LEAST else 0.0


def _parts(classifier: Any, table: FeatureTable) -> dict[str, Floats]:
    """Return `[n]` what each part adds to the log-odds."""
    if isinstance(classifier, WarmStartClassifier):
        return _started_parts(classifier, table)
    if isinstance(classifier, PassThrough):
        return {LABEL_MODEL: logit(classifier.predict(table))}
    if isinstance(classifier, AdditiveClassifier):
        judged = _judges(classifier, table)
        return {LEARNED: classifier.log_odds(table) - judged, JUDGES: judged}
    return {LEARNED: logit(classifier.predict(table))}


def _started_parts(classifier: WarmStartClassifier, table: FeatureTable) -> dict[str, Floats]:
    kept = 1.0 - classifier.share_
    now = classifier.start.log_odds(table)
    judged = _judges(classifier.start, table)
    none: Floats = np.zeros(len(now))
    if classifier.given is None:
        parts = {SUM: kept * (now - judged)}
    else:
        given = classifier.given.completed(table.names)
        came = given.log_odds(table) - _judges(given, table)
        parts = {START: kept * came, MOVED: kept * (now - judged - came)}
    learned = logit(classifier.predict(table)) - kept * now if classifier.share_ > 0.0 else none
    return {**parts, LEARNED: learned, JUDGES: kept * judged}


def _judges(classifier: AdditiveClassifier, table: FeatureTable) -> Floats:
    judges = judge_names(table.names)
    own = {f"{kind}{judge}" for kind in (SCORE, ASKED) for judge in judges}
    columns = [
        (place, classifier.weights_.get(name, 0.0))
        for place, name in enumerate(table.names)
        if name in own
    ]
    said: Floats = np.zeros(len(table.values))
    for place, weight in columns:
        said = said + weight * table.values[:, place]
    return said


def _rounded(sizes: Mapping[str, float], units: int = _UNITS) -> dict[str, float]:
    """Return the parts' shares in whole units, by largest remainders: they still add up to 1.

    Where no part moves any case, the first one has all.
    """
    total = sum(sizes.values())
    if total <= 0.0:
        return {name: float(not place) for place, name in enumerate(sizes)}
    exact = {name: size / total * units for name, size in sizes.items()}
    whole = {name: int(share) for name, share in exact.items()}
    missing = units - sum(whole.values())
    for name in sorted(exact, key=lambda name: whole[name] - exact[name])[:missing]:
        whole[name] += 1
    return {name: count / units for name, count in whole.items()}


def shares_text(shares: Mapping[str, float], classifier: str, start: str = "packaged") -> str:
    """Return the shares in words, the largest first.

    `classifier` is what was fitted here, `start` what it started from.
    """
    is_packaged = start in ("packaged", "packaged-schema")
    came = "packaged detector" if is_packaged else f"the detector {start}"
    names = {
        START: came,
        MOVED: "start's weights moved here",
        LEARNED: classifier,
        SUM: "plain sum of the evidence",
    }
    percent = _rounded(shares, 100)
    ranked = sorted(percent.items(), key=lambda item: -item[1])
    return ", ".join(f"{share:.0%} {names.get(name, name)}" for name, share in ranked).replace(
        "%", " %"
    )


def has_learned(shares: Mapping[str, float]) -> bool:
    """Return whether anything that was learned from the cases has a share in the ranking."""
    return any(shares.get(name, 0.0) > 0.0 for name in FROM_CASES)
