"""From inspected cases to everything that a detector knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausewise.errors import InputError
from clausewise.labeling import (
    LevelsOf,
    OutsideVotes,
    ShapeLevels,
    VotingUnit,
    check_label_matrix,
    shape_levels,
)
from clausewise.models.calibration.fit import (
    Calibrated,
    LabelUse,
    calibrate,
    case_groups,
    label_array,
    label_use,
    out_of_fold,
    unlabeled_temperature,
)
from clausewise.models.calibration.maps import Calibrator
from clausewise.models.classifiers.additive import AdditiveClassifier
from clausewise.models.classifiers.base import Classifier
from clausewise.models.features import FeatureSpace, FeatureTable, SignalRecord
from clausewise.models.inspected import Inspected, running
from clausewise.models.label_models.dawid_skene import estimate_class_balance
from clausewise.models.label_models.votes import LabelModel
from clausewise.models.probability import checked_balance, logit
from clausewise.models.registries import (
    CALIBRATIONS,
    CLASSIFIERS,
    LABEL_MODELS,
    classifier_maker,
)
from clausewise.types import CaseStatus, Inspection

_GUESS_WEIGHT = 10.0
"""What the class balance guessed from the votes weighs beside labels, in labels."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a detector learns; see `Detector` for the meaning of each."""

    label_model: str
    classifier: str
    calibration: str
    class_balance: float | None
    by: VotingUnit
    start: str
    threshold: float | None
    seed: int
    time_limit: float | None
    shape_functions: bool | LevelsOf = False

    def check(self) -> None:
        """Raise RegistryError or InputError for a value that cannot be."""
        _ = LABEL_MODELS[self.label_model], CALIBRATIONS[self.calibration]
        _ = CLASSIFIERS[self.classifier]
        if self.class_balance is not None:
            checked_balance(self.class_balance)
        if self.threshold is not None and not 0.0 < self.threshold < 1.0:
            raise InputError(f"the threshold is a probability, not {self.threshold}")
        if self.time_limit is not None and self.time_limit <= 0:
            raise InputError(f"the time limit must be above 0 seconds, not {self.time_limit}")

    def to_json(self) -> dict[str, Any]:
        """Return the settings as plain JSON."""
        return asdict(self)


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
        if not isinstance(self.classifier, AdditiveClassifier):
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
        )
        return replace(self, space=space, classifier=self.classifier.completed(space.names))


def learn(
    inspections: Sequence[Inspected],
    signals: Sequence[SignalRecord],
    settings: Settings,
    labels: Mapping[str | int, bool] | None,
    votes: OutsideVotes,
) -> Learned:
    """Learn from the inspected cases whose queries run.

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
    )
    matrix = space.label_matrix(usable, votes)
    check_label_matrix(matrix)
    known = label_array(usable, labels)
    class_balance, source = _class_balance(settings, matrix.votes, known)
    label_model = LABEL_MODELS[settings.label_model]()
    label_model.fit(matrix.votes, class_balance, settings.seed)
    table = space.table(usable, matrix, votes)
    use = label_use(known, trainable=settings.classifier != "none")
    groups = case_groups(usable)
    if use is LabelUse.TRAINING:
        train = _train_on_labels
    else:
        train = partial(_train_on_votes, alone=space.without_candidates(table, usable))
    classifier, calibrated = train(settings, label_model, table, known, groups, class_balance)
    databases = sorted({inspection.case.db_id for inspection in usable})
    return Learned(
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
    classifier = classifier_maker(settings.classifier, settings.start)(label_model)
    seen, taught, grouped = table, incorrect, groups
    if alone is not None:
        seen = table.with_rows(alone)
        taught, grouped = np.tile(incorrect, 2), np.tile(groups, 2)
        labels = np.tile(labels, 2)
    classifier.fit(seen, taught, grouped, seed=settings.seed, time_limit=settings.time_limit)
    # on both views: cases are scored with candidates and without them
    raw = classifier.predict(seen)
    return classifier, calibrate(
        settings.calibration,
        raw,
        labels,
        class_balance,
        settings.threshold,
        unlabeled_temperature(classifier),
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
    make = classifier_maker(settings.classifier, settings.start)
    options: dict[str, Any] = {"seed": settings.seed, "time_limit": settings.time_limit}
    raw = out_of_fold(lambda: make(label_model), table, labels, groups, **options)
    classifier = make(label_model).fit(table, labels, groups, **options)
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


def _statuses(inspections: Sequence[Inspected]) -> dict[str, int]:
    counts = Counter(
        item.status.value if isinstance(item, Inspection) else CaseStatus.UNCHECKED.value
        for item in inspections
    )
    return {status.value: counts[status.value] for status in CaseStatus if counts[status.value]}
