"""Candidates as teacher: learn from their agreement at fit, score single queries without any.

    python -m experiments.candidates_as_teacher.run DATA --out RESULTS

Every way is fitted without a case of the database (or of the fold of questions) that it scores.
Labels train only the ways that are named after labels.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from clausewise.labeling import LabelMatrixWarning
from clausewise.models import Detector
from clausewise.signals import select_signals
from experiments import plots
from experiments.cache import add_arguments, alone, inspected
from experiments.candidates_as_teacher.forest import register
from experiments.data import Benchmark, System
from experiments.folds import KEYS, Scored, held_out
from experiments.means import METRICS, Judged, cell, judge
from experiments.packaged_detector.train import pooled
from experiments.starts import starts
from experiments.tables import markdown

SIGNALS = "all"
SHOWN = ("auc", "auc_within", "average_precision", "f1", "ece")
LABELS, AGREEMENT, VOTES = "true labels", "agreement", "votes"
TEACHERS = (LABELS, AGREEMENT, VOTES)
OWN_CLASSIFIER = "logistic"
"""A system's own few hundred cases hardly move the additive classifier from its start, so with it
every teacher would rank alike."""
START = "start, not adapted"
STARTED = {"start, agreement": AGREEMENT}
OWN, OTHERS = "own", "others"
TRAINED_ON = {
    OWN: "the system's own queries; candidates: the other systems'",
    OTHERS: "the queries of the other half of the systems; candidates: that half's",
}


@dataclass(frozen=True)
class Task:
    """One way of fitting, on one benchmark with one kind of folds."""

    benchmark: str
    by: str
    training: str
    classifier: str
    teacher: str

    @property
    def setting(self) -> str:
        """What is held out."""
        return f"{self.benchmark}, by {self.by}"


@lru_cache(maxsize=4)
def systems_of(folder: Path, only: tuple[str, ...], cache: Path) -> list[System]:
    """Return systems with candidates, read once in a process."""
    return inspected(Benchmark(folder, only), select_signals(SIGNALS), cache)


def halves(folder: Path) -> list[tuple[str, ...]]:
    """Return the names of the systems in two halves, taken in turn."""
    names = Benchmark(folder).system_names()
    return [tuple(names[::2]), tuple(names[1::2])]


def bare(systems: Sequence[System]) -> list[System]:
    """Return the systems' cases without candidates."""
    specs = select_signals(SIGNALS)
    return [alone(system, specs) for system in systems]


def detector(task: Task, label_model: str, start: str) -> Detector:
    """Return an unfitted detector."""
    return Detector(
        signals=SIGNALS, label_model=label_model, classifier=task.classifier, start=start
    )


def scored(task: Task, data: Path, cache: Path, label_model: str, start: str) -> Scored:
    """Score every system's single queries by what is learned without them."""
    register()
    folder = data / task.benchmark
    everything = systems_of(folder, (), cache)
    if task.teacher == START:
        packaged = Detector.load(start)
        return {s.name: packaged.score_inspections(s.inspections) for s in bare(everything)}
    if task.training == OWN:
        groups = [([system], [system]) for system in everything]
    else:
        parts = [systems_of(folder, names, cache) for names in halves(folder)]
        groups = [(parts[1], parts[0]), (parts[0], parts[1])]
    teacher = STARTED.get(task.teacher, task.teacher)

    def fit(of: list[System]) -> Detector:
        inspections, labels = pooled(of)
        known = labels if teacher == LABELS else None
        own_start = start if task.teacher in STARTED else "none"
        return detector(task, label_model, own_start).fit_inspections(inspections, known)

    found: Scored = {}
    for train, test in groups:
        seen = list(train) if teacher == AGREEMENT else bare(train)
        found.update(held_out(seen, bare(test), KEYS[task.by], fit))
    return found


def measured(task: Task, data: Path, cache: Path, label_model: str, start: str) -> Judged:
    """Return what one way is worth."""
    warnings.simplefilter("ignore", LabelMatrixWarning)
    folder = data / task.benchmark
    found = scored(task, data, cache, label_model, start)
    result = judge(systems_of(folder, (), cache), found, Benchmark(folder).gold())
    print(task, result.mean("auc"), flush=True)
    return result


def tasks(
    benchmarks: Sequence[str], classifiers: Sequence[str], trainings: Sequence[str]
) -> list[Task]:
    """Return everything that is measured."""
    chosen = {OWN: [OWN_CLASSIFIER], OTHERS: classifiers}
    found = []
    for name in benchmarks:
        for by in ("database", "question") if name == "bird" else ("database",):
            found.append(Task(name, by, "the other benchmark", "additive", START))
            for training in trainings:
                for classifier in chosen[training]:
                    found.extend(Task(name, by, training, classifier, of) for of in TEACHERS)
            found.extend(Task(name, by, OTHERS, "additive", of) for of in STARTED)
    return found


def table(results: dict[Task, Judged], setting: str) -> str:
    """Return the table of one setting."""
    rows = []
    for task, result in results.items():
        if task.setting != setting:
            continue
        labelled = results.get(
            Task(task.benchmark, task.by, task.training, task.classifier, LABELS)
        )
        behind = ["-", "-"]
        if labelled is not None and task.teacher not in (LABELS, *STARTED):
            behind = [
                cell(result.gain(labelled, metric), signed=True) for metric in ("auc", "auc_within")
            ]
        means = [result.cell(metric) for metric in SHOWN]
        rows.append([task.training, task.classifier, task.teacher, *means, *behind])
    header = ["trained on", "classifier", "teacher", *(METRICS[metric] for metric in SHOWN)]
    less = ["AUC less that of true labels", "the same within databases"]
    return markdown([*header, *less], rows)


def plot(results: dict[Task, Judged], path: Path) -> None:
    """Draw the AUC of every way."""
    panels: dict[str, dict[str, dict[str, list[float]]]] = {}
    for task, result in results.items():
        rows = panels.setdefault(task.setting, {})
        row = task.training if task.teacher == START else f"{task.training}, {task.classifier}"
        rows.setdefault(row, {})[task.teacher] = result.mean("auc")
    plots.intervals(path, panels, "AUC, mean over systems, 95 % interval")


def write(results: dict[Task, Judged], label_model: str, out: Path) -> None:
    """Write the results as JSON, CSV, Markdown and a plot."""
    out.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = [
        {**vars(task), **result.to_json()} for task, result in results.items()
    ]
    (out / "results.json").write_text(json.dumps(rows, indent=1) + "\n")
    with (out / "results.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        ends = [f"{metric}{end}" for metric in SHOWN[:-1] for end in ("", "_low", "_high")]
        writer.writerow([*Task.__dataclass_fields__, *ends, "ece"])
        for task, result in results.items():
            figures = [value for metric in SHOWN[:-1] for value in result.mean(metric)]
            writer.writerow([*vars(task).values(), *figures, result.mean("ece")[0]])
    trained = {task.training for task in results}
    parts = [
        "# Results\n\nMeans over systems with 95 % intervals (resampled questions), executable "
        f"queries only, no candidates at scoring. Label model: {label_model}.\n",
        *(f"- *{name}*: {TRAINED_ON[name]}." for name in TRAINED_ON if name in trained),
        "",
        *(
            f"## {setting}\n\n{table(results, setting)}"
            for setting in dict.fromkeys(task.setting for task in results)
        ),
        "![AUC of every way](auc.png)\n",
    ]
    (out / "results.md").write_text("\n".join(parts))
    plot(results, out / "auc.png")


def main() -> None:
    """Run the experiment and write its results."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
    parser.add_argument("--classifiers", default="additive,forest")
    parser.add_argument("--trainings", default=OTHERS, help=f"{OTHERS}, {OWN} (slow), or both")
    parser.add_argument("--label-model", default="snorkel")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", LabelMatrixWarning)
    data, cache = arguments.data, arguments.cache
    names = arguments.benchmarks.split(",")
    chosen = tasks(names, arguments.classifiers.split(","), arguments.trainings.split(","))
    specs = select_signals(SIGNALS)
    for name in names:
        for only in ((), *halves(data / name)):
            inspected(Benchmark(data / name, only), specs, cache, arguments.jobs)
    with tempfile.TemporaryDirectory() as folder:
        made = starts(data, names, cache, Path(folder), arguments.jobs)
        found = Parallel(n_jobs=arguments.jobs)(
            delayed(measured)(task, data, cache, arguments.label_model, made[task.benchmark])
            for task in chosen
        )
    write(dict(zip(chosen, found, strict=True)), arguments.label_model, arguments.out)


if __name__ == "__main__":
    main()
