"""Many cases at once: threads where a model is asked, else processes; results in input order.

A case is corrected in the same way whatever does it. A process opens the databases for itself
and keeps the same limits inside as the calling process would, so the number of processes changes
no byte of the result.
"""

from __future__ import annotations

import math
import pickle
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from clausewise.correction.judging import Auditor
from clausewise.correction.loop import CorrectionRun, correct_case, failed_case
from clausewise.databases.sqlite.copies import remove_abandoned, remove_copies
from clausewise.llm.in_order import in_order
from clausewise.signals.runner.cases import remote_databases
from clausewise.workers import Broken, Isolation, WorkerPool, can_isolate

if TYPE_CHECKING:
    from clausewise.corrected_case import CorrectedCase
    from clausewise.correction.base import StrategyOptions, StrategySpec
    from clausewise.databases import Databases
    from clausewise.llm import LLM, CallGroup
    from clausewise.models import Detector
    from clausewise.types import ScoredCase


@dataclass(frozen=True, slots=True)
class CorrectionPlan:
    """What is to be done with every case; the same in every process."""

    spec: StrategySpec
    options: StrategyOptions
    detector: Detector
    seed: int = 0

    def open(self, databases: Databases, stack: ExitStack, llm: LLM | None = None) -> CorrectionRun:
        """Return a run on these databases; the stack ends what is opened for it.

        What strategies run on the databases is done in a process of its own where this can be.
        """
        asked = stack.enter_context(remote_databases(databases, self.detector.isolation))
        auditor = Auditor(self.detector, databases)
        return CorrectionRun(self.spec, self.options, asked, auditor, llm, self.seed)


def corrected_in_order(
    cases: Iterable[ScoredCase],
    plan: CorrectionPlan,
    databases: Databases,
    llm: LLM | None = None,
    jobs: int = 1,
) -> Iterator[CorrectedCase]:
    """Yield every case corrected, in input order, byte for byte the same whatever `jobs` is.

    With a model, its settings say how many cases are at work at once, all in this process, and
    `jobs` is not read. Nor is it where the detector itself asks a model, or the system cannot
    copy processes.
    """
    if llm is None and plan.detector.llm is None and jobs > 1 and can_isolate():
        yield from _in_processes(cases, plan, databases, jobs)
        return
    with ExitStack() as stack:
        run = plan.open(databases, stack, llm)
        if llm is None:
            yield from (correct_case(scored, run) for scored in cases)
            return

        def work(scored: ScoredCase, calls: CallGroup) -> CorrectedCase:
            return correct_case(scored, run, calls)

        yield from in_order(cases, work, llm.settings.concurrency)


class CorrectionJob:
    """Corrects one case after another in a worker, on databases that are opened there."""

    def __init__(self, plan: CorrectionPlan, databases: Databases) -> None:
        self._plan = plan
        self._packed = pickle.dumps(databases)
        self._run: CorrectionRun | None = None
        self._stack: ExitStack | None = None

    def __call__(self, scored: ScoredCase) -> CorrectedCase:
        """Correct a case; never raises for anything in it."""
        if self._run is None:
            self._stack = ExitStack()
            databases = self._stack.enter_context(closing(pickle.loads(self._packed)))
            self._run = self._plan.open(databases, self._stack)
        return correct_case(scored, self._run)

    def found(self) -> None:
        """Return None: a correction that was broken off has no part that could be used."""

    def clean_up(self) -> None:
        """End this worker's own workers and remove its copies of databases."""
        if self._stack is not None:
            self._stack.close()
        remove_copies()

    def clean_up_after_others(self) -> None:
        """Remove the copies of workers that were killed."""
        remove_abandoned()


def _in_processes(
    cases: Iterable[ScoredCase], plan: CorrectionPlan, databases: Databases, jobs: int
) -> Iterator[CorrectedCase]:
    given: deque[ScoredCase] = deque()

    def tasks() -> Iterator[Any]:
        for scored in cases:
            given.append(scored)
            yield scored

    # A correction may take as long as one in the calling process: what it runs has limits itself.
    isolation = replace(plan.detector.isolation or Isolation(), case_seconds=math.inf)
    with closing(WorkerPool(CorrectionJob(plan, databases), isolation)) as pool:
        for outcome in pool.run(tasks(), jobs):
            scored = given.popleft()
            if isinstance(outcome, Broken):
                yield failed_case(scored, outcome.reason, plan.spec)
            else:
                yield outcome.result
