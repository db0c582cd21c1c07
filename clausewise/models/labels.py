"""What labels of training cases are used for, groups of cases, and out-of-fold probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from clausewise.errors import InputError
from clausewise.models.classifiers.base import Classifier
from clausewise.models.table import FeatureTable
from clausewise.types import Inspection

SUPERVISED_SHARE = 0.8
"""With labels for at least this share of the training cases, the classifier learns from them."""
SUPERVISED_LABELS = 50
"""Fewer labels than this are used for calibration and the threshold only."""
FEW_DATABASES = 6
"""With fewer databases what is learned is for these, and only questions are kept apart."""
_FOLDS = 5


class LabelUse(StrEnum):
    """What the labels given to `fit` were used for."""

    NONE = "none"
    CALIBRATION = "calibration"
    """Calibration and the verdict's threshold."""
    TRAINING = "training"
    """The classifier itself, and by cross-validation calibration and threshold."""


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
    given = {} if labels is None else labels
    known = {str(question_id): not correct for question_id, correct in given.items()}
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
    """Return `[n]` group numbers: by database, or by question where there are few databases.

    Cases of one group share too much to be on both sides of a split.
    """
    keys = [inspection.case.db_id for inspection in inspections]
    if len(set(keys)) < FEW_DATABASES:
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
