"""Scores files read back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from clausewise.datasets._records import Record
from clausewise.datasets._strict import QuestionId, UnitInterval, collected
from clausewise.datasets._validation import validate
from clausewise.errors import CaseError
from clausewise.types import SCHEMA_VERSION, CaseStatus, Json, Verdict


class _Score(BaseModel):
    model_config = ConfigDict(extra="allow")

    question_id: QuestionId | None
    db_id: str | None
    predicted_sql: str | None
    p_correct: UnitInterval | None
    verdict: Verdict
    status: CaseStatus
    findings: list[dict[str, Any]]
    signals: dict[str, str]
    schema_version: str


def read_scores(path: str | Path) -> list[dict[str, Json]]:
    """Read the lines of a scores file as they were written, in file order.

    `p_correct` lies in [0, 1], high = likely correct, and is None exactly where `status` is
    unchecked. Fields that the contract does not name are kept.

    Raises InputError where the file or any line of it cannot be used, or was written with
    another major version of the format.
    """

    def score(record: Record) -> tuple[int, dict[str, Json]]:
        line = validate(_Score, record, Path(path))
        _check_score(line, record.line, Path(path))
        return record.line, record.fields

    return [fields for _, fields in collected(Path(path), score, container="jsonl")]


def _check_score(score: _Score, line: int, path: Path) -> None:
    if score.schema_version.partition(".")[0] != SCHEMA_VERSION.partition(".")[0]:
        message = f"is {score.schema_version!r}, this version reads {SCHEMA_VERSION!r}"
        raise CaseError(message, path=path, line=line, field="schema_version")
    unchecked = score.status is CaseStatus.UNCHECKED
    if unchecked != (score.p_correct is None):
        held = "null" if score.p_correct is None else "a number"
        message = f"is {held} while status is '{score.status.value}'"
        raise CaseError(message, path=path, line=line, field="p_correct")
