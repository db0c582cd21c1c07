"""A strategy over the predictions of systems: every correction with what is right about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from clausewise.corrected_case import CorrectedCase
from clausewise.correction import OWN_MARGIN, iter_corrections
from clausewise.databases import Databases
from clausewise.llm import LLM
from clausewise.types import Json, ScoredCase
from experiments.common.workspace import Workspace
from experiments.correction.detectors import ElsewhereDetector, elsewhere
from experiments.correction.predictions import Matcher, chosen_cases, scored_cases
from experiments.reasons.learning import in_force


@dataclass(frozen=True)
class Trial:
    """What is tried: a strategy, its options, and what it gets to see.

    Attributes
    ----------
    margin
        The auditor's margin, None for no auditor, OWN_MARGIN for what the strategy says.
    candidates
        Whether the other systems' queries are in view.
    systems, limit
        Empty: all systems; None: all their cases.
    own_questions
        Whether `limit` draws other questions for each system.
    only
        Keep the cases that are "right" or "wrong" before; empty: all of them.
    """

    strategy: str
    options: Mapping[str, Json] = field(default_factory=dict)
    margin: Any = OWN_MARGIN
    rounds: int | None = None
    candidates: bool = False
    systems: tuple[str, ...] = ()
    limit: int | None = None
    own_questions: bool = False
    only: str = ""


@dataclass(frozen=True)
class Corrected:
    """One prediction after the trial."""

    benchmark: str
    system: str
    question: str
    """The gold query of its question: predictions of one question are not independent."""
    scored: ScoredCase
    result: CorrectedCase
    right_before: bool
    right_after: bool

    @property
    def signals(self) -> frozenset[str]:
        """The signals that fired on the original."""
        return frozenset(finding.signal for finding in self.scored.findings)


@dataclass
class Ready:
    """The predictions of one benchmark, scored, with whether each one is right."""

    name: str
    databases: Databases
    detector: ElsewhereDetector
    matcher: Matcher
    cases: dict[str, list[ScoredCase]]
    """By system."""

    def is_right(self, scored: ScoredCase) -> bool:
        """Return whether a prediction is right before anything is corrected."""
        return self.matcher.is_right(scored, scored.predicted_sql)


def ready(workspace: Workspace, name: str, trial: Trial) -> Ready:
    """Return the predictions that a trial is about, scored by a detector of other benchmarks."""
    benchmark = workspace.benchmark(name)
    databases = benchmark.databases
    detector = elsewhere(workspace, name)
    detector.jobs = workspace.jobs
    matcher = Matcher(benchmark, databases)
    found = {}
    for system in trial.systems or benchmark.system_names():
        if system not in benchmark.system_names():
            continue
        cases = [
            case
            for case in chosen_cases(
                benchmark,
                system,
                limit=trial.limit,
                candidates=trial.candidates,
                own_questions=trial.own_questions,
            )
            if not trial.only
            or matcher.is_right(case, case.predicted_sql) == (trial.only == "right")
        ]
        found[system] = scored_cases(cases, detector, databases)
    return Ready(name, databases, detector, matcher, found)


def corrected(
    cases: Sequence[ScoredCase], of: Ready, trial: Trial, llm: LLM | None = None
) -> Iterator[CorrectedCase]:
    """Yield what the trial's strategy makes of each case, in order."""
    with in_force(of.detector.strengths):
        yield from iter_corrections(
            cases,
            of.databases,
            strategy=trial.strategy,
            llm=llm,
            detector=of.detector,
            margin=trial.margin,
            rounds=trial.rounds,
            options=trial.options,
        )


def results(of: Ready, system: str, found: Iterable[CorrectedCase]) -> list[Corrected]:
    """Return the corrections of a system's cases with whether they are right."""
    return [
        Corrected(
            of.name,
            system,
            of.matcher.gold(scored),
            scored,
            result,
            of.is_right(scored),
            of.matcher.is_right(scored, result.corrected_sql),
        )
        for scored, result in zip(of.cases[system], found, strict=True)
    ]


def run_trial(workspace: Workspace, trial: Trial, llm: LLM | None = None) -> list[Corrected]:
    """Run a strategy over the predictions of all benchmarks of the workspace.

    The detector that scores, audits and is asked by the strategy is trained without the benchmark.
    """
    rows: list[Corrected] = []
    for name in workspace.benchmarks:
        of = ready(workspace, name, trial)
        with closing(of.databases):
            for system, cases in of.cases.items():
                found = list(corrected(cases, of, trial, llm))
                rows += results(of, system, found)
                changed = sum(result.changed for result in found)
                print(f"{name} {system}: {changed} of {len(found)} changed", flush=True)
    return rows
