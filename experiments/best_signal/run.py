"""Is the detector, on every system, at least as good as its best single signal?

    python -m experiments.best_signal.run DATA --out experiments/best_signal/results

Exits with 1 where a detector's AUC is more than 0.01 below that of the best signal by itself, taken
as the score of its strongest finding. The best signal is chosen with the labels of the very cases,
the detectors see none of them: they are trained on the other benchmark, adapted from there without
labels, or fitted from nothing without labels on the system's other databases.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from clausewise.evaluation.measuring import Sample, measure
from clausewise.labeling import LabelMatrixWarning
from clausewise.models import Detector
from clausewise.signals import select_signals
from clausewise.types import CaseStatus, Inspection, ScoredCase
from experiments.cache import add_arguments, alone, inspected
from experiments.data import Benchmark, System
from experiments.folds import KEYS, held_out
from experiments.starts import starts
from experiments.tables import markdown

TOLERANCE = 0.01
TRAINED, ADAPTED, NOTHING = "packaged, other benchmark", "adapted", "from nothing"


def judged(system: System) -> list[Inspection]:
    """Return the system's executable queries that have a label."""
    return [
        item
        for item in system.inspections
        if isinstance(item, Inspection)
        and item.status is CaseStatus.OK
        and item.case.question_id in system.labels
    ]


def auc(incorrect: Sequence[bool], score: Sequence[float]) -> float:
    """Return the AUC of a ranking."""
    found = measure(Sample(np.array(incorrect), np.array(score)), bootstrap=0)["auc"].value
    assert found is not None, "a system without both classes"
    return found


def best_signal(system: System) -> tuple[str, float]:
    """Return the signal that ranks the system's queries best by itself, and its AUC."""
    items = judged(system)
    incorrect = [not system.labels[item.case.question_id] for item in items]
    found = {
        name: auc(incorrect, [item.outcomes[name].score for item in items])
        for name in items[0].outcomes
    }
    best = max(found, key=lambda name: found[name])
    return best, found[best]


def auc_of(system: System, scored: Sequence[ScoredCase]) -> float:
    """Return the AUC of a detector on the system's executable queries that have a label."""
    kept = [
        case
        for case in scored
        if case.status is CaseStatus.OK and case.question_id in system.labels
    ]
    return auc(
        [not system.labels[case.question_id] for case in kept],
        [1.0 - (case.p_correct or 0.0) for case in kept],
    )


def scores(system: System, start: str) -> dict[str, list[ScoredCase]]:
    """Return what every detector says of the system's cases."""
    items = system.inspections
    light: dict[str, Any] = {"label_model": "weighted", "classifier": "additive"}

    def fit(training: list[System]) -> Detector:
        return Detector(**light, start="none").fit_inspections(training[0].inspections)

    return {
        TRAINED: Detector.load(start).score_inspections(items),
        ADAPTED: Detector(**light, start=start).fit_inspections(items).score_inspections(items),
        NOTHING: held_out([system], [system], KEYS["database"], fit)[system.name],
    }


def main() -> None:
    """Run the experiment, write its results, and fail where the claim does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", LabelMatrixWarning)
    names = arguments.benchmarks.split(",")
    specs = select_signals()
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        made = starts(arguments.data, names, arguments.cache, Path(folder), arguments.jobs)
        for name in names:
            benchmark = Benchmark(arguments.data / name)
            for whole in inspected(benchmark, specs, arguments.cache, arguments.jobs):
                for setting, system in (
                    ("one query", alone(whole, specs)), ("with candidates", whole),
                ):  # fmt: skip
                    best, reached = best_signal(system)
                    for detector, scored in scores(system, made[name]).items():
                        value = auc_of(system, scored)
                        rows.append(
                            {
                                "benchmark": name,
                                "system": system.name,
                                "setting": setting,
                                "detector": detector,
                                "auc": round(value, 4),
                                "best_signal": best,
                                "auc_of_best_signal": round(reached, 4),
                                "margin": round(value - reached, 4),
                            }
                        )
    write(rows, arguments.out)
    below = [row for row in rows if row["margin"] < -TOLERANCE]
    for row in below:
        print(f"below its best signal: {row}", file=sys.stderr)
    print(f"{len(rows) - len(below)} of {len(rows)} hold; results in {arguments.out}")
    sys.exit(1 if below else 0)


def write(rows: Sequence[dict[str, Any]], out: Path) -> None:
    """Write every row as JSON, and the worst margins by setting as a table."""
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["benchmark"], row["setting"], row["detector"]), []).append(row)
    lines = []
    for key, of in groups.items():
        worst = min(of, key=lambda row: float(row["margin"]))
        holds = sum(row["margin"] >= -TOLERANCE for row in of)
        lines.append(
            [*key, f"{holds} of {len(of)}", f"{worst['margin']:+.3f}", worst["system"],
             f"{worst['best_signal']} {worst['auc_of_best_signal']:.3f}"]
        )  # fmt: skip
    header = ["benchmark", "setting", "detector", "holds", "least margin", "on", "best signal"]
    out.mkdir(parents=True, exist_ok=True)
    (out / "results.json").write_text(json.dumps(rows, indent=1) + "\n")
    text = f"# Results\n\nHolds where AUC >= AUC of the best signal - {TOLERANCE}.\n\n"
    (out / "results.md").write_text(text + markdown(header, lines))


if __name__ == "__main__":
    main()
