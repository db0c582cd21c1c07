"""The predictions that are perturbed, and what they are after a perturbation."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from clausewise.databases import Databases
from clausewise.types import Case, UncheckedCase
from experiments.common.data import Benchmark, Labels
from experiments.robustness.naming import RENAMERS, renaming
from experiments.robustness.questions import PERTURBATIONS
from experiments.robustness.schemas import (
    identifiers,
    renamed_copy,
    renamed_evidence,
    renamed_sql,
    rows_of,
)

Key = tuple[str | int, str]
"""A question and the query that was predicted for it, before any perturbation."""
NAMES = "names"
QUESTIONS = "questions"


@dataclass(frozen=True)
class Predictions:
    """Predictions of a benchmark's systems on some of its questions, with labels that count.

    `of_system` lists each system's predictions, `cases` has every one of them once.
    """

    benchmark: Benchmark
    of_system: Mapping[str, list[Key]]
    labels: Mapping[str, Labels]
    cases: Mapping[Key, Case]


@dataclass(frozen=True)
class Perturbed:
    """Cases under a perturbation, by what they were before; those that it spoils are missing."""

    name: str
    of: str
    cases: Mapping[Key, Case]
    databases: Databases
    dropped: int

    def unchanged(self, predictions: Predictions) -> set[Key]:
        """Return the cases that read exactly as they did."""
        return {key for key, case in self.cases.items() if case == predictions.cases[key]}


def read_predictions(benchmark: Benchmark, questions: int, seed: int) -> Predictions:
    """Return the predictions on so many questions, drawn with the seed; all where it is 0.

    Cases without a label and with a vacuous one are left out.
    """
    labels = {name: benchmark.labels(name) for name in benchmark.system_names()}
    ids = sorted({id for of in labels.values() for id in of}, key=str)
    if 0 < questions < len(ids):
        ids = random.Random(seed).sample(ids, questions)
    chosen = set(ids)
    cases: dict[Key, Case] = {}
    of_system: dict[str, list[Key]] = {}
    for name, known in labels.items():
        of_system[name] = []
        for case in benchmark.cases(name):
            if isinstance(case, UncheckedCase) or case.question_id is None:
                continue
            if case.question_id in chosen and case.question_id in known:
                key = (case.question_id, case.predicted_sql)
                cases.setdefault(key, case)
                of_system[name].append(key)
    return Predictions(benchmark, of_system, labels, cases)


def perturbations(
    predictions: Predictions, folder: Path, seed: int, only: Sequence[str] = ()
) -> Iterator[Perturbed]:
    """Yield the predictions under each perturbation; renamed databases are made in the folder."""
    for name in RENAMERS:
        if not only or name in only:
            yield renamed(predictions, name, folder / predictions.benchmark.name / name)
    for name, reworded in PERTURBATIONS.items():
        if only and name not in only:
            continue
        found = {
            key: case.model_copy(
                update={
                    "question": reworded(
                        case.question, case.evidence or "", random.Random(f"{seed} {key[0]}")
                    )
                }
            )
            for key, case in predictions.cases.items()
        }
        databases = predictions.benchmark.databases
        yield Perturbed(name, QUESTIONS, found, databases, dropped=0)


def renamed(predictions: Predictions, name: str, folder: Path) -> Perturbed:
    """Return the predictions on databases with other names.

    Queries that do not run are left out; one whose renamed form gives other rows than before is
    dropped and counted.
    """
    mappings: dict[str, dict[str, str]] = {}
    found: dict[Key, Case] = {}
    dropped = 0
    for key, case in predictions.cases.items():
        place = Path(case.db_id) / f"{case.db_id}.sqlite"
        database = predictions.benchmark.folder / "databases" / place
        if case.db_id not in mappings:
            tables = identifiers(database)
            names = [*tables, *(column for of in tables.values() for column in of)]
            mappings[case.db_id] = renaming(names, RENAMERS[name])
            renamed_copy(database, folder / place, mappings[case.db_id])
        mapping = mappings[case.db_id]
        rows = rows_of(database, case.predicted_sql)
        if rows is None:
            continue
        sql = renamed_sql(case.predicted_sql, mapping)
        if sql is None or rows_of(folder / place, sql) != rows:
            dropped += 1
            continue
        evidence = case.evidence and renamed_evidence(case.evidence, mapping)
        found[key] = case.model_copy(update={"predicted_sql": sql, "evidence": evidence})
    databases = Databases(folder, cache_dir=folder.parent / "cache")
    return Perturbed(name, NAMES, found, databases, dropped)
