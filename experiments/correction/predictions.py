"""The systems' predictions, scored by a detector that does not know them, right or wrong."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from clausewise.corrected_case import RowMatch
from clausewise.databases import Databases, QueryResult
from clausewise.evaluation.execution_match import asks_for_order, rows_of, same_rows
from clausewise.types import Case, ScoredCase
from experiments.common.data import Benchmark
from experiments.correction.detectors import ElsewhereDetector


@dataclass
class Matcher:
    """Says whether a query for a question of a benchmark is right, by execution on its database.

    A result that cannot be compared counts as wrong. `replaced` has gold queries by question that
    go in place of the benchmark's own.
    """

    benchmark: Benchmark
    databases: Databases
    replaced: Mapping[str | int, str] = field(default_factory=dict)
    _gold: dict[str | int, str] = field(init=False)
    _gold_rows: dict[str | int, QueryResult | None] = field(default_factory=dict)
    _known: dict[tuple[str | int, str], bool] = field(default_factory=dict)
    _runs: dict[tuple[str, str], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._gold = {**self.benchmark.gold(), **self.replaced}

    @property
    def match(self) -> RowMatch:
        """The benchmark's own rule; the folder has its name."""
        return RowMatch(self.benchmark.name)

    def gold(self, case: Case | ScoredCase) -> str:
        """Return the gold query of a case's question."""
        return self._gold[_id(case)]

    def is_right(self, case: Case | ScoredCase, sql: str | None) -> bool:
        """Return whether a query returns what the gold query of the case's question returns."""
        key = (_id(case), sql or "")
        if key not in self._known:
            self._known[key] = bool(sql) and self._compare(case, sql or "")
        return self._known[key]

    def runs(self, case: Case | ScoredCase, sql: str) -> bool:
        """Return whether a query runs on the database of a case, under the limits."""
        assert case.db_id is not None
        key = (case.db_id, sql)
        if key not in self._runs:
            self._runs[key] = rows_of(sql, self.databases.get(case.db_id)) is not None
        return self._runs[key]

    def _compare(self, case: Case | ScoredCase, sql: str) -> bool:
        assert case.db_id is not None
        database = self.databases.get(case.db_id)
        question = _id(case)
        if question not in self._gold_rows:
            self._gold_rows[question] = rows_of(self._gold[question], database)
        gold, other = self._gold_rows[question], rows_of(sql, database)
        if gold is None or other is None:
            return False
        ordered = asks_for_order(self._gold[question])
        return same_rows(gold, other, self.match, ordered=ordered) is True


def chosen_cases(
    benchmark: Benchmark,
    system: str,
    *,
    limit: int | None = None,
    candidates: bool = False,
    own_questions: bool = False,
) -> list[Case]:
    """Return a system's cases whose labels say something, in input order.

    With `limit` so many of them at most, those whose questions come first by a hash: the same
    questions for every system, from all databases; with `own_questions` each system's own ones.
    """
    labels = benchmark.labels(system)
    cases = [
        case
        for case in benchmark.cases(system, candidates)
        if isinstance(case, Case) and case.question_id in labels
    ]
    if limit is None or limit >= len(cases):
        return cases
    drawn = system if own_questions else ""
    kept = {_id(case) for case in sorted(cases, key=lambda case: _place(case, drawn))[:limit]}
    return [case for case in cases if _id(case) in kept]


def scored_cases(
    cases: Sequence[Case], detector: ElsewhereDetector, databases: Databases
) -> list[ScoredCase]:
    """Return the cases as the detector judges them."""
    return list(detector.score(list(cases), databases))


def _id(case: Case | ScoredCase) -> str | int:
    assert case.question_id is not None
    return case.question_id


def _place(case: Case, drawn: str) -> bytes:
    return hashlib.blake2b(f"{drawn}{_id(case)}".encode(), digest_size=8).digest()
