"""Lines of the scores file, made where the cases are inspected: in workers, if there are any.

So the process that writes the file only writes and counts: it is no limit on how many workers are
worth having.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from clausewise.datasets import dump_line
from clausewise.models.scoring import score_batch
from clausewise.models.streaming import reported, scores_of, total_of
from clausewise.signals.runner.isolated import (
    CaseTask,
    InspectionJob,
    RunTasks,
    inspection_of,
    on_backend,
    on_pool,
    packed_inspection,
    results_in_order,
)
from clausewise.types import (
    Case,
    CaseStatus,
    Inspection,
    InspectionResult,
    Level,
    OutsideVote,
    ScoredCase,
    UncheckedCase,
)
from clausewise.workers import Broken, Done, Isolation, WorkerPool

if TYPE_CHECKING:
    from clausewise.databases import Databases
    from clausewise.datasets.in_memory import Cases
    from clausewise.models.calibration.decision import DecisionRule
    from clausewise.models.detector import Detector
    from clausewise.models.scoring import Scorer
    from clausewise.models.streaming import DatabaseSource, DoubtfulOnly, Progress, ScoringWork
    from clausewise.signals.base import SignalSpec


class ScoredLine(NamedTuple):
    """One line of the scores file, and what is counted of it."""

    text: str
    """Without the line break."""
    verdict: str
    status: str
    levels: tuple[str, ...]
    """Levels of the findings; a query that does not run counts as an error."""


def line_of(scored: ScoredCase) -> ScoredLine:
    """Return the line of a scored case.

    Raises TypeError where the evidence of a finding cannot be written as JSON.
    """
    levels = {finding.level for finding in scored.findings}
    if scored.status in (CaseStatus.UNPARSABLE, CaseStatus.NOT_EXECUTABLE):
        levels.add(Level.ERROR)
    return ScoredLine(
        dump_line(scored.to_dict()),
        scored.verdict.value,
        scored.status.value,
        tuple(level.value for level in Level if level in levels),
    )


class ScoringJob(InspectionJob):
    """Inspects and scores one case after another in a worker; what it sends is lines.

    A case that could not be sent whole is sent back as an inspection, as is one whose line could
    not be made here: the parent has the case, and its errors are seen.
    """

    def __init__(self, databases: Databases, signals: Sequence[SignalSpec], scorer: Scorer) -> None:
        super().__init__(databases, signals)
        self._scorer = scorer

    def __call__(self, task: CaseTask) -> Any:
        """Inspect a case; never raises for anything in it."""
        inspected = self.inspect(task)
        return inspected if task.is_whole else packed_inspection(inspected)

    def complete(self, results: Sequence[Any]) -> list[Any]:
        """Return the lines of inspected cases, scored together: that takes a third of the time."""
        places = [
            place
            for place, result in enumerate(results)
            if isinstance(result, Inspection | UncheckedCase)
        ]
        inspected = [results[place] for place in places]
        try:
            made: list[Any] = [*_lines(self._scorer, inspected)]
        except Exception:
            made = [packed_inspection(item) for item in inspected]
        completed = list(results)
        for place, one in zip(places, made, strict=True):
            completed[place] = one
        return completed


def _lines(scorer: Scorer, inspected: Sequence[InspectionResult]) -> list[ScoredLine]:
    """Return the lines of cases.

    They are the same to the last bit whatever cases are beside them: see `Learned.by_row`.
    """
    scored = score_batch(scorer.learned, inspected, scorer.outside, scorer.rule)
    return [line_of(case) for case in scored]


def iter_lines(
    detector: Detector,
    cases: Cases,
    databases: DatabaseSource,
    votes: Iterable[OutsideVote] = (),
    rule: DecisionRule | None = None,
    *,
    start: int = 0,
    doubtful: DoubtfulOnly | None = None,
    progress: Progress | None = None,
) -> Iterator[ScoredLine]:
    """Yield the line of the scores file for every case; as `Detector.iter_scores`.

    Where no language model is asked and a case's probability does not depend on the cases beside
    it, the workers that inspect the cases also score them and write their lines.
    """
    work = detector.prepared(cases, databases, votes, rule)
    if detector.llm is not None or work.seen or not work.scorer.learned.by_row:
        return map(line_of, scores_of(work, detector, start, doubtful, progress))
    lines = _from_here(work, detector, start)
    return reported(lines, progress, total_of(work.cases), start)


def _from_here(work: ScoringWork, detector: Detector, start: int) -> Iterator[ScoredLine]:
    """Yield the lines from position `start` on; databases that are opened here are closed."""
    from clausewise.databases import Databases
    from clausewise.signals.runner.cases import isolates

    isolation = detector.isolation or Isolation()
    if not isinstance(work.databases, Databases):
        with closing(Databases(work.databases)) as opened:
            yield from _from_here(replace(work, databases=opened), detector, start)
    elif detector.backend is not None:
        job = ScoringJob(work.databases, work.specs, work.scorer)
        run = on_backend(detector.backend, job, isolation, work.databases)
        yield from _lines_from(run, work, start)
    elif isolates(work.databases, isolation, detector.jobs):
        job = ScoringJob(work.databases, work.specs, work.scorer)
        with closing(WorkerPool(job, isolation)) as pool:
            yield from _lines_from(on_pool(pool, detector.jobs), work, start)
    else:
        yield from map(line_of, scores_of(work, detector, start))


def _lines_from(run: RunTasks, work: ScoringWork, start: int) -> Iterator[ScoredLine]:
    """Yield the lines that workers made, in input order.

    A case over a limit is unchecked, as in `inspect_isolated`.
    """

    def received(case: Case, outcome: Done | Broken) -> ScoredLine:
        if isinstance(outcome, Done) and isinstance(outcome.result, ScoredLine):
            return outcome.result
        return _lines(work.scorer, [inspection_of(case, outcome, work.specs)])[0]

    def unchecked(case: UncheckedCase) -> ScoredLine:
        return _lines(work.scorer, [case])[0]

    return results_in_order(islice(work.cases, start, None), run, received, unchecked)
