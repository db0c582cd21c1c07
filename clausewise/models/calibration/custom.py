"""Any object with `fit` and `predict` as the calibration."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from clausewise.errors import InputError
from clausewise.models.calibration.maps import Floats
from clausewise.models.estimator import describe_class, unfitted_copy


@dataclass(frozen=True, eq=False)
class CustomCalibration:
    """A calibration that a user wrote, or one of scikit-learn's, such as `IsotonicRegression`."""

    KIND: ClassVar[str] = "custom"
    by_row: ClassVar[bool] = False
    model: Any
    """Fitted; its `predict` takes and returns `[n]` probabilities of being incorrect."""

    @classmethod
    def fit(cls, model: Any, incorrect: Floats, labels: Floats | None, balance: float) -> Self:
        """Return the calibration with a fitted copy of `model`.

        Parameters
        ----------
        model
            Anything with `fit(incorrect, labels)` and `predict(incorrect)`. `fit` also gets
            `class_balance` where it has a parameter of that name.
        incorrect
            `[n]` probabilities of being incorrect, before calibration.
        labels
            `[n]` 1 for incorrect, 0 for correct; None where there are none.
        balance
            Share in (0, 1) of incorrect queries.

        Raises
        ------
        InputError
            Where there are no labels and the model does not say `needs_labels = False`.
        """
        name = describe_class(model)
        if labels is None and getattr(model, "needs_labels", True):
            raise InputError(
                f"the calibration {name} needs labels; without any, use 'balance', or give it "
                "the attribute needs_labels = False"
            )
        fitted = unfitted_copy(model)
        takes_balance = "class_balance" in inspect.signature(fitted.fit).parameters
        fitted.fit(incorrect, labels, **({"class_balance": balance} if takes_balance else {}))
        return cls(fitted)

    def apply(self, incorrect: Floats) -> Floats:
        """Return `[n]` calibrated probabilities in [0, 1].

        Raises InputError where the model returns something else.
        """
        if not len(incorrect):
            return incorrect
        found = np.asarray(self.model.predict(incorrect), dtype=np.float64)
        if found.shape != incorrect.shape or not np.isfinite(found).all():
            raise InputError(
                f"the calibration {describe_class(self.model)} must return {len(incorrect)} "
                f"finite numbers, one for each probability, not an array of shape {found.shape}"
            )
        return np.clip(found, 0.0, 1.0)

    def to_json(self) -> dict[str, Any]:
        """Return what it is; the model itself is pickled."""
        return {"kind": self.KIND, "class": describe_class(self.model)}
