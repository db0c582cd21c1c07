"""Everything that a detector knows after `fit`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clausewise.errors import InputError
from clausewise.labeling import OutsideVotes
from clausewise.models.agreement import added
from clausewise.models.calibration.alarms import OperatingPoint, point_at
from clausewise.models.calibration.decision import DecisionRule
from clausewise.models.calibration.maps import LinearCalibration
from clausewise.models.calibration.settings import SettingCalibrators
from clausewise.models.classifiers.additive import AdditiveClassifier
from clausewise.models.classifiers.base import Classifier, ExtensibleClassifier
from clausewise.models.classifiers.extended import Extension, positions
from clausewise.models.features import FeatureSpace, SignalRecord, running
from clausewise.models.label_models.votes import LabelModel
from clausewise.models.prior import share_shift
from clausewise.models.probability import logit, sigmoid
from clausewise.models.table import FeatureTable
from clausewise.models.waiving import judged
from clausewise.types import InspectionResult, Strictness

if TYPE_CHECKING:
    from clausewise.expectation import Expectation


DATA, SCHEMA = "data", "schema"


@dataclass(frozen=True, slots=True)
class Learned:
    """Everything that a detector knows after `fit`."""

    space: FeatureSpace
    label_model: LabelModel
    classifier: Classifier
    calibrators: SettingCalibrators
    threshold: float
    class_balance: float
    training: Mapping[str, Any]
    """On what it was trained: counts of cases, databases and labels, and where the class balance
    came from (`given`, `labels`, `estimated` from calibrated probabilities, or `assumed`)."""
    reference: Mapping[str, float] = field(default_factory=dict)
    """Column of shape or expectation to its mean over the training cases: what explanations
    measure a case against."""
    expectation: Expectation | None = None
    """What is expected of queries, moved to gold pairs of its own; None for what is packaged."""
    agreement_factor: float = 1.0
    """What the agreement of candidates is worth here, 0 to 1; see `models.agreement`."""
    points: tuple[OperatingPoint, ...] = ()
    """Thresholds by the share of right queries that are called."""
    strictness: Strictness = Strictness.RELAXED
    """Whether what people let pass counts."""
    extension: Extension | None = None
    """What the signals add that were not there at `fit`."""

    @property
    def view(self) -> str:
        """What the training cases were checked on: `data`, or `schema` where none was run."""
        return str(self.training.get("view", DATA))

    def at_balance(self, share: float) -> Learned:
        """Return what is known, its probabilities and thresholds moved to a share in (0, 1).

        Raises InputError where the share is none, or the calibration cannot be moved.
        """
        line = LinearCalibration(1.0, share_shift(self.class_balance, share))
        try:
            calibrators = self.calibrators.mapped(line.after)
        except TypeError:
            raise InputError(
                "the calibration of this detector cannot be moved to another share of incorrect "
                "queries: fit it with --class-balance",
                field="class_balance",
            ) from None
        return replace(
            self,
            calibrators=calibrators,
            class_balance=share,
            threshold=float(line.apply(np.array([self.threshold]))[0]),
            points=tuple(point.moved(1.0, line.shift) for point in self.points),
        )

    def threshold_of(self, rule: DecisionRule) -> float:
        """Return the probability in (0, 1) of being incorrect from which a rule calls a query.

        Raises InputError where the rule's share of false alarms is beyond what is known.
        """
        if rule.threshold is not None:
            return rule.threshold
        return (
            self.threshold if rule.alarms is None else point_at(self.points, rule.alarms).threshold
        )

    @property
    def by_row(self) -> bool:
        """Whether a case's result is the same, to the last bit, whatever cases are beside it."""
        maps = (self.calibrators.usual, *self.calibrators.others.values())
        return self.classifier.by_row and all(one.by_row for one in maps)

    def incorrect(self, table: FeatureTable) -> NDArray[np.float64]:
        """Return `[n]` calibrated probabilities of being incorrect."""
        return sigmoid(self.log_odds(table))

    def log_odds(self, table: FeatureTable) -> NDArray[np.float64]:
        """Return `[n]` calibrated log-odds of being incorrect, what candidates say included."""
        alone = self.space.alone(table)
        if self.extension is None:
            raw = self.classifier.predict(alone)
        else:
            raw = self.extension.predict(self.classifier, alone)
        log_odds = logit(self.calibrators.apply(raw, alone.settings))
        disagreement, voices = self.space.agreement(table)
        if not voices.any():
            return log_odds
        return log_odds + added(log_odds, disagreement, voices, self.agreement_factor)

    def with_judges(self, signals: Sequence[SignalRecord], outside: Sequence[str]) -> Learned:
        """Return what is known, and judges of whom nothing is known: `outside` may hold known ones.

        Only the additive classifier can give them a weight, that of an unknown judge; with any
        other classifier outside votes of unknown sources are left to be refused.

        Raises
        ------
        InputError
            Where `signals` are not empty and the classifier cannot take them.
        """
        unknown = tuple(name for name in outside if name not in self.space.outside)
        if not isinstance(self.classifier, ExtensibleClassifier):
            if signals:
                raise InputError(
                    "this detector was fitted without a language model and cannot weigh one: "
                    "fit it with --llm, or score without"
                )
            return self
        if not signals and not unknown:
            return self
        space = self.space.extended(signals, unknown)
        return replace(self, space=space, classifier=self.classifier.completed(space.names))

    def judging(self, inspections: Iterable[InspectionResult], outside: OutsideVotes) -> Learned:
        """Return what is known, and what inspected cases say of the judges among their votes.

        The cases need no label: see `learn_judges`. Of fewer than 20 answers nothing is learned.
        """
        if not isinstance(self.classifier, AdditiveClassifier):
            return self
        cases = [judged(item, self.strictness) for item in running(inspections)]
        if not cases:
            return self
        of_space = outside.of_sources(self.space.outside)
        table = self.space.table(cases, self.space.label_matrix(cases, of_space), of_space)
        return replace(self, classifier=self.classifier.judging(self.space.alone(table)))

    def with_signals(self, signals: Sequence[SignalRecord]) -> Learned:
        """Return what is known, and those of `signals` that it lacks.

        Their scores count as much as one of which nothing was learned; see `AdditiveClassifier`.
        """
        known = {signal.name for signal in self.space.signals}
        added = [signal for signal in signals if signal.name not in known]
        if not added:
            return self
        space = self.space.extended(added, ())
        extension = Extension(
            positions(self.space.function_names, space.function_names),
            positions(self.space.names, space.names),
            self.space.names,
            positions([f"score.{signal.name}" for signal in added], space.names),
        )
        return replace(self, space=space, extension=extension)
