"""Detectors like the packaged one that never saw the benchmark on which they are the start."""

from __future__ import annotations

import dataclasses
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from clausewise.labeling import OutsideVotes
from clausewise.models import Detector
from clausewise.models.calibration.alarms import DEFAULT_ALARMS, point_at
from clausewise.models.calibration.settings import SettingCalibrators
from clausewise.models.probability import sigmoid
from clausewise.models.table import QUESTION_UNREAD, FeatureTable
from clausewise.models.waiving import judged
from clausewise.signals import SignalSpec
from clausewise.signals.reasons import BASE_SHARE
from clausewise.types import Inspection, Strictness
from experiments.common.data import BENCHMARKS, System, pooled, without_reading
from experiments.common.workspace import Workspace
from experiments.packaged_detector.learning import (
    SOURCES,
    TARGETS,
    fitted_line,
    learned_weights,
    left_out,
    sample_of,
    thresholds,
)
from experiments.reasons.counting import seen_predictions
from experiments.reasons.learning import Strengths, regraded
from experiments.reasons.run import strengths_from


def trained_on_labels(
    systems: Sequence[System],
    signals: str | Sequence[SignalSpec] = "all",
    strictness: Strictness = Strictness.STRICT,
) -> Detector:
    """Return a detector like the packaged one, learned from labels of predictions alone.

    `systems` may be of any population; those that a detector for these conventions does not learn
    from are left out. Where no question can be read it has a calibration of its own, fitted to the
    same predictions without what the signals read.
    """
    systems = [one for one in systems if one.benchmark in SOURCES[strictness]]
    detector = Detector(
        signals=signals,
        label_model="weighted",
        classifier="additive",
        start="none",
        calibration="balance",
        class_balance=BASE_SHARE,
        conventions=strictness.value,
    )
    detector.fit_inspections(*pooled(systems))
    learned, none = detector.learned_, OutsideVotes(())

    def table_of(items: Sequence[Inspection]) -> FeatureTable:
        seen = [judged(item, strictness) for item in items]
        return learned.space.table(seen, learned.space.label_matrix(seen, none), none)

    sample = sample_of(systems, table_of)
    classifier = learned_weights(sample, strictness)
    of_target = np.isin(sample.populations, TARGETS[strictness])
    log_odds = left_out(sample, strictness)[of_target]
    target = sample.rows(of_target)
    line = fitted_line(log_odds, target.incorrect, target.weights())
    unread = sample_of([without_reading(one, detector.specs()) for one in systems], table_of)
    unread = unread.rows(of_target)
    unread_line = fitted_line(classifier.log_odds(unread.table), unread.incorrect, unread.weights())
    found = sigmoid(line.slope * log_odds + line.shift)
    points = thresholds(target, found)
    replaced = ("points_from", "parts")  # of the fit above, which is not what is kept
    training = {
        **{key: value for key, value in learned.training.items() if key not in replaced},
        "n_labels": len(sample.incorrect),
        "n_trained": len(sample.incorrect),
        "label_use": "training",
        "balance": "given",
        "populations": dict(Counter(sample.populations.tolist())),
    }
    detector.learned_ = dataclasses.replace(
        learned,
        classifier=classifier,
        calibrators=SettingCalibrators(line, {QUESTION_UNREAD: unread_line}),
        threshold=point_at(points, DEFAULT_ALARMS).threshold,
        points=points,
        training=training,
    )
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
