"""The scores record as reports and evaluation read it, checked once at the door."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from clausewise.errors import InputError
from clausewise.types import CaseStatus, Clause, Json, Level, OutcomeStatus, ScoredCase, Verdict

Record: TypeAlias = dict[str, Any]
"""One line of a scores file: the contract's fields and everything carried through."""

Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]


class _Clause(BaseModel):
    model_config = ConfigDict(extra="allow")

    kind: Clause
    text: str
    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=0)]


class _Finding(BaseModel):
    model_config = ConfigDict(extra="allow")

    signal: str
    code: str
    clause: _Clause
    score: Share
    message: str
    evidence: dict[str, Any]
    level: Level
    suggestion: str | None = None
    contribution: float | None = None
    reason: str = ""


class _Cost(BaseModel):
    model_config = ConfigDict(extra="allow")

    calls: Annotated[int, Field(ge=0)]
    prompt_tokens: Annotated[int, Field(ge=0)]
    completion_tokens: Annotated[int, Field(ge=0)]
    usd: Annotated[float, Field(ge=0)] | None


class _Scores(BaseModel):
    model_config = ConfigDict(extra="allow")

    question_id: str | int | None
    db_id: str | None
    predicted_sql: str | None
    p_correct: Share | None
    verdict: Verdict
    abstained: bool = False
    status: CaseStatus
    findings: list[_Finding]
    signals: dict[str, OutcomeStatus]
    reason: str | None = None
    cost: _Cost | None = None


_SCORES: TypeAdapter[_Scores] = TypeAdapter(_Scores)


def as_records(scores: Iterable[ScoredCase | Mapping[str, Json]]) -> list[Record]:
    """Return every score as a dictionary with the contract's fields.

    Raises InputError, naming the record's place in the input (from 1) and the field, where one
    is not a scores record.
    """
    return [_as_record(item, place) for place, item in enumerate(scores, start=1)]


def _as_record(item: ScoredCase | Mapping[str, Json], place: int) -> Record:
    record: Record = item.to_dict() if isinstance(item, ScoredCase) else dict(item)
    try:
        scores = _SCORES.validate_python(record)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InputError(
            f"not a scores record: {first['msg']}", path="scores", line=place, field=field
        ) from None
    if scores.p_correct is None and scores.status is not CaseStatus.UNCHECKED:
        raise InputError(
            f"null although the status is '{scores.status}'; only unchecked cases have none",
            path="scores",
            line=place,
            field="p_correct",
        )
    return record
