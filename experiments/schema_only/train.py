"""Train the detector that ships for cases of which only the schema is known.

    python -m experiments.schema_only.train DATA --out clausewise/models/packaged_schema_only

As `experiments/packaged_detector/train.py`, on the same predictions and labels, inspected without
data. The strengths of reasons are those of the package. What it is worth on databases that it has
not seen is measured by `evaluate.py` beside this file.
"""

from __future__ import annotations

import shutil

from experiments.common.data import BENCHMARKS
from experiments.common.starts import trained_on_labels
from experiments.common.workspace import Workspace, parser
from experiments.schema_only.views import SCHEMA, viewed_systems


def main() -> None:
    """Train and write the detector."""
    workspace = Workspace.of(parser(__doc__).parse_args())
    systems = [one for name in BENCHMARKS for one in viewed_systems(workspace, name, SCHEMA)]
    detector = trained_on_labels(systems)
    shutil.rmtree(workspace.out, ignore_errors=True)
    detector.save(workspace.out)
    count = sum(len(system.labels) for system in systems)
    print(f"{count} labels of {len(systems)} systems; written to {workspace.out}")


if __name__ == "__main__":
    main()
