"""Reading the folder of predictions that the experiments share."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clausewise.databases import Databases
from clausewise.datasets import read_candidates, read_cases, read_gold
from clausewise.signals import SignalSpec, inspect_cases
from clausewise.types import (
    Case,
    CaseStatus,
    Group,
    Inspection,
    Need,
    Outcome,
    OutcomeStatus,
    ScoredCase,
    UncheckedCase,
)

BENCHMARKS = ("spider", "bird")
"""The benchmarks that have labeled predictions."""
WORLD = "world"
"""The population of databases made up after the manner of companies."""
POPULATIONS = (*BENCHMARKS, WORLD)
NOT_READ = "the question cannot be read"
NO_CANDIDATES = "the case has no candidates"
Item = Inspection | UncheckedCase
Labels = dict[str | int, bool]


@dataclass(frozen=True)
class System:
    """One system's predictions on a benchmark, after inspection, with their labels."""

    benchmark: str
    name: str
    inspections: list[Item]
    labels: Labels

    def labeled(self) -> list[Inspection]:
        """Return the executable predictions that have a label, in input order."""
        return [
            item
            for item in self.inspections
            if isinstance(item, Inspection)
            and item.status is CaseStatus.OK
            and item.case.question_id in self.labels
        ]

    def is_incorrect(self, item: Inspection) -> bool:
        """Return whether a labeled prediction is incorrect."""
        return not self.labels[item.case.question_id]


@dataclass(frozen=True)
class Benchmark:
    """A benchmark's folder; `only` keeps some of its systems, as predictions and as candidates."""

    folder: Path
    only: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    @property
    def databases(self) -> Databases:
        """Its databases."""
        return Databases(self.folder / "databases")

    def system_names(self) -> list[str]:
        """Return the systems that have predictions and labels, in order."""
        paths = sorted((self.folder / "predictions").glob("*.jsonl"))
        names = [path.stem for path in paths if (self.folder / "labels" / path.name).exists()]
        return [name for name in names if not self.only or name in self.only]

    def gold(self) -> dict[str | int, str]:
        """Return the gold query of each question."""
        return read_gold(self.folder / "questions.jsonl")

    def gold_cases(self) -> list[Case]:
        """Return the gold queries as if they had been predicted, in the file's order."""
        lines = (self.folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
        records = [json.loads(line) for line in lines if line.strip()]
        return [
            Case(
                question_id=record["question_id"],
                db_id=record["db_id"],
                question=record["question"],
                evidence=record.get("evidence"),
                predicted_sql=record["gold_sql"],
            )
            for record in records
        ]

    def cases(self, name: str, candidates: bool = False) -> list[Case | UncheckedCase]:
        """Return a system's cases, with the other systems' queries as candidates where wanted."""
        cases = read_cases(self.folder / "predictions" / f"{name}.jsonl")
        if not candidates or not (self.folder / "candidates.jsonl").exists():
            return cases
        known = read_candidates(self.folder / "candidates.jsonl")

        def with_others(case: Case) -> Case:
            others = [
                (sql, system)
                for system, sql in known.get(case.question_id, ())
                if system != name and (not self.only or system in self.only)
            ]
            queries, systems = zip(*others, strict=True) if others else ((), ())
            return case.model_copy(update={"candidates": queries, "candidate_systems": systems})

        return [case if isinstance(case, UncheckedCase) else with_others(case) for case in cases]

    def systems(
        self,
        specs: Sequence[SignalSpec],
        names: Sequence[str] = (),
        jobs: int = 1,
        candidates: bool = False,
    ) -> list[System]:
        """Inspect the predictions of the systems; a query that several of them give, once."""
        read = {name: self.cases(name, candidates) for name in names or self.system_names()}
        distinct = {_key(case): case for cases in read.values() for case in cases}
        found = inspect_cases(distinct.values(), self.databases, specs, jobs)
        known = dict(zip(distinct, found, strict=True))
        return [
            System(
                self.name,
                name,
                [known[_key(case)] for case in cases],
                self.labels(name, relaxed=True),
            )
            for name, cases in read.items()
        ]

    def labels(self, name: str, vacuous: bool = False, relaxed: bool = False) -> Labels:
        """Return a system's labels.

        Those that say nothing, since the gold query returns nothing, are left out unless
        `vacuous`; those that a second reader disputed always are. With `relaxed` a query that is
        wrong by a column more only is correct, without it one that is right with a column more is
        not.
        """
        text = (self.folder / "labels" / f"{name}.jsonl").read_text(encoding="utf-8")
        records = list(map(json.loads, filter(str.strip, text.split("\n"))))
        return {
            record["question_id"]: _is_correct(record, relaxed)
            for record in records
            if not record.get("disputed") and (vacuous or not record.get("vacuous"))
        }

    def hashes(self) -> dict[str, str]:
        """Return the hash of every database file."""
        return {
            str(path.relative_to(self.folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted((self.folder / "databases").glob("*/*.sqlite"))
        }


def database(item: Item) -> str:
    """Return the database of a case."""
    return item.case.db_id if isinstance(item, Inspection) else str(item.raw.get("db_id"))


def question_of(case: ScoredCase) -> str | int:
    """Return the question's id, which every case of a benchmark has."""
    assert case.question_id is not None
    return case.question_id


def labeled_scores(system: System, scored: Iterable[ScoredCase]) -> list[tuple[ScoredCase, bool]]:
    """Return the scored executable cases that have a label, and whether each is incorrect."""
    return [
        (case, not system.labels[question_of(case)])
        for case in scored
        if case.status is CaseStatus.OK and question_of(case) in system.labels
    ]


def without_candidates(system: System, specs: Sequence[SignalSpec]) -> System:
    """Return the system's cases as their inspection is where no candidates are given."""
    comparing = [spec.name for spec in specs if Need.CANDIDATES in spec.needs]

    def stripped(item: Item) -> Item:
        if isinstance(item, UncheckedCase):
            return item
        outcomes = dict(item.outcomes)
        if item.status is CaseStatus.OK:
            outcomes |= {
                name: Outcome(name, OutcomeStatus.NOT_APPLICABLE, reason=NO_CANDIDATES)
                for name in comparing
            }
        case = item.case.model_copy(update={"candidates": (), "candidate_systems": ()})
        return dataclasses.replace(item, case=case, outcomes=outcomes, agreement={})

    return dataclasses.replace(system, inspections=[stripped(item) for item in system.inspections])


def without_reading(system: System, specs: Sequence[SignalSpec]) -> System:
    """Return the system's cases as their inspection is where no question could be read."""
    reading = [spec.name for spec in specs if spec.group is Group.QUESTION]

    def stripped(item: Item) -> Item:
        if isinstance(item, UncheckedCase) or item.status is not CaseStatus.OK:
            return item
        outcomes = dict(item.outcomes) | {
            name: Outcome(name, OutcomeStatus.NOT_APPLICABLE, reason=NOT_READ) for name in reading
        }
        return dataclasses.replace(item, outcomes=outcomes, expectation={})

    return dataclasses.replace(system, inspections=[stripped(item) for item in system.inspections])


def pooled(systems: Iterable[System]) -> tuple[list[Inspection], Labels]:
    """Return the inspections of all systems under ids of their own, with their labels.

    Cases without a label are left out.
    """
    inspections: list[Inspection] = []
    labels: Labels = {}
    for system in systems:
        for item in system.inspections:
            if not isinstance(item, Inspection) or item.case.question_id not in system.labels:
                continue
            kind = "candidates" if item.case.candidates else "alone"
            own_id = f"{system.benchmark}/{system.name}/{kind}/{item.case.question_id}"
            case = item.case.model_copy(update={"question_id": own_id})
            inspections.append(dataclasses.replace(item, case=case))
            labels[own_id] = system.labels[item.case.question_id]
    return inspections, labels


def _is_correct(record: dict[str, Any], relaxed: bool) -> bool:
    if relaxed:
        return bool(record["correct"] or record.get("convention"))
    return bool(record["correct"] and not record.get("extra_columns"))


def _key(case: Case | UncheckedCase) -> object:
    if isinstance(case, UncheckedCase):
        return case.reason
    return (case.db_id, case.question_id, case.question, case.predicted_sql, case.candidates)
