"""Scoring case after case of a long run, with or without asking a language model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from clausewise.models.calibration.decision import DecisionRule
from clausewise.models.cascade import Doubtful, affordable, doubtful_cases
from clausewise.models.inspected import Inspected
from clausewise.types import Case, CaseStatus, OutsideVote, ScoredCase, UncheckedCase

if TYPE_CHECKING:
    from clausewise.databases import Databases
    from clausewise.llm import LLM
    from clausewise.models.detector import Detector
    from clausewise.signals import SignalSpec

BATCH = 256
"""Cases that are scored and handed on at a time."""


def iter_scores(
    cases: Sequence[Case | UncheckedCase],
    databases: Databases,
    detector: Detector,
    *,
    votes: Sequence[OutsideVote] = (),
    rule: DecisionRule | None = None,
    jobs: int = 1,
    start: int = 0,
    doubtful: bool = False,
    share: float | None = None,
    tell: Callable[[str], None] | None = None,
) -> Iterator[ScoredCase]:
    """Yield the scored cases from position `start` on, in input order, as they become ready.

    Parameters
    ----------
    cases, databases, detector, votes, rule
        As in `Detector.score`; the model that the detector holds is asked.
    jobs
        Processes that inspect cases.
    start
        Position of the first case wanted: those before it were written by an earlier run.
    doubtful
        Ask the model only about the cases nearest to the verdict's threshold: as many as its
        budget of calls allows, or `share` of those whose queries run. All are then scored twice.
    share
        Share in [0, 1] of the cases that are doubtful.
    tell
        Gets one line on which cases are asked about.

    Raises
    ------
    InputError
        Where the detector cannot weigh a model, or votes of unknown sources.
    """
    from clausewise.signals.runner.cases import batches, iter_inspections
    from clausewise.signals.runner.judges import with_model_signals

    llm = detector.llm
    specs = detector.specs()
    inspected: Iterator[Inspected]
    if doubtful and llm is not None:
        known = list(iter_inspections(cases, databases, specs, jobs))
        without = detector.score_inspections(known, votes, rule)
        threshold = (rule or DecisionRule()).threshold or detector.threshold_
        chosen = _doubtful(without, threshold, specs, llm, share, tell)
        positions = {position - start for position in chosen.positions}
        inspected = with_model_signals(known[start:], databases, specs, llm, positions)
    else:
        inspected = iter_inspections(cases[start:], databases, specs, jobs, llm)
    for batch in batches(inspected, BATCH):
        yield from detector.score_inspections(batch, votes, rule)


def _doubtful(
    scored: Sequence[ScoredCase],
    threshold: float,
    specs: Sequence[SignalSpec],
    llm: LLM,
    share: float | None,
    tell: Callable[[str], None] | None,
) -> Doubtful:
    from clausewise.signals.runner.judges import calls_per_case

    calls = calls_per_case(specs, llm.settings.combined)
    runs = sum(case.status is CaseStatus.OK for case in scored)
    at_most = affordable(runs, calls, llm.settings.budget.calls, share)
    chosen = doubtful_cases(scored, threshold, at_most)
    if tell is not None:
        count = len(chosen.positions)
        tell(
            f"asking about {count} of {runs} queries that run, p(correct) from {chosen.low:.3f} "
            f"to {chosen.high:.3f}: {count * calls} calls at most instead of {runs * calls}"
        )
    return chosen
