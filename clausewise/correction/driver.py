"""The loop of all strategies: propose, judge again, keep the original unless it is better."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from clausewise.corrected_case import CorrectedCase, CorrectionStatus, CorrectionStep
from clausewise.correction.base import (
    STRATEGIES,
    CorrectionTask,
    Proposal,
    StrategySpec,
    load_strategies,
)
from clausewise.datasets.scores import iter_scored_cases
from clausewise.errors import DatabaseError, InputError, LLMError
from clausewise.signals.runner.cases import remote_databases
from clausewise.sql import same_statement
from clausewise.types import Case, CaseStatus, Json, ScoredCase

if TYPE_CHECKING:
    from clausewise.databases import Databases
    from clausewise.llm import LLM, CallGroup
    from clausewise.models import Detector
    from clausewise.models.streaming import DatabaseSource, Progress

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _StrategyRun:
    """What a strategy did for one case."""

    scored: ScoredCase
    task: CorrectionTask | None = None
    proposal: Proposal | None = None
    failure: str = ""

    @property
    def cost(self) -> Mapping[str, Json] | None:
        llm = None if self.task is None else self.task.llm
        return None if llm is None else llm.usage.to_json()


def correct(
    cases: Iterable[ScoredCase | Mapping[str, Json]],
    databases: DatabaseSource,
    *,
    strategy: str = "sqldriller",
    llm: LLM | None = None,
    detector: str | Path | Detector | None = None,
    margin: float | None = None,
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
    margin: float | None = None,
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
        The original is kept unless the probability of the proposal is higher by more than this,
        in [0, 1]; None: the strategy's own rule.
    seed
        Fixes what a strategy draws.
    progress, total
        Called with the number of cases done and `total`, after every case.

    Raises
    ------
    RegistryError
        For an unknown strategy.
    InputError
        Where the margin is out of range, or the strategy would send rows and no cell may be sent.
    DetectorError, CaseError
        Where the detector cannot be loaded, or a case is none.
    """
    from clausewise.databases import Databases

    load_strategies()
    spec = STRATEGIES[strategy]
    if margin is not None and not 0.0 <= margin <= 1.0:
        raise InputError(f"the margin must lie in [0, 1], not {margin}", field="--margin")
    if llm is not None and spec.sends_rows and not llm.settings.send_values:
        message = f"the prompts of '{spec.name}' hold rows, and no cell may be sent"
        raise InputError(message, field="--llm-no-values")
    if margin is not None:
        spec = replace(spec, margin=margin)
    judge = _detector(detector)
    if not isinstance(databases, Databases):
        with closing(Databases(databases)) as opened:
            yield from iter_corrections(
                cases,
                opened,
                strategy=strategy,
                llm=llm,
                detector=judge,
                margin=margin,
                seed=seed,
                progress=progress,
                total=total,
            )
        return
    with remote_databases(databases, judge.isolation) as asked:
        scored = iter_scored_cases(cases)
        for done, attempt in enumerate(_attempts(scored, asked, spec, llm, seed), start=1):
            yield _judged(attempt, spec, judge, databases)
            if progress is not None:
                progress(done, total)


def _detector(detector: str | Path | Detector | None) -> Detector:
    from clausewise.models import Detector, packaged_detector

    if detector is None:
        return packaged_detector()
    return Detector.load(detector) if isinstance(detector, str | Path) else detector


def _attempts(
    cases: Iterable[ScoredCase],
    databases: Databases,
    spec: StrategySpec,
    llm: LLM | None,
    seed: int,
) -> Iterator[_StrategyRun]:
    """Yield what the strategy does for each case, in order; with a model, many at once."""
    if llm is None:
        for scored in cases:
            yield _attempt(scored, databases, spec, None, seed, None)
        return
    from clausewise.llm.in_order import in_order

    def attempt(scored: ScoredCase, calls: CallGroup) -> _StrategyRun:
        return _attempt(scored, databases, spec, llm, seed, calls)

    yield from in_order(cases, attempt, llm.settings.concurrency)


def _attempt(
    scored: ScoredCase,
    databases: Databases,
    spec: StrategySpec,
    llm: LLM | None,
    seed: int,
    calls: CallGroup | None,
) -> _StrategyRun:
    """Let the strategy work on a case; what it raises is the case's failure."""
    attempt = _StrategyRun(scored)
    try:
        case = _case_of(scored)
        client = None if llm is None else llm.for_case(str(scored.question_id), calls)
        database = databases.get(case.db_id)
        _ = database.schema  # one that cannot be opened is found here, not in the strategy
        attempt.task = CorrectionTask(scored, case, database, client, seed)
        attempt.proposal = spec.function(attempt.task)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"]))
        attempt.failure = f"the line is no case: field '{field}': {first['msg']}"
    except (DatabaseError, LLMError) as error:
        attempt.failure = f"{type(error).__name__}: {error}"
    except Exception as error:  # a defect of a strategy must not cost the other cases
        logger.exception("case %r cannot be corrected", scored.question_id)
        attempt.failure = f"a defect in the strategy: {type(error).__name__}: {error}"
    return attempt


def _case_of(scored: ScoredCase) -> Case:
    """Return the input case of a scored one. Raises ValidationError where it is none."""
    fields = {
        "question_id": scored.question_id,
        "db_id": scored.db_id,
        "predicted_sql": scored.predicted_sql,
    }
    return Case.model_validate({**scored.carried, **fields})


def _judged(
    attempt: _StrategyRun, spec: StrategySpec, judge: Detector, databases: Databases
) -> CorrectedCase:
    """Decide between the original and what was proposed."""
    scored, task, proposal = attempt.scored, attempt.task, attempt.proposal
    p_before = scored.p_correct
    if task is None or proposal is None:
        return _record(attempt, spec, CorrectionStatus.FAILED, attempt.failure, None, p_before)
    if proposal.sql is None or proposal.sql == task.case.predicted_sql:
        return _record(attempt, spec, CorrectionStatus.KEPT, proposal.reason, None, p_before)
    try:
        before, after = judge.score([task.case, _with_query(task.case, proposal.sql)], databases)
    except Exception as error:  # what the strategy found must not be lost with it
        logger.exception("case %r cannot be judged", scored.question_id)
        reason = f"what was proposed cannot be judged: {type(error).__name__}: {error}"
        return _record(attempt, spec, CorrectionStatus.FAILED, reason, None, p_before)
    refused = _refused(before, after, spec)
    p_before = before.p_correct
    task.record(
        CorrectionStep(
            action="judge",
            message=refused or "the proposed query runs, and is taken",
            sql=proposal.sql,
            evidence={
                "p_before": _rounded(before.p_correct),
                "p_after": _rounded(after.p_correct),
                "status": after.status.value,
                "margin": spec.margin,
            },
        )
    )
    if refused:
        return _record(attempt, spec, CorrectionStatus.KEPT, refused, None, p_before)
    return _record(
        attempt,
        spec,
        CorrectionStatus.CHANGED,
        proposal.reason,
        proposal.sql,
        p_before,
        after.p_correct,
    )


def _with_query(case: Case, sql: str) -> Case:
    """Return the case with another query; the one before becomes a candidate if it is none."""
    fields = case.carried()
    candidates, systems = list(case.candidates), list(case.candidate_systems)
    own = same_statement(case.predicted_sql)
    if own not in map(same_statement, candidates):
        candidates.append(case.predicted_sql)
        systems += [None] if systems else []
    changed = {"predicted_sql": sql, "candidates": candidates, "candidate_systems": systems}
    return Case.model_validate({**fields, **changed})


def _refused(before: ScoredCase, after: ScoredCase, spec: StrategySpec) -> str:
    """Return why the original is kept, empty where the proposal is taken."""
    if after.status in (CaseStatus.UNPARSABLE, CaseStatus.NOT_EXECUTABLE):
        return f"the proposed query does not run: {after.reason}"
    if spec.margin is None:
        return ""
    if before.p_correct is None or after.p_correct is None:
        return "the detector cannot judge both queries"
    if after.p_correct > before.p_correct + spec.margin:
        return ""
    return (
        f"the detector does not prefer the proposed query: p(correct) {after.p_correct:.3f} "
        f"after {before.p_correct:.3f}, margin {spec.margin:g}"
    )


def _record(
    attempt: _StrategyRun,
    spec: StrategySpec,
    status: CorrectionStatus,
    reason: str,
    sql: str | None,
    p_before: float | None,
    p_after: float | None = None,
) -> CorrectedCase:
    scored, changed = attempt.scored, status is CorrectionStatus.CHANGED
    return CorrectedCase(
        question_id=scored.question_id,
        db_id=scored.db_id,
        predicted_sql=scored.predicted_sql,
        corrected_sql=sql if changed else scored.predicted_sql,
        changed=changed,
        status=status,
        reason=reason,
        strategy=spec.name,
        p_before=p_before,
        p_after=p_after if changed else p_before,
        steps=() if attempt.task is None else tuple(attempt.task.steps),
        cost=attempt.cost,
    )


def _rounded(p_correct: float | None) -> float | None:
    return None if p_correct is None else round(p_correct, 6)
