"""Train the detectors that ship with clausewise, on every labeled prediction of the data.

    python -m experiments.packaged_detector.train DATA --conventions relaxed \\
        --out clausewise/models/packaged
    python -m experiments.packaged_detector.train DATA --conventions strict \\
        --out clausewise/models/packaged_strict

Before it come the expectation (`experiments/expectation`) and the strengths of reasons
(`experiments/reasons`). Labels are read here: that is what public benchmarks and the made-up world
are for; those that say nothing (`vacuous`) or are disputed are left out. What candidates add is
learned apart (`experiments/candidates`). What the detectors are worth on databases that they have
not seen is measured by `evaluate.py` beside this file and by `experiments/world`.
"""

from __future__ import annotations

import shutil

from clausewise.types import Strictness
from experiments.common.starts import trained_on_labels
from experiments.common.workspace import Workspace, parser
from experiments.packaged_detector.learning import SOURCES


def main() -> None:
    """Train and write the detector."""
    made = parser(__doc__)
    made.add_argument("--conventions", choices=list(Strictness), default=Strictness.RELAXED)
    arguments = made.parse_args()
    workspace = Workspace.of(arguments)
    strictness = Strictness(arguments.conventions)
    systems = [one for name in SOURCES[strictness] for one in workspace.systems(name)]
    detector = trained_on_labels(systems, strictness=strictness)
    shutil.rmtree(workspace.out, ignore_errors=True)
    detector.save(workspace.out)
    count = sum(len(system.labels) for system in systems)
    print(f"{count} labels of {len(systems)} systems; written to {workspace.out}")
    for point in detector.learned_.points:
        print(point)


if __name__ == "__main__":
    main()
