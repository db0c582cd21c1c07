"""Means over systems with bootstrap intervals, and of differences between two ways of scoring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clausewise.evaluation import metrics
from clausewise.evaluation.metrics import Confusion, Tally
from clausewise.types import ScoredCase, Verdict
from experiments.common.data import System, labeled_scores, question_of
from experiments.common.results import Cell, Row, interval, interval_columns, number
from experiments.common.tables import interval_text

METRICS = {
    "auc": "AUC",
    "auc_within": "AUC within databases",
    "average_precision": "average precision",
    "accuracy": "accuracy",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "ece": "ECE",
}
"""Metrics and what they are called in tables. `auc_within` compares queries on the same database
only: it measures the ranking without the level, which differs between databases that are scored by
detectors of their own. The ECE of a resample is larger than that of the cases (its bins are
noisier), so it is shown without an interval."""
RESAMPLES = 500
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SystemFigures:
    """What one way of scoring is worth on a benchmark, system by system.

    `values` holds, by metric, `[1 + b, s]`: each of the `s` systems on all cases (first row) and
    on the `b` resamples. Resamples are of questions (those with the same gold query together),
    the same for every system and every way of scoring, so differences are paired. The systems are
    taken as they are: an interval says what other questions to these systems would give.
    """

    systems: tuple[str, ...]
    values: Mapping[str, Floats]

    def mean(self, metric: str) -> list[float]:
        """Return the mean over systems with its 95 % interval."""
        return _interval(self.values[metric])

    def gain(self, other: SystemFigures, metric: str) -> list[float]:
        """Return how far the mean is above that of another way of scoring, with its interval."""
        return _interval(self.values[metric] - other.values[metric])

    def row(self) -> dict[str, Cell]:
        """Return the columns of a CSV file: every metric's mean, with its interval."""
        columns: dict[str, Cell] = {}
        for metric in METRICS:
            figures = self.mean(metric)
            columns |= (
                {metric: figures[0]} if metric == "ece" else interval_columns(metric, figures)
            )
        return columns

    def auc_rows(self) -> list[dict[str, Cell]]:
        """Return the columns of a CSV file with every system's AUC."""
        of_system = zip(self.systems, self.values["auc"][0], strict=True)
        return [{"system": name, "auc": round(float(value), 4)} for name, value in of_system]

    def only(self, system: str) -> SystemFigures:
        """Return what it is worth on one system."""
        place = self.systems.index(system)
        return SystemFigures(
            (system,), {name: of[:, place : place + 1] for name, of in self.values.items()}
        )


def system_figures(
    systems: Sequence[System],
    scored: Mapping[str, Sequence[ScoredCase]],
    gold: Mapping[str | int, str],
    resamples: int = RESAMPLES,
) -> SystemFigures:
    """Measure the scores of every system on its executable queries that have a label."""
    clusters = {text: number for number, text in enumerate(dict.fromkeys(gold.values()))}
    generator = np.random.default_rng(0)
    drawn = generator.multinomial(len(clusters), [1 / len(clusters)] * len(clusters), resamples)
    weights = np.vstack([np.ones(len(clusters), np.int64), drawn])
    columns: dict[str, list[Floats]] = {name: [] for name in METRICS}
    for system in systems:
        labeled = labeled_scores(system, scored[system.name])
        cases = [case for case, _ in labeled]
        of_case = weights[:, np.array([clusters[gold[question_of(case)]] for case in cases], int)]
        incorrect = np.array([wrong for _, wrong in labeled])
        score = np.array([1.0 - (case.p_correct or 0.0) for case in cases])
        called = np.array([case.verdict is Verdict.INCORRECT for case in cases])
        for name, values in _measured(incorrect, score, called, of_case).items():
            columns[name].append(values)
        database = np.array([case.db_id for case in cases])
        columns["auc_within"].append(_within(incorrect, score, of_case, database))
    names = tuple(system.name for system in systems)
    return SystemFigures(names, {name: np.column_stack(found) for name, found in columns.items()})


def _measured(
    incorrect: NDArray[np.bool_],
    score: Floats,
    called: NDArray[np.bool_],
    weights: NDArray[np.int64],
) -> dict[str, Floats]:
    tally = _tally(incorrect, score, weights)

    def counted(chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        counts: NDArray[np.int64] = weights[:, chosen].sum(axis=1)
        return counts

    confusion = Confusion(
        counted(called & incorrect),
        counted(called & ~incorrect),
        counted(~called & incorrect),
        counted(~called & ~incorrect),
    )
    return {
        "auc": metrics.auc(tally),
        "average_precision": metrics.average_precision(tally),
        "accuracy": metrics.accuracy(confusion),
        "precision": metrics.precision(confusion),
        "recall": metrics.recall(confusion),
        "f1": metrics.f1(confusion),
        "ece": metrics.ece(tally),
    }


def _within(
    incorrect: NDArray[np.bool_],
    score: Floats,
    weights: NDArray[np.int64],
    database: NDArray[np.str_],
) -> Floats:
    """Return the AUC over pairs of queries on the same database."""
    wins = np.zeros(len(weights))
    pairs = np.zeros(len(weights))
    for name in np.unique(database):
        here = database == name
        tally = _tally(incorrect[here], score[here], weights[:, here])
        count = tally.incorrect.sum(axis=1) * tally.correct.sum(axis=1)
        wins += np.nan_to_num(metrics.auc(tally)) * count
        pairs += count
    share: Floats = np.divide(wins, pairs, out=np.full(len(weights), np.nan), where=pairs > 0)
    return share


def _tally(incorrect: NDArray[np.bool_], score: Floats, weights: NDArray[np.int64]) -> Tally:
    scores, group = np.unique(score, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(len(scores)))

    def grouped(chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        counts: NDArray[np.int64] = np.add.reduceat((weights * chosen)[:, order], starts, axis=1)
        return counts

    return Tally(scores, grouped(incorrect), grouped(~incorrect))


def _interval(values: Floats) -> list[float]:
    # undefined where no query was called incorrect; such a system or resample is left out
    known = ~np.isnan(values)
    count = known.sum(axis=1)
    means = np.where(known, values, 0.0).sum(axis=1)[count > 0] / count[count > 0]
    if not count[0] or len(means) < 2:
        return [float("nan")] * 3
    low, high = np.percentile(means[1:], [2.5, 97.5])
    return [round(float(value), 4) for value in (means[0], low, high)]


def metric_text(row: Row, metric: str) -> str:
    """Return a metric of a CSV row as text, with its interval where it has one."""
    if metric == "ece":
        return f"{number(row, metric):.3f}"
    return interval_text(interval(row, metric))
