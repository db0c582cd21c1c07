"""Detectors like the packaged one that never saw the benchmark on which they are the start."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from clausewise.labeling import OutsideVotes
from clausewise.models import Detector
from clausewise.models.calibration.maps import fit_platt
from clausewise.models.calibration.settings import SettingCalibrators
from clausewise.models.features import running
from clausewise.models.labels import label_array
from clausewise.models.table import QUESTION_UNREAD
from clausewise.signals import SignalSpec
from experiments.common.data import BENCHMARKS, System, pooled, without_reading
from experiments.common.workspace import Workspace
from experiments.reasons.counting import seen_predictions
from experiments.reasons.learning import Strengths, regraded
from experiments.reasons.run import strengths_from


def trained_on_labels(
    systems: Sequence[System], signals: str | Sequence[SignalSpec] = "all"
) -> Detector:
    """Return a detector like the packaged one, fitted to labels of predictions without candidates.

    Where no question can be read it has a calibration of its own, fitted to the same predictions
    without what the signals read.
    """
    detector = Detector(
        signals=signals,
        label_model="weighted",
        classifier="additive",
        start="none",
        calibration="platt",
    )
    detector.fit_inspections(*pooled(systems))
    unread = [without_reading(system, detector.specs()) for system in systems]
    inspections, labels = pooled(unread)
    usable = running(inspections)
    learned, none = detector.learned_, OutsideVotes(())
    table = learned.space.table(usable, learned.space.label_matrix(usable, none), none)
    raw = learned.classifier.predict(table)
    line = fit_platt(raw, label_array(usable, labels))
    usual = learned.calibrators.usual
    calibrators = SettingCalibrators(usual, {QUESTION_UNREAD: line})
    detector.learned_ = dataclasses.replace(learned, calibrators=calibrators)
    return detector


@contextmanager
def starts(workspace: Workspace) -> Iterator[dict[str, str]]:
    """Train, for each benchmark, a detector on the labels of the others; yield their folders.

    The folders are removed at the end. What is scored has the strengths of `strengths_elsewhere`
    only where it is regraded by them.
    """
    with tempfile.TemporaryDirectory() as folder:
        made = {}
        for name in workspace.benchmarks:
            others = [other for other in BENCHMARKS if other != name]
            single = [system for other in others for system in workspace.systems(other)]
            made[name] = str(Path(folder) / name)
            trained_on_labels(regraded(single, strengths_elsewhere(workspace, name))).save(
                Path(made[name])
            )
        yield made


def strengths_elsewhere(workspace: Workspace, name: str) -> Strengths:
    """Return the strengths of reasons learned without a benchmark."""
    others = [other for other in BENCHMARKS if other != name]
    seen = seen_predictions(system for other in others for system in workspace.systems(other))
    return strengths_from(seen)
