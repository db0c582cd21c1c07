"""Candidates as teacher: learn from their agreement at fit, score single queries without any.

    python -m experiments.candidates_as_teacher.run DATA --out RESULTS

Every way is fitted without a case of the database (or of the fold of questions) that it scores.
Labels train only the ways that are named after labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sklearn.ensemble import RandomForestClassifier

from clausewise.models import Detector
from experiments.common import plots
from experiments.common.data import System, pooled, without_candidates
from experiments.common.folds import KEYS, Scored, held_out
from experiments.common.means import METRICS, SystemFigures, metric_text, system_figures
from experiments.common.parallel import map_tasks, without_label_warnings
from experiments.common.results import (
    Cell,
    grouped,
    interval,
    interval_columns,
    read_csv,
    write_csv,
    write_report,
)
from experiments.common.starts import starts
from experiments.common.tables import interval_text, markdown_table
from experiments.common.workspace import Workspace, all_signals, parser

SHOWN = ("auc", "auc_within", "average_precision", "f1", "ece")
BEHIND = ("auc", "auc_within")
"""What is also compared with the way taught by true labels."""
LABELS, AGREEMENT, VOTES = "true labels", "agreement", "votes"
TEACHERS = (LABELS, AGREEMENT, VOTES)
OWN_CLASSIFIER = "logistic"
"""A system's own few hundred cases hardly move the additive classifier from its start, so with it
every teacher would rank alike."""
START = "start, not adapted"
FROM_START = {"start, agreement": AGREEMENT}
OWN, OTHERS = "own", "others"
TRAINED_ON = {
    OWN: "the system's own queries; candidates: the other systems'",
    OTHERS: "the queries of the other half of the systems; candidates: that half's",
}


INSTANCES = {"forest": RandomForestClassifier(200, min_samples_leaf=10, n_jobs=1)}
"""Classifiers that have no name in clausewise."""


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


@dataclass(frozen=True)
class Setup:
    """What every task needs: where the data is, and what it is fitted with."""

    workspace: Workspace
    label_model: str
    starts: dict[str, str]


def halves(workspace: Workspace, name: str) -> list[tuple[str, ...]]:
    """Return the names of a benchmark's systems in two halves, taken in turn."""
    names = workspace.benchmark(name).system_names()
    return [tuple(names[::2]), tuple(names[1::2])]


def single(systems: Sequence[System]) -> list[System]:
    """Return the systems' cases without candidates."""
    specs = all_signals()
    return [without_candidates(system, specs) for system in systems]


def scored(setup: Setup, task: Task) -> Scored:
    """Score every system's single queries by what is learned without them."""
    workspace, name, start = setup.workspace, task.benchmark, setup.starts[task.benchmark]
    everything = workspace.systems(name, candidates=True)
    if task.teacher == START:
        packaged = Detector.load(start)
        return {s.name: packaged.score_inspections(s.inspections) for s in single(everything)}
    if task.training == OWN:
        groups = [([system], [system]) for system in everything]
    else:
        first, second = (
            workspace.systems(name, candidates=True, only=names)
            for names in halves(workspace, name)
        )
        groups = [(second, first), (first, second)]
    teacher = FROM_START.get(task.teacher, task.teacher)

    def fit(of: list[System]) -> Detector:
        inspections, labels = pooled(of)
        detector = Detector(
            label_model=setup.label_model,
            classifier=INSTANCES.get(task.classifier, task.classifier),
            start=start if task.teacher in FROM_START else "none",
        )
        return detector.fit_inspections(inspections, labels if teacher == LABELS else None)

    found: Scored = {}
    for train, test in groups:
        seen = list(train) if teacher == AGREEMENT else single(train)
        found.update(held_out(seen, single(test), KEYS[task.by], fit))
    return found


def measured(setup: Setup, task: Task) -> SystemFigures:
    """Return what one way is worth."""
    systems = setup.workspace.systems(task.benchmark, candidates=True)
    gold = setup.workspace.benchmark(task.benchmark).gold()
    result = system_figures(systems, scored(setup, task), gold)
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
            found.extend(Task(name, by, OTHERS, "additive", of) for of in FROM_START)
    return found


def behind_labels(results: dict[Task, SystemFigures], task: Task, metric: str) -> Sequence[float]:
    """Return a metric less that of the way taught by true labels, NaN where there is none."""
    labeled = results.get(Task(task.benchmark, task.by, task.training, task.classifier, LABELS))
    if labeled is None or task.teacher in (LABELS, *FROM_START):
        return [float("nan")] * 3
    return results[task].gain(labeled, metric)


def write(results: dict[Task, SystemFigures], label_model: str, out: Path) -> None:
    """Write the results as CSV, Markdown and a plot."""
    rows: list[dict[str, Cell]] = []
    of_system: list[dict[str, Cell]] = []
    for task, result in results.items():
        row: dict[str, Cell] = {**vars(task), "label_model": label_model, **result.row()}
        for metric in BEHIND:
            row |= interval_columns(f"{metric}_less_labels", behind_labels(results, task, metric))
        rows.append(row)
        of_system += [{**vars(task), **of} for of in result.auc_rows()]
    write_csv(out / "results.csv", rows)
    write_csv(out / "systems.csv", of_system)
    write_report(out, report)
    plot(out)


def report(folder: Path) -> str:
    """Return the table of every setting."""
    rows = read_csv(folder / "results.csv")
    trained = {row["training"] for row in rows}
    parts = [
        "# Results\n\nMeans over systems with 95 % intervals (resampled questions), executable "
        "queries only, no candidates at scoring. Label model: "
        f"{rows[0]['label_model']}.\n",
        *(f"- *{name}*: {TRAINED_ON[name]}." for name in TRAINED_ON if name in trained),
        "",
    ]
    header = ["trained on", "classifier", "teacher", *(METRICS[metric] for metric in SHOWN)]
    header += ["AUC less that of true labels", "the same within databases"]
    for (name, by), of in grouped(rows, "benchmark", "by").items():
        lines = []
        for row in of:
            means = [metric_text(row, metric) for metric in SHOWN]
            less = [
                interval_text(interval(row, f"{metric}_less_labels"), signed=True)
                for metric in BEHIND
            ]
            lines.append([row["training"], row["classifier"], row["teacher"], *means, *less])
        parts.append(f"## {name}, by {by}\n\n{markdown_table(header, lines)}")
    return "\n".join([*parts, "![AUC of every way](auc.png)\n"])


def plot(folder: Path) -> None:
    """Draw the AUC of every way."""
    panels: dict[str, dict[str, dict[str, plots.Interval]]] = {}
    for row in read_csv(folder / "results.csv"):
        rows = panels.setdefault(f"{row['benchmark']}, by {row['by']}", {})
        training = row["training"]
        name = training if row["teacher"] == START else f"{training}, {row['classifier']}"
        rows.setdefault(name, {})[row["teacher"]] = interval(row, "auc")
    plots.intervals(folder / "auc.png", panels, "AUC, mean over systems, 95 % interval")


def main() -> None:
    """Run the experiment and write its results."""
    arguments = parser(__doc__)
    arguments.add_argument("--classifiers", default="additive,forest")
    arguments.add_argument("--trainings", default=OTHERS, help=f"{OTHERS}, {OWN} (slow), or both")
    arguments.add_argument("--label-model", default="snorkel")
    parsed = arguments.parse_args()
    workspace = Workspace.of(parsed)
    without_label_warnings()
    names = workspace.benchmarks
    chosen = tasks(names, parsed.classifiers.split(","), parsed.trainings.split(","))
    for name in names:
        for only in ((), *halves(workspace, name)):
            workspace.systems(name, candidates=True, only=only)
    with starts(workspace) as made:
        setup = Setup(workspace, parsed.label_model, made)
        found = map_tasks(partial(measured, setup), chosen, workspace.jobs)
    write(dict(zip(chosen, found, strict=True)), parsed.label_model, workspace.out)


if __name__ == "__main__":
    main()
