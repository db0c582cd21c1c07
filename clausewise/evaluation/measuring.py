"""Metrics of one set of cases with their bootstrap intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from clausewise.evaluation import metrics
from clausewise.evaluation.metrics import Confusion, Counts, Flags, Floats, Tally
from clausewise.evaluation.results import RISKS, Figure, Metrics

CELLS_AT_ONCE = 250_000
"""Resampled cases held in memory at a time."""

LEAST_DEFINED = 0.9
"""An interval is given only where the metric is defined in this share of the resamples."""

_WHY_UNDEFINED = {
    "accuracy": "there is no case",
    "auc": "it needs both correct and incorrect queries",
    "average_precision": "no query is incorrect",
    "precision": "no query was called incorrect",
    "recall": "no query is incorrect",
    "f1": "no query is incorrect and none was called so",
    "brier": "there is no case",
    "ece": "there is no case",
}
_NEED_A_VERDICT = ("accuracy", "precision", "recall", "f1")
_NEED_A_PROBABILITY = ("brier", "ece")


@dataclass(frozen=True, slots=True)
class Sample:
    """Cases to be measured: arrays `[n]`.

    `incorrect` is the truth; `score` is high where the query is likely incorrect; `called` is
    the verdict "incorrect", None for a mere ranking; `probability` says whether the scores are
    probabilities, in [0, 1].
    """

    incorrect: Flags
    score: Floats
    called: Flags | None = None
    probability: bool = False

    def only(self, chosen: Flags) -> Sample:
        """Return the cases where `chosen` `[n]` is true."""
        called = None if self.called is None else self.called[chosen]
        return Sample(self.incorrect[chosen], self.score[chosen], called, self.probability)


def measure(sample: Sample, *, bootstrap: int = 1000, seed: int = 0) -> Metrics:
    """Return the metrics of the sample, each with its bootstrap 95 % interval.

    The interval is the percentile one over `bootstrap` resamples of whole cases with
    replacement. It takes cases as independent: where many come from one database or one
    question, the truth may lie farther away than it says. The same seed gives the same resamples
    for every ranking of the same cases. With `bootstrap` 0 there are no intervals.
    """
    n = len(sample.incorrect)
    exact = _all_metrics(sample, np.arange(n)[None, :])
    resampled: dict[str, list[Floats]] = {name: [] for name in exact}
    if n:
        for draws in resamples(n, bootstrap, seed):
            for name, values in _all_metrics(sample, draws).items():
                resampled[name].append(values)
    figures = {
        name: _figure(name, float(values[0]), resampled[name], n) for name, values in exact.items()
    }
    for name in _NEED_A_VERDICT if sample.called is None else ():
        figures[name] = Figure(None, reason="a ranking without a threshold gives no verdict")
    for name in () if sample.probability else _NEED_A_PROBABILITY:
        figures[name] = Figure(None, reason="the ranking gives no probability")
    return Metrics(n=n, n_incorrect=int(sample.incorrect.sum()), figures=figures)


def resamples(n: int, number: int, seed: int) -> Iterator[Counts]:
    """Yield the cases of `number` resamples of `n` cases, some resamples `[b, n]` at a time."""
    generator = np.random.default_rng(seed)
    at_once = max(1, CELLS_AT_ONCE // n)
    for start in range(0, number, at_once):
        yield generator.integers(0, n, size=(min(at_once, number - start), n))


def ratio_figure(part: Flags, whole: Flags, bootstrap: int, seed: int, why: str) -> Figure:
    """Return the share of `whole` `[n]` that is `part`, with its interval over resamples.

    Where nothing is in `whole` the share is undefined, for the reason `why`.
    """
    if not whole.any():
        return Figure(None, reason=why)
    resampled = [
        metrics.ratio(part[rows].sum(axis=1), whole[rows].sum(axis=1))
        for rows in resamples(len(whole), bootstrap, seed)
    ]
    return _figure("", float(part.sum() / whole.sum()), resampled, len(whole))


def auc_of_resamples(sample: Sample, bootstrap: int, seed: int) -> Floats:
    """Return `[bootstrap + 1]` AUCs, on the cases as they are and on every resample.

    The same seed gives the same resamples for every ranking of the same cases, so that
    differences of two rankings' AUCs are paired. NaN where only one class is present.
    """
    n = len(sample.incorrect)
    draws = [np.arange(n)[None, :], *(resamples(n, bootstrap, seed) if n else ())]
    return np.concatenate([metrics.auc(_tally(sample, rows)) for rows in draws])


def interval_figure(values: Floats) -> Figure:
    """Return the first of `values` with the 95 % interval of the others."""
    return _figure("auc", float(values[0]), [values[1:]] if len(values) > 1 else [], len(values))


def _all_metrics(sample: Sample, draws: Counts) -> dict[str, Floats]:
    """Measure the cases that `draws` `[b, n]` names; values `[b]`, by metric."""
    tally = _tally(sample, draws)
    measured = {"n_incorrect": tally.incorrect.sum(axis=1).astype(float)}
    if sample.called is not None:
        confusion = _confusion(sample.incorrect, sample.called, draws)
        measured["accuracy"] = metrics.accuracy(confusion)
        measured["precision"] = metrics.precision(confusion)
        measured["recall"] = metrics.recall(confusion)
        measured["f1"] = metrics.f1(confusion)
    measured["auc"] = metrics.auc(tally)
    measured["average_precision"] = metrics.average_precision(tally)
    if sample.probability:
        measured["brier"] = metrics.brier(tally)
        measured["ece"] = metrics.ece(tally)
    for name, risk in RISKS.items():
        measured[name] = metrics.coverage_at_risk(tally, risk)
    return measured


def _tally(sample: Sample, draws: Counts) -> Tally:
    scores, group = np.unique(sample.score, return_inverse=True)
    counted = _count(2 * group + sample.incorrect, 2 * len(scores), draws)
    return Tally(scores, incorrect=counted[:, 1::2], correct=counted[:, ::2])


def _confusion(incorrect: Flags, called: Flags, draws: Counts) -> Confusion:
    counted = _count(2 * called.astype(np.int64) + incorrect, 4, draws)
    return Confusion(
        true_positive=counted[:, 3],
        false_positive=counted[:, 2],
        false_negative=counted[:, 1],
        true_negative=counted[:, 0],
    )


def _count(codes: Counts, kinds: int, draws: Counts) -> Counts:
    """Count each code in each row of `draws`; `[b, kinds]`."""
    rows = np.arange(len(draws))[:, None] * kinds
    counted = np.bincount((codes[draws] + rows).ravel(), minlength=len(draws) * kinds)
    return counted.reshape(len(draws), kinds)


def _figure(name: str, value: float, resampled: list[Floats], n: int) -> Figure:
    if np.isnan(value):
        why = _WHY_UNDEFINED.get(name, "there is no case") if n else "there is no case"
        return Figure(None, reason=why)
    if not resampled:
        return Figure(value)
    values = np.concatenate(resampled)
    defined = values[~np.isnan(values)]
    if len(defined) < LEAST_DEFINED * len(values):
        share = f"{len(values) - len(defined)} of {len(values)} resamples"
        return Figure(value, reason=f"no interval: undefined in {share}")
    low, high = np.percentile(defined, [2.5, 97.5])
    return Figure(value, float(low), float(high))
