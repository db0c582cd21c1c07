"""What selection needs of each question: all systems' queries, judged, run and compared."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from clausewise.correction.select import InstanceComparison, result_groups
from clausewise.databases import Databases, QueryResult
from clausewise.equivalence.independence import independence
from clausewise.equivalence.selection import SELECTION_LIMITS
from clausewise.errors import QueryDenied, QueryFailed, QueryTimeout, QueryTooLarge
from clausewise.types import ScoredCase
from experiments.common.data import System, question_of
from experiments.common.workspace import Workspace
from experiments.correction.detectors import ElsewhereDetector, elsewhere
from experiments.reasons.learning import in_force, regraded
from experiments.selection.answers import LENIENT, Answers, cached_answers

Probability = float | None


@dataclass(frozen=True)
class QuestionMaterial:
    """One question; positions are those in `systems`."""

    db_id: str
    gold: str
    vacuous: bool
    """Whether the labels say nothing, since the gold query returns nothing."""
    systems: tuple[str, ...]
    texts: tuple[str, ...]
    correct: tuple[bool, ...]
    as_gold: tuple[bool, ...]
    """Whether a query is correct and no made-up instance tells it from the gold query."""
    alone: tuple[Probability, ...]
    """Probability of being correct, judged by itself."""
    beside: tuple[Probability, ...]
    """The same with the other systems' queries in view."""
    groups: tuple[int | None, ...]
    """Number of the result, None where a query does not run."""
    behaviors: dict[tuple[int, ...], list[tuple[int, ...]]]
    """For the positions with one result, those that no instance tells apart."""

    @property
    def weights(self) -> tuple[float, ...]:
        """What the queries weigh as independent voices."""
        return independence(self.texts, self.systems).weights

    def alike(self, members: Sequence[int]) -> list[tuple[int, ...]]:
        """Return the positions with one result in sets that no instance tells apart."""
        return self.behaviors[tuple(members)]


def cached_material(workspace: Workspace, name: str) -> list[QuestionMaterial]:
    """Return the questions that any system answers, kept in the folder of cached inspections.

    Delete `select-<benchmark>.pickle` there to make them anew.
    """
    path = workspace.cache / f"select-{name}.pickle"
    if not path.exists():
        workspace.cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(list(_material(workspace, name))))
    found: list[QuestionMaterial] = pickle.loads(path.read_bytes())
    return found


def _material(workspace: Workspace, name: str) -> Iterator[QuestionMaterial]:
    benchmark = workspace.benchmark(name)
    detector = elsewhere(workspace, name)
    alone = _scores(workspace.systems(name), detector)
    beside = _scores(workspace.systems(name, candidates=True), detector)
    with closing(benchmark.databases) as databases:
        for of in cached_answers(benchmark, workspace.cache, workspace.jobs):
            yield _of_question(of, alone, beside, databases)


def _scores(
    systems: Sequence[System], detector: ElsewhereDetector
) -> dict[tuple[str, str | int], ScoredCase]:
    found: dict[tuple[str, str | int], ScoredCase] = {}
    for system in regraded(list(systems), detector.strengths):
        with in_force(detector.strengths):
            scored = detector.score_inspections(system.inspections)
        found |= {(system.name, question_of(case)): case for case in scored}
    return found


def _of_question(
    of: Answers,
    alone: dict[tuple[str, str | int], ScoredCase],
    beside: dict[tuple[str, str | int], ScoredCase],
    databases: Databases,
) -> QuestionMaterial:
    database = databases.get(of.db_id)
    texts = of.texts[:-1]

    def run(query: str) -> QueryResult | None:
        try:
            return database.run(query, SELECTION_LIMITS)
        except (QueryDenied, QueryFailed, QueryTimeout, QueryTooLarge):
            return None

    groups = result_groups(texts, run)
    compared = InstanceComparison(texts, database)
    behaviors = {}
    for group in sorted({group for group in groups if group is not None}):
        members = tuple(place for place, own in enumerate(groups) if own == group)
        behaviors[members] = [tuple(alike) for alike in compared(members)]
    return QuestionMaterial(
        of.db_id,
        of.texts[-1],
        of.vacuous,
        of.systems,
        texts,
        tuple(of.is_right(place) for place in range(len(texts))),
        tuple(of.is_right(place, LENIENT) for place in range(len(texts))),
        tuple(alone[name, of.question_id].p_correct for name in of.systems),
        tuple(beside[name, of.question_id].p_correct for name in of.systems),
        tuple(groups),
        behaviors,
    )
