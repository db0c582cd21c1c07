"""The label models, classifiers and calibrations that can be chosen by name."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import cast

from clausewise.errors import DetectorError, MissingExtraError
from clausewise.models.classifiers.additive import AdditiveClassifier
from clausewise.models.classifiers.autogluon import AutoGluonClassifier
from clausewise.models.classifiers.base import Classifier, LogisticClassifier, PassThrough
from clausewise.models.classifiers.warm_start import WarmStartClassifier
from clausewise.models.label_models.snorkel import SnorkelLabelModel
from clausewise.models.label_models.votes import LabelModel, MajorityVote, WeightedVote
from clausewise.registry import Registry

LABEL_MODELS: Registry[type[LabelModel]] = Registry("label model")
LABEL_MODELS.add("snorkel", SnorkelLabelModel)
LABEL_MODELS.add("majority", MajorityVote)
LABEL_MODELS.add("weighted", WeightedVote)

CLASSIFIERS: Registry[type[Classifier]] = Registry("classifier")
CLASSIFIERS.add("autogluon", AutoGluonClassifier)
CLASSIFIERS.add("logistic", LogisticClassifier)
CLASSIFIERS.add("additive", AdditiveClassifier)
CLASSIFIERS.add("none", PassThrough)

CALIBRATIONS: Registry[str] = Registry("calibration")
CALIBRATIONS.add("auto", "isotonic or Platt where there are labels, else balance")
CALIBRATIONS.add("balance", "shift to the class balance; needs no labels")
CALIBRATIONS.add("platt", "a straight line in log-odds, from labels")
CALIBRATIONS.add("isotonic", "any rising curve, from some hundreds of labels")
CALIBRATIONS.add("none", "the classifier's own probability")


PACKAGED = Path(__file__).parent / "packaged"
"""Folder of the detector that ships with clausewise."""


_WITHOUT_EXTRAS = (
    "or choose what the base install has: --label-model weighted --classifier additive"
)


def require_extras(label_model: str, classifier: str) -> None:
    """Raise MissingExtraError that names every chosen library that is not installed.

    Raises RegistryError for an unknown name.
    """
    chosen = (LABEL_MODELS[label_model], CLASSIFIERS[classifier])
    missing = [
        f"the {option} {library}"
        for kind, library, option in (
            (SnorkelLabelModel, "snorkel", "label model"),
            (AutoGluonClassifier, "autogluon", "classifier"),
        )
        if kind in chosen and importlib.util.find_spec(library) is None
    ]
    if missing:
        raise MissingExtraError(" and ".join(missing), "learn", _WITHOUT_EXTRAS)


def classifier_maker(name: str, start: str = "none") -> Callable[[LabelModel], Classifier]:
    """Return what makes an unfitted classifier for a label model.

    `start` is `none`, `packaged`, or the folder of a detector with an additive classifier.

    Raises RegistryError for an unknown name, DetectorError where there is no such start.
    """
    kind = CLASSIFIERS[name]

    def make(label_model: LabelModel) -> Classifier:
        inner = PassThrough(label_model) if kind is PassThrough else kind()
        if start == "none":
            return inner
        return cast("Classifier", WarmStartClassifier(_start_of(start, label_model), inner))

    return make


def _start_of(start: str, label_model: LabelModel) -> AdditiveClassifier:
    folder = PACKAGED if start == "packaged" else Path(start)
    try:
        return AdditiveClassifier.load(folder / "classifier", label_model)
    except FileNotFoundError as error:
        raise DetectorError(
            "there is no detector with an additive classifier to start from; "
            "known words: packaged, none",
            path=folder,
            field="start",
        ) from error


def load_classifier(name: str, start: str, folder: Path, label_model: LabelModel) -> Classifier:
    """Return the classifier of that name and start that was saved in `folder`."""
    kind = CLASSIFIERS[name]
    if start == "none":
        return kind.load(folder, label_model)
    return cast("Classifier", WarmStartClassifier.load(folder, kind, label_model))
