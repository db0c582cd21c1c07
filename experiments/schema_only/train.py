"""Train the detectors that ship for cases of which only the schema is known.

    python -m experiments.schema_only.train DATA --conventions relaxed \\
        --out clausewise/models/packaged_schema_only
    python -m experiments.schema_only.train DATA --conventions strict \\
        --out clausewise/models/packaged_strict_schema_only

As `experiments/packaged_detector/train.py`, on the same predictions and labels, inspected without
data. What they are worth on databases that they have not seen is measured by `evaluate.py` beside
this file.
"""

from __future__ import annotations

import shutil

from clausewise.types import Strictness
from experiments.common.starts import trained_on_labels
from experiments.common.workspace import Workspace, parser
from experiments.packaged_detector.learning import SOURCES
from experiments.schema_only.views import SCHEMA, viewed_systems


def main() -> None:
    """Train and write the detector."""
    made = parser(__doc__)
    made.add_argument("--conventions", choices=list(Strictness), default=Strictness.RELAXED)
    arguments = made.parse_args()
    workspace = Workspace.of(arguments)
    strictness = Strictness(arguments.conventions)
    systems = [
        one for name in SOURCES[strictness] for one in viewed_systems(workspace, name, SCHEMA)
    ]
    detector = trained_on_labels(systems, strictness=strictness)
    shutil.rmtree(workspace.out, ignore_errors=True)
    detector.save(workspace.out)
    count = sum(len(system.labels) for system in systems)
    print(f"{count} labels of {len(systems)} systems; written to {workspace.out}")


if __name__ == "__main__":
    main()
