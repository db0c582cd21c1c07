"""Write the test-suite labels of the predictions of a benchmark.

    python -m experiments.test_suite_labels.make DATA --out LABELS

A benchmark's folder holds questions with their gold, predictions of systems, and databases. For
each, `LABELS/<benchmark>/<system>.jsonl` has `question_id`, `executable`, `correct`,
`correct_on_database`, `correct_on_any_instance`, `told_by`, `difference`, `forgiven`;
`instances.jsonl` has the instances.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from clausewise.databases import open_database
from clausewise.sql import same_statement
from clausewise.types import Case
from experiments.common.data import Benchmark
from experiments.common.parallel import map_tasks
from experiments.common.workspace import Workspace, parser
from experiments.counterexamples.checking import Checker
from experiments.test_suite_labels.labeling import Gold, Label, Measure, database_path
from experiments.test_suite_labels.observed import write_copy

SETS_OF_ROWS = ("bird",)
"""Benchmarks whose measure compares results as sets of rows."""

TOGETHER = 25
"""Golds of one database that a process labels in one go."""


@dataclass(frozen=True)
class Task:
    """The questions that share one gold query, and their distinct predictions."""

    path: Path
    gold: str
    questions: tuple[str | int, ...]
    predictions: tuple[str, ...]
    sets: bool


@dataclass(frozen=True)
class Labeled:
    """The labels of a task's predictions, and the instances that tell one of them."""

    task: Task
    labels: dict[str, Label]
    instances: dict[int, dict[str, Any]]


def tasks_of(benchmark: Benchmark) -> list[Task]:
    """Return the tasks of a benchmark, by database."""
    gold = benchmark.gold()
    database: dict[str | int, str] = {}
    predicted: dict[str | int, list[str]] = {question: [] for question in gold}
    for system in benchmark.system_names():
        for case in benchmark.cases(system):
            if isinstance(case, Case) and case.question_id is not None:
                database[case.question_id] = case.db_id
                predicted[case.question_id].append(same_statement(case.predicted_sql))
    by_gold: dict[tuple[str, str], list[str | int]] = {}
    for question, db_id in database.items():
        key = (db_id, same_statement(gold[question]))
        by_gold.setdefault(key, []).append(question)
    return [
        Task(
            database_path(benchmark.folder, db_id),
            text,
            tuple(questions),
            tuple(sorted({sql for question in questions for sql in predicted[question]})),
            benchmark.name in SETS_OF_ROWS,
        )
        for (db_id, text), questions in sorted(by_gold.items())
    ]


def chunks(tasks: Sequence[Task]) -> Iterator[list[Task]]:
    """Yield the tasks of one database after another, so many at a time."""
    for _, of in groupby(tasks, lambda task: task.path):
        together = list(of)
        for start in range(0, len(together), TOGETHER):
            yield together[start : start + TOGETHER]


def labeled(tasks: Sequence[Task]) -> list[Labeled]:
    """Return the labels of the predictions of tasks of one database."""
    path = tasks[0].path
    found = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        write_copy(path, copy)
        checker, observed, declared = Checker(path), open_database(copy), open_database(path)
        for task in tasks:
            gold = Gold(task.gold, observed, declared, checker, Measure(task.sets))
            labels = gold.labels(task.predictions)
            telling = sorted({of.told_by for of in labels.values() if isinstance(of.told_by, int)})
            instances = {number: gold.instances[number].to_dict() for number in telling}
            found.append(Labeled(task, labels, instances))
            print(path.stem, len(found), len(tasks), flush=True)
    return found


def write(benchmark: Benchmark, found: Sequence[Labeled], folder: Path) -> None:
    """Write the labels of every system, and the instances."""
    folder.mkdir(parents=True, exist_ok=True)
    known = {question: of for of in found for question in of.task.questions}
    for system in benchmark.system_names():
        lines = []
        for case in benchmark.cases(system):
            if isinstance(case, Case) and case.question_id in known:
                label = known[case.question_id].labels.get(same_statement(case.predicted_sql))
                if label is not None:
                    lines.append({"question_id": case.question_id, **asdict(label)})
        _write_lines(folder / f"{system}.jsonl", lines)
    _write_lines(
        folder / "instances.jsonl",
        [
            {
                "question_ids": list(of.task.questions),
                "db_id": of.task.path.stem,
                "gold_sql": of.task.gold,
                "instances": of.instances,
            }
            for of in found
        ],
    )


def _write_lines(path: Path, lines: Sequence[Mapping[str, object]]) -> None:
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")


def main() -> None:
    """Write the labels."""
    arguments = parser(__doc__)
    arguments.add_argument("--limit", type=int, default=0, help="gold queries of each benchmark")
    parsed = arguments.parse_args()
    workspace = Workspace.of(parsed)
    for name in workspace.benchmarks:
        benchmark = workspace.benchmark(name)
        tasks = tasks_of(benchmark)
        if parsed.limit:
            tasks = tasks[:: max(1, len(tasks) // parsed.limit)]
        groups = list(chunks(tasks))
        found = [of for group in map_tasks(labeled, groups, workspace.jobs) for of in group]
        write(benchmark, found, workspace.out / name)


if __name__ == "__main__":
    main()
