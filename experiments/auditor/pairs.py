"""Pairs of a prediction and a proposal of known worth, both judged by a detector.

The detector is that of the other benchmark. Every query is judged twice: alone, and with all
systems' queries (and the proposal) in view, as the loop of corrections does where a case has
candidates.
"""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from clausewise.databases import Databases
from clausewise.datasets import read_candidates
from clausewise.sql import same_statement
from clausewise.types import Case, ScoredCase
from experiments.common.data import Benchmark
from experiments.common.workspace import Workspace
from experiments.correction.detectors import ElsewhereDetector, elsewhere
from experiments.correction.predictions import Matcher, chosen_cases
from experiments.counterexamples.mutations import CHANGES, Drawing, mutant

GOOD, HARMFUL, MUTANT = "good", "harmful", "harmful mutant"
"""The gold for a wrong query; another system's wrong query, and the gold with one change that makes
it wrong, each for a right query."""
ALONE, IN_VIEW = "alone", "candidates"
BATCH = 500


@dataclass(frozen=True)
class Judged:
    """What the detector says of one query."""

    p_correct: float
    threshold: float
    """Probability of being correct from which the verdict is correct."""


@dataclass(frozen=True)
class Pair:
    """A prediction and what is proposed in its place."""

    benchmark: str
    system: str
    database: str
    question: str
    """The gold query: pairs of one question are not independent."""
    kind: str
    view: str
    before: Judged
    after: Judged


Wanted = tuple[str, str | int, str, tuple[str, ...]]
"""Kind of view, question, query, and the queries beside the systems' that are in view."""


@dataclass(frozen=True)
class _Proposed:
    case: Case
    system: str
    kind: str
    sql: str
    more: tuple[str, ...]
    """Queries that join those in view."""

    def wanted(self, view: str) -> tuple[Wanted, Wanted]:
        """Return what is to be judged: the prediction, then the proposal."""
        assert self.case.question_id is not None
        more = self.more if view == IN_VIEW else ()
        return (
            (view, self.case.question_id, self.case.predicted_sql, more),
            (view, self.case.question_id, self.sql, more),
        )


def cached_pairs(workspace: Workspace, name: str) -> list[Pair]:
    """Return the pairs of a benchmark, kept in the folder of cached inspections."""
    path = workspace.cache / f"auditor-{name}.pickle"
    if not path.exists():
        path.write_bytes(pickle.dumps(pairs(workspace, name)))
    found: list[Pair] = pickle.loads(path.read_bytes())
    return found


def pairs(workspace: Workspace, name: str) -> list[Pair]:
    """Judge the pairs of all predictions of a benchmark that run and whose labels say something."""
    benchmark = workspace.benchmark(name)
    detector = elsewhere(workspace, name)
    detector.jobs = workspace.jobs
    gold = benchmark.gold()
    with closing(benchmark.databases) as databases:
        proposed = list(_proposed(benchmark, Matcher(benchmark, databases), databases))
        wanted = dict.fromkeys(
            one for pair in proposed for view in (ALONE, IN_VIEW) for one in pair.wanted(view)
        )
        cases = {pair.case.question_id or 0: pair.case for pair in proposed}
        judged = _judged(benchmark, list(wanted), cases, detector, databases)
    return [
        Pair(
            name,
            pair.system,
            pair.case.db_id,
            gold[pair.case.question_id or 0],
            pair.kind,
            view,
            *(judged[one] for one in pair.wanted(view)),
        )
        for pair in proposed
        for view in (ALONE, IN_VIEW)
        if all(one in judged for one in pair.wanted(view))
    ]


def _proposed(benchmark: Benchmark, matcher: Matcher, databases: Databases) -> Iterator[_Proposed]:
    known = read_candidates(benchmark.folder / "candidates.jsonl")
    mutants: dict[str | int, list[str]] = {}
    for system in benchmark.system_names():
        for case in chosen_cases(benchmark, system):
            question = case.question_id
            assert question is not None
            if not matcher.runs(case, case.predicted_sql):
                continue
            gold = matcher.gold(case)
            if not matcher.is_right(case, case.predicted_sql):
                in_view = {same_statement(sql) for _, sql in known.get(question, ())}
                more = () if same_statement(gold) in in_view else (gold,)
                yield _Proposed(case, system, GOOD, gold, more)
                continue
            dice = random.Random(f"{question} {case.predicted_sql}")
            others = [sql for _, sql in known.get(question, ()) if _harms(matcher, case, sql)]
            if others:
                yield _Proposed(case, system, HARMFUL, dice.choice(others), ())
            if question not in mutants:
                schema = databases.get(case.db_id).schema
                made = _mutants(gold, Drawing(schema, random.Random(gold)))
                mutants[question] = [sql for sql in made if _harms(matcher, case, sql)][:3]
            if mutants[question]:
                sql = dice.choice(mutants[question])
                yield _Proposed(case, system, MUTANT, sql, (sql,))


def _harms(matcher: Matcher, case: Case, sql: str) -> bool:
    return matcher.runs(case, sql) and not matcher.is_right(case, sql)


def _mutants(gold: str, drawing: Drawing) -> Iterator[str]:
    for kind in drawing.dice.sample(sorted(CHANGES), len(CHANGES)):
        made = mutant(gold, CHANGES[kind], drawing)
        if made is not None:
            yield made


def _judged(
    benchmark: Benchmark,
    wanted: Sequence[Wanted],
    cases: Mapping[str | int, Case],
    detector: ElsewhereDetector,
    databases: Databases,
) -> dict[Wanted, Judged]:
    known = read_candidates(benchmark.folder / "candidates.jsonl")
    found: dict[Wanted, Judged] = {}
    for start in range(0, len(wanted), BATCH):
        batch = wanted[start : start + BATCH]
        scored = detector.score([_case(cases[one[1]], one, known) for one in batch], databases)
        for one, case in zip(batch, scored, strict=True):
            if case.p_correct is not None:
                found[one] = judged_of(case, 1.0 - detector.learned_.threshold)
        print(f"{benchmark.name}: {start + len(batch)} of {len(wanted)}", flush=True)
    return found


def _case(
    case: Case, wanted: Wanted, known: Mapping[str | int, Iterable[tuple[str | None, str]]]
) -> Case:
    view, question, sql, more = wanted
    pool: list[tuple[str | None, str]] = []
    if view == IN_VIEW:
        pool = [*known.get(question, ()), *((None, text) for text in more)]
    changed = {
        "predicted_sql": sql,
        "candidates": [text for _, text in pool],
        "candidate_systems": [system for system, _ in pool],
    }
    return Case.model_validate({**case.bare().carried(), **changed})


def judged_of(case: ScoredCase, threshold: float) -> Judged:
    """Return what matters of a scored case."""
    return Judged(
        case.p_correct or 0.0,
        threshold,
    )
