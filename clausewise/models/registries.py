"""The label models, classifiers and calibrations that can be chosen by name."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from clausewise.errors import MissingExtraError, install_command
from clausewise.models.estimator import unfitted_copy
from clausewise.registry import Registry
from clausewise.types import Strictness

if TYPE_CHECKING:
    from clausewise.models.classifiers.base import Classifier
    from clausewise.models.label_models.votes import LabelModel
    from clausewise.models.start import Start

_CLASSIFIERS, _LABEL_MODELS = "clausewise.models.classifiers", "clausewise.models.label_models"

LABEL_MODELS: Registry[type[LabelModel]] = Registry("label model")
LABEL_MODELS.add_from("snorkel", f"{_LABEL_MODELS}.snorkel", "SnorkelLabelModel")
LABEL_MODELS.add_from("majority", f"{_LABEL_MODELS}.votes", "MajorityVote")
LABEL_MODELS.add_from("weighted", f"{_LABEL_MODELS}.votes", "WeightedVote")

CLASSIFIERS: Registry[type[Classifier]] = Registry("classifier")
CLASSIFIERS.add_from("autogluon", f"{_CLASSIFIERS}.autogluon", "AutoGluonClassifier")
CLASSIFIERS.add_from("logistic", f"{_CLASSIFIERS}.base", "LogisticClassifier")
CLASSIFIERS.add_from("additive", f"{_CLASSIFIERS}.additive", "AdditiveClassifier")
CLASSIFIERS.add_from("none", f"{_CLASSIFIERS}.base", "PassThrough")

_ANCHORED = ("autogluon", "logistic")

CALIBRATIONS: Registry[str] = Registry("calibration")
CALIBRATIONS.add("auto", "isotonic or Platt where there are labels, else balance")
CALIBRATIONS.add("balance", "shift to the class balance; needs no labels")
CALIBRATIONS.add("platt", "a straight line in log-odds, from labels")
CALIBRATIONS.add("isotonic", "any rising curve, from some hundreds of labels")
CALIBRATIONS.add("none", "the classifier's own probability")


PACKAGED = Path(__file__).parent / "packaged"
"""Folder of the detector that ships with clausewise."""
PACKAGED_SCHEMA_ONLY = Path(__file__).parent / "packaged_schema_only"
"""Folder of the one for cases of which only the schema is known."""
PACKAGED_STRICT = Path(__file__).parent / "packaged_strict"
"""Folder of the one that counts conventions as the benchmarks count them."""
PACKAGED_STRICT_SCHEMA_ONLY = Path(__file__).parent / "packaged_strict_schema_only"
"""Folder of the one that does so where only the schema is known."""
_PACKAGED = {
    (True, Strictness.RELAXED): PACKAGED,
    (False, Strictness.RELAXED): PACKAGED_SCHEMA_ONLY,
    (True, Strictness.STRICT): PACKAGED_STRICT,
    (False, Strictness.STRICT): PACKAGED_STRICT_SCHEMA_ONLY,
}
ALONE = "alone"
NOTHING = ("none", ALONE)
"""Starts from nothing: beside the plain sum of the evidence; and, as in SQLens, on the votes alone
with nothing beside."""
_STARTS = {"packaged": True, "packaged-schema": False}
"""Whether the packaged start is for cases with data."""


def packaged_folder(has_data: bool = True, conventions: str = Strictness.RELAXED) -> Path:
    """Return the folder of the packaged detector for cases with data or without.

    Raises InputError where there are no conventions of that name.
    """
    return _PACKAGED[has_data, Strictness.named(conventions)]


BASE_LABEL_MODEL, BASE_CLASSIFIER = "weighted", "additive"
"""What the base install has."""
_WITHOUT_EXTRAS = (
    "or choose what the base install has: --label-model weighted --classifier additive"
)


def require_extras(label_model: str | Any, classifier: str | Any) -> None:
    """Raise MissingExtraError that names every chosen library that is not installed.

    Names and instances are taken. Raises RegistryError for an unknown name.
    """
    chosen = {
        "label model": LABEL_MODELS[label_model] if isinstance(label_model, str) else label_model,
        "classifier": CLASSIFIERS[classifier] if isinstance(classifier, str) else classifier,
    }
    needed = [(what, getattr(component, "requires", None)) for what, component in chosen.items()]
    missing = [
        f"the {what} {library}"
        for what, library in needed
        if library is not None and not _is_installed(library)
    ]
    if missing:
        raise MissingExtraError(" and ".join(missing), "learn", _WITHOUT_EXTRAS)


def installed_components() -> tuple[str, str]:
    """Return the label model and the classifier to take where none is named.

    Snorkel and AutoGluon; in place of one that is not installed, what the base install has.
    """
    return (
        "snorkel" if _is_installed("snorkel") else BASE_LABEL_MODEL,
        "autogluon" if _is_installed("autogluon") else BASE_CLASSIFIER,
    )


def replaced_text(label_model: object | None, classifier: object | None) -> str | None:
    """Return what is taken in place of libraries that are not installed, None for nothing.

    `label_model` and `classifier` are what was chosen, None where nothing was.
    """
    taken = {
        library: f"the {what} {base}"
        for library, what, base, chosen in (
            ("snorkel", "label model", BASE_LABEL_MODEL, label_model),
            ("autogluon", "classifier", BASE_CLASSIFIER, classifier),
        )
        if chosen is None and not _is_installed(library)
    }
    if not taken:
        return None
    verb = "are" if len(taken) > 1 else "is"
    return (
        f"{' and '.join(taken)} {verb} not installed ({install_command('learn')}): taking "
        f"{' and '.join(taken.values())}"
    )


def _is_installed(library: str) -> bool:
    return importlib.util.find_spec(library) is not None


def new_label_model(chosen: str | Any) -> LabelModel:
    """Return an unfitted label model of that name, or for that instance.

    Raises RegistryError for an unknown name.
    """
    if isinstance(chosen, str):
        return LABEL_MODELS[chosen]()
    if type(chosen) in LABEL_MODELS.values():
        return cast("LabelModel", unfitted_copy(chosen))
    from clausewise.models.label_models.custom import CustomLabelModel

    return CustomLabelModel(chosen)


def new_classifier(
    chosen: str | Any,
    start: str,
    label_model: LabelModel,
    conventions: str = Strictness.RELAXED,
) -> Classifier:
    """Return an unfitted classifier of that name, or for that instance.

    `start` is `none`, `alone`, `packaged`, or the folder of a detector with an additive classifier.

    Raises RegistryError for an unknown name, DetectorError where there is no such start.
    """
    inner = _without_start(chosen, label_model)
    if start == ALONE:
        return _on_votes(inner)
    if not _is_started(chosen, start, inner):
        return inner
    from clausewise.models.classifiers.warm_start import WarmStartClassifier

    known = start_of(start, conventions)
    own = None if known is None else known.classifier
    return cast("Classifier", WarmStartClassifier(own, inner))


def _is_started(chosen: str | Any, start: str, inner: Classifier) -> bool:
    """Return whether a classifier is fitted beside a start.

    Without a start the classifiers of `_ANCHORED` stand beside the plain sum of the evidence: from
    votes alone they rank worse than that. As instances they are fitted with nothing beside.
    """
    if not inner.learns or start == ALONE:
        return False
    return start != "none" or (isinstance(chosen, str) and chosen in _ANCHORED)


def _on_votes(inner: Classifier) -> Classifier:
    """Return a classifier that sees votes only; one that repeats the label model does anyway."""
    if not inner.learns:
        return inner
    from clausewise.models.classifiers.votes_only import VotesOnly

    return cast("Classifier", VotesOnly(inner))


def _without_start(chosen: str | Any, label_model: LabelModel) -> Classifier:
    if not isinstance(chosen, str):
        if hasattr(chosen, "predict_proba"):
            from clausewise.models.classifiers.custom import EstimatorClassifier

            return EstimatorClassifier(chosen)
        return cast("Classifier", unfitted_copy(chosen))
    kind: Any = CLASSIFIERS[chosen]
    of_label_model = getattr(kind, "of_label_model", None)
    made = kind() if of_label_model is None else of_label_model(label_model)
    return cast("Classifier", made)


def start_of(start: str, conventions: str = Strictness.RELAXED) -> Start | None:
    """Return what `start` names: None for `none`, else a fitted detector's parts.

    `conventions` says which packaged one.

    Raises DetectorError where there is no such detector.
    """
    if start in NOTHING:
        return None
    from clausewise.models.start import Start

    if start in _STARTS:
        return Start.load(packaged_folder(_STARTS[start], conventions))
    return Start.load(Path(start))


def classifier_class(chosen: str | Any) -> type[Classifier]:
    """Return the class by which a classifier of that name, or for that instance, is loaded."""
    if isinstance(chosen, str):
        return CLASSIFIERS[chosen]
    from clausewise.models.classifiers.custom import EstimatorClassifier

    return EstimatorClassifier if hasattr(chosen, "predict_proba") else type(chosen)


def is_fitted_there(chosen: str | Any, start: str, folder: Path) -> bool:
    """Return whether a saved classifier has more than its start: learned files of its own.

    Raises what damaged content raises.
    """
    if not isinstance(chosen, str) or start in NOTHING:
        return True
    from clausewise.models.classifiers.warm_start import WarmStartClassifier

    return WarmStartClassifier.saved_share(folder) > 0.0


def load_classifier(
    chosen: str | Any, start: str, folder: Path, label_model: LabelModel
) -> Classifier:
    """Return the classifier of that name or instance, and that start, saved in `folder`."""

    def fitted() -> Classifier:
        return classifier_class(chosen).load(folder, label_model)

    def unfitted() -> Classifier:
        return _without_start(chosen, label_model)

    if start == ALONE:
        return _on_votes(fitted())
    if not _is_started(chosen, start, unfitted()):
        return fitted()
    from clausewise.models.classifiers.warm_start import WarmStartClassifier

    return cast("Classifier", WarmStartClassifier.load(folder, fitted, unfitted))
