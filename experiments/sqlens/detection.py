"""SQLens's tables 4 and 7: detecting incorrect queries, leave-one-database-out.

Supervised ways read the labels of the system's other databases, all others read none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from clausewise.models import Detector
from clausewise.types import Inspection, OutcomeStatus, ScoredCase, Verdict
from experiments.common import plots
from experiments.common.data import System, pooled
from experiments.common.folds import Scored, held_out_by_system
from experiments.common.means import METRICS, SystemFigures, system_figures
from experiments.common.parallel import map_tasks
from experiments.common.results import (
    Cell,
    Row,
    grouped,
    interval,
    interval_columns,
    read_csv,
)
from experiments.common.tables import interval_text, markdown_table
from experiments.common.workspace import Workspace
from experiments.sqlens.signals import NINE, nine_signals

FILE = "detection.csv"
ALL = "all"
MEAN = "mean"
"""In the place of a system's name: the mean over systems."""
SHOWN = ("accuracy", "auc", "auc_within", "precision", "recall", "f1")
ANY, LENGTH = "any of the nine fired", "length of the SQL"
NO_VERDICT = {LENGTH: ("accuracy", "precision", "recall", "f1"), ANY: ("auc", "auc_within")}
"""What is not shown: a ranking gives no verdict, one bit no ranking (the paper's cross)."""
LOGISTIC, ADDITIVE = "logistic", "additive"
LABEL_MODELS = {LOGISTIC: "snorkel", ADDITIVE: "weighted"}
"""Label model by classifier."""
TABLE = {"bird": "4", "spider": "7"}


@dataclass(frozen=True)
class Way:
    """A way of detecting errors."""

    name: str
    signals: str = NINE
    labels: bool = False
    classifier: str = LOGISTIC


WAYS = (
    Way(LENGTH),
    Way(ANY),
    Way("nine signals, supervised, logistic", labels=True),
    Way("nine signals, Snorkel, logistic"),
    Way("all signals, supervised, logistic", ALL, labels=True),
    Way("all signals, Snorkel, logistic", ALL),
    Way("all signals, additive", ALL, classifier=ADDITIVE),
)


def scored(way: Way, systems: Sequence[System]) -> Scored:
    """Score every system by detectors fitted on its other databases."""
    if way.name in NO_VERDICT:
        return {system.name: _untrained(way, system) for system in systems}

    def fit(of: list[System]) -> Detector:
        inspections, labels = pooled(of)
        detector = Detector(
            signals=way.signals,
            label_model=LABEL_MODELS[way.classifier],
            classifier=way.classifier,
            start="none",
        )
        return detector.fit_inspections(inspections, labels if way.labels else None)

    return held_out_by_system(systems, fit)


def _untrained(way: Way, system: System) -> list[ScoredCase]:
    """Return cases ranked by their length, or called incorrect where a signal fired."""
    nine = nine_signals()
    untrained = Detector(signals=NINE, label_model="majority", classifier="none", start="none")
    cases = untrained.fit_inspections(system.inspections).score_inspections(system.inspections)
    found = []
    for item, case in zip(system.inspections, cases, strict=True):
        if not isinstance(item, Inspection) or case.p_correct is None:
            found.append(case)
            continue
        fired = any(item.outcomes[name].status is OutcomeStatus.FIRED for name in nine)
        correct = 1.0 / len(item.case.predicted_sql) if way.name == LENGTH else 1.0 - fired
        verdict = Verdict.INCORRECT if fired else Verdict.CORRECT
        found.append(replace(case, p_correct=correct, verdict=verdict))
    return found


def measured(workspace: Workspace) -> list[dict[str, Cell]]:
    """Return a row for every way, for the mean over systems and for every system."""
    tasks = [(name, way) for name in workspace.benchmarks for way in WAYS]
    figures = map_tasks(partial(_figures, workspace), tasks, workspace.jobs)
    rows: list[dict[str, Cell]] = []
    for (name, way), found in zip(tasks, figures, strict=True):
        of_system = [(MEAN, found), *((system, found.only(system)) for system in found.systems)]
        for system, of in of_system:
            row: dict[str, Cell] = {"benchmark": name, "system": system, "method": way.name}
            row |= {"signals": way.signals, "labels": way.labels, "classifier": way.classifier}
            for metric in SHOWN:
                shown = metric not in NO_VERDICT.get(way.name, ())
                row |= interval_columns(metric, of.mean(metric) if shown else [float("nan")] * 3)
            rows.append(row)
    return rows


def _figures(workspace: Workspace, task: tuple[str, Way]) -> SystemFigures:
    name, way = task
    systems = workspace.systems(name)
    found = system_figures(systems, scored(way, systems), workspace.benchmark(name).gold())
    print(name, way.name, found.mean("auc"), flush=True)
    return found


def report(folder: Path) -> list[str]:
    """Return table 4 or 7 of every benchmark: the mean and every system, every way."""
    parts = []
    header = ["system", "method", *(METRICS[metric] for metric in SHOWN)]
    for (name,), rows in grouped(read_csv(folder / FILE), "benchmark").items():
        lines = [
            [f"**{MEAN}**" if system == MEAN else system, row["method"], *_cells(row)]
            for (system,), of in grouped(rows, "system").items()
            for row in of
        ]
        table = markdown_table(header, lines)
        parts.append(f"## {name}, as table {TABLE.get(name, '-')} of SQLens\n\n{table}")
    return parts


def _cells(row: Row) -> list[str]:
    hidden = NO_VERDICT.get(row["method"], ())
    return ["x" if m in hidden else interval_text(interval(row, m)) for m in SHOWN]


def plot(folder: Path) -> None:
    """Draw each system's AUC."""
    panels: dict[str, dict[str, dict[str, plots.Interval]]] = {}
    for row in read_csv(folder / FILE):
        if row["system"] != MEAN and row["method"] != ANY:
            of_system = panels.setdefault(row["benchmark"], {}).setdefault(row["system"], {})
            of_system[row["method"]] = interval(row, "auc")
    plots.intervals(folder / "detection.png", panels, "AUC, 95 % interval", reference=0.5)
