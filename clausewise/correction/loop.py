"""The loop of all strategies, for one case: propose, judge again, keep or change."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import ValidationError

from clausewise.corrected_case import CorrectedCase, CorrectionStatus, CorrectionStep
from clausewise.correction.base import (
    CorrectionTask,
    EarlierRound,
    Proposal,
    StrategyOptions,
    StrategySpec,
)
from clausewise.correction.judging import Auditor, CaseAuditor, refusal
from clausewise.databases import Databases
from clausewise.errors import DatabaseError, LLMError
from clausewise.llm import LLM, CallGroup, CaseLLM
from clausewise.sql import same_statement
from clausewise.sql.unwrapping import bare_statement
from clausewise.types import Case, CaseStatus, Json, ScoredCase

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CorrectionRun:
    """What is the same for all cases that are corrected together."""

    spec: StrategySpec
    options: StrategyOptions
    databases: Databases
    auditor: Auditor
    llm: LLM | None = None
    seed: int = 0


@dataclass(slots=True)
class _Progress:
    """What became of a case so far."""

    scored: ScoredCase
    """The current query as it was judged last."""
    p_before: float | None
    p_after: float | None
    steps: list[CorrectionStep] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)
    """Why each query was taken."""
    refused: str = ""
    """Why the last one was not."""
    failure: str = ""
    llm: CaseLLM | None = None


def correct_case(
    scored: ScoredCase, run: CorrectionRun, calls: CallGroup | None = None
) -> CorrectedCase:
    """Correct one case; what goes wrong is the case's failure, and what was reached stays.

    The strategy is called up to `StrategySpec.rounds` times. Each proposal is judged beside the
    current query, and taken where it runs and its probability is higher by the margin.
    """
    progress = _Progress(scored, scored.p_correct, scored.p_correct)
    try:
        case = _case_of(scored)
        if run.llm is not None:
            progress.llm = run.llm.for_case(str(scored.question_id), calls)
        database = run.databases.get(case.db_id)
        _ = database.schema  # one that cannot be opened is found here, not in the strategy
        task = CorrectionTask(
            scored,
            case,
            case,
            database,
            CaseAuditor(case, run.auditor),
            progress.llm,
            run.seed,
            run.options,
            steps=progress.steps,
        )
        while task.round < run.spec.rounds and _round(task, progress, run.spec):
            task.round += 1
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        said = f"field '{first['loc'][0]}': {first['msg']}" if first["loc"] else first["msg"]
        if scored.status is CaseStatus.UNCHECKED and scored.reason:
            said = scored.reason  # what was wrong with the line that was scored
        progress.failure = f"the line is no case: {said}"
    except (DatabaseError, LLMError) as error:
        progress.failure = f"{type(error).__name__}: {error}"
    except Exception as error:  # a defect of a strategy must not cost the other cases
        logger.exception("case %r cannot be corrected", scored.question_id)
        progress.failure = f"a defect in the strategy: {type(error).__name__}: {error}"
    return _record(scored, progress, run.spec)


def failed_case(scored: ScoredCase, reason: str, spec: StrategySpec) -> CorrectedCase:
    """Return a case of whose correction nothing is known but why it failed."""
    progress = _Progress(scored, scored.p_correct, scored.p_correct, failure=reason)
    return _record(scored, progress, spec)


def _round(task: CorrectionTask, progress: _Progress, spec: StrategySpec) -> bool:
    """Ask for one proposal and judge it; return whether there may be another round."""
    proposal = spec.function(task)
    sql = None if proposal.sql is None else bare_statement(proposal.sql).strip()
    if not sql or same_statement(sql) == same_statement(task.case.predicted_sql):
        # Why an earlier proposal was refused says more than that there is no further one.
        progress.refused = progress.refused or proposal.reason
        return False
    refused = _judge(task, progress, spec, sql)
    task.earlier += (EarlierRound(Proposal(sql, proposal.reason), refused),)
    progress.refused = refused
    if not refused:
        progress.taken.append(proposal.reason)
    return True


def _judge(task: CorrectionTask, progress: _Progress, spec: StrategySpec, sql: str) -> str:
    """Judge a proposal beside the current query; return why it is refused, empty where taken."""
    try:
        before, after = task.scores([task.case.predicted_sql, sql])
    except Exception as error:
        logger.exception("case %r cannot be judged", progress.scored.question_id)
        message = f"what was proposed cannot be judged: {type(error).__name__}: {error}"
        raise DatabaseError(message) from error
    refused = refusal(before, after, spec.margin)
    task.record(
        "judge",
        refused or "the proposed query runs, and is taken",
        sql=sql,
        evidence={
            "p_before": _rounded(before.p_correct),
            "p_after": _rounded(after.p_correct),
            "status": after.status.value,
            "margin": spec.margin,
        },
    )
    if not progress.taken:
        progress.p_before = progress.p_after = before.p_correct
    if not refused:
        progress.p_after = after.p_correct
        task.scored = progress.scored = after
        task.case = Case.model_validate({**task.case.carried(), "predicted_sql": sql})
    return refused


def _case_of(scored: ScoredCase) -> Case:
    """Return the input case of a scored one. Raises ValidationError where it is none."""
    fields = {
        "question_id": scored.question_id,
        "db_id": scored.db_id,
        "predicted_sql": scored.predicted_sql,
    }
    return Case.model_validate({**scored.carried, **fields})


def _record(scored: ScoredCase, progress: _Progress, spec: StrategySpec) -> CorrectedCase:
    changed = bool(progress.taken)
    status, reason = CorrectionStatus.KEPT, progress.refused
    if progress.failure:
        status, reason = CorrectionStatus.FAILED, progress.failure
        progress.steps.append(CorrectionStep(action="fail", message=progress.failure))
    if changed:  # a round that failed later takes nothing away
        status, reason = CorrectionStatus.CHANGED, "; ".join(progress.taken)
    return CorrectedCase(
        question_id=scored.question_id,
        db_id=scored.db_id,
        predicted_sql=scored.predicted_sql,
        corrected_sql=progress.scored.predicted_sql if changed else scored.predicted_sql,
        changed=changed,
        status=status,
        reason=reason,
        strategy=spec.name,
        p_before=progress.p_before,
        p_after=progress.p_after,
        steps=tuple(progress.steps),
        cost=_cost(progress.llm),
    )


def _cost(llm: CaseLLM | None) -> Mapping[str, Json] | None:
    return None if llm is None else llm.usage.to_json()


def _rounded(p_correct: float | None) -> float | None:
    return None if p_correct is None else round(p_correct, 6)
