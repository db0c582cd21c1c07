"""Compare estimates of the share of incorrect queries with the truth.

python -m experiments.share.run DATA --out RESULTS
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clausewise.models import Detector
from clausewise.models.prior import estimate_share
from experiments.common.data import System, labeled_scores
from experiments.common.results import Cell, grouped, number, read_csv, write_csv, write_report
from experiments.common.starts import starts, strengths_elsewhere
from experiments.common.tables import markdown_table
from experiments.common.workspace import Workspace, parser
from experiments.reasons.learning import in_force, regraded

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
OWN = "as it is"
ESTIMATES = ("estimate", "mean probability")
SEED = 0


def estimates(incorrect: NDArray[np.float64], prior: float, databases: int) -> dict[str, Cell]:
    """Return every estimate of the share from `[n]` probabilities, calibrated at a share."""
    return {
        "estimate": estimate_share(incorrect, prior, databases).share,
        "mean probability": float(incorrect.mean()),
    }


def samples(labels: NDArray[np.bool_]) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Yield all cases, then samples with a known share of incorrect ones."""
    yield OWN, np.arange(len(labels))
    rng = np.random.default_rng(SEED)
    wrong, right = np.flatnonzero(labels), np.flatnonzero(~labels)
    for share in SHARES:
        size = min(len(wrong) / share, len(right) / (1.0 - share))
        chosen = [
            rng.choice(wrong, int(size * share), replace=False),
            rng.choice(right, int(size * (1.0 - share)), replace=False),
        ]
        yield f"{share:g}", np.concatenate(chosen)


def rows_of(system: System, detector: Detector) -> Iterator[dict[str, Cell]]:
    """Yield a row for each sample of a system's predictions."""
    pairs = labeled_scores(system, detector.score_inspections(system.inspections))
    incorrect = np.array([1.0 - (case.p_correct or 0.0) for case, _ in pairs])
    labels = np.array([wrong for _, wrong in pairs])
    databases = len({case.db_id for case, _ in pairs})
    for name, chosen in samples(labels):
        row: dict[str, Cell] = {"benchmark": system.benchmark, "sample": name}
        row |= {"system": system.name, "cases": len(chosen), "truth": float(labels[chosen].mean())}
        yield row | estimates(incorrect[chosen], detector.class_balance_, databases)


def report(folder: Path) -> str:
    """Return the means over systems as tables."""
    parts = ["# Results\n\nMeans over systems; in brackets the mean distance from the truth.\n"]
    for (name,), rows in grouped(read_csv(folder / "results.csv"), "benchmark").items():
        lines = []
        for (sample,), of in grouped(rows, "sample").items():
            truth = np.array([number(row, "truth") for row in of])
            cells = []
            for kind in ESTIMATES:
                found = np.array([number(row, kind) for row in of])
                cells.append(f"{found.mean():.3f} ({np.abs(found - truth).mean():.3f})")
            lines.append([sample, f"{truth.mean():.3f}", *cells])
        table = markdown_table(["incorrect", "truth", *ESTIMATES], lines)
        parts.append(f"## {name}\n\n{table}")
    return "\n".join(parts)


def main() -> None:
    """Run the experiment and write its results."""
    workspace = Workspace.of(parser(__doc__).parse_args())
    rows: list[dict[str, Cell]] = []
    with starts(workspace) as made:
        for name in workspace.benchmarks:
            detector = Detector.load(made[name])
            strengths = strengths_elsewhere(workspace, name)
            for system in regraded(workspace.systems(name), strengths):
                with in_force(strengths):
                    rows += rows_of(system, detector)
    write_csv(workspace.out / "results.csv", rows)
    write_report(workspace.out, report)


if __name__ == "__main__":
    main()
