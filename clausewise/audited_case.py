"""What comes out of an audit: one record for each annotated query, with what speaks against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field

from clausewise.types import (
    CLOSED_RECORD,
    SCHEMA_VERSION,
    ClauseSpan,
    Json,
    JsonObject,
    UnitInterval,
)


class FaultSide(StrEnum):
    """Where the fault of an annotation lies: the three types of GBV-SQL's typology."""

    SQL = "A"
    QUESTION = "B"
    DATABASE = "C"


class AuditStatus(StrEnum):
    """What became of a case."""

    FLAGGED = "flagged"
    """Its suspicion reaches the threshold: a person should look at it."""
    NOTED = "noted"
    """Something was found, and not enough for that."""
    CLEAN = "clean"
    """Nothing was found."""
    UNCHECKED = "unchecked"
    """It could not be judged at all; the reason says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedCategory:
    """One category of the typology that a case belongs to, with the evidence for it."""

    __pydantic_config__: ClassVar[ConfigDict] = CLOSED_RECORD

    side: FaultSide
    name: Annotated[str, Field(description="one of the audit's categories, such as wrong_value")]
    typology: Annotated[
        str | None, Field(description="its number in GBV-SQL, such as A2.5; null where not given")
    ]
    score: Annotated[
        UnitInterval,
        Field(description="high = more likely a wrong annotation, for this reason alone"),
    ]
    message: str
    clause: Annotated[ClauseSpan | None, Field(description="null where it is no clause's fault")]
    evidence: Annotated[JsonObject, Field(description="enough to check it by hand")] = field(
        default_factory=dict
    )
    source: Annotated[
        str, Field(description="signal and reason, or the check of the audit, that found it")
    ] = ""
    suggestion: str | None = None
    more: Annotated[int, Field(ge=0, description="further findings of this category")] = 0

    def to_dict(self) -> dict[str, Json]:
        """Return the category as plain JSON."""
        return {
            "side": self.side.value,
            "name": self.name,
            "typology": self.typology,
            "score": self.score,
            "message": self.message,
            "clause": None if self.clause is None else self.clause.to_dict(),
            "evidence": dict(self.evidence),
            "source": self.source,
            "suggestion": self.suggestion,
            "more": self.more,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedCase:
    """One line of what `clausewise audit` writes as JSONL.

    `suspicion` lies in [0, 1], high = more likely a wrong annotation; it ranks, and is not
    calibrated. `p_correct` is the detector's, as for a prediction.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(
        title="One line of what clausewise audit writes",
        json_schema_extra={"additionalProperties": False},
        json_schema_serialization_defaults_required=True,
    )

    question_id: Annotated[
        str | int | None, Field(description="null only where the input line has none")
    ]
    db_id: str | None
    question: str | None
    evidence: Annotated[str | None, Field(description="of the input case")] = None
    gold_sql: str | None
    p_correct: Annotated[UnitInterval | None, Field(description="null where unchecked")]
    suspicion: Annotated[UnitInterval | None, Field(description="null where unchecked")]
    status: AuditStatus
    reason: Annotated[str | None, Field(description="why the query does not run or is unchecked")]
    categories: Annotated[
        tuple[AuditedCategory, ...], Field(description="the strongest first; empty where clean")
    ] = ()
    unchecked: Annotated[
        Mapping[str, str],
        Field(description="what could not be checked, to the reason"),
    ] = field(default_factory=dict)
    suggested_sql: Annotated[
        str | None, Field(description="a query that a repair rule proposes; null without one")
    ] = None
    suggested_because: Annotated[str | None, Field(description="why; null without one")] = None
    schema_version: Annotated[str, Field(pattern=r"^1\.[0-9]+$")] = SCHEMA_VERSION

    def to_dict(self) -> dict[str, Json]:
        """Return the audited case as plain JSON; numbers are rounded to 6 digits."""
        return {
            "question_id": self.question_id,
            "db_id": self.db_id,
            "question": self.question,
            "evidence": self.evidence,
            "gold_sql": self.gold_sql,
            "p_correct": None if self.p_correct is None else round(self.p_correct, 6),
            "suspicion": None if self.suspicion is None else round(self.suspicion, 6),
            "status": self.status.value,
            "reason": self.reason,
            "categories": [category.to_dict() for category in self.categories],
            "unchecked": dict(self.unchecked),
            "suggested_sql": self.suggested_sql,
            "suggested_because": self.suggested_because,
            "schema_version": self.schema_version,
        }
