"""Cases of a long run one after another: inspected, with or without asking a language model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from clausewise.errors import InputError
from clausewise.labeling import OutsideVotes
from clausewise.models.prior import estimate_share, share_shift
from clausewise.models.probability import logit
from clausewise.types import (
    Case,
    CaseStatus,
    InspectionResult,
    OutsideVote,
    ScoredCase,
    UncheckedCase,
)

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol, Databases
    from clausewise.datasets.in_memory import Cases
    from clausewise.llm import LLM
    from clausewise.models.scoring import Scorer
    from clausewise.signals import SignalSpec
    from clausewise.workers import Backend, Isolation

DatabaseSource: TypeAlias = (
    "Databases | DatabaseProtocol | str | Path | Mapping[str, str | Path | DatabaseProtocol]"
)
"""What `Databases` takes, or `Databases` themselves."""

T = TypeVar("T")

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the number of cases done and of all cases after every case; the latter is 0 where it
is not known."""

DOUBTFUL_SHARE = 0.25
"""Share of the cases that are asked about where neither a budget of calls nor a share is given."""

Choose: TypeAlias = (
    "Callable[[Sequence[InspectionResult], Sequence[SignalSpec], LLM], frozenset[int]]"
)


def read_as_cases(cases: Cases) -> Iterable[Case | UncheckedCase]:
    """Return `as_cases`, a file of cases as it is: it is read as it is needed."""
    if isinstance(cases, list) and all(isinstance(case, Case | UncheckedCase) for case in cases):
        return cases  # needs no adapter, so none is imported
    from clausewise.datasets import CaseFile, CasePipe, as_cases

    return cases if isinstance(cases, CaseFile | CasePipe) else as_cases(cases)


def total_of(cases: Iterable[Case | UncheckedCase]) -> int:
    """Return how many cases there are, 0 where that is not known before they are read."""
    return len(cases) if isinstance(cases, Sized) else 0


def stream_inspections(
    cases: Iterable[Case | UncheckedCase],
    databases: DatabaseSource,
    specs: Sequence[SignalSpec],
    *,
    jobs: int = 1,
    llm: LLM | None = None,
    isolation: Isolation | None = None,
    backend: Backend | None = None,
    start: int = 0,
    choose: Choose | None = None,
) -> Iterator[InspectionResult]:
    """Yield what the signals say of each case from position `start` on, in input order.

    Databases that are opened here are closed at the end. With `choose`, all cases are first
    inspected without the language model, which is then asked only about the positions chosen.
    """
    from clausewise.databases import Databases
    from clausewise.signals.runner.cases import iter_inspections, remote_databases
    from clausewise.signals.runner.judges import with_model_signals

    if not isinstance(databases, Databases):
        with closing(Databases(databases)) as opened:
            yield from stream_inspections(
                cases,
                opened,
                specs,
                jobs=jobs,
                llm=llm,
                isolation=isolation,
                backend=backend,
                start=start,
                choose=choose,
            )
        return
    if choose is None or llm is None:
        rest = islice(cases, start, None)
        yield from iter_inspections(rest, databases, specs, jobs, llm, isolation, backend)
        return
    known = list(iter_inspections(cases, databases, specs, jobs, None, isolation, backend))
    chosen = {position - start for position in choose(known, specs, llm)}
    with remote_databases(databases, isolation) as asked:
        yield from with_model_signals(known[start:], asked, specs, llm, chosen)


def outside_votes(
    votes: Iterable[OutsideVote], cases: Iterable[Case | UncheckedCase]
) -> OutsideVotes:
    """Return the votes from outside, with a warning of those on questions that are not there.

    Of cases that can be read only once, such as those of a pipe, that is not known.
    """
    outside = OutsideVotes(votes)
    if outside.signals and isinstance(cases, Sized):
        outside.warn_of_unknown(case.question_id for case in cases if isinstance(case, Case))
    return outside


def reported(
    items: Iterable[T], progress: Progress | None, total: int, start: int = 0
) -> Iterator[T]:
    """Yield the items and report each; `start` of all `total` were done before."""
    if progress is not None:
        progress(start, total)
    for done, item in enumerate(items, start=start + 1):
        yield item
        if progress is not None:
            progress(done, total)


class RunSettings:
    """What of a detector is set for a run, and is no parameter of it."""

    only: str | None = None
    """Selector of the signals that `score` runs; None: all. The others are not applicable, and the
    probability, which was learned with all, is then not calibrated."""
    backend: Backend | None = None
    """Where cases are inspected; None: in `jobs` processes on this machine."""
    jobs: int
    llm: LLM | None
    isolation: Isolation | None

    def run_settings(self) -> dict[str, Any]:
        """Return how cases are inspected, as `stream_inspections` takes it."""
        return {
            "jobs": self.jobs,
            "llm": self.llm,
            "isolation": self.isolation,
            "backend": self.backend,
        }


@dataclass(frozen=True, slots=True)
class ScoringWork:
    """What is to be scored, and by what.

    Attributes
    ----------
    scorer
        Makes scored cases of inspected ones.
    specs
        The signals to run.
    cases
        All cases; where they have no length they are read only once.
    databases
        Their databases.
    seen
        Cases that have been inspected already, by their position among all.
    """

    scorer: Scorer
    specs: tuple[SignalSpec, ...]
    cases: Iterable[Case | UncheckedCase]
    databases: DatabaseSource
    seen: Mapping[int, InspectionResult] = field(default_factory=dict)


def scores_of(
    work: ScoringWork,
    how: RunSettings,
    start: int = 0,
    doubtful: DoubtfulOnly | None = None,
    progress: Progress | None = None,
) -> Iterator[ScoredCase]:
    """Yield the scored cases from position `start` on, in input order; see `iter_scores`."""
    # a language model is asked about the cases anew
    seen = work.seen if how.llm is None else {}
    rest = [case for at, case in enumerate(work.cases) if at not in seen] if seen else work.cases
    stream = stream_inspections(
        rest,
        work.databases,
        work.specs,
        **how.run_settings(),
        start=start - sum(at < start for at in seen),
        choose=None if doubtful is None else partial(doubtful.positions, work.scorer),
    )
    if seen:
        places = range(start, total_of(work.cases))
        unseen = stream
        stream = (seen[at] if at in seen else next(unseen) for at in places)
    return reported(work.scorer.scores(stream), progress, total_of(work.cases), start)


@dataclass(frozen=True, slots=True)
class DoubtfulOnly:
    """Asks a language model only about the cases nearest to the verdict's threshold.

    Attributes
    ----------
    share
        Share in [0, 1] of the cases whose queries run; None for as many as the model's budget
        of calls allows, and a quarter where it has none.
    notify
        Called with one line on which cases are asked about.
    """

    share: float | None = None
    notify: Callable[[str], None] | None = None

    def positions(
        self,
        scorer: Scorer,
        known: Sequence[InspectionResult],
        specs: Sequence[SignalSpec],
        llm: LLM,
    ) -> frozenset[int]:
        """Return the positions of the doubtful cases among those inspected without the model."""
        from clausewise.signals.runner.judges import calls_per_case

        scored = list(scorer.scores(known))
        calls = calls_per_case(specs, llm.settings.combined)
        runs = sum(case.status is CaseStatus.OK for case in scored)
        at_most = affordable(runs, calls, llm.settings.budget.calls, self.share)
        chosen = doubtful_cases(scored, scorer.learned.class_balance, at_most)
        if self.notify is not None:
            count = len(chosen.positions)
            self.notify(
                f"asking about {count} of {runs} queries that run, p(correct) from "
                f"{chosen.low:.3f} to {chosen.high:.3f}: {count * calls} calls at most instead "
                f"of {runs * calls}"
            )
        return chosen.positions


@dataclass(frozen=True, slots=True)
class Doubtful:
    """The cases that a language model is asked about.

    Attributes
    ----------
    positions
        Where they stand among all cases.
    low, high
        The band of `p_correct` without the model in which they lie; NaN where there are none.
    candidates
        How many cases there were to choose from: those whose queries run.
    """

    positions: frozenset[int]
    low: float
    high: float
    candidates: int


def doubtful_cases(scored: Sequence[ScoredCase], prior: float, at_most: int) -> Doubtful:
    """Choose the cases about which an answer says most: those that are as likely right as wrong.

    That is measured at the share of incorrect queries that the cases themselves lead to, in
    log-odds; of equally doubtful cases the first ones are chosen.

    Parameters
    ----------
    scored
        All cases as they are scored without the model.
    prior
        Share in (0, 1) of incorrect queries that the probabilities were made for.
    at_most
        How many to choose.
    """
    runs = [
        (position, case.p_correct)
        for position, case in enumerate(scored)
        if case.status is CaseStatus.OK and case.p_correct is not None
    ]
    incorrect = 1.0 - np.array([p_correct for _, p_correct in runs])
    databases = len({scored[position].db_id for position, _ in runs})
    shift = share_shift(prior, estimate_share(incorrect, prior, databases).share)
    distance = np.abs(logit(incorrect) + shift)
    nearest = np.argsort(distance, kind="stable")[: max(0, at_most)]
    inside = [runs[index] for index in nearest.tolist()]
    band = [p_correct for _, p_correct in inside] or [float("nan")]
    positions = frozenset(position for position, _ in inside)
    return Doubtful(positions, min(band), max(band), len(runs))


def affordable(n_cases: int, calls_per_case: int, calls: int | None, share: float | None) -> int:
    """Return how many of `n_cases` may be asked about.

    Parameters
    ----------
    n_cases
        Cases whose queries run.
    calls_per_case
        Calls that one of them costs, at least 1.
    calls
        Budget in calls, None where there is none.
    share
        Share in [0, 1] of the cases, None where it is not given.

    Raises
    ------
    InputError
        Where the share is outside [0, 1].
    """
    if share is not None and not 0.0 <= share <= 1.0:
        raise InputError(f"the share of cases to ask about lies in [0, 1], not {share}")
    if share is None:
        share = DOUBTFUL_SHARE if calls is None else 1.0
    count = round(share * n_cases)
    return count if calls is None else min(count, calls // calls_per_case)
