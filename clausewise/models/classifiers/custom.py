"""Any estimator with `fit` and `predict_proba` as the classifier."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from clausewise.errors import InputError
from clausewise.models.classifiers.base import twofold
from clausewise.models.estimator import describe_class, not_fitted, unfitted_copy
from clausewise.models.label_models.votes import LabelModel
from clausewise.models.storage.pickles import read_pickle, write_pickle
from clausewise.models.table import FeatureTable

_COPIES = 10
"""Copies of a case that stand for its probability where the estimator takes no weights."""


class EstimatorClassifier:
    """Turns a feature table into what scikit-learn's classifiers learn from.

    The estimator is copied and fitted on `[k, d]` features and `[k]` classes, 1 for incorrect and
    0 for correct: every case twice, with its probabilities as `sample_weight`. An estimator whose
    `fit` takes no `sample_weight` gets copies instead, ten a case, shared out by probability.
    Every `random_state` that the estimator leaves open is set to the detector's seed.

    Parameters
    ----------
    estimator
        Anything with `fit(X, y)` and `predict_proba(X)`, such as a scikit-learn classifier or
        pipeline. Where it has `classes_`, they say which column is which; else the second one
        is class 1.
    """

    holds_pickles: ClassVar[bool] = True
    learns: ClassVar[bool] = True
    sums_votes: ClassVar[bool] = True
    by_row: ClassVar[bool] = False
    FILE: ClassVar[str] = "estimator.pickle"

    estimator_: Any

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(
        self,
        table: FeatureTable,
        incorrect: NDArray[np.float64],
        groups: NDArray[np.int64],
        *,
        seed: int = 0,
        time_limit: float | None = None,
    ) -> Self:
        """Learn from `n` cases; `groups` and `time_limit` are not needed.

        Raises InputError where every case is certain to be of one and the same class.
        """
        del groups, time_limit
        table = table.coarse()
        estimator = unfitted_copy(self.estimator)
        if hasattr(estimator, "get_params"):
            params = estimator.get_params(deep=True).items()
            is_open = {k: seed for k, v in params if k.endswith("random_state") and v is None}
            estimator.set_params(**is_open)
        if "sample_weight" in inspect.signature(estimator.fit).parameters:
            features, classes, weights = twofold(table.values, incorrect)
            estimator.fit(features, classes, sample_weight=weights)
        else:
            estimator.fit(*_copied(table.values, incorrect))
        self.estimator_ = estimator
        return self

    def predict(self, table: FeatureTable) -> NDArray[np.float64]:
        """Return `[n]` probabilities in [0, 1] of being incorrect.

        Raises InputError where the estimator returns something else.
        """
        if not hasattr(self, "estimator_"):
            raise not_fitted("the classifier is used before fit")
        n_cases = len(table.values)
        if not n_cases:
            return np.zeros(0)
        values = table.coarse().values
        predicted = np.asarray(self.estimator_.predict_proba(values), dtype=np.float64)
        classes = list(getattr(self.estimator_, "classes_", (0, 1)))
        if predicted.shape != (n_cases, 2) or len(classes) != 2:
            raise InputError(
                f"the classifier {describe_class(self.estimator)} must return probabilities of "
                f"shape ({n_cases}, 2), not {predicted.shape}"
            )
        return np.clip(predicted[:, classes.index(1)], 0.0, 1.0)

    def save(self, folder: Path) -> None:
        """Write `estimator.pickle`; DetectorError where the estimator cannot be pickled."""
        if not hasattr(self, "estimator_"):
            raise not_fitted("the classifier is saved before fit")
        write_pickle(folder / self.FILE, self.estimator_)

    @classmethod
    def load(cls, folder: Path, label_model: LabelModel) -> Self:
        """Read what `save` wrote. This unpickles: the caller has verified the files."""
        del label_model
        estimator = read_pickle(folder / cls.FILE)
        classifier = cls(estimator)
        classifier.estimator_ = estimator
        return classifier


def _copied(
    values: NDArray[np.float64], incorrect: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return each case in as many copies of either class as its probability asks for."""
    n_incorrect = np.rint(incorrect * _COPIES).astype(np.int64)
    copies = np.concatenate([n_incorrect, _COPIES - n_incorrect])
    classes = np.repeat(np.array([1, 0]), len(incorrect))
    classes = np.repeat(classes, copies)
    if len(np.unique(classes)) < 2:
        raise InputError("every training case is of one class: a classifier needs both")
    return np.repeat(np.vstack([values, values]), copies, axis=0), classes
