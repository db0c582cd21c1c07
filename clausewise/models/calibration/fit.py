"""How a detector is trained: what labels are used for, folds, and calibration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from clausewise.errors import InputError
from clausewise.models.calibration.maps import (
    UNLABELED_TEMPERATURE,
    Calibrator,
    NoCalibration,
    best_f1_threshold,
    fit_balance,
    fit_isotonic,
    fit_platt,
)
from clausewise.models.classifiers.additive import AdditiveClassifier
from clausewise.models.classifiers.base import Classifier, PassThrough
from clausewise.models.classifiers.warm_start import WarmStartClassifier
from clausewise.models.features import FeatureTable
from clausewise.models.label_models.votes import MajorityVote
from clausewise.types import Inspection

SUPERVISED_SHARE = 0.8
"""With labels for at least this share of the training cases, the classifier learns from them."""
SUPERVISED_LABELS = 50
"""Fewer labels than this are used for calibration and the threshold only."""
ISOTONIC_LABELS = 400
"""Fewer labels than this are calibrated with Platt's straight line."""
_FOLDS = 5


class LabelUse(StrEnum):
    """What the labels given to `fit` were used for."""

    NONE = "none"
    CALIBRATION = "calibration"
    """Calibration and the verdict's threshold."""
    TRAINING = "training"
    """The classifier itself, and by cross-validation calibration and threshold."""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What calibration settles: the map of probabilities and the verdict's threshold.

    A case is called incorrect where its calibrated probability of being incorrect is at least
    `threshold`.
    """

    calibrator: Calibrator
    threshold: float


def label_array(
    inspections: Sequence[Inspection], labels: Mapping[str | int, bool] | None
) -> NDArray[np.float64]:
    """Return `[n]` 1 for incorrect, 0 for correct, NaN where no label is given.

    Ids are compared by their text.

    Raises
    ------
    InputError
        Where labels are given and none is for any of the cases.
    """
    known = {str(question_id): not correct for question_id, correct in (labels or {}).items()}
    found = np.array(
        [known.get(str(inspection.case.question_id), np.nan) for inspection in inspections],
        dtype=np.float64,
    )
    if known and np.isnan(found).all():
        raise InputError(
            f"none of the {len(known)} labels is for any of the {len(found)} training cases",
            field="question_id",
        )
    return found


def label_use(labels: NDArray[np.float64], *, trainable: bool) -> LabelUse:
    """Decide what `[n]` labels, NaN where unknown, are good for.

    Raises
    ------
    InputError
        Where there are labels for most cases but all of one class.
    """
    known = labels[~np.isnan(labels)]
    if not len(known):
        return LabelUse.NONE
    enough = len(known) >= SUPERVISED_LABELS and len(known) >= SUPERVISED_SHARE * len(labels)
    if not (trainable and enough):
        return LabelUse.CALIBRATION
    if known.min() == known.max():
        only = "incorrect" if known[0] > 0.5 else "correct"
        raise InputError(f"every label says {only}: a classifier needs both classes")
    return LabelUse.TRAINING


def case_groups(inspections: Sequence[Inspection]) -> NDArray[np.int64]:
    """Return `[n]` group numbers: by database, or by question where there is one database.

    Cases of one group share too much to be on both sides of a split.
    """
    keys = [inspection.case.db_id for inspection in inspections]
    if len(set(keys)) < 2:
        keys = [inspection.case.question for inspection in inspections]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return np.array([numbers[key] for key in keys], dtype=np.int64)


def out_of_fold(
    new: Callable[[], Classifier],
    table: FeatureTable,
    labels: NDArray[np.float64],
    groups: NDArray[np.int64],
    *,
    seed: int,
    time_limit: float | None,
) -> NDArray[np.float64]:
    """Return `[n]` probabilities of being incorrect from classifiers that never saw the case.

    NaN where a fold's other side holds one class only, or where there is only one group.
    """
    from sklearn.model_selection import GroupKFold

    predicted = np.full(len(labels), np.nan)
    n_folds = min(_FOLDS, len(np.unique(groups)))
    if n_folds < 2:
        return predicted
    for rest, held in GroupKFold(n_folds).split(table.values, groups=groups):
        if labels[rest].min() == labels[rest].max():
            continue
        classifier = new().fit(
            table.rows(rest), labels[rest], groups[rest], seed=seed, time_limit=time_limit
        )
        predicted[held] = classifier.predict(table.rows(held))
    return predicted


def unlabeled_temperature(classifier: Classifier) -> float:
    """Return what log-odds that no label of these cases has seen are divided by.

    Label models add the votes up as if they were independent, and what learns from their
    probabilities repeats it: the same mistake counts several times. The additive classifier, and
    one that starts from it, keep to weights of their own, and a majority is a share: they do not.
    """
    if isinstance(classifier, AdditiveClassifier | WarmStartClassifier):
        return 1.0
    if isinstance(classifier, PassThrough) and isinstance(classifier.label_model, MajorityVote):
        return 1.0
    return UNLABELED_TEMPERATURE


def calibrate(
    method: str,
    raw: NDArray[np.float64],
    labels: NDArray[np.float64],
    class_balance: float,
    threshold: float | None,
    temperature: float = UNLABELED_TEMPERATURE,
) -> Calibrated:
    """Fit the calibration and settle the threshold.

    Parameters
    ----------
    method
        A name in `CALIBRATIONS`.
    raw
        `[n]` probabilities of being incorrect, from a classifier that did not see the labels.
    labels
        `[n]` 1 for incorrect, 0 for correct, NaN where unknown.
    class_balance
        Share of incorrect queries, what `balance` calibrates to.
    threshold
        The verdict's threshold where it is given; else the one of best F1 on the labels, and
        without labels of both classes the one of the best F1 to be expected from the calibrated
        probabilities.
    temperature
        What `balance` divides the log-odds by, see `unlabeled_temperature`.

    Raises
    ------
    InputError
        Where the method needs labels and there are none.
    """
    known = ~np.isnan(labels)
    n_labels = int(known.sum())
    both = n_labels > 0 and labels[known].min() < labels[known].max()
    if method == "auto":
        method = _automatic(n_labels, both)
    if method in ("platt", "isotonic") and not n_labels:
        raise InputError(f"the calibration '{method}' needs labels; without any, use 'balance'")
    calibrator: Calibrator = NoCalibration()
    if method == "balance":
        calibrator = fit_balance(raw, class_balance, temperature)
    elif method == "platt":
        calibrator = fit_platt(raw[known], labels[known])
    elif method == "isotonic":
        calibrator = fit_isotonic(raw[known], labels[known])
    if threshold is None:
        calibrated = calibrator.apply(raw)
        if both:
            threshold = best_f1_threshold(calibrated[known], labels[known])
        else:
            threshold = best_f1_threshold(calibrated, calibrated)
    return Calibrated(calibrator, threshold)


def _automatic(n_labels: int, both: bool) -> str:
    if not both:
        return "balance"
    return "isotonic" if n_labels >= ISOTONIC_LABELS else "platt"
