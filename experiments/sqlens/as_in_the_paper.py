"""SQLens's own setting: nine signals, Snorkel, AutoGluon, from nothing, no label read.

Beside every result stand the count of votes and the length of the SQL text.
"""

from __future__ import annotations

import json
import statistics
from functools import partial
from pathlib import Path
from typing import Any

from clausewise.evaluation import evaluate
from clausewise.models import Detector
from experiments.common.data import System
from experiments.common.folds import Scored, held_out_by_system
from experiments.common.parallel import map_tasks
from experiments.common.results import Cell, Row, grouped, interval, number, read_csv
from experiments.common.tables import markdown_table
from experiments.common.workspace import Workspace
from experiments.sqlens.signals import NINE

FILE = "as_in_the_paper.csv"
METRICS = ("auc", "average_precision", "accuracy", "precision", "recall", "f1", "ece", "brier")
WITH_INTERVAL = ("auc", "f1")
BASELINES = {"auc_votes": "AUC of vote count", "auc_length": "AUC of length"}
BY_DATABASE, IN_DOMAIN = "leave-one-database-out", "in-domain"
OPTIONS: dict[str, Any] = {
    "signals": NINE,
    "label_model": "snorkel",
    "classifier": "autogluon",
    "start": "none",
}
PAPER = {
    "bird": {
        "Vanilla": ("61.90", "58.11", "48.74", "52.94"),
        "DIN-SQL": ("81.49", "81.64", "76.41", "78.88"),
        "MAC-SQL": ("64.27", "63.27", "45.10", "52.63"),
        "CHESS": ("63.34", "52.54", "44.69", "48.17"),
    },
}
"""AUC, precision, recall and F1 in % of SQLens (weak supervision), its table 4."""


def fit(systems: list[System]) -> Detector:
    """Return a detector fitted without labels."""
    return Detector(**OPTIONS).fit_inspections([i for of in systems for i in of.inspections])


def scored(system: System, setting: str) -> Scored:
    """Score every case of a system by a detector fitted without labels.

    Leave-one-database-out: fitted on the system's other databases. In-domain: fitted on the very
    cases that it scores, as in the paper.
    """
    if setting == IN_DOMAIN:
        return {system.name: fit([system]).score_inspections(system.inspections)}
    return held_out_by_system([system], fit)


def measured(workspace: Workspace) -> list[dict[str, Cell]]:
    """Return a row for every setting and system: figures on executable queries."""
    tasks = [
        (name, setting, place)
        for name in workspace.benchmarks
        for setting in (BY_DATABASE, IN_DOMAIN)
        for place in range(len(workspace.systems(name)))
    ]
    return map_tasks(partial(_row, workspace), tasks, workspace.jobs)


def _row(workspace: Workspace, task: tuple[str, str, int]) -> dict[str, Cell]:
    name, setting, place = task
    system = workspace.systems(name)[place]
    gold = workspace.benchmark(name).gold()
    cases = scored(system, setting)[system.name]
    scope: Any = evaluate(cases, system.labels, gold, bootstrap=500).to_dict()["executable_only"]
    row: dict[str, Cell] = {"benchmark": name, "setting": setting, "system": system.name}
    row |= {"n": scope["n"], "incorrect": scope["n_incorrect"]}
    for metric in METRICS:
        row[metric] = scope[metric]
        if metric in WITH_INTERVAL:
            row[f"{metric}_low"], row[f"{metric}_high"] = scope["intervals"][metric]
    row["auc_votes"] = scope["baselines"]["vote_count"]["auc"]
    row["auc_length"] = scope["baselines"]["length"]["auc"]
    print(row, flush=True)
    return row


def report(folder: Path) -> list[str]:
    """Return the table of every benchmark and setting, with the mean, and the paper's figures."""
    parts = [
        "## As in the paper: nine signals, Snorkel, AutoGluon\n\n"
        f"Settings: `{json.dumps(OPTIONS)}`. Executable queries only.\n"
    ]
    header = ["system", "n", "incorrect", *METRICS, *BASELINES.values()]
    rows = read_csv(folder / FILE)
    for (name, setting), of in grouped(rows, "benchmark", "setting").items():
        lines = [_cells(row) for row in of]
        means = ["**mean**"]
        for column in range(1, len(header)):
            shown = [line[column].split(" ")[0] for line in lines if line[column] != "-"]
            means.append(f"{statistics.mean(map(float, shown)):.3f}" if shown else "-")
        parts.append(f"### {name}, {setting}\n\n{markdown_table(header, [*lines, means])}")
    paper = [[name, system, *cells] for name, of in PAPER.items() for system, cells in of.items()]
    columns = ["benchmark", "system", "AUC", "precision", "recall", "F1"]
    parts.append(f"### SQLens's own figures (%, its table 4)\n\n{markdown_table(columns, paper)}")
    return parts


def _cells(row: Row) -> list[str]:
    cells = [row["system"], row["n"], row["incorrect"]]
    for name in (*METRICS, *BASELINES):
        if not row[name]:
            cells.append("-")
        elif name in WITH_INTERVAL:
            value, low, high = interval(row, name)
            cells.append(f"{value:.3f} ({low:.2f}-{high:.2f})")
        else:
            cells.append(f"{number(row, name):.3f}")
    return cells
