"""The loop of all strategies over many cases, in input order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import ValidationError

from clausewise.corrected_case import CorrectedCase
from clausewise.correction.base import (
    STRATEGIES,
    StrategyOptions,
    StrategySpec,
    load_strategies,
)
from clausewise.correction.parallel import CorrectionPlan, corrected_in_order
from clausewise.datasets.scores import iter_scored_cases
from clausewise.errors import InputError
from clausewise.types import Json, ScoredCase, Strictness

if TYPE_CHECKING:
    from clausewise.llm import LLM
    from clausewise.models import Detector
    from clausewise.models.streaming import DatabaseSource, Progress


class _OfTheStrategy(Enum):
    """Stands for the strategy's own margin, since None is a margin of its own."""

    MARGIN = "margin"


OWN_MARGIN = _OfTheStrategy.MARGIN


def correct(
    cases: Iterable[ScoredCase | Mapping[str, Json]],
    databases: DatabaseSource,
    *,
    strategy: str = "sqldriller",
    llm: LLM | None = None,
    detector: str | Path | Detector | None = None,
    margin: float | Literal[_OfTheStrategy.MARGIN] | None = OWN_MARGIN,
    rounds: int | None = None,
    options: Mapping[str, Json] | None = None,
    seed: int = 0,
    jobs: int = 1,
) -> list[CorrectedCase]:
    """Return `iter_corrections` as a list, one corrected case for every case, in input order."""
    return list(
        iter_corrections(
            cases,
            databases,
            strategy=strategy,
            llm=llm,
            detector=detector,
            margin=margin,
            rounds=rounds,
            options=options,
            seed=seed,
            jobs=jobs,
        )
    )


def iter_corrections(
    cases: Iterable[ScoredCase | Mapping[str, Json]],
    databases: DatabaseSource,
    *,
    strategy: str = "sqldriller",
    llm: LLM | None = None,
    detector: str | Path | Detector | None = None,
    margin: float | Literal[_OfTheStrategy.MARGIN] | None = OWN_MARGIN,
    rounds: int | None = None,
    options: Mapping[str, Json] | None = None,
    seed: int = 0,
    jobs: int = 1,
    start: int = 0,
    progress: Progress | None = None,
    total: int = 0,
) -> Iterator[CorrectedCase]:
    """Yield one corrected case for every scored case, in input order, as they become ready.

    Parameters
    ----------
    cases
        Scored cases, or dictionaries like a line of a scores file.
    databases
        A folder of databases, one for all cases, a mapping by `db_id`, or `Databases`.
    strategy
        The name of a strategy.
    llm
        A language model, for strategies that ask one.
    detector
        Judges the original and what is proposed; the packaged one by default. A path or Detector.
    margin
        The current query is kept unless the probability of the proposal is higher by more than
        this, in [0, 1] and counted in odds as it is around 0.5 (`least_probability`); None takes
        whatever runs. By default what the strategy says.
    rounds
        How many proposals at most are asked for, 1 or more; None: the strategy's own number.
    options
        The strategy's options by name, see its page; those left out have their defaults.
    seed
        Fixes what a strategy draws.
    jobs
        Processes that correct cases, 1 or more; the result is the same. A case whose process
        dies fails with the reason. With `llm` the cases stay in this process, as many at once as
        its `concurrency` allows.
    start
        Cases at the front that were done before, for a run that is resumed: they are skipped.
    progress, total
        Called with the number of cases done and `total`, after every case.

    Raises
    ------
    RegistryError
        For an unknown strategy.
    InputError
        Where the margin, the rounds, the jobs or an option is out of range, the strategy needs a
        language model and none is given, or it would send rows and no cell may be sent.
    DetectorError, CaseError
        Where the detector cannot be loaded, or a case is none.
    """
    from clausewise.databases import Databases
    from clausewise.models.detector import load_detector
    from clausewise.models.streaming import reported

    load_strategies()
    spec = adjusted_strategy(strategy, margin, rounds)
    chosen = strategy_options(spec, options or {})
    _check_model(spec, llm)
    if jobs < 1:
        raise InputError(f"there must be a process at least, not {jobs}", field="--jobs")
    # what the margins were measured with
    conventions = Strictness.STRICT if detector is None else None
    judge = load_detector(detector, conventions=conventions)
    plan = CorrectionPlan(spec, chosen, judge, seed)
    rest = islice(iter_scored_cases(cases), start, None)
    with ExitStack() as stack:
        if not isinstance(databases, Databases):
            databases = stack.enter_context(closing(Databases(databases)))
        corrected = corrected_in_order(rest, plan, databases, llm, jobs)
        yield from reported(corrected, progress, total, start)


def strategy_options(spec: StrategySpec, given: Mapping[str, Json]) -> StrategyOptions:
    """Return the options of a strategy, checked.

    Raises InputError naming the first one that the strategy lacks or that cannot be used.
    """
    try:
        return spec.options.model_validate(dict(given))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        name = ".".join(map(str, first["loc"]))
        if first["type"] == "extra_forbidden":
            known = ", ".join(spec.options.model_fields) or "none"
            message = f"'{spec.name}' has no option '{name}'; it has: {known}"
        else:
            # pydantic puts this before the message of a validator of ours
            said = first["msg"].removeprefix("Value error, ")
            message = f"option '{name}' of '{spec.name}': {said}"
        raise InputError(message, field="--option") from error


def adjusted_strategy(
    name: str,
    margin: float | Literal[_OfTheStrategy.MARGIN] | None = OWN_MARGIN,
    rounds: int | None = None,
) -> StrategySpec:
    """Return a strategy with the margin and the rounds that the caller wants; see `correct`.

    Raises RegistryError for an unknown strategy, InputError for a number out of range.
    """
    spec = STRATEGIES[name]
    if margin is not OWN_MARGIN:
        if margin is not None and not 0.0 <= margin <= 1.0:
            raise InputError(f"the margin must lie in [0, 1], not {margin}", field="--margin")
        spec = replace(spec, margin=margin)
    if rounds is not None:
        if rounds < 1:
            raise InputError(f"there must be a round at least, not {rounds}", field="--rounds")
        spec = replace(spec, rounds=rounds)
    return spec


def _check_model(spec: StrategySpec, llm: LLM | None) -> None:
    if llm is None:
        if spec.needs_model:
            raise InputError(f"'{spec.name}' needs a language model", field="--llm")
    elif spec.sends_rows and not llm.settings.send_values:
        message = f"the prompts of '{spec.name}' hold rows, and no cell may be sent"
        raise InputError(message, field="--llm-no-values")
