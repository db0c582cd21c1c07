"""The loop of all strategies over many cases, in input order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from enum import Enum
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
from clausewise.correction.judging import Auditor, loaded_detector
from clausewise.correction.loop import CorrectionRun, correct_case
from clausewise.datasets.scores import iter_scored_cases
from clausewise.errors import InputError
from clausewise.signals.runner.cases import remote_databases
from clausewise.types import Json, ScoredCase

if TYPE_CHECKING:
    from clausewise.llm import LLM, CallGroup
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
        this, in [0, 1]; None takes whatever runs. By default what the strategy says.
    rounds
        How many proposals at most are asked for, 1 or more; None: the strategy's own number.
    options
        The strategy's options by name, see its page; those left out have their defaults.
    seed
        Fixes what a strategy draws.
    progress, total
        Called with the number of cases done and `total`, after every case.

    Raises
    ------
    RegistryError
        For an unknown strategy.
    InputError
        Where the margin, the rounds or an option is out of range, the strategy needs a language
        model and none is given, or it would send rows and no cell may be sent.
    DetectorError, CaseError
        Where the detector cannot be loaded, or a case is none.
    """
    from clausewise.databases import Databases

    load_strategies()
    spec = _adjusted(STRATEGIES[strategy], margin, rounds)
    chosen = strategy_options(spec, options or {})
    _check_model(spec, llm)
    judge = loaded_detector(detector)
    if not isinstance(databases, Databases):
        with closing(Databases(databases)) as opened:
            yield from iter_corrections(
                cases,
                opened,
                strategy=strategy,
                llm=llm,
                detector=judge,
                margin=margin,
                rounds=rounds,
                options=options,
                seed=seed,
                progress=progress,
                total=total,
            )
        return
    with remote_databases(databases, judge.isolation) as asked:
        run = CorrectionRun(spec, chosen, asked, Auditor(judge, databases), llm, seed)
        corrected = _corrected(iter_scored_cases(cases), run)
        for done, case in enumerate(corrected, start=1):
            yield case
            if progress is not None:
                progress(done, total)


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
            message = f"option '{name}' of '{spec.name}': {first['msg']}"
        raise InputError(message, field="--option") from error


def _adjusted(
    spec: StrategySpec,
    margin: float | Literal[_OfTheStrategy.MARGIN] | None,
    rounds: int | None,
) -> StrategySpec:
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


def _corrected(cases: Iterable[ScoredCase], run: CorrectionRun) -> Iterator[CorrectedCase]:
    """Yield the cases corrected, in order; with a model, many at once."""
    if run.llm is None:
        yield from (correct_case(scored, run) for scored in cases)
        return
    from clausewise.llm.in_order import in_order

    def work(scored: ScoredCase, calls: CallGroup) -> CorrectedCase:
        return correct_case(scored, run, calls)

    yield from in_order(cases, work, run.llm.settings.concurrency)
