"""The additive classifier: all evidence adds to the log-odds, with weights drawn to a start."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from clausewise.models.classifiers.base import twofold
from clausewise.models.classifiers.judges import ASKED, SCORE, judge_names, learn_judges
from clausewise.models.estimator import Parameters, not_fitted
from clausewise.models.label_models.votes import LabelModel
from clausewise.models.probability import shift_to_mean, sigmoid, sum_of_rows, with_mean
from clausewise.models.storage.folder import read_json
from clausewise.models.table import REASON, SILENT, FeatureTable
from clausewise.signals import reasons
from clausewise.signals.reasons import Grade

SCORE_WEIGHT = 3.0
"""Log-odds that a finding of strength 1 adds before anything is learned."""
ADAPTED_STRENGTH = 30.0
"""Weight of the penalty, in cases, that draws weights to those of another domain."""
FEWEST_LABELS = 50
"""Fewer labels move no weight."""
OWN_STRENGTHS = (300.0, 100.0, 30.0, 10.0, 3.0)
"""Penalties, in cases, that are tried where there are labels of one's own: how far databases of one
domain may be from those that the start was learned from."""
_LABEL_FOLDS = 5
EXPECTED_WEIGHT = 0.12
"""Log-odds for each unit by which an attribute surprises, before anything is learned."""
LENGTH_WEIGHT = 0.5
"""Log-odds for each unit of log(characters of the query) (SQLDriller, figure 12)."""
LENGTH = "shape.characters"
EXPECTED = "expected."
SHAPE = "shape."
_RELATIVE_STRENGTH = {EXPECTED: 3.0, SHAPE: 1.0}
"""What the penalty on a weight is multiplied by, by kind of column; 1 for a score."""
JUDGE_WEIGHT = 0.6
"""Log-odds for each unit of a judge's score before anything is known of the judge: a judge who
is right in 65 of 100 cases."""
INDEPENDENT_JUDGES = 2
"""Unknown judges, however many, weigh at most as so many that are independent: most are one
model asked in several ways."""


class AdditiveClassifier(Parameters):
    """A sum of scores whose weights stay near a common start unless many cases say otherwise.

    The log-odds are an intercept, plus each reason that is given for a finding and each surprise of
    the question's expectation times a weight that is never negative, plus what the silence of each
    signal says, plus the query's shape, of which only the length counts where there are no labels.
    Weights are drawn by an L2 penalty not to zero but to their start: a reason's is its strength,
    which is learned from labeled predictions of many databases (`clausewise.signals.reasons`).
    What it learned is plain JSON, by column name.

    Parameters
    ----------
    strength
        Weight of the penalty, in cases.
    """

    holds_pickles: ClassVar[bool] = False
    learns: ClassVar[bool] = True
    sums_votes: ClassVar[bool] = False
    by_row: ClassVar[bool] = True
    FILE: ClassVar[str] = "additive.json"

    weights_: dict[str, float]
    intercept_: float

    def __init__(self, strength: float = 300.0) -> None:
        self.strength = strength

    def fit(
        self,
        table: FeatureTable,
        incorrect: NDArray[np.float64],
        groups: NDArray[np.int64],
        *,
        seed: int = 0,
        time_limit: float | None = None,
    ) -> Self:
        """Learn from `n` cases; `groups`, `seed` and `time_limit` are not needed.

        Raises InputError where every case is certain to be of one and the same class.
        """
        del groups, seed, time_limit
        start = with_judges(start_weights(table.names), table, float(incorrect.mean()))
        self._learn(table, incorrect, start)
        return self

    def _learn(
        self,
        table: FeatureTable,
        incorrect: NDArray[np.float64],
        start: Mapping[str, float],
        offset: NDArray[np.float64] | None = None,
    ) -> None:
        """Fit the weights of the columns in `start`, beside `[n]` log-odds that are given."""
        from scipy.optimize import minimize

        if offset is None and set(np.unique(incorrect).tolist()) <= {0.0, 1.0}:
            shape = (name for name in table.names if name.startswith(SHAPE))
            start = {**dict.fromkeys(shape, 0.0), **start}
        columns = [index for index, name in enumerate(table.names) if name in start]
        names = [table.names[index] for index in columns]
        given = np.zeros(len(incorrect)) if offset is None else offset
        both = np.column_stack([table.values[:, columns], given])
        doubled, classes, weights = twofold(both, incorrect)
        features, known = doubled[:, :-1], doubled[:, -1]
        center = np.array([start[name] for name in names])
        strength = self.strength * np.array([_relative_strength(name) for name in names])
        # a case is one case, however its probability is split over the two classes
        sign = np.where(classes == 1, 1.0, -1.0)

        def loss(values: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            margin = sign * (known + values[0] + features @ values[1:])
            away = values[1:] - center
            total = weights @ np.logaddexp(0.0, -margin) + 0.5 * (strength * away) @ away
            slope = -weights * sign * sigmoid(-margin)
            gradient = np.concatenate([[slope.sum()], features.T @ slope + strength * away])
            return float(total), gradient

        signed = (ASKED, SHAPE, SILENT)
        free = [(None, None) if name.startswith(signed) else (0.0, None) for name in names]
        best = minimize(
            loss,
            np.concatenate([[0.0], center]),
            jac=True,
            method="L-BFGS-B",
            bounds=[(None, None), *free],
            options={"maxiter": 2_000, "ftol": 1e-13, "gtol": 1e-9},
        )
        # rounded, so that the last bits of another machine's arithmetic do not show
        self.intercept_ = round(float(best.x[0]), 6)
        learned = zip(names, best.x[1:].tolist(), strict=True)
        self.weights_ = {name: round(weight, 6) for name, weight in learned}

    def log_odds(self, table: FeatureTable) -> NDArray[np.float64]:
        """Return `[n]` log-odds of being incorrect; a column that is not there counts as 0.

        Raises NotFittedError before `fit`.
        """
        if not hasattr(self, "weights_"):
            raise not_fitted("the classifier is used before fit")
        weights = np.array([self.weights_.get(name, 0.0) for name in table.names])
        return sum_of_rows(table.values * weights) + self.intercept_

    def predict(self, table: FeatureTable) -> NDArray[np.float64]:
        """Return `[n]` probabilities in [0, 1] of being incorrect."""
        return sigmoid(self.log_odds(table))

    @classmethod
    def of_equal_weights(cls, table: FeatureTable, share: float) -> Self:
        """Return the classifier before anything is learned, for the columns of `n` cases.

        `share` in (0, 1) is how many of the cases are thought to be incorrect.
        """
        model = cls()
        model.weights_ = start_weights(table.names)
        model.intercept_ = 0.0
        model.intercept_ = round(shift_to_mean(model.log_odds(table), share), 6)
        return model

    def completed(self, names: tuple[str, ...]) -> Self:
        """Return the classifier with start weights for columns that it has not learned."""
        other = type(self)(self.strength)
        other.intercept_ = self.intercept_
        other.weights_ = {**start_weights(names), **self.weights_}
        return other

    def judging(self, table: FeatureTable) -> Self:
        """Return the classifier with the weights of judges learned from cases without labels."""
        known = float(sigmoid(self.log_odds(table)).mean())
        other = self.completed(table.names)
        other.weights_ = with_judges(other.weights_, table, known)
        return other

    def adapted(self, table: FeatureTable, incorrect: NDArray[np.float64]) -> Self:
        """Return the classifier with weights moved toward `[n]` probabilities of cases here.

        Only reasons, scores and surprises get other weights.
        """
        other = type(self)(ADAPTED_STRENGTH)
        moving = {
            name: weight
            for name, weight in self.weights_.items()
            if name.startswith((SCORE, REASON, EXPECTED)) and name in table.names
        }
        fixed = {name: weight for name, weight in self.weights_.items() if name not in moving}
        rest = np.array([fixed.get(name, 0.0) for name in table.names])
        other._learn(table, incorrect, moving, offset=(table.values * rest).sum(axis=1))
        other.strength, other.intercept_ = self.strength, self.intercept_
        other.weights_ = {name: other.weights_.get(name, of) for name, of in self.weights_.items()}
        return other

    def informed(
        self, table: FeatureTable, labels: NDArray[np.float64], groups: NDArray[np.int64]
    ) -> Self:
        """Return the classifier with weights moved toward `[n]` labels of cases here.

        How far is settled by the labels themselves: on groups of cases that are left out, weights
        drawn less to the start must predict better by more than a standard error. Where databases
        are like those that the start was learned from, that is seldom so, and it stays as it is;
        with fewer than `FEWEST_LABELS` always.

        Parameters
        ----------
        table
            The `n` cases.
        labels
            `[n]` 1 for incorrect, 0 for correct.
        groups
            `[n]` numbers; cases of one group are never on both sides of a split.
        """
        if len(labels) < FEWEST_LABELS or labels.min() == labels.max():
            return self
        folds = _folds(groups)
        if len(np.unique(folds)) < 2:
            return self
        best, losses = np.inf, self._left_out_losses(table, labels, folds, np.inf)
        for strength in OWN_STRENGTHS:
            found = self._left_out_losses(table, labels, folds, strength)
            _, place = np.unique(groups, return_inverse=True)
            gains = np.bincount(place, weights=losses - found)
            if gains.sum() > np.sqrt(gains @ gains):
                best, losses = strength, found
        if not np.isfinite(best):
            return self
        moved = self._moved(table, labels, best)
        # correct cases keep their level, so that what was known of thresholds still holds
        right = table.rows(labels < 0.5)
        level = float((self.log_odds(right) - moved.log_odds(right)).mean())
        moved.intercept_ = round(moved.intercept_ + level, 6)
        return moved

    def _left_out_losses(
        self,
        table: FeatureTable,
        labels: NDArray[np.float64],
        folds: NDArray[np.int64],
        strength: float,
    ) -> NDArray[np.float64]:
        losses = np.zeros(len(labels))
        for fold in np.unique(folds).tolist():
            here = folds == fold
            if labels[~here].min() == labels[~here].max():
                continue
            moved = self._moved(table.rows(~here), labels[~here], strength)
            sign = np.where(labels[here] > 0.5, 1.0, -1.0)
            losses[here] = np.logaddexp(0.0, -sign * moved.log_odds(table.rows(here)))
        return losses

    def _moved(self, table: FeatureTable, labels: NDArray[np.float64], strength: float) -> Self:
        """Return weights drawn to these with a strength, in cases; at infinity the intercept's."""
        other = type(self)(self.strength)
        other.weights_ = dict(self.weights_)
        if not np.isfinite(strength):
            rest = self.log_odds(table) - self.intercept_
            other.intercept_ = round(shift_to_mean(rest, _share(labels)), 6)
            return other
        moving = {name: weight for name, weight in self.weights_.items() if name in table.names}
        learner = type(self)(strength)
        learner._learn(table, labels, moving, offset=np.zeros(len(labels)))
        other.weights_.update(learner.weights_)
        other.intercept_ = learner.intercept_
        return other

    def to_json(self) -> dict[str, object]:
        """Return all that was learned as plain JSON."""
        if not hasattr(self, "weights_"):
            raise not_fitted("the classifier is saved before fit")
        return {
            "strength": self.strength,
            "intercept": self.intercept_,
            "weights": self.weights_,
        }

    @classmethod
    def from_json(cls, learned: Mapping[str, object]) -> Self:
        """Return the classifier that `to_json` described."""
        model = cls(float(str(learned["strength"])))
        model.intercept_ = float(str(learned["intercept"]))
        weights = learned["weights"]
        if not isinstance(weights, Mapping):
            raise ValueError("the weights are no mapping")
        model.weights_ = {str(name): float(weight) for name, weight in weights.items()}
        if not all(map(math.isfinite, (model.intercept_, *model.weights_.values()))):
            raise ValueError("a weight is not finite")
        return model

    def save(self, folder: Path) -> None:
        """Write `additive.json`."""
        text = json.dumps(self.to_json(), indent=1) + "\n"
        (folder / self.FILE).write_text(text, encoding="utf-8")

    @classmethod
    def load(cls, folder: Path, label_model: LabelModel) -> Self:
        """Read `additive.json`."""
        del label_model
        return cls.from_json(read_json(folder / cls.FILE))


def start_weights(names: tuple[str, ...]) -> dict[str, float]:
    """Return the weights before anything is learned, for the columns that the classifier uses."""
    start: dict[str, float] = {}
    compared = {name.removeprefix("answered.") for name in names if name.startswith("answered.")}
    judges = set(judge_names(names))
    by_reason = {name.removeprefix(SILENT) for name in names if name.startswith(SILENT)}
    of_judge = JUDGE_WEIGHT * min(1.0, INDEPENDENT_JUDGES / max(len(judges), 1))
    for name in names:
        if name.startswith(SCORE):
            source = name.removeprefix(SCORE)
            if source not in compared | by_reason:
                start[name] = of_judge if source in judges else SCORE_WEIGHT
        elif name.startswith(REASON):
            start[name] = round(SCORE_WEIGHT * _strength(name.removeprefix(REASON)), 6)
        elif name.startswith((ASKED, SILENT)):
            start[name] = 0.0
        elif name.startswith(EXPECTED):
            start[name] = EXPECTED_WEIGHT
        elif name == LENGTH:
            start[name] = LENGTH_WEIGHT
    return start


def _folds(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return `[n]` folds, each group in one, of about the same size."""
    numbers, place, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    filled = np.zeros(_LABEL_FOLDS)
    fold = np.zeros(len(numbers), dtype=np.int64)
    for group in np.argsort(-sizes, kind="stable").tolist():
        fold[group] = int(np.argmin(filled))
        filled[fold[group]] += sizes[group]
    return fold[place]


def _share(labels: NDArray[np.float64]) -> float:
    """Return the share of incorrect cases, kept off 0 and 1 by half a case of each class."""
    return float((labels.sum() + 0.5) / (len(labels) + 1.0))


def _strength(reason: str) -> float:
    """Return the strength in (0, 1] of `signal.reason`, that of a moderate one where not known."""
    signal, _, name = reason.partition(".")
    known = reasons.strengths().get(signal, {}).get(name)
    if known is None:
        return Grade.MODERATE.strength
    return float(known.get("at_most", known["strength"]))


def _relative_strength(name: str) -> float:
    kind = name[: name.index(".") + 1]
    return _RELATIVE_STRENGTH.get(kind, 1.0)


def with_judges(
    weights: Mapping[str, float], table: FeatureTable, share: float
) -> dict[str, float]:
    """Return the weights with what `n` cases without labels say of each judge's worth.

    `share` in (0, 1) is how many of the cases are thought to be incorrect.
    """
    judges = judge_names(table.names)
    if not judges:
        return dict(weights)
    ignored = {f"{kind}{name}" for kind in (SCORE, ASKED) for name in judges}
    rest = [0.0 if name in ignored else weights.get(name, 0.0) for name in table.names]
    learned = learn_judges(table, with_mean(table.values @ np.array(rest), share))
    return dict(weights) if learned is None else {**weights, **learned.columns()}
