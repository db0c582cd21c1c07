"""A fitted detector to its folder and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from clausewise.errors import ClausewiseError, DetectorError, MissingExtraError, RegistryError
from clausewise.models.calibration.alarms import OperatingPoint
from clausewise.models.calibration.maps import calibrator_from_json
from clausewise.models.calibration.settings import SettingCalibrators
from clausewise.models.card import card_text, component_text
from clausewise.models.classifiers.base import Classifier
from clausewise.models.features import FeatureSpace
from clausewise.models.gold import load_expectation, save_expectation
from clausewise.models.label_models.votes import LabelModel
from clausewise.models.learned import Learned
from clausewise.models.registries import (
    LABEL_MODELS,
    classifier_class,
    is_fitted_there,
    load_classifier,
)
from clausewise.models.settings import Settings, is_pickled, pickled_components
from clausewise.models.storage.folder import (
    CALIBRATION,
    CARD,
    CLASSIFIER,
    LABEL_MODEL,
    MANIFEST,
    read_json,
    read_manifest,
    write_folder,
    write_json,
)
from clausewise.models.storage.pickles import read_pickle, write_pickle
from clausewise.models.table import FeatureTable
from clausewise.text import one_line, shortened

SETTINGS_PICKLE = "settings.pickle"
"""The label model, classifier and calibration as they were given, where they were no names."""
LABEL_MODEL_PICKLE = "label_model.pickle"
CALIBRATION_PICKLE = "calibration.pickle"

_DAMAGED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What content of the wrong kind raises where it is used."""


def save_learned(learned: Learned, settings: Settings, selector: str | None, folder: Path) -> None:
    """Write a fitted detector to `folder`; see `Detector.save`."""
    manifest: dict[str, Any] = {
        "selector": selector,
        "settings": settings.to_json(),
        "features": learned.space.to_json(),
        "columns": list(learned.space.names),
        "class_balance": learned.class_balance,
        "threshold": learned.threshold,
        "training": dict(learned.training),
        "own_expectation": learned.expectation is not None,
        "reference": dict(learned.reference),
        "agreement_factor": learned.agreement_factor,
        "points": [point.to_json() for point in learned.points],
    }

    instances = settings.instances()

    def fill(target: Path) -> None:
        write_json(target / LABEL_MODEL, learned.label_model.to_json())
        write_json(target / CALIBRATION, learned.calibrators.to_json())
        (target / CARD).write_text(card_text(manifest), encoding="utf-8")
        (target / CLASSIFIER).mkdir()
        learned.classifier.save(target / CLASSIFIER)
        if learned.expectation is not None:
            save_expectation(learned.expectation, target)
        if instances:
            write_pickle(target / SETTINGS_PICKLE, instances)
        if "label_model" in instances:
            write_pickle(target / LABEL_MODEL_PICKLE, learned.label_model)
        if "calibration" in instances:
            write_pickle(target / CALIBRATION_PICKLE, learned.calibrators)

    pickles = bool(instances) or learned.classifier.holds_pickles
    write_folder(folder, manifest, fill, pickles=pickles)


def load_learned(folder: Path, *, trust: bool) -> tuple[Learned, Settings, str | None]:
    """Read what `save_learned` wrote: all that was learned, the settings, the selector.

    Raises DetectorError where anything of it is damaged, and UntrustedDetectorError as
    `read_manifest` does.
    """
    try:
        manifest = read_manifest(folder, trust=trust)
        rebuilt = _rebuilt(folder, manifest)
        if not manifest["holds_pickles"]:
            _try_out(rebuilt[0])
        return rebuilt
    except (DetectorError, MissingExtraError, RegistryError):
        raise
    except (ClausewiseError, *_DAMAGED) as error:
        why = f"{type(error).__name__}: {shortened(one_line(error), 200)}"
        raise DetectorError(
            f"the detector cannot be rebuilt ({why}): it is damaged or was not written by "
            "clausewise",
            path=folder,
        ) from error


def _try_out(learned: Learned) -> None:
    """Raise ValueError where what was loaded gives no probability: of wrong lengths, or no numbers.

    Looked at are three cases: one on which nothing votes, and two on which all vote alike.
    """
    votes = np.repeat(np.array([[-1], [0], [1]], np.int8), len(learned.space.function_names), 1)
    values = np.repeat(np.array([[0.0], [-1.0], [1.0]]), len(learned.space.names), 1)
    with np.errstate(all="ignore"):
        found = [
            learned.label_model.predict_proba(votes)[:, 0],
            learned.incorrect(FeatureTable(votes, values, learned.space.names)),
            np.array([learned.threshold, learned.class_balance]),
        ]
    for probabilities in found:
        if not ((probabilities >= 0.0) & (probabilities <= 1.0)).all():
            raise ValueError("it gives no probability between 0 and 1")


def _rebuilt(folder: Path, manifest: dict[str, Any]) -> tuple[Learned, Settings, str | None]:
    settings = _settings(folder, manifest)
    space = FeatureSpace.from_json(manifest["features"])
    if list(space.names) != manifest["columns"]:
        raise DetectorError(
            "this clausewise makes other columns of the same signals; fit the detector again",
            path=folder / MANIFEST,
            field="columns",
        )
    label_model = _label_model(folder, manifest["settings"]["label_model"])
    learned = Learned(
        space=space,
        label_model=label_model,
        classifier=_classifier(folder, settings, label_model, pickles=manifest["holds_pickles"]),
        calibrators=_calibrators(folder, manifest["settings"]["calibration"]),
        threshold=float(manifest["threshold"]),
        class_balance=float(manifest["class_balance"]),
        training=manifest["training"],
        expectation=load_expectation(folder) if manifest.get("own_expectation") else None,
        reference=manifest["reference"],
        agreement_factor=float(manifest["agreement_factor"]),
        points=tuple(map(OperatingPoint.from_json, manifest["points"])),
        strictness=settings.strictness,
    )
    return learned, settings, manifest["selector"]


def _settings(folder: Path, manifest: dict[str, Any]) -> Settings:
    """Return the settings; nothing is unpickled where the manifest denies pickles."""
    saved = manifest["settings"]
    pickled = pickled_components(saved)
    if pickled and not manifest["holds_pickles"]:
        raise _denied(pickled[0].replace("_", " "), folder)
    instances = read_pickle(folder / SETTINGS_PICKLE) if pickled else {}
    settings = Settings.from_json(saved, instances)
    settings.check()
    return settings


def _classifier(
    folder: Path, settings: Settings, label_model: LabelModel, *, pickles: bool
) -> Classifier:
    """Return the classifier; none whose files can run code where the manifest denies pickles."""
    kind = classifier_class(settings.classifier)
    if (
        getattr(kind, "holds_pickles", True)
        and not pickles
        and is_fitted_there(settings.classifier, settings.start, folder / CLASSIFIER)
    ):
        raise _denied("classifier", folder)
    return load_classifier(settings.classifier, settings.start, folder / CLASSIFIER, label_model)


def _denied(what: str, folder: Path) -> DetectorError:
    return DetectorError(
        f"its {what} holds pickles and the manifest denies it",
        path=folder / MANIFEST,
        field="holds_pickles",
    )


def _label_model(folder: Path, saved: Any) -> LabelModel:
    if is_pickled(saved):
        model: LabelModel = read_pickle(folder / LABEL_MODEL_PICKLE)
        return model
    return LABEL_MODELS[component_text(saved)].from_json(read_json(folder / LABEL_MODEL))


def _calibrators(folder: Path, saved: Any) -> SettingCalibrators:
    if is_pickled(saved):
        calibrators: SettingCalibrators = read_pickle(folder / CALIBRATION_PICKLE)
        return calibrators
    return SettingCalibrators.from_json(read_json(folder / CALIBRATION), calibrator_from_json)
