"""Train the detector that ships with clausewise, on every labeled prediction of the data.

    python -m experiments.packaged_detector.train DATA --out clausewise/models/packaged

Every prediction is learned from twice: alone, and with the other systems' queries as candidates,
so that the detector knows what to do in both settings. Labels are read here: that is what public
benchmarks are for. What the detector is worth on databases that it has not seen is measured by
`evaluate.py` beside this file.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from clausewise.models import Detector
from clausewise.signals import select_signals
from experiments.common.data import BENCHMARKS, Benchmark, pooled

THRESHOLD = 1 / 3
"""Called incorrect from this probability on: a miss costs twice as much as a false alarm."""


def main() -> None:
    """Train and write the detector."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--signals", default="all")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    specs = select_signals(arguments.signals)
    systems = [
        system
        for name in BENCHMARKS
        for candidates in (False, True)
        for system in Benchmark(arguments.data / name).systems(
            specs, jobs=arguments.jobs, candidates=candidates
        )
    ]
    inspections, labels = pooled(systems)
    detector = Detector(
        signals=arguments.signals,
        label_model="weighted",
        classifier="additive",
        start="none",
        calibration="platt",
        threshold=THRESHOLD,
    )
    detector.fit_inspections(inspections, labels)
    shutil.rmtree(arguments.out, ignore_errors=True)
    detector.save(arguments.out)
    print(f"{len(inspections)} cases of {len(systems) // 2} systems; written to {arguments.out}")


if __name__ == "__main__":
    main()
