"""What a detector gains from the votes of a simulated judge.

    python -m experiments.replayed_judge.run DATA --out RESULTS

The judges are simulations: true labels, flipped at random. Their votes go in as votes from
outside at fit and at scoring; the detector reads no label. Every system, leave-one-database-out.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from clausewise.labeling import LabelMatrixWarning, OutsideVotes
from clausewise.models import Detector
from clausewise.signals import select_signals
from clausewise.types import Inspection, OutsideVote, ScoredCase, Verdict
from experiments import plots
from experiments.cache import add_arguments, alone, inspected
from experiments.data import Benchmark, System
from experiments.folds import Scored, database, part, values
from experiments.means import METRICS, Judged, cell, judge
from experiments.replayed_judge.judges import JUDGES, Judge
from experiments.starts import starts
from experiments.tables import markdown

SIGNALS = "all"
DETECTORS: dict[str, dict[str, str]] = {
    "from nothing, additive": {"label_model": "weighted", "classifier": "additive"},
    "from nothing, logistic": {"label_model": "snorkel", "classifier": "logistic"},
    "started elsewhere": {"label_model": "weighted", "classifier": "additive", "start": "other"},
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


@lru_cache(maxsize=2)
def systems_of(folder: Path, cache: Path) -> list[System]:
    """Return the systems' single queries, read once in a process."""
    specs = select_signals(SIGNALS)
    return [alone(system, specs) for system in inspected(Benchmark(folder), specs, cache)]


def votes_on(
    chosen: Judge | None, items: Sequence[Any], system: System, seed: int
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
        for name in values([system], database):
            outside = part(system, database, name, inside=False).inspections
            inside = part(system, database, name, inside=True).inspections
            detector = Detector(signals=SIGNALS, **options).fit_inspections(
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
        questions = [case.question_id for case in without[system.name]]
        scores = outside.scores("simulated_judge", questions)
        found[system.name] = [
            _rescored(case, float(score))
            for case, score in zip(without[system.name], scores, strict=True)
        ]
    return found


def _rescored(case: ScoredCase, incorrect: float) -> ScoredCase:
    verdict = Verdict.INCORRECT if incorrect >= 0.5 else Verdict.CORRECT
    return replace(case, p_correct=1.0 - incorrect, verdict=verdict)


def measured(task: Task, data: Path, cache: Path, start: str) -> tuple[Judged, Judged | None]:
    """Return what the detector with the judge is worth, and the judge alone."""
    warnings.simplefilter("ignore", LabelMatrixWarning)
    systems = systems_of(data / task.benchmark, cache)
    gold = Benchmark(data / task.benchmark).gold()
    found = scored(task, systems, start)
    result = judge(systems, found, gold)
    only = None
    if task.judge is not None:
        only = judge(systems, by_judge_alone(task.judge, systems, found, task.seed), gold)
    print(task, result.mean("auc"), only and only.mean("auc"), flush=True)
    return result, only


def mean_of(results: Sequence[Judged]) -> Judged:
    """Return the mean over seeds of what was measured."""
    means = {
        metric: np.mean([result.values[metric] for result in results], axis=0) for metric in METRICS
    }
    return Judged(results[0].systems, means)


@dataclass(frozen=True)
class Row:
    """A detector with one judge: together, each alone, and the better of the two by system."""

    benchmark: str
    detector: str
    judge: Judge
    together: Judged
    without: Judged
    only: Judged

    @property
    def better(self) -> Judged:
        """Of each system the one of the two that is better on all its cases."""
        without, only = self.without.values["auc"], self.only.values["auc"]
        return Judged(
            self.together.systems, {"auc": np.where(without[0] >= only[0], without, only)}
        )

    @property
    def short(self) -> dict[str, float]:
        """The systems on which the AUC is more than the tolerance below the better of the two."""
        margin = self.together.values["auc"][0] - self.better.values["auc"][0]
        pairs = zip(self.together.systems, margin, strict=True)
        return {name: round(float(value), 4) for name, value in pairs if value < -TOLERANCE}

    def to_json(self) -> dict[str, Any]:
        """Return all figures."""
        return {
            "benchmark": self.benchmark,
            "detector": self.detector,
            "judge": self.judge.name,
            "together": self.together.to_json(),
            "detector_alone": self.without.to_json(),
            "judge_alone": self.only.to_json(),
            "gain_over_detector": self.together.gain(self.without, "auc"),
            "gain_over_judge": self.together.gain(self.only, "auc"),
            "gain_over_better": self.together.gain(self.better, "auc"),
            "systems_below_better": self.short,
        }

    def cells(self) -> list[str]:
        """Return the row of the table."""
        means = [cell(of.mean("auc")) for of in (self.only, self.without, self.together)]
        gains = [cell(self.together.gain(of, "auc"), True) for of in (self.without, self.better)]
        short = f"{len(self.short)} of {len(self.together.systems)}"
        f1 = f"{self.without.mean('f1')[0]:.3f} to {self.together.mean('f1')[0]:.3f}"
        return [self.detector, self.judge.name, *means, *gains, short, f1]


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


def rows_of(results: dict[Task, tuple[Judged, Judged | None]]) -> list[Row]:
    """Return a row for every benchmark, detector and judge, means over seeds."""
    rows = []
    for benchmark, detector in dict.fromkeys((task.benchmark, task.detector) for task in results):
        own = {
            t: r for t, r in results.items() if (t.benchmark, t.detector) == (benchmark, detector)
        }
        without = next(result for task, (result, _) in own.items() if task.judge is None)
        for of in dict.fromkeys(task.judge for task in own if task.judge is not None):
            pairs = [pair for task, pair in own.items() if task.judge == of]
            together = mean_of([result for result, _ in pairs])
            only = mean_of([alone for _, alone in pairs if alone is not None])
            rows.append(Row(benchmark, detector, of, together, without, only))
    return rows


def write(rows: Sequence[Row], seeds: int, out: Path) -> None:
    """Write the results as JSON, Markdown and a plot."""
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps([row.to_json() for row in rows], indent=1) + "\n"
    (out / "results.json").write_text(text)
    parts = [
        "# Results\n\n**Simulation**: the judges are true labels made wrong at random. Means over "
        f"systems and {seeds} draw{'s' * (seeds > 1)} of the mistakes with 95 % "
        "intervals (resampled questions), executable queries only, one query a case, "
        "no labels, leave-one-database-out.\n"
    ]
    panels: dict[str, dict[str, dict[str, list[float]]]] = {}
    for row in rows:
        shown = panels.setdefault(f"{row.benchmark}, {row.detector}", {})
        shown[row.judge.name.removeprefix("simulated, ")] = {
            "judge alone": row.only.mean("auc"),
            "detector alone": row.without.mean("auc"),
            "together": row.together.mean("auc"),
        }
    for benchmark in dict.fromkeys(row.benchmark for row in rows):
        cells = [row.cells() for row in rows if row.benchmark == benchmark]
        parts.append(f"## {benchmark}\n\n{markdown(HEADER, cells)}")
    parts.append("![Judge, detector, and both](auc.png)\n")
    (out / "results.md").write_text("\n".join(parts))
    plots.intervals(out / "auc.png", panels, "AUC, mean over systems")


def main() -> None:
    """Run the experiment and write its results."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
    parser.add_argument("--detectors", default="from nothing, additive;started elsewhere")
    parser.add_argument("--draws", type=int, default=1, help="draws of each judge's mistakes")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", LabelMatrixWarning)
    names = arguments.benchmarks.split(",")
    tasks = [
        Task(name, detector, of, seed)
        for name in names
        for detector in arguments.detectors.split(";")
        for of in (None, *JUDGES)
        for seed in range(1 if of is None else arguments.draws)
    ]
    with tempfile.TemporaryDirectory() as folder:
        made = starts(arguments.data, names, arguments.cache, Path(folder), arguments.jobs)
        found = Parallel(n_jobs=arguments.jobs)(
            delayed(measured)(task, arguments.data, arguments.cache, made[task.benchmark])
            for task in tasks
        )
    write(rows_of(dict(zip(tasks, found, strict=True))), arguments.draws, arguments.out)


if __name__ == "__main__":
    main()
