"""Reading the folder of predictions that the experiments share."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clausewise.databases import Databases
from clausewise.datasets import read_candidates, read_cases, read_gold, read_labels
from clausewise.signals import SignalSpec, inspect_cases
from clausewise.types import Case, Inspection, UncheckedCase


@dataclass(frozen=True)
class System:
    """One system's predictions on a benchmark, inspected, with their labels."""

    benchmark: str
    name: str
    inspections: list[Inspection | UncheckedCase]
    labels: dict[str | int, bool]

    def database_of(self, item: Inspection | UncheckedCase) -> str:
        """Return the database of a case."""
        return item.case.db_id if isinstance(item, Inspection) else str(item.raw.get("db_id"))

    def databases(self) -> list[str]:
        """Return the names of the databases, in order."""
        return sorted({self.database_of(item) for item in self.inspections})


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

    def cases(self, name: str, candidates: bool = False) -> list[Case | UncheckedCase]:
        """Return a system's cases, with the other systems' queries as candidates where wanted."""
        cases = read_cases(self.folder / "predictions" / f"{name}.jsonl")
        if not candidates:
            return cases
        known = read_candidates(self.folder / "candidates.jsonl")
        return [
            case
            if isinstance(case, UncheckedCase)
            else case.model_copy(
                update={
                    "candidates": tuple(
                        sql
                        for system, sql in known.get(case.question_id, ())
                        if system != name and (not self.only or system in self.only)
                    )
                }
            )
            for case in cases
        ]

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
        inspected = inspect_cases(distinct.values(), self.databases, specs, jobs)
        known = dict(zip(distinct, inspected, strict=True))
        return [
            System(
                self.name,
                name,
                [known[_key(case)] for case in cases],
                read_labels(self.folder / "labels" / f"{name}.jsonl"),
            )
            for name, cases in read.items()
        ]

    def hashes(self) -> dict[str, str]:
        """Return the hash of every database file."""
        return {
            str(path.relative_to(self.folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted((self.folder / "databases").glob("*/*.sqlite"))
        }


def _key(case: Case | UncheckedCase) -> object:
    if isinstance(case, UncheckedCase):
        return case.reason
    return (case.db_id, case.question_id, case.question, case.predicted_sql, case.candidates)
