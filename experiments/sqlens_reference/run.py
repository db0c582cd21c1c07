"""SQLens's tables in form: every system, label-free, by database and in-domain.

python -m experiments.sqlens_reference.run DATA --out experiments/sqlens_reference/results
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from clausewise.evaluation import evaluate
from clausewise.labeling import LabelMatrixWarning
from clausewise.models import Detector
from clausewise.signals import select_signals
from clausewise.types import ScoredCase
from experiments.data import Benchmark, System
from experiments.tables import markdown

METRICS = ("auc", "average_precision", "accuracy", "precision", "recall", "f1", "ece", "brier")
WITH_INTERVAL = ("auc", "f1")
SETTINGS = ("leave-one-database-out", "in-domain")

PAPER = {
    "bird": {
        "Vanilla": ("61.90", "58.11", "48.74", "52.94"),
        "DIN-SQL": ("81.49", "81.64", "76.41", "78.88"),
        "MAC-SQL": ("64.27", "63.27", "45.10", "52.63"),
        "CHESS": ("63.34", "52.54", "44.69", "48.17"),
    },
}
"""AUC, precision, recall and F1 in % of SQLens (weak supervision), its table 4."""


def scored(system: System, setting: str, options: dict[str, Any]) -> list[ScoredCase]:
    """Score every case of a system by a detector fitted without labels.

    Leave-one-database-out: fitted on the system's other databases. In-domain: fitted on the very
    cases that it scores, as in the paper; no label is read in either.
    """
    if setting == "in-domain":
        return (
            Detector(**options)
            .fit_inspections(system.inspections)
            .score_inspections(system.inspections)
        )
    found: dict[int, ScoredCase] = {}
    for held_out in system.databases():
        inside = [item for item in system.inspections if system.database_of(item) == held_out]
        outside = [item for item in system.inspections if system.database_of(item) != held_out]
        detector = Detector(**options).fit_inspections(outside)
        for item, result in zip(inside, detector.score_inspections(inside), strict=True):
            found[id(item)] = result
    return [found[id(item)] for item in system.inspections]


def figures(system: System, setting: str, options: dict[str, Any], gold: Any) -> dict[str, Any]:
    """Return all figures of one system in one setting."""
    began = time.perf_counter()
    results = scored(system, setting, options)
    seconds = time.perf_counter() - began
    measured = evaluate(results, system.labels, gold, bootstrap=500).to_dict()
    return {
        "benchmark": system.benchmark,
        "system": system.name,
        "setting": setting,
        "seconds": round(seconds, 1),
        "evaluation": measured,
    }


def summary(rows: list[dict[str, Any]], benchmark: str, setting: str) -> str:
    """Return the table of one benchmark in one setting, executable queries only, with the mean."""
    chosen = [row for row in rows if (row["benchmark"], row["setting"]) == (benchmark, setting)]
    lines = []
    for row in chosen:
        scope = row["evaluation"]["executable_only"]
        lines.append([row["system"], *_cells(scope)])
    means: list[str] = ["**mean**"]
    for column in range(1, len(lines[0])):
        values = [float(line[column].split(" ")[0]) for line in lines if line[column] != "-"]
        means.append(f"{statistics.mean(values):.3f}" if values else "-")
    header = ["system", "n", "incorrect", *METRICS, "AUC of vote count", "AUC of length"]
    return markdown(header, [*lines, means])


def _cells(scope: dict[str, Any]) -> list[str]:
    cells = [str(scope["n"]), str(scope["n_incorrect"])]
    for name in METRICS:
        cells.append(
            _cell(scope[name], scope["intervals"][name] if name in WITH_INTERVAL else None)
        )
    for baseline in ("vote_count", "length"):
        cells.append(_cell(scope["baselines"][baseline]["auc"], None))
    return cells


def _cell(value: float | None, interval: list[float] | None) -> str:
    if value is None:
        return "-"
    return f"{value:.3f} ({interval[0]:.2f}-{interval[1]:.2f})" if interval else f"{value:.3f}"


BASE_RATE = "base rate"


def signal_counts(systems: Iterable[System]) -> dict[str, tuple[int, int]]:
    """Return, for each signal, on how many labelled executable queries it fired, and truly wrong.

    The entry `BASE_RATE` counts all these queries, and the incorrect ones.
    """
    counts: dict[str, list[int]] = {}
    base = [0, 0]
    for system in systems:
        for item in system.inspections:
            correct = system.labels.get(getattr(getattr(item, "case", None), "question_id", ""))
            if correct is None or not hasattr(item, "outcomes") or item.status.value != "ok":
                continue
            base[0] += 1
            base[1] += not correct
            for name, outcome in item.outcomes.items():
                fired = outcome.status.value == "fired"
                count = counts.setdefault(name, [0, 0])
                count[0] += fired
                count[1] += fired and not correct
    found = {name: (fired, wrong) for name, (fired, wrong) in counts.items()}
    return {**found, BASE_RATE: (base[0], base[1])}


def signal_table(systems: Iterable[System]) -> str:
    """Return SQLens's table 5 in form: fired, truly wrong, precision, over all systems."""
    rows = [
        [
            f"*{name}*" if name == BASE_RATE else name,
            str(fired),
            str(wrong),
            f"{wrong / fired:.3f}" if fired else "-",
        ]
        for name, (fired, wrong) in signal_counts(systems).items()
    ]
    return markdown(["signal", "fired", "truly wrong", "precision"], rows)


def main() -> None:
    """Run the experiment and write its results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--benchmarks", default="spider,bird")
    parser.add_argument("--systems", default="")
    parser.add_argument("--signals", default="sqlens")
    parser.add_argument("--label-model", default="snorkel")
    parser.add_argument("--classifier", default="autogluon")
    parser.add_argument("--start", default="none")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", LabelMatrixWarning)
    options = {
        "signals": arguments.signals,
        "label_model": arguments.label_model,
        "classifier": arguments.classifier,
        "start": arguments.start,
    }
    arguments.out.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    parts = [f"# Results\n\nSettings: `{json.dumps(options)}`. Executable queries only.\n"]
    for name in arguments.benchmarks.split(","):
        benchmark = Benchmark(arguments.data / name)
        before = benchmark.hashes()
        names = [part for part in arguments.systems.split(",") if part]
        systems = benchmark.systems(select_signals(arguments.signals), names, arguments.jobs)
        gold = benchmark.gold()
        for system in systems:
            for setting in SETTINGS:
                rows.append(figures(system, setting, options, gold))
                print(name, system.name, setting, rows[-1]["seconds"], "s", flush=True)
        for setting in SETTINGS:
            parts.append(f"## {name}, {setting}\n\n{summary(rows, name, setting)}")
        parts.append(f"## {name}, signals over all systems\n\n{signal_table(systems)}")
        unchanged = benchmark.hashes() == before
        parts.append(f"Hashes of the {len(before)} database files unchanged: {unchanged}.\n")
    paper = [[bench, name, *cells] for bench, of in PAPER.items() for name, cells in of.items()]
    header = ["benchmark", "system", "AUC", "precision", "recall", "F1"]
    parts.append(f"## SQLens's own figures (%, its table 4)\n\n{markdown(header, paper)}")
    (arguments.out / "results.json").write_text(json.dumps(rows, indent=1) + "\n")
    (arguments.out / "results.md").write_text("\n".join(parts))


if __name__ == "__main__":
    main()
