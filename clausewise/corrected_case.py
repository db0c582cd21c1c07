"""What comes out of a correction: one record for each case, with every step that was taken.

And when a corrected query counts as right: `RowMatch`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field, GetPydanticSchema, Strict

from clausewise.types import (
    CLOSED_RECORD,
    SCHEMA_VERSION,
    Clause,
    Json,
    JsonObject,
    ModelCost,
    UnitInterval,
)


class CorrectionStatus(StrEnum):
    """What became of a case."""

    CHANGED = "changed"
    KEPT = "kept"
    FAILED = "failed"
    """It could not be processed; the query is kept, and the reason says why."""


class RowMatch(StrEnum):
    """When the results of a query and of the gold query are the same."""

    SPIDER = "spider"
    """The same rows as many times each, columns in any order, rows in that of the gold query where
    it asks for one."""
    BIRD = "bird"
    """The same rows however many times each and in any order, columns in their order."""


@dataclass(frozen=True, slots=True)
class ClauseChange:
    """One kind of clause in which a proposed query differs from the one before it."""

    __pydantic_config__: ClassVar[ConfigDict] = CLOSED_RECORD

    kind: Clause
    before: Annotated[str | None, Field(description="its text; null where there was none")]
    after: Annotated[str | None, Field(description="its text; null where there is none")]

    def to_dict(self) -> dict[str, Json]:
        """Return the change as plain JSON."""
        return {"kind": self.kind.value, "before": self.before, "after": self.after}


_Cost = Annotated[
    Mapping[str, Json] | None,
    GetPydanticSchema(lambda _source, handler: handler(ModelCost | None)),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionStep:
    """One thing that was done for a case, by a strategy or by the loop around it."""

    __pydantic_config__: ClassVar[ConfigDict] = CLOSED_RECORD

    action: Annotated[str, Field(description="such as compare, ask, run, judge or fail")]
    message: Annotated[str, Field(description="what was done and what came of it, in a sentence")]
    sql: Annotated[str | None, Field(description="the query that the step proposes")] = None
    changes: Annotated[
        tuple[ClauseChange, ...],
        Field(description="the clauses in which it differs from the query before it"),
    ] = ()
    evidence: Annotated[JsonObject, Field(description="enough to check the step by hand")] = field(
        default_factory=dict
    )
    round: Annotated[int, Field(ge=0, description="number of the round, from 0")] = 0
    cost: Annotated[_Cost, Field(description="since the step before; null without a model")] = None

    def to_dict(self) -> dict[str, Json]:
        """Return the step as plain JSON."""
        return {
            "action": self.action,
            "message": self.message,
            "sql": self.sql,
            "changes": [change.to_dict() for change in self.changes],
            "evidence": dict(self.evidence),
            "round": self.round,
            "cost": None if self.cost is None else dict(self.cost),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedCase:
    """One line of what `clausewise correct` writes.

    `p_before` and `p_after` lie in [0, 1], high = likely correct: by the detector of the
    correction where another query was proposed, else both as the case was scored.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(
        title="One line of what clausewise correct writes",
        json_schema_extra={"additionalProperties": False},
        json_schema_serialization_defaults_required=True,
    )

    question_id: Annotated[
        str | int | None, Field(description="null only where the input line has none")
    ]
    db_id: str | None
    predicted_sql: str | None
    corrected_sql: Annotated[str | None, Field(description="equal to predicted_sql where kept")]
    changed: Annotated[bool, Strict()]
    status: CorrectionStatus
    reason: Annotated[str, Field(description="why the query was changed, kept, or not processed")]
    strategy: str
    p_before: Annotated[UnitInterval | None, Field(description="null where unchecked")]
    p_after: Annotated[UnitInterval | None, Field(description="equal to p_before where kept")]
    steps: tuple[CorrectionStep, ...] = ()
    cost: Annotated[_Cost, Field(description="null where no language model was asked")] = None
    schema_version: Annotated[str, Field(pattern=r"^1\.[0-9]+$")] = SCHEMA_VERSION

    def to_dict(self) -> dict[str, Json]:
        """Return the contract's JSON object; probabilities are rounded to 6 digits."""
        return {
            "question_id": self.question_id,
            "db_id": self.db_id,
            "predicted_sql": self.predicted_sql,
            "corrected_sql": self.corrected_sql,
            "changed": self.changed,
            "status": self.status.value,
            "reason": self.reason,
            "strategy": self.strategy,
            "p_before": None if self.p_before is None else round(self.p_before, 6),
            "p_after": None if self.p_after is None else round(self.p_after, 6),
            "steps": [step.to_dict() for step in self.steps],
            "cost": None if self.cost is None else dict(self.cost),
            "schema_version": self.schema_version,
        }
