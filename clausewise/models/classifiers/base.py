"""Classifiers: from features to the probability that a query is incorrect."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from clausewise.errors import InputError
from clausewise.models.estimator import Parameters, not_fitted
from clausewise.models.label_models.votes import LabelModel
from clausewise.models.probability import sigmoid, sum_of_rows
from clausewise.models.storage.folder import read_json
from clausewise.models.table import FeatureTable


class Classifier(Protocol):
    """What every classifier of clausewise can do; for any other, see `EstimatorClassifier`.

    Attributes
    ----------
    holds_pickles
        Whether its saved files can run code when loaded.
    learns
        Whether `fit` learns anything, so that labels are worth training on.
    sums_votes
        Whether its probabilities repeat those of votes that were added up as if they were
        independent: without labels they are too sure, and calibration flattens them.
    by_row
        Whether a case's probability is the same, to the last bit, whatever cases are beside it:
        then cases may be scored where they are inspected, and in any number at a time.
    """

    @property
    def holds_pickles(self) -> bool: ...  # noqa: D102
    @property
    def learns(self) -> bool: ...  # noqa: D102
    @property
    def sums_votes(self) -> bool: ...  # noqa: D102
    @property
    def by_row(self) -> bool: ...  # noqa: D102

    def fit(
        self,
        table: FeatureTable,
        incorrect: NDArray[np.float64],
        groups: NDArray[np.int64],
        *,
        seed: int = 0,
        time_limit: float | None = None,
    ) -> Self:
        """Learn from `n` cases.

        Parameters
        ----------
        table
            Their features.
        incorrect
            `[n]` probability in [0, 1] of each being incorrect: a label model's, or 0 and 1.
        groups
            `[n]` numbers; cases of one group are never split between training and tuning.
        seed
            Fixes everything random.
        time_limit
            Seconds; None for no limit. A limit that is reached makes the result depend on the
            machine's speed.
        """

    def predict(self, table: FeatureTable) -> NDArray[np.float64]:
        """Return `[n]` probabilities in [0, 1] of being incorrect, before calibration.

        Raises NotFittedError before `fit`.
        """

    def save(self, folder: Path) -> None:
        """Write everything that `load` needs into an existing folder."""

    @classmethod
    def load(cls, folder: Path, label_model: LabelModel) -> Self:
        """Return the classifier that was saved in `folder`."""


@runtime_checkable
class ExtensibleClassifier(Protocol):
    """A classifier that gives a weight to columns of which it has learned nothing."""

    def completed(self, names: tuple[str, ...]) -> Classifier:
        """Return the classifier with start weights for columns that it has not learned."""


@runtime_checkable
class StartedClassifier(Protocol):
    """A classifier that starts from another and so has a word in what is learned from."""

    def inform(
        self, table: FeatureTable, labels: NDArray[np.float64], groups: NDArray[np.int64]
    ) -> None:
        """Move the start by labels of some cases here; see `AdditiveClassifier.informed`."""

    def taught(
        self,
        table: FeatureTable,
        incorrect: NDArray[np.float64],
        with_agreement: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        has_teacher: bool,
    ) -> NDArray[np.float64]:
        """Return `[n]` what to learn from; see `WarmStartClassifier`."""


class PassThrough:
    """No classifier: the label model's own probability."""

    holds_pickles: ClassVar[bool] = False
    learns: ClassVar[bool] = False
    by_row: ClassVar[bool] = False

    def __init__(self, label_model: LabelModel) -> None:
        self.label_model = label_model

    @classmethod
    def of_label_model(cls, label_model: LabelModel) -> Self:
        """Return the classifier that repeats a label model."""
        return cls(label_model)

    @property
    def sums_votes(self) -> bool:
        """Whether the label model adds votes up."""
        return self.label_model.sums_votes

    def fit(
        self,
        table: FeatureTable,
        incorrect: NDArray[np.float64],
        groups: NDArray[np.int64],
        *,
        seed: int = 0,
        time_limit: float | None = None,
    ) -> Self:
        """Learn nothing."""
        del table, incorrect, groups, seed, time_limit
        return self

    def predict(self, table: FeatureTable) -> NDArray[np.float64]:
        """Return `[n]` probabilities in [0, 1] of being incorrect."""
        return self.label_model.predict_proba(table.votes)[:, 0]

    def save(self, folder: Path) -> None:
        """Write nothing: the label model is saved by itself."""

    @classmethod
    def load(cls, folder: Path, label_model: LabelModel) -> Self:
        """Return the pass-through for a label model."""
        del folder
        return cls(label_model)


class LogisticClassifier(Parameters):
    """Logistic regression on standardized features, with an L2 penalty.

    It is trained on every case twice, as incorrect with weight p and as correct with weight
    1 - p. Its log-odds are linear in the features, so each finding's part in them is exact. What
    it learned is plain JSON, and predicting needs only NumPy.

    Parameters
    ----------
    strength
        Inverse of the penalty's weight, scikit-learn's `C`, for the sum of the loss.
    """

    holds_pickles: ClassVar[bool] = False
    learns: ClassVar[bool] = True
    sums_votes: ClassVar[bool] = True
    by_row: ClassVar[bool] = True
    FILE: ClassVar[str] = "logistic.json"

    mean_: NDArray[np.float64]
    scale_: NDArray[np.float64]
    weights_: NDArray[np.float64]
    intercept_: float

    def __init__(self, strength: float = 0.1) -> None:
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
        from sklearn.linear_model import LogisticRegression

        table = table.coarse()
        self.mean_ = table.values.mean(axis=0)
        spread = table.values.std(axis=0)
        self.scale_ = np.where(spread > 1e-12, spread, 1.0)
        features, classes, weights = twofold(self._standardized(table.values), incorrect)
        # the optimum is unique, so tight convergence makes it the same on every machine
        model = LogisticRegression(C=self.strength, max_iter=10_000, tol=1e-8)
        model.fit(features, classes, sample_weight=weights)
        self.weights_ = np.asarray(model.coef_[0], dtype=np.float64)
        self.intercept_ = float(model.intercept_[0])
        return self

    def _standardized(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return (values - self.mean_) / self.scale_

    def predict(self, table: FeatureTable) -> NDArray[np.float64]:
        """Return `[n]` probabilities in [0, 1] of being incorrect."""
        if not hasattr(self, "weights_"):
            raise not_fitted("the classifier is used before fit")
        evidence = sum_of_rows(self._standardized(table.coarse().values) * self.weights_)
        return sigmoid(evidence + self.intercept_)

    def save(self, folder: Path) -> None:
        """Write `logistic.json`."""
        if not hasattr(self, "weights_"):
            raise not_fitted("the classifier is saved before fit")
        learned = {
            "strength": self.strength,
            "intercept": self.intercept_,
            "weights": self.weights_.tolist(),
            "mean": self.mean_.tolist(),
            "scale": self.scale_.tolist(),
        }
        (folder / self.FILE).write_text(json.dumps(learned, indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path, label_model: LabelModel) -> Self:
        """Read `logistic.json`."""
        del label_model
        learned = read_json(folder / cls.FILE)
        model = cls(float(learned["strength"]))
        model.intercept_ = float(learned["intercept"])
        model.weights_ = np.array(learned["weights"], dtype=np.float64)
        model.mean_ = np.array(learned["mean"], dtype=np.float64)
        model.scale_ = np.array(learned["scale"], dtype=np.float64)
        return model


def twofold(
    features: NDArray[np.float64], incorrect: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Turn probabilities into hard labels with weights: each case once a class.

    Returns `[k, d]` features, `[k]` classes (1 = incorrect) and `[k]` weights above 0, with
    k at most 2n: a case that is certain appears once.

    Raises
    ------
    InputError
        Where only one class has any weight.
    """
    n_cases = len(incorrect)
    weights = np.concatenate([incorrect, 1.0 - incorrect])
    classes = np.concatenate([np.ones(n_cases, np.int64), np.zeros(n_cases, np.int64)])
    kept = weights > 0.0
    if len(np.unique(classes[kept])) < 2:
        raise InputError("every training case is of one class: a classifier needs both")
    return np.vstack([features, features])[kept], classes[kept], weights[kept]
