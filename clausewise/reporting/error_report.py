"""The error report of a case: what each signal found, in the four parts of the SQLens report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Protocol

from pydantic import ConfigDict, Field

from clausewise.reporting.passing import is_let_pass
from clausewise.text import plain_json
from clausewise.types import (
    NOT_RUN,
    WRAPPED_QUERY,
    CaseStatus,
    Clause,
    Finding,
    Json,
    JsonObject,
    Offset,
    OutcomeStatus,
    ScoredCase,
    UnitInterval,
)


class SignalNotes(Protocol):
    """What a report says of a signal; `clausewise.signals.SignalSpec` has these."""

    @property
    def description(self) -> str:
        """What the signal is, in a sentence."""

    @property
    def example(self) -> str:
        """A query on which it fires; may be empty."""

    @property
    def instruction(self) -> str:
        """How to repair what it finds."""


@dataclass(frozen=True, slots=True)
class _Notes:
    description: str
    example: str
    instruction: str


NOTICES: Mapping[str, SignalNotes] = {
    CaseStatus.UNPARSABLE.value: _Notes(
        "The text is not one statement of this SQL dialect.",
        "",
        "Repair the syntax at the marked place and give exactly one statement.",
    ),
    CaseStatus.NOT_EXECUTABLE.value: _Notes(
        "The database refuses to run the query.",
        "",
        "Use only tables, columns and functions that exist, in a statement that only reads.",
    ),
}
"""What the parser and the database report; they are no signals."""

_FROM_OUTSIDE = _Notes(
    "A vote from outside clausewise; only its source knows what it looks at.",
    "",
    "Compare the named clauses with the question by hand.",
)


@dataclass(frozen=True, slots=True)
class ProblematicClause:
    """A finding as the correction step reads it: the clause and what is wrong with it."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(
        json_schema_extra={"additionalProperties": False}
    )

    kind: Clause
    text: str
    start: Offset
    end: Offset
    score: Annotated[UnitInterval, Field(description="high = more likely wrong")]
    reason: Annotated[str, Field(description="one of the signal's named reasons; may be empty")]
    message: str
    evidence: JsonObject
    suggestion: str | None

    def to_dict(self) -> dict[str, Json]:
        """Return everything under the attributes' names."""
        return {
            "kind": self.kind.value,
            "text": self.text,
            "start": self.start,
            "end": self.end,
            "score": self.score,
            "reason": self.reason,
            "message": self.message,
            "evidence": plain_json(self.evidence),
            "suggestion": self.suggestion,
        }


@dataclass(frozen=True, slots=True)
class SignalReport:
    """What one signal reports of one case."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(
        json_schema_extra={"additionalProperties": False}
    )

    signal: str
    code: str
    signal_description: str
    example: Annotated[str | None, Field(description="null where there is none")]
    correction_instruction: str
    problematic_clauses: tuple[ProblematicClause, ...]

    def to_dict(self) -> dict[str, Json]:
        """Return everything under the attributes' names."""
        return {
            "signal": self.signal,
            "code": self.code,
            "signal_description": self.signal_description,
            "example": self.example,
            "correction_instruction": self.correction_instruction,
            "problematic_clauses": [clause.to_dict() for clause in self.problematic_clauses],
        }


def strongest_first(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings by falling score, and those last that moved nothing.

    Equal ones keep the order in which they stand.
    """
    return sorted(findings, key=lambda finding: (finding.moves_nothing, -finding.score))


def error_report(case: ScoredCase, notes: Mapping[str, SignalNotes]) -> tuple[SignalReport, ...]:
    """Return an entry for each signal that found something or fired, strongest first.

    What people let pass is left out: there is nothing to correct in it.

    `notes` says by name what is known of a signal; one that is not among them is described as a
    vote from outside.
    """
    by_signal: dict[str, list[Finding]] = {}
    passing: set[str] = set()
    for finding in strongest_first(case.findings):
        if finding.signal in (WRAPPED_QUERY, NOT_RUN):
            continue  # a notice: there is nothing to correct in the SQL
        if is_let_pass(finding):
            passing.add(finding.signal)
            continue
        by_signal.setdefault(finding.signal, []).append(finding)
    for name, outcome in case.signals.items():
        if outcome is OutcomeStatus.FIRED and name not in passing:
            by_signal.setdefault(name, [])
    return tuple(
        _signal_report(name, findings, notes.get(name, _FROM_OUTSIDE))
        for name, findings in by_signal.items()
    )


def installed_signals() -> Mapping[str, SignalNotes]:
    """Return the notes of every signal that is installed."""
    from clausewise.signals import SIGNALS, load_signals

    load_signals()
    return SIGNALS


def _signal_report(name: str, findings: list[Finding], notes: SignalNotes) -> SignalReport:
    return SignalReport(
        signal=name,
        code=findings[0].code if findings else getattr(notes, "code", ""),
        signal_description=notes.description,
        example=notes.example or None,
        correction_instruction=notes.instruction,
        problematic_clauses=tuple(
            ProblematicClause(
                kind=finding.clause.kind,
                text=finding.clause.text,
                start=finding.clause.start,
                end=finding.clause.end,
                score=finding.score,
                reason=finding.reason,
                message=finding.message,
                evidence=finding.evidence,
                suggestion=finding.suggestion,
            )
            for finding in findings
        ),
    )
