"""Train the detector that ships with clausewise, on every labeled prediction of the data.

    python -m experiments.packaged_detector.train DATA --out clausewise/models/packaged

The strengths of reasons come first (`experiments/reasons`). Labels are read here: that is what
public benchmarks are for; those that say nothing (`vacuous`) are left out. What candidates add is
learned apart (`experiments/candidates`). What the detector is worth on databases that it has not
seen is measured by `evaluate.py` beside this file.
"""

from __future__ import annotations

import shutil

from experiments.common.data import BENCHMARKS
from experiments.common.starts import trained_on_labels
from experiments.common.workspace import Workspace, parser


def main() -> None:
    """Train and write the detector."""
    workspace = Workspace.of(parser(__doc__).parse_args())
    systems = [system for name in BENCHMARKS for system in workspace.systems(name)]
    detector = trained_on_labels(systems)
    shutil.rmtree(workspace.out, ignore_errors=True)
    detector.save(workspace.out)
    count = sum(len(system.labels) for system in systems)
    print(f"{count} labels of {len(systems)} systems; written to {workspace.out}")


if __name__ == "__main__":
    main()
