"""From inspected cases to everything that a detector knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

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
from clausewise.models.agreement import added, domain_factor
from clausewise.models.calibration.alarms import OperatingPoint
from clausewise.models.calibration.fit import (
    ISOTONIC_LABELS,
    Calibrated,
    Uncalibrated,
    calibrate,
)
from clausewise.models.calibration.maps import UNLABELED_TEMPERATURE
from clausewise.models.calibration.settings import SettingCalibrators
from clausewise.models.classifiers.additive import EXPECTED, SHAPE
from clausewise.models.classifiers.base import Classifier, StartedClassifier
from clausewise.models.features import FeatureSpace, SignalRecord, running
from clausewise.models.label_models.dawid_skene import estimate_class_balance
from clausewise.models.label_models.votes import LabelModel
from clausewise.models.labels import LabelUse, case_groups, label_array, label_use, out_of_fold
from clausewise.models.learned import DATA, SCHEMA, Learned
from clausewise.models.prior import estimate_share
from clausewise.models.probability import logit
from clausewise.models.registries import new_classifier, new_label_model, start_of
from clausewise.models.settings import Settings
from clausewise.models.shares import shares_of
from clausewise.models.table import FeatureTable
from clausewise.models.waiving import WAIVED_SHAPE, judged
from clausewise.types import NOT_RUN, CaseStatus, Inspection, InspectionResult, Strictness

ASSUMED, ESTIMATED = "assumed", "estimated"
_DIGITS = 6
_GUESS_WEIGHT = 10.0
"""What the class balance guessed from the votes weighs beside labels, in labels."""


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
    usable = [judged(item, settings.strictness) for item in running(inspections)]
    if not usable:
        raise InputError(
            f"none of the {len(inspections)} cases can be learned from: {_statuses(inspections)}"
        )
    space = FeatureSpace(
        signals,
        votes.signals,
        _measures(usable[0], settings.strictness),
        settings.by,
        _levels(settings.shape_functions, usable),
        sorted({name for item in usable for name in item.expectation}),
    )
    matrix = space.label_matrix(usable, votes)
    check_label_matrix(matrix)
    known = label_array(usable, labels)
    balance = _class_balance(settings, matrix.votes, known)
    label_model = new_label_model(settings.label_model)
    label_model.fit(matrix.votes, balance.share, settings.seed)
    table = space.table(usable, matrix, votes)
    trainable = _new(settings, label_model).learns
    use = label_use(known, trainable=trainable)
    groups = case_groups(usable)
    train = _train_on_labels if use is LabelUse.TRAINING else _train_on_votes
    databases = sorted({inspection.case.db_id for inspection in usable})
    views = Views(table, space, len(databases))
    trained = train(settings, label_model, views, known, groups, balance)
    learned = Learned(
        space=space,
        label_model=label_model,
        classifier=trained.classifier,
        calibrators=trained.calibrated.calibrators,
        threshold=trained.calibrated.threshold,
        class_balance=trained.balance.share,
        training={
            "n_cases": len(inspections),
            "n_trained": int((~np.isnan(known)).sum()) if use is LabelUse.TRAINING else len(usable),
            "statuses": _statuses(inspections),
            "n_databases": len(databases),
            "databases": databases,
            "n_labels": int((~np.isnan(known)).sum()),
            "label_use": use.value,
            "balance": trained.balance.source,
            "parts": trained.parts,
            "points_from": trained.points_from,
            "view": SCHEMA if all(map(_was_not_run, usable)) else DATA,
        },
        reference=_reference(table),
        agreement_factor=trained.agreement_factor,
        points=trained.calibrated.points,
        strictness=settings.strictness,
    )
    return learned, matrix


def _measures(item: Inspection, strictness: Strictness) -> tuple[str, ...]:
    """Return the measures of shape that count: not those of what people let pass."""
    is_relaxed = strictness is Strictness.RELAXED
    return tuple(name for name in item.shape if not (is_relaxed and name in WAIVED_SHAPE))


def _new(settings: Settings, label_model: LabelModel) -> Classifier:
    return new_classifier(settings.classifier, settings.start, label_model, settings.conventions)


@dataclass(frozen=True, slots=True)
class Balance:
    """The share in (0, 1) of incorrect queries, and where it comes from; see `Learned.training`."""

    share: float
    source: str


@dataclass(frozen=True, slots=True)
class Trained:
    """A fitted classifier with its calibration."""

    classifier: Classifier
    calibrated: Calibrated
    balance: Balance
    parts: Mapping[str, float]
    """Shares of the log-odds, see `shares_of`."""
    points_from: str
    """Where the thresholds were measured, see `_measured_on`."""
    agreement_factor: float = 1.0


@dataclass(frozen=True, slots=True)
class _CalibratedStart:
    """Maps of a start's probabilities, and its thresholds."""

    calibrators: SettingCalibrators
    points: tuple[OperatingPoint, ...]
    balance: float
    """Share of incorrect queries that the maps were fitted for."""


@dataclass(frozen=True, slots=True)
class Views:
    """Cases with their candidates, where they have some, and as they look without."""

    table: FeatureTable
    space: FeatureSpace
    n_databases: int
    """How many databases the cases are on, before any are chosen."""

    @property
    def alone(self) -> FeatureTable:
        """The cases without candidates: what a classifier sees."""
        return self.space.alone(self.table)

    def rows(self, chosen: NDArray[np.bool_]) -> Views:
        """Return the chosen cases."""
        return replace(self, table=self.table.rows(chosen))

    def added(self, log_odds: NDArray[np.float64], factor: float) -> NDArray[np.float64]:
        """Return `[n]` what candidates add to calibrated log-odds, 0 for cases without."""
        return added(log_odds, *self.space.agreement(self.table), factor)

    def factor(self, log_odds: NDArray[np.float64]) -> float:
        """Return what agreement is worth here beside `[n]` calibrated log-odds."""
        return domain_factor(log_odds, *self.space.agreement(self.table))


def _train_on_votes(
    settings: Settings,
    label_model: LabelModel,
    views: Views,
    labels: NDArray[np.float64],
    groups: NDArray[np.int64],
    balance: Balance,
) -> Trained:
    """Learn from the label model's probabilities; labels never reach the classifier.

    Where the cases carry candidates, their agreement is the teacher: the label model sees it,
    and the classifier the same cases without.
    """
    alone = views.alone
    target = label_model.predict_proba(views.table.votes)[:, 0]
    classifier = _new(settings, label_model)
    origin = None
    if isinstance(classifier, StartedClassifier):
        origin = _calibrated_start(settings)
        known = ~np.isnan(labels)
        classifier.inform(alone.rows(known), labels[known], groups[known])
        taught = alone is not views.table
        target = classifier.taught(alone, target, partial(_with_agreement, views, origin), taught)
    classifier.fit(alone, target, groups, seed=settings.seed, time_limit=settings.time_limit)
    raw = classifier.predict(alone)
    if origin is not None and balance.source == ASSUMED:
        own = origin.calibrators.apply(raw, alone.settings)
        found = estimate_share(own, origin.balance, views.n_databases)
        balance = Balance(found.share, ESTIMATED)
    temperature = UNLABELED_TEMPERATURE if classifier.sums_votes else 1.0
    maps, points = (None, ()) if origin is None else (origin.calibrators, origin.points)
    cases = Uncalibrated(raw, labels, alone.settings, balance.share, temperature, maps, points)
    calibrated = calibrate(settings.calibration, cases, settings.threshold)
    own = logit(calibrated.calibrators.apply(raw, alone.settings))
    factor = views.factor(own)
    parts = shares_of(classifier, alone, own, views.added(own, factor))
    return Trained(classifier, calibrated, balance, parts, _measured_on(cases), factor)


def _with_agreement(
    views: Views, origin: _CalibratedStart | None, incorrect: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return `[n]` log-odds of the start with what candidates add to it."""
    if origin is not None:
        incorrect = origin.calibrators.apply(incorrect, views.alone.settings)
    log_odds = logit(incorrect)
    return log_odds + views.added(log_odds, 1.0)


def _calibrated_start(settings: Settings) -> _CalibratedStart | None:
    start = start_of(settings.start, settings.conventions)
    if start is None or start.calibrators is None:
        return None
    return _CalibratedStart(start.calibrators, start.points, start.balance)


def _train_on_labels(
    settings: Settings,
    label_model: LabelModel,
    views: Views,
    labels: NDArray[np.float64],
    groups: NDArray[np.int64],
    balance: Balance,
) -> Trained:
    """Learn from the labels, and calibrate on what classifiers say that did not see the case."""
    known = ~np.isnan(labels)
    table, labels, groups = views.alone.rows(known), labels[known], groups[known]
    seen = table
    new = partial(_new, settings, label_model)
    options: dict[str, Any] = {"seed": settings.seed, "time_limit": settings.time_limit}
    raw = out_of_fold(new, table, labels, groups, **options)
    classifier = new().fit(table, labels, groups, **options)
    is_known = ~np.isnan(raw)
    method = settings.calibration
    if is_known.any():
        table, raw, labels = table.rows(is_known), raw[is_known], labels[is_known]
    else:
        # with a single group nothing is out of sample, and labels would only flatter
        raw, labels = classifier.predict(table), np.full(len(labels), np.nan)
        method = "none" if method == "none" else "balance"
    cases = Uncalibrated(raw, labels, table.settings, balance.share)
    origin = _calibrated_start(settings) if isinstance(classifier, StartedClassifier) else None
    if origin is not None and len(raw) < ISOTONIC_LABELS:
        cases = replace(cases, origin=origin.calibrators, origin_points=origin.points)
    calibrated = calibrate(method, cases, settings.threshold)
    own = logit(calibrated.calibrators.apply(classifier.predict(seen), seen.settings))
    parts = shares_of(classifier, seen, own, views.rows(known).added(own, 1.0))
    measured = _measured_on(cases)
    return Trained(classifier, calibrated, balance, parts, measured)


def _measured_on(cases: Uncalibrated) -> str:
    """Return where the thresholds by false alarms were measured.

    `start`: where the start was, moved with its probabilities; `labels`: on labels here; `labels
    and start`: between the two; `expected`: nowhere, they follow from the probabilities.
    """
    here, elsewhere = cases.has_both, bool(cases.origin_points)
    if here:
        return "labels and start" if elsewhere else "labels"
    return "start" if elsewhere else "expected"


def _reference(table: FeatureTable) -> dict[str, float]:
    """Return the means of the columns that a case is measured against in an explanation."""
    return {
        name: round(mean, _DIGITS)
        for name, mean in zip(table.names, table.values.mean(axis=0).tolist(), strict=True)
        if name.startswith((SHAPE, EXPECTED))
    }


def _was_not_run(inspection: Inspection) -> bool:
    return any(notice.signal == NOT_RUN for notice in inspection.notices)


def _levels(setting: bool | LevelsOf, usable: Sequence[Inspection]) -> ShapeLevels | None:
    if callable(setting):
        return setting(usable)
    return shape_levels(usable) if setting else None


def _class_balance(
    settings: Settings, votes: NDArray[np.int8], labels: NDArray[np.float64]
) -> Balance:
    if settings.class_balance is not None:
        return Balance(settings.class_balance, "given")
    guess = estimate_class_balance(votes)
    known = labels[~np.isnan(labels)]
    if not len(known):
        return Balance(guess, ASSUMED)
    share = float((known.sum() + _GUESS_WEIGHT * guess) / (len(known) + _GUESS_WEIGHT))
    return Balance(share, "labels")


def _statuses(inspections: Sequence[InspectionResult]) -> dict[str, int]:
    counts = Counter(
        item.status.value if isinstance(item, Inspection) else CaseStatus.UNCHECKED.value
        for item in inspections
    )
    return {status.value: counts[status.value] for status in CaseStatus if counts[status.value]}
