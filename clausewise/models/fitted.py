"""What a detector has after `fit`, as attributes with a trailing underscore."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from clausewise.labeling import LabelMatrix
from clausewise.models.calibration.maps import Calibrator
from clausewise.models.estimator import classifier_tags, not_fitted
from clausewise.models.features import SignalRecord
from clausewise.models.learned import Learned
from clausewise.models.notebook import detector_html
from clausewise.models.table import REASON
from clausewise.types import UncheckedCase, Verdict

if TYPE_CHECKING:
    from clausewise.models.streaming import DatabaseSource


class FittedAttributes:
    """The learned state of a detector. Before `fit` every attribute raises NotFittedError.

    Attributes
    ----------
    learned_
        All that was learned, in one object.
    databases_
        The databases that `fit` was given; not saved.
    label_matrix_
        Votes `[n, m]` on the training cases whose queries run; not saved.
    unchecked_
        The training cases that could not be read or inspected; not saved.
    """

    SHARED: ClassVar[frozenset[str]] = frozenset({"signals", "llm"})
    _estimator_type: ClassVar[str] = "classifier"

    learned_: Learned
    databases_: DatabaseSource
    label_matrix_: LabelMatrix
    unchecked_: tuple[UncheckedCase, ...]

    def _fitted(self) -> Learned:
        if not self.__sklearn_is_fitted__():
            raise not_fitted("this detector is not fitted: call fit, or load a saved one")
        return self.learned_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "learned_")

    def __sklearn_tags__(self) -> Any:
        return classifier_tags()

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        learned = self.learned_ if self.__sklearn_is_fitted__() else None
        return detector_html(repr(self), learned)

    @property
    def classes_(self) -> NDArray[np.str_]:
        """`[2]`: "incorrect" and "correct", the columns of `predict_proba`."""
        self._fitted()
        return np.array([Verdict.INCORRECT.value, Verdict.CORRECT.value])

    @property
    def label_model_(self) -> Any:
        """The fitted label model; a fitted copy of the one that was given."""
        model = self._fitted().label_model
        return getattr(model, "model_", model)

    @property
    def accuracies_(self) -> NDArray[np.float64]:
        """`[m]` in [0, 1]: how often a vote of each labeling function is right, as learned."""
        return self._fitted().label_model.accuracies_

    @property
    def classifier_(self) -> Any:
        """The fitted classifier, with its start where it has one; see `Classifier`.

        A fitted copy of the one that was given, where it was given and there is no start.
        """
        classifier = self._fitted().classifier
        return getattr(classifier, "estimator_", classifier)

    @property
    def calibrator_(self) -> Calibrator:
        """The fitted calibration of the usual setting: no candidates, a question, no judges."""
        return self._fitted().calibrators.usual

    @property
    def class_balance_(self) -> float:
        """Share of incorrect queries in (0, 1) that is known, estimated or assumed."""
        return self._fitted().class_balance

    @property
    def threshold_(self) -> float:
        """The verdict is incorrect at or above this probability of being incorrect."""
        return self._fitted().threshold

    @property
    def columns_(self) -> tuple[str, ...]:
        """Names of the classifier's features."""
        return self._fitted().space.names

    @property
    def signals_(self) -> tuple[SignalRecord, ...]:
        """The signals that the detector was fitted with."""
        return self._fitted().space.signals

    @property
    def reason_weights_(self) -> Mapping[str, float]:
        """Log-odds that each reason adds, by `signal.reason`; empty without such weights."""
        classifier = self._fitted().classifier
        weights = getattr(getattr(classifier, "start", classifier), "weights_", {})
        if not isinstance(weights, Mapping):
            return {}
        return {
            name.removeprefix(REASON): weight
            for name, weight in weights.items()
            if name.startswith(REASON)
        }

    @property
    def training_(self) -> Mapping[str, Any]:
        """Counts of cases, databases and labels; see `Learned.training`."""
        return self._fitted().training
