"""Any object with `fit` and `predict_proba` as the label model."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clausewise.errors import InputError
from clausewise.labeling import checked_votes
from clausewise.models.estimator import describe_class, not_fitted, unfitted_copy
from clausewise.models.label_models.dawid_skene import estimate_class_balance
from clausewise.models.probability import checked_balance
from clausewise.types import Vote


class CustomLabelModel:
    """A label model that a user wrote, with what clausewise needs besides.

    Parameters
    ----------
    model
        Anything with `fit(votes)` and `predict_proba(votes)`: votes are `[n, m]` int8, 1 for
        incorrect, 0 for correct, -1 for abstaining; the probabilities are `[n, 2]`, columns
        incorrect and correct. `fit` also gets `class_balance` and `seed` where it has parameters
        of these names. `accuracies_`, `class_balance_` and `sums_votes` are used where it has
        them, see `LabelModel`.
    """

    model_: Any
    accuracies_: NDArray[np.float64]
    class_balance_: float

    def __init__(self, model: Any) -> None:
        self.model = model

    @property
    def sums_votes(self) -> bool:
        """Whether the model says that it adds votes up; assumed where it says nothing."""
        return bool(getattr(self.model, "sums_votes", True))

    def fit(self, votes: ArrayLike, class_balance: float | None = None, seed: int = 0) -> Self:
        """Learn from votes `[n, m]` in {-1, 0, 1}."""
        checked = checked_votes(votes)
        balance = estimate_class_balance(checked) if class_balance is None else class_balance
        offered = {"class_balance": checked_balance(balance), "seed": seed}
        self.model_ = unfitted_copy(self.model)
        taken = inspect.signature(self.model_.fit).parameters
        self.model_.fit(checked, **{name: offered[name] for name in offered if name in taken})
        self.class_balance_ = float(getattr(self.model_, "class_balance_", balance))
        self.accuracies_ = self._accuracies(checked)
        return self

    def _accuracies(self, votes: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return `[m]` what the model says of the functions, else their agreement with it."""
        known = getattr(self.model_, "accuracies_", None)
        if known is not None:
            return np.asarray(known, dtype=np.float64)
        incorrect = self.predict_proba(votes)[:, :1]
        voted = votes != Vote.ABSTAIN
        right = np.where(votes == Vote.INCORRECT, incorrect, 1.0 - incorrect) * voted
        total = voted.sum(axis=0)
        half = np.full(votes.shape[1], 0.5)
        np.divide(right.sum(axis=0), total, out=half, where=total > 0)
        return half

    def predict_proba(self, votes: ArrayLike) -> NDArray[np.float64]:
        """Return `[n, 2]` probabilities, columns incorrect and correct.

        Raises InputError where the model returns something else.
        """
        if not hasattr(self, "model_"):
            raise not_fitted("the label model is used before fit")
        checked = checked_votes(votes)
        if not len(checked):
            return np.zeros((0, 2))
        found = np.asarray(self.model_.predict_proba(checked), dtype=np.float64)
        name = describe_class(self.model)
        if found.shape != (len(checked), 2):
            raise InputError(
                f"the label model {name} must return probabilities of shape "
                f"({len(checked)}, 2), not {found.shape}"
            )
        # NaN fails both comparisons
        if not ((found >= 0.0) & (found <= 1.0)).all():
            raise InputError(f"the label model {name} returned what is no probability in [0, 1]")
        return found

    def to_json(self) -> dict[str, Any]:
        """Return what clausewise knows of it; the model itself is pickled."""
        return {
            "class": describe_class(self.model),
            "accuracies": self.accuracies_.tolist(),
            "class_balance": self.class_balance_,
        }

    @classmethod
    def from_json(cls, learned: Mapping[str, Any]) -> Self:
        """Refuse: the model is not in the JSON, but in the pickle beside it."""
        raise InputError(f"the label model {learned.get('class')} is loaded from its pickle")
