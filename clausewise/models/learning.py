"""From inspected cases to everything that a detector knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clausewise.errors import InputError
from clausewise.labeling import (
    LabelMatrix,
    LevelsOf,
    OutsideVotes,
    ShapeLevels,
    check_label_matrix,
    shape_levels,
)
from clausewise.models.calibration.fit import Calibrated, calibrate
from clausewise.models.calibration.maps import UNLABELED_TEMPERATURE, Calibrator
from clausewise.models.classifiers.base import Classifier, ExtensibleClassifier
from clausewise.models.features import FeatureSpace, FeatureTable, SignalRecord, running
from clausewise.models.label_models.dawid_skene import estimate_class_balance
from clausewise.models.label_models.votes import LabelModel
from clausewise.models.labels import LabelUse, case_groups, label_array, label_use, out_of_fold
from clausewise.models.probability import logit
from clausewise.models.registries import new_classifier, new_label_model
from clausewise.models.settings import Settings
from clausewise.types import CaseStatus, Inspection, InspectionResult

if TYPE_CHECKING:
    from clausewise.expectation import Expectation

_GUESS_WEIGHT = 10.0
"""What the class balance guessed from the votes weighs beside labels, in labels."""


@dataclass(frozen=True, slots=True)
class Learned:
    """Everything that a detector knows after `fit`."""

    space: FeatureSpace
    label_model: LabelModel
    classifier: Classifier
    calibrator: Calibrator
    threshold: float
    class_balance: float
    training: Mapping[str, Any]
    """On what it was trained: counts of cases, databases and labels, and where the class balance
    came from (`estimated`, `given` or `labels`)."""
    expectation: Expectation | None = None
    """What is expected of queries, moved to gold pairs of its own; None for what is packaged."""

    def incorrect(self, table: FeatureTable) -> NDArray[np.float64]:
        """Return `[n]` calibrated probabilities of being incorrect."""
        return self.calibrator.apply(self.classifier.predict(table))

    def log_odds(self, table: FeatureTable) -> NDArray[np.float64]:
        """Return `[n]` calibrated log-odds of being incorrect."""
        return logit(self.incorrect(table))

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
        space = FeatureSpace(
            (*self.space.signals, *signals),
            (*self.space.outside, *unknown),
            self.space.shape,
            self.space.by,
            self.space.shape_levels,
            self.space.expected,
        )
        return replace(self, space=space, classifier=self.classifier.completed(space.names))


def learn(
    inspections: Sequence[InspectionResult],
    signals: Sequence[SignalRecord],
    settings: Settings,
    labels: Mapping[str | int, bool] | None,
    votes: OutsideVotes,
) -> tuple[Learned, LabelMatrix]:
    """Learn from the inspected cases whose queries run; also return the votes on these.

    Raises
    ------
    InputError
        Where no case can be learned from, nothing votes, or labels or settings do not fit.
    """
    settings.check()
    usable = running(inspections)
    if not usable:
        raise InputError(
            f"none of the {len(inspections)} cases can be learned from: {_statuses(inspections)}"
        )
    space = FeatureSpace(
        signals,
        votes.signals,
        tuple(usable[0].shape),
        settings.by,
        _levels(settings.shape_functions, usable),
        sorted({name for item in usable for name in item.expectation}),
    )
    matrix = space.label_matrix(usable, votes)
    check_label_matrix(matrix)
    known = label_array(usable, labels)
    class_balance, source = _class_balance(settings, matrix.votes, known)
    label_model = new_label_model(settings.label_model)
    label_model.fit(matrix.votes, class_balance, settings.seed)
    table = space.table(usable, matrix, votes)
    trainable = new_classifier(settings.classifier, settings.start, label_model).learns
    use = label_use(known, trainable=trainable)
    groups = case_groups(usable)
    if use is LabelUse.TRAINING:
        train = _train_on_labels
    else:
        train = partial(_train_on_votes, alone=space.without_candidates(table, usable))
    classifier, calibrated = train(settings, label_model, table, known, groups, class_balance)
    databases = sorted({inspection.case.db_id for inspection in usable})
    learned = Learned(
        space=space,
        label_model=label_model,
        classifier=classifier,
        calibrator=calibrated.calibrator,
        threshold=calibrated.threshold,
        class_balance=class_balance,
        training={
            "n_cases": len(inspections),
            "n_trained": int((~np.isnan(known)).sum()) if use is LabelUse.TRAINING else len(usable),
            "statuses": _statuses(inspections),
            "n_databases": len(databases),
            "databases": databases,
            "n_labels": int((~np.isnan(known)).sum()),
            "label_use": use.value,
            "balance": source,
        },
    )
    return learned, matrix


def _train_on_votes(
    settings: Settings,
    label_model: LabelModel,
    table: FeatureTable,
    labels: NDArray[np.float64],
    groups: NDArray[np.int64],
    class_balance: float,
    alone: FeatureTable | None = None,
) -> tuple[Classifier, Calibrated]:
    """Learn from the label model's probabilities; labels never reach the classifier.

    Where the cases carry candidates, each is learned from twice, with them and `alone`: their
    agreement is the teacher of what the signals of a single query mean.
    """
    incorrect = label_model.predict_proba(table.votes)[:, 0]
    classifier = new_classifier(settings.classifier, settings.start, label_model)
    seen, target, grouped = table, incorrect, groups
    if alone is not None:
        seen = table.with_rows(alone)
        target, grouped = np.tile(incorrect, 2), np.tile(groups, 2)
        labels = np.tile(labels, 2)
    classifier.fit(seen, target, grouped, seed=settings.seed, time_limit=settings.time_limit)
    # on both views: cases are scored with candidates and without them
    raw = classifier.predict(seen)
    return classifier, calibrate(
        settings.calibration,
        raw,
        labels,
        class_balance,
        settings.threshold,
        UNLABELED_TEMPERATURE if classifier.sums_votes else 1.0,
    )


def _train_on_labels(
    settings: Settings,
    label_model: LabelModel,
    table: FeatureTable,
    labels: NDArray[np.float64],
    groups: NDArray[np.int64],
    class_balance: float,
) -> tuple[Classifier, Calibrated]:
    """Learn from the labels, and calibrate on what classifiers say that did not see the case."""
    known = ~np.isnan(labels)
    table, labels, groups = table.rows(known), labels[known], groups[known]
    new = partial(new_classifier, settings.classifier, settings.start, label_model)
    options: dict[str, Any] = {"seed": settings.seed, "time_limit": settings.time_limit}
    raw = out_of_fold(new, table, labels, groups, **options)
    classifier = new().fit(table, labels, groups, **options)
    judged = ~np.isnan(raw)
    if not judged.any():
        # with a single group nothing is out of sample, and labels would only flatter
        raw, labels = classifier.predict(table), np.full(len(labels), np.nan)
        method = "none" if settings.calibration == "none" else "balance"
        return classifier, calibrate(method, raw, labels, class_balance, settings.threshold)
    return classifier, calibrate(
        settings.calibration, raw[judged], labels[judged], class_balance, settings.threshold
    )


def _levels(setting: bool | LevelsOf, usable: Sequence[Inspection]) -> ShapeLevels | None:
    if callable(setting):
        return setting(usable)
    return shape_levels(usable) if setting else None


def _class_balance(
    settings: Settings, votes: NDArray[np.int8], labels: NDArray[np.float64]
) -> tuple[float, str]:
    if settings.class_balance is not None:
        return settings.class_balance, "given"
    guess = estimate_class_balance(votes)
    known = labels[~np.isnan(labels)]
    if not len(known):
        return guess, "estimated"
    return float((known.sum() + _GUESS_WEIGHT * guess) / (len(known) + _GUESS_WEIGHT)), "labels"


def _statuses(inspections: Sequence[InspectionResult]) -> dict[str, int]:
    counts = Counter(
        item.status.value if isinstance(item, Inspection) else CaseStatus.UNCHECKED.value
        for item in inspections
    )
    return {status.value: counts[status.value] for status in CaseStatus if counts[status.value]}
