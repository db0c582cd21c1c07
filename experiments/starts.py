"""Detectors like the packaged one that never saw the benchmark on which they are the start."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from clausewise.signals import select_signals
from experiments.cache import alone, inspected
from experiments.data import Benchmark
from experiments.packaged_detector.evaluate import new
from experiments.packaged_detector.train import BENCHMARKS, pooled


def starts(
    data: Path, benchmarks: Sequence[str], cache: Path, folder: Path, jobs: int = 1
) -> dict[str, str]:
    """Train, for each benchmark, a detector on the labels of the others; return their folders.

    As the packaged detector is, it is trained on every prediction alone and with candidates.
    """
    specs = select_signals()
    made = {}
    for name in benchmarks:
        learned = [
            system
            for other in BENCHMARKS
            if other != name
            for system in inspected(Benchmark(data / other), specs, cache, jobs)
        ]
        single = [alone(system, specs) for system in learned]
        new("additive", "labels").fit_inspections(*pooled([*single, *learned])).save(folder / name)
        made[name] = str(folder / name)
    return made
