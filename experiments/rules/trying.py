"""Every system's predictions, each query scored once, and what `rules` makes of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from clausewise.corrected_case import CorrectedCase, CorrectionStatus
from clausewise.correction import STRATEGIES, load_strategies
from clausewise.correction.judging import Auditor
from clausewise.correction.loop import CorrectionRun, correct_case
from clausewise.correction.rules import RulesOptions
from clausewise.correction.rules.suggesting import chosen_repairs
from clausewise.databases import Databases
from clausewise.types import Case, ScoredCase
from experiments.common.workspace import Workspace
from experiments.correction.detectors import ElsewhereDetector, elsewhere
from experiments.correction.predictions import Matcher, chosen_cases
from experiments.correction.trials import Corrected
from experiments.reasons.learning import in_force

Key = tuple[str | int | None, str]
"""Question and query: the same for all systems that answer so."""
BLOCK = 200
"""Queries that are scored together."""


@dataclass(frozen=True)
class Setting:
    """What is tried: the repairs and the auditor's margin, None for no auditor."""

    options: RulesOptions = field(default_factory=RulesOptions)
    margin: float | None = None


class RememberingAuditor(Auditor):
    """An auditor that judges each query for a question once; the cases have no candidates."""

    def __init__(self, detector: ElsewhereDetector, databases: Databases) -> None:
        super().__init__(detector, databases)
        self._known: dict[Key, ScoredCase] = {}

    def score(self, cases: Sequence[Case]) -> list[ScoredCase]:
        """Return each case with its probability and findings."""
        missing = {key_of(case): case for case in cases if key_of(case) not in self._known}
        if missing:
            self._known |= zip(missing, super().score(list(missing.values())), strict=True)
        return [self._known[key_of(case)] for case in cases]


class Predictions:
    """The predictions of a benchmark's systems whose labels say something, scored.

    The detector that scores and audits was trained on the other benchmark.
    """

    def __init__(self, workspace: Workspace, name: str) -> None:
        benchmark = workspace.benchmark(name)
        self.name = name
        self.databases = benchmark.databases
        self._detector = elsewhere(workspace, name)
        self._auditor = RememberingAuditor(self._detector, self.databases)
        self._matcher = Matcher(benchmark, self.databases)
        self._of_system: dict[str, list[Key]] = {}
        cases: dict[Key, Case] = {}
        for system in benchmark.system_names():
            chosen = chosen_cases(benchmark, system)
            cases |= {key_of(case): case for case in chosen}
            self._of_system[system] = [key_of(case) for case in chosen]
        self.scored: dict[Key, ScoredCase] = {}
        waiting = list(cases)
        while waiting:
            block, waiting = waiting[:BLOCK], waiting[BLOCK:]
            with in_force(self._detector.strengths):
                found = self._auditor.score([cases[key] for key in block])
            self.scored |= zip(block, found, strict=True)
            print(f"{name}: {len(waiting)} of {len(cases)} queries are to be scored", flush=True)

    def corrected(self, setting: Setting) -> list[Corrected]:
        """Return what becomes of every prediction, by system."""
        load_strategies()
        spec = replace(STRATEGIES["rules"], margin=setting.margin)
        run = CorrectionRun(spec, setting.options, self.databases, self._auditor)
        with in_force(self._detector.strengths):
            changed = {
                key: correct_case(scored, run)
                for key, scored in self.scored.items()
                if _has_a_repair(scored, setting.options)
            }
        return [
            self._corrected(system, key, changed.get(key) or _kept(self.scored[key]))
            for system, keys in self._of_system.items()
            for key in keys
        ]

    def _corrected(self, system: str, key: Key, result: CorrectedCase) -> Corrected:
        scored = self.scored[key]
        return Corrected(
            self.name,
            system,
            self._matcher.gold(scored),
            scored,
            result,
            self._matcher.is_right(scored, scored.predicted_sql),
            self._matcher.is_right(scored, result.corrected_sql),
        )


def _has_a_repair(scored: ScoredCase, options: RulesOptions) -> bool:
    """Whether a finding is one that a repair is for; without one nothing is proposed."""
    chosen = chosen_repairs(risky=options.risky, only=options.only, without=options.without)
    return any(spec.is_for(finding) for spec in chosen for finding in scored.findings)


def _kept(scored: ScoredCase) -> CorrectedCase:
    return CorrectedCase(
        question_id=scored.question_id,
        db_id=scored.db_id,
        predicted_sql=scored.predicted_sql,
        corrected_sql=scored.predicted_sql,
        changed=False,
        status=CorrectionStatus.KEPT,
        reason="no finding determines a repair",
        strategy="rules",
        p_before=scored.p_correct,
        p_after=scored.p_correct,
        steps=(),
        cost=None,
    )


def key_of(case: Case) -> Key:
    """Return by what a case is known."""
    return case.question_id, case.predicted_sql


def each_benchmark(workspace: Workspace, make: Callable[[Predictions], None]) -> None:
    """Call a function with the predictions of each benchmark in turn."""
    for name in workspace.benchmarks:
        make(Predictions(workspace, name))
