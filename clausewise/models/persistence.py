"""A fitted detector to its folder and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clausewise.errors import ClausewiseError, DetectorError
from clausewise.models.calibration.maps import calibrator_from_json
from clausewise.models.features import FeatureSpace
from clausewise.models.learning import Learned, Settings
from clausewise.models.registries import CLASSIFIERS, LABEL_MODELS, load_classifier
from clausewise.models.storage.card import card_text
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
    }

    def fill(target: Path) -> None:
        write_json(target / LABEL_MODEL, learned.label_model.to_json())
        write_json(target / CALIBRATION, learned.calibrator.to_json())
        (target / CARD).write_text(card_text(manifest), encoding="utf-8")
        (target / CLASSIFIER).mkdir()
        learned.classifier.save(target / CLASSIFIER)

    write_folder(folder, manifest, fill, pickles=learned.classifier.holds_pickles)


def load_learned(folder: Path, *, trust: bool) -> tuple[Learned, Settings, str | None]:
    """Read what `save_learned` wrote: all that was learned, the settings, the selector."""
    manifest = read_manifest(folder, trust=trust)
    try:
        return _rebuilt(folder, manifest)
    except ClausewiseError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise DetectorError(
            f"the detector cannot be rebuilt ({type(error).__name__}: {error}): it is damaged or "
            "was not written by clausewise",
            path=folder,
        ) from error


def _rebuilt(folder: Path, manifest: dict[str, Any]) -> tuple[Learned, Settings, str | None]:
    settings = Settings(**manifest["settings"])
    settings.check()
    space = FeatureSpace.from_json(manifest["features"])
    if list(space.names) != manifest["columns"]:
        raise DetectorError(
            "this clausewise makes other columns of the same signals; fit the detector again",
            path=folder / MANIFEST,
            field="columns",
        )
    kind = CLASSIFIERS[settings.classifier]
    if kind.holds_pickles and not manifest["holds_pickles"]:
        raise DetectorError(
            "its classifier holds pickles and the manifest denies it",
            path=folder / MANIFEST,
            field="holds_pickles",
        )
    label_model = LABEL_MODELS[settings.label_model].from_json(read_json(folder / LABEL_MODEL))
    learned = Learned(
        space=space,
        label_model=label_model,
        classifier=load_classifier(
            settings.classifier, settings.start, folder / CLASSIFIER, label_model
        ),
        calibrator=calibrator_from_json(read_json(folder / CALIBRATION)),
        threshold=float(manifest["threshold"]),
        class_balance=float(manifest["class_balance"]),
        training=manifest["training"],
    )
    return learned, settings, manifest["selector"]
