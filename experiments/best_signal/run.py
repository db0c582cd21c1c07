"""Is the detector, on every system, at least as good as its best single signal?

    python -m experiments.best_signal.run DATA --out experiments/best_signal/results

Exits with 1 where a detector's AUC is more than 0.01 below that of the best signal by itself, taken
as the score of its strongest finding. The best signal is chosen with the labels of the very cases,
the detectors see none of them: they are trained on the other benchmark, adapted from there without
labels, or fitted from nothing without labels on the system's other databases.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from clausewise.evaluation.measuring import Sample, measure
from clausewise.models import Detector
from clausewise.types import ScoredCase
from experiments.common.data import System, labeled_scores
from experiments.common.folds import held_out_by_system
from experiments.common.parallel import without_label_warnings
from experiments.common.results import Cell, grouped, number, read_csv, write_csv, write_report
from experiments.common.starts import starts
from experiments.common.tables import markdown_table
from experiments.common.workspace import Workspace, parser

TOLERANCE = 0.01
TRAINED, ADAPTED, NOTHING = "packaged, other benchmark", "adapted", "from nothing"


def auc(incorrect: Sequence[bool], score: Sequence[float]) -> float:
    """Return the AUC of a ranking."""
    found = measure(Sample(np.array(incorrect), np.array(score)), bootstrap=0)["auc"].value
    assert found is not None, "a system without both classes"
    return found


def best_signal(system: System) -> tuple[str, float]:
    """Return the signal that ranks the system's queries best by itself, and its AUC."""
    items = system.labeled()
    incorrect = [system.is_incorrect(item) for item in items]
    found = {
        name: auc(incorrect, [item.outcomes[name].score for item in items])
        for name in items[0].outcomes
    }
    best = max(found, key=lambda name: found[name])
    return best, found[best]


def auc_of(system: System, scored: Sequence[ScoredCase]) -> float:
    """Return the AUC of a detector on the system's executable queries that have a label."""
    labeled = labeled_scores(system, scored)
    return auc(
        [incorrect for _, incorrect in labeled],
        [1.0 - (case.p_correct or 0.0) for case, _ in labeled],
    )


def additive(start: str) -> Detector:
    """Return an unfitted detector."""
    return Detector(label_model="weighted", classifier="additive", start=start)


def scores(system: System, start: str) -> dict[str, list[ScoredCase]]:
    """Return what every detector says of the system's cases."""
    items = system.inspections

    def fit(training: list[System]) -> Detector:
        return additive("none").fit_inspections(training[0].inspections)

    return {
        TRAINED: Detector.load(start).score_inspections(items),
        ADAPTED: additive(start).fit_inspections(items).score_inspections(items),
        NOTHING: held_out_by_system([system], fit)[system.name],
    }


def measured(workspace: Workspace, name: str, start: str) -> Iterator[dict[str, Cell]]:
    """Yield a row for every system, setting and detector of a benchmark."""
    single = workspace.systems(name)
    for pair in zip(single, workspace.systems(name, candidates=True), strict=True):
        for setting, system in zip(("one query", "with candidates"), pair, strict=True):
            best, reached = best_signal(system)
            for detector, scored in scores(system, start).items():
                value = auc_of(system, scored)
                yield {
                    "benchmark": name,
                    "system": system.name,
                    "setting": setting,
                    "detector": detector,
                    "auc": round(value, 4),
                    "best_signal": best,
                    "auc_of_best_signal": round(reached, 4),
                    "margin": round(value - reached, 4),
                }


def report(folder: Path) -> str:
    """Return the worst margins by setting as a table."""
    lines = []
    rows = read_csv(folder / "results.csv")
    for key, of in grouped(rows, "benchmark", "setting", "detector").items():
        worst = min(of, key=lambda row: number(row, "margin"))
        holds = sum(number(row, "margin") >= -TOLERANCE for row in of)
        best = f"{worst['best_signal']} {number(worst, 'auc_of_best_signal'):.3f}"
        margin = f"{number(worst, 'margin'):+.3f}"
        lines.append([*key, f"{holds} of {len(of)}", margin, worst["system"], best])
    header = ["benchmark", "setting", "detector", "holds", "least margin", "on", "best signal"]
    text = f"# Results\n\nHolds where AUC >= AUC of the best signal - {TOLERANCE}.\n\n"
    return text + markdown_table(header, lines)


def main() -> None:
    """Run the experiment, write its results, and fail where the claim does not hold."""
    workspace = Workspace.of(parser(__doc__).parse_args())
    without_label_warnings()
    with starts(workspace) as made:
        rows = [
            row for name in workspace.benchmarks for row in measured(workspace, name, made[name])
        ]
    write_csv(workspace.out / "results.csv", rows)
    write_report(workspace.out, report)
    written = read_csv(workspace.out / "results.csv")
    below = [row for row in written if number(row, "margin") < -TOLERANCE]
    for row in below:
        print(f"below its best signal: {row}", file=sys.stderr)
    print(f"{len(written) - len(below)} of {len(written)} hold; results in {workspace.out}")
    sys.exit(1 if below else 0)


if __name__ == "__main__":
    main()
