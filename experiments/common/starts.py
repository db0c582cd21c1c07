"""Detectors like the packaged one that never saw the benchmark on which they are the start."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from clausewise.models import Detector
from experiments.common.data import BENCHMARKS, System, pooled
from experiments.common.workspace import Workspace


def trained_on_labels(systems: Sequence[System]) -> Detector:
    """Return a detector with the packaged one's classifier and calibration, fitted to labels."""
    detector = Detector(
        label_model="weighted", classifier="additive", start="none", calibration="platt"
    )
    return detector.fit_inspections(*pooled(systems))


@contextmanager
def starts(workspace: Workspace) -> Iterator[dict[str, str]]:
    """Train, for each benchmark, a detector on the labels of the others; yield their folders.

    As the packaged detector is, each is trained on every prediction alone and with candidates. The
    folders are removed at the end.
    """
    with tempfile.TemporaryDirectory() as folder:
        made = {}
        for name in workspace.benchmarks:
            others = [other for other in BENCHMARKS if other != name]
            single = [system for other in others for system in workspace.systems(other)]
            full = [s for other in others for s in workspace.systems(other, candidates=True)]
            made[name] = str(Path(folder) / name)
            trained_on_labels([*single, *full]).save(Path(made[name]))
        yield made
