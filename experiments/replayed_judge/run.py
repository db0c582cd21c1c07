"""What a detector gains from the votes of a simulated judge.

    python -m experiments.replayed_judge.run DATA --out RESULTS

The judges are simulations: true labels, flipped at random. Their votes go in as votes from
outside at fit and at scoring; the detector reads no label. Every system, leave-one-database-out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from clausewise.labeling import OutsideVotes
from clausewise.models import Detector
from clausewise.types import Inspection, OutsideVote, ScoredCase, Verdict
from experiments.common import plots
from experiments.common.data import Item, System, database, question_of
from experiments.common.folds import Scored, splits
from experiments.common.means import METRICS, SystemFigures, system_figures
from experiments.common.parallel import map_tasks, without_label_warnings
from experiments.common.results import (
    Cell,
    Row,
    grouped,
    interval,
    interval_columns,
    number,
    read_csv,
    write_csv,
    write_report,
)
from experiments.common.starts import starts
from experiments.common.tables import interval_text, markdown_table
from experiments.common.workspace import Workspace, parser
from experiments.replayed_judge.judges import JUDGES, Judge
from experiments.replayed_judge.recorded import section

DETECTORS: dict[str, dict[str, Any]] = {
    "from nothing, additive": {"label_model": "weighted", "classifier": "additive"},
    "from nothing, logistic": {"label_model": "snorkel", "classifier": "logistic"},
    "start from the other benchmark": {
        "label_model": "weighted",
        "classifier": "additive",
        "start": "other",
    },
}
"""The start is trained on the labels of the other benchmark, without any judge."""
TOLERANCE = 0.01
"""AUC that the detector with the judge may lose against the better of the two alone."""


@dataclass(frozen=True)
class Task:
    """A detector with a judge's votes, or without where there is none."""

    benchmark: str
    detector: str
    judge: Judge | None
    seed: int


def votes_on(
    chosen: Judge | None, items: Sequence[Item], system: System, seed: int
) -> list[OutsideVote]:
    """Return the judge's votes on the cases that have a label."""
    if chosen is None:
        return []
    questions = [item.case.question_id for item in items if isinstance(item, Inspection)]
    known = [question for question in questions if question in system.labels]
    return chosen.votes(system.labels, known, f"{seed}/{system.benchmark}/{system.name}")


def scored(task: Task, systems: Sequence[System], start: str) -> Scored:
    """Score every system by detectors fitted on its other databases, with the judge's votes."""
    options = {"start": "none", **DETECTORS[task.detector]}
    if options["start"] != "none":
        options["start"] = start
    found: Scored = {}
    for system in systems:
        found[system.name] = []
        for outside, inside in splits(system, database):
            detector = Detector(**options).fit_inspections(
                outside, votes=votes_on(task.judge, outside, system, task.seed)
            )
            votes = votes_on(task.judge, inside, system, task.seed)
            found[system.name].extend(detector.score_inspections(inside, votes))
    return found


def by_judge_alone(of: Judge, systems: Sequence[System], without: Scored, seed: int) -> Scored:
    """Return the cases as the judge alone scores them."""
    found: Scored = {}
    for system in systems:
        outside = OutsideVotes(votes_on(of, system.inspections, system, seed))
        questions = [question_of(case) for case in without[system.name]]
        scores = outside.scores("simulated_judge", questions)
        found[system.name] = [
            _rescored(case, float(score))
            for case, score in zip(without[system.name], scores, strict=True)
        ]
    return found


def _rescored(case: ScoredCase, incorrect: float) -> ScoredCase:
    verdict = Verdict.INCORRECT if incorrect >= 0.5 else Verdict.CORRECT
    return replace(case, p_correct=1.0 - incorrect, verdict=verdict)


Pair = tuple[SystemFigures, SystemFigures | None]
"""What the detector with the judge is worth, and the judge alone where there is one."""


def measured(workspace: Workspace, made: dict[str, str], task: Task) -> Pair:
    """Return what the detector with the judge is worth, and the judge alone."""
    systems = workspace.systems(task.benchmark)
    gold = workspace.benchmark(task.benchmark).gold()
    found = scored(task, systems, made[task.benchmark])
    result = system_figures(systems, found, gold)
    only = None
    if task.judge is not None:
        alone = by_judge_alone(task.judge, systems, found, task.seed)
        only = system_figures(systems, alone, gold)
    print(task, result.mean("auc"), only and only.mean("auc"), flush=True)
    return result, only


def mean_of(results: Sequence[SystemFigures]) -> SystemFigures:
    """Return the mean over draws of what was measured."""
    means = {
        metric: np.mean([result.values[metric] for result in results], axis=0) for metric in METRICS
    }
    return SystemFigures(results[0].systems, means)


@dataclass(frozen=True)
class Trio:
    """A detector with one judge: together, each alone, and the better of the two by system."""

    together: SystemFigures
    detector: SystemFigures
    judge: SystemFigures

    @property
    def better(self) -> SystemFigures:
        """Of each system the one of the two that is better on all its cases."""
        detector, judge = self.detector.values["auc"], self.judge.values["auc"]
        better = np.where(detector[0] >= judge[0], detector, judge)
        return SystemFigures(self.together.systems, {"auc": better})

    def rows(self) -> list[dict[str, Cell]]:
        """Return a row for each of the three, with what the two together gain over it."""
        parts = {TOGETHER: self.together, DETECTOR: self.detector, JUDGE: self.judge}
        return [
            {"scored_by": name, **of.row(), **interval_columns("gain", self._gain(name, of))}
            for name, of in parts.items()
        ]

    def _gain(self, name: str, of: SystemFigures) -> list[float]:
        return self.together.gain(self.better if name == TOGETHER else of, "auc")

    def system_rows(self) -> list[dict[str, Cell]]:
        """Return every system's AUC: of the two together, of each alone, and less the better."""
        columns = [of.values["auc"][0] for of in (self.together, self.detector, self.judge)]
        margin = columns[0] - self.better.values["auc"][0]
        return [
            dict(zip(("system", *SYSTEM_COLUMNS), (name, *map(_rounded, figures)), strict=True))
            for name, *figures in zip(self.together.systems, *columns, margin, strict=True)
        ]


TOGETHER, DETECTOR, JUDGE = "together", "detector alone", "judge alone"
SYSTEM_COLUMNS = ("auc_together", "auc_detector", "auc_judge", "margin_over_better")


def _rounded(value: float) -> float:
    return round(float(value), 4)


HEADER = (
    "detector",
    "judge",
    "AUC, judge alone",
    "AUC, detector alone",
    "AUC, together",
    "gain over detector",
    "gain over better of the two",
    f"systems more than {TOLERANCE} below the better",
    "F1 of the detector, without to with",
)


def trios(results: dict[Task, Pair]) -> dict[tuple[str, str, str], Trio]:
    """Return, for every benchmark, detector and judge, what was measured; means over draws."""
    found = {}
    for benchmark, detector in dict.fromkeys((task.benchmark, task.detector) for task in results):
        own = {
            t: r for t, r in results.items() if (t.benchmark, t.detector) == (benchmark, detector)
        }
        without = next(result for task, (result, _) in own.items() if task.judge is None)
        for of in dict.fromkeys(task.judge for task in own if task.judge is not None):
            pairs = [pair for task, pair in own.items() if task.judge == of]
            together = mean_of([result for result, _ in pairs])
            only = mean_of([judge for _, judge in pairs if judge is not None])
            found[benchmark, detector, of.name] = Trio(together, without, only)
    return found


def write(results: dict[Task, Pair], draws: int, out: Path) -> None:
    """Write the results as CSV, Markdown and a plot."""
    rows: list[dict[str, Cell]] = []
    of_system: list[dict[str, Cell]] = []
    for (benchmark, detector, name), trio in trios(results).items():
        key: dict[str, Cell] = {"benchmark": benchmark, "detector": detector, "judge": name}
        rows += [{**key, "draws": draws, **row} for row in trio.rows()]
        of_system += [{**key, **row} for row in trio.system_rows()]
    write_csv(out / "results.csv", rows)
    write_csv(out / "systems.csv", of_system)
    write_report(out, report)
    plot(out)


def report(folder: Path) -> str:
    """Return the table of every benchmark."""
    rows = read_csv(folder / "results.csv")
    draws = int(rows[0]["draws"])
    parts = [
        "# Results\n\n**Simulation**: the judges are true labels made wrong at random. Means over "
        f"systems and {draws} draw{'s' * (draws > 1)} of the mistakes with 95 % "
        "intervals (resampled questions), executable queries only, one query a case, "
        "no labels, leave-one-database-out.\n"
    ]
    systems = grouped(read_csv(folder / "systems.csv"), "benchmark", "detector", "judge")
    for (benchmark,), of in grouped(rows, "benchmark").items():
        lines = [
            _cells(key, three, systems[benchmark, *key])
            for key, three in grouped(of, "detector", "judge").items()
        ]
        parts.append(f"## {benchmark}\n\n{markdown_table(HEADER, lines)}")
    parts.append("![Judge, detector, and both](auc.png)\n")
    parts.extend(filter(None, [section(folder)]))
    return "\n".join(parts)


def _cells(key: tuple[str, ...], three: Sequence[Row], systems: Sequence[Row]) -> list[str]:
    by = {row["scored_by"]: row for row in three}
    means = [interval_text(interval(by[name], "auc")) for name in (JUDGE, DETECTOR, TOGETHER)]
    gains = [interval_text(interval(by[name], "gain"), True) for name in (DETECTOR, TOGETHER)]
    below = sum(number(row, "margin_over_better") < -TOLERANCE for row in systems)
    f1 = f"{number(by[DETECTOR], 'f1'):.3f} to {number(by[TOGETHER], 'f1'):.3f}"
    return [*key, *means, *gains, f"{below} of {len(systems)}", f1]


def plot(folder: Path) -> None:
    """Draw the AUC of the judge, the detector, and both."""
    panels: dict[str, dict[str, dict[str, plots.Interval]]] = {}
    for row in read_csv(folder / "results.csv"):
        panel = panels.setdefault(f"{row['benchmark']}, {row['detector']}", {})
        shown = panel.setdefault(row["judge"].removeprefix("simulated, "), {})
        shown[row["scored_by"]] = interval(row, "auc")
    ordered = {
        title: {
            judge: {name: of[name] for name in (JUDGE, DETECTOR, TOGETHER)}
            for judge, of in rows.items()
        }
        for title, rows in panels.items()
    }
    plots.intervals(folder / "auc.png", ordered, "AUC, mean over systems")


def main() -> None:
    """Run the experiment and write its results."""
    arguments = parser(__doc__)
    arguments.add_argument(
        "--detectors", default="from nothing, additive;start from the other benchmark"
    )
    arguments.add_argument("--draws", type=int, default=1, help="draws of each judge's mistakes")
    parsed = arguments.parse_args()
    workspace = Workspace.of(parsed)
    without_label_warnings()
    tasks = [
        Task(name, detector, of, seed)
        for name in workspace.benchmarks
        for detector in parsed.detectors.split(";")
        for of in (None, *JUDGES)
        for seed in range(1 if of is None else parsed.draws)
    ]
    with starts(workspace) as made:
        found = map_tasks(partial(measured, workspace, made), tasks, workspace.jobs)
    write(dict(zip(tasks, found, strict=True)), parsed.draws, workspace.out)


if __name__ == "__main__":
    main()
