"""What the packaged detector is worth on databases that it has not seen, and what fitting adds.

    python -m experiments.packaged_detector.evaluate DATA --out RESULTS

Labels train the packaged detector (that is how it is made); they are never those of the database
(or benchmark) that is scored. The fitted detectors read no label at all.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from clausewise.evaluation import evaluate
from clausewise.models import Detector
from experiments.common.data import BENCHMARKS, System, database
from experiments.common.folds import Scored, held_out, held_out_by_system
from experiments.common.parallel import without_label_warnings
from experiments.common.results import Cell, grouped, number, read_csv, write_csv, write_report
from experiments.common.starts import trained_on_labels
from experiments.common.tables import markdown_table
from experiments.common.workspace import Workspace, parser

METRICS = ("auc", "average_precision", "f1", "ece", "brier")
BASELINES = {"auc_votes": "AUC of vote count", "auc_length": "AUC of length"}
MEAN = "mean"
"""In the place of a system's name: the mean over systems."""
SETTINGS = ("one query", "with candidates")


def fitted(systems: Sequence[System], classifier: str, start: str) -> Detector:
    """Return a detector fitted to the predictions of systems, without labels."""
    label_model = "weighted" if classifier == "additive" else "snorkel"
    detector = Detector(label_model=label_model, classifier=classifier, start=start)
    return detector.fit_inspections([item for of in systems for item in of.inspections])


def scored(systems: Sequence[System], detector: Detector) -> Scored:
    """Score every system by one detector."""
    return {system.name: detector.score_inspections(system.inspections) for system in systems}


def in_domain(systems: Sequence[System], classifier: str, start: str) -> Scored:
    """Score each system by a detector fitted on the very cases that it scores."""
    found: Scored = {}
    for system in systems:
        found |= scored([system], fitted([system], classifier, start))
    return found


def figures(systems: Sequence[System], found: Scored) -> list[dict[str, Cell]]:
    """Return the mean over systems of every figure on executable queries, and each system's."""
    rows: list[dict[str, Any]] = []
    for system in systems:
        measured = evaluate(found[system.name], system.labels, bootstrap=200).to_dict()
        scope: Any = measured["executable_only"]
        low, high = scope["intervals"]["auc"]
        rows.append(
            {
                "system": system.name,
                **{name: scope[name] for name in METRICS},
                "auc_votes": scope["baselines"]["vote_count"]["auc"],
                "auc_length": scope["baselines"]["length"]["auc"],
                "auc_low": low,
                "auc_high": high,
            }
        )
    names = (*METRICS, *BASELINES)
    means = {name: statistics.mean(row[name] for row in rows) for name in names}
    return [{"system": MEAN, **means, "auc_low": None, "auc_high": None}, *rows]


def ways(
    systems: dict[str, list[System]], name: str, folder: Path
) -> dict[str, Callable[[], Scored]]:
    """Return what is measured on one benchmark, by its description."""
    own = systems[name]
    others = [system for other, of in systems.items() if other != name for system in of]
    elsewhere = trained_on_labels(others)
    elsewhere.save(folder)

    def with_others(training: list[System]) -> Detector:
        return trained_on_labels([*training, *others])

    def from_nothing(training: list[System]) -> Detector:
        return fitted(training, "additive", "none")

    return {
        "packaged, trained on all other databases": lambda: held_out(
            own, own, database, with_others
        ),
        "packaged, trained on the other benchmark": lambda: scored(own, elsewhere),
        "that one, adapted in-domain without labels (Snorkel, AutoGluon)": lambda: in_domain(
            own, "autogluon", str(folder)
        ),
        "from nothing, in-domain: Snorkel, AutoGluon": lambda: in_domain(own, "autogluon", "none"),
        "from nothing: weighted votes, additive, by database": lambda: held_out_by_system(
            own, from_nothing
        ),
    }


def report(folder: Path) -> str:
    """Return the means over systems as tables."""
    parts = ["# Results\n\nMeans over systems, executable queries only.\n"]
    means = [row for row in read_csv(folder / "results.csv") if row["system"] == MEAN]
    header = ["detector", *METRICS, *BASELINES.values()]
    for (setting, name), rows in grouped(means, "setting", "benchmark").items():
        lines = [
            [row["detector"], *(f"{number(row, metric):.3f}" for metric in (*METRICS, *BASELINES))]
            for row in rows
        ]
        parts.append(f"## {name}, {setting}\n\n{markdown_table(header, lines)}")
    return "\n".join(parts)


def main() -> None:
    """Run the experiment and write its results."""
    workspace = Workspace.of(parser(__doc__).parse_args())
    without_label_warnings()
    rows: list[dict[str, Cell]] = []
    with tempfile.TemporaryDirectory() as folder:
        for setting in SETTINGS:
            systems = {
                name: workspace.systems(name, candidates=setting == SETTINGS[1])
                for name in BENCHMARKS
            }
            for name in workspace.benchmarks:
                start = Path(folder) / f"without {name}, {setting}"
                for way, score in ways(systems, name, start).items():
                    found = figures(systems[name], score())
                    key: dict[str, Cell] = {"setting": setting, "benchmark": name, "detector": way}
                    rows += [key | row for row in found]
                    print(setting, name, way, found[0], flush=True)
    write_csv(workspace.out / "results.csv", rows)
    write_report(workspace.out, report)


if __name__ == "__main__":
    main()
