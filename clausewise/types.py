"""The nouns of clausewise: case, clause, finding, outcome, inspection, scored case.

Data flows one way through them: a `Case` is inspected by signals, each of which ends in one
`Outcome`; all outcomes of a case are an `Inspection`; a detector turns it into a `ScoredCase`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict, field_validator

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None

SCHEMA_VERSION = "1.0"
"""Version of the scores and report formats; the first number changes when a meaning changes."""


class Clause(StrEnum):
    """The clause kinds that a finding can name."""

    SELECT = "select"
    FROM = "from"
    JOIN = "join"
    WHERE = "where"
    GROUP_BY = "group_by"
    HAVING = "having"
    ORDER_BY = "order_by"
    LIMIT = "limit"
    SET_OPERATION = "set_operation"
    WITH = "with"
    QUERY = "query"


class Level(StrEnum):
    """How grave a finding is by itself, before any aggregation."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Group(StrEnum):
    """Where a signal takes its evidence from."""

    DATABASE = "database"
    QUESTION = "question"
    CONSISTENCY = "consistency"
    LLM = "llm"


class Need(StrEnum):
    """What a signal cannot do without; a case that lacks it is NOT_APPLICABLE."""

    DATABASE = "database"
    QUESTION = "question"
    EVIDENCE = "evidence"
    CANDIDATES = "candidates"
    LLM = "llm"


class Cost(IntEnum):
    """What a signal spends, from least to most."""

    PARSE = 0
    """Only the parsed query and the schema."""
    PROFILE = 1
    """Looks up the profile or the value index."""
    QUERY = 2
    """Runs parts of the query on the database."""
    MODEL = 3
    """Asks a language model."""


class OutcomeStatus(StrEnum):
    """The four ways in which a signal can end for a case."""

    FIRED = "fired"
    SILENT = "silent"
    NOT_APPLICABLE = "not_applicable"
    FAULT = "fault"


class CaseStatus(StrEnum):
    """What could be done with a case at all."""

    OK = "ok"
    UNPARSABLE = "unparsable"
    NOT_EXECUTABLE = "not_executable"
    UNCHECKED = "unchecked"


class Vote(IntEnum):
    """What a labeling function says of a case; the numbers are Snorkel's convention."""

    ABSTAIN = -1
    CORRECT = 0
    INCORRECT = 1


class Case(BaseModel):
    """One question with the SQL that a system predicted for it.

    Fields that are not named here are kept and carried through to the output.
    """

    model_config = ConfigDict(frozen=True, extra="allow", coerce_numbers_to_str=False)

    question_id: str | int
    db_id: str
    question: str
    predicted_sql: str
    evidence: str | None = None
    candidates: tuple[str, ...] = ()
    correct: bool | None = None
    """The true label where it is known; read only by evaluation and by supervised fitting."""

    @field_validator("candidates", mode="before")
    @classmethod
    def _candidates_may_be_absent(cls, value: Any) -> Any:
        return () if value is None else value


@dataclass(frozen=True, slots=True)
class UncheckedCase:
    """An input case that could not be read or checked; it still appears in the output."""

    reason: str
    line: int | None = None
    raw: Mapping[str, Json] = field(default_factory=dict)
    """What could be read of the line; empty where it was no JSON object at all."""


@dataclass(frozen=True, slots=True)
class ClauseSpan:
    """A piece of the original query: `sql[start:end] == text`, offsets in characters."""

    kind: Clause
    text: str
    start: int
    end: int

    def to_dict(self) -> dict[str, Json]:
        """Return the span as the contract's `clause` object."""
        return {"kind": self.kind.value, "text": self.text, "start": self.start, "end": self.end}


@dataclass(frozen=True, slots=True)
class Finding:
    """One suspicious clause, with enough evidence to check it by hand.

    `score` lies in [0, 1], high = more likely wrong. `signal` and `code` are filled in by the
    runner. `contribution` is in log-odds of the query being incorrect: positive moved the
    probability towards incorrect; None before scoring. `reason` is one of the signal's named
    reasons, empty where the signal has none.
    """

    clause: ClauseSpan
    score: float
    message: str
    evidence: Mapping[str, Json] = field(default_factory=dict)
    suggestion: str | None = None
    level: Level = Level.WARNING
    signal: str = ""
    code: str = ""
    contribution: float | None = None
    reason: str = ""

    def to_dict(self) -> dict[str, Json]:
        """Return the finding as the contract's JSON object."""
        return {
            "signal": self.signal,
            "code": self.code,
            "clause": self.clause.to_dict(),
            "score": self.score,
            "message": self.message,
            "evidence": dict(self.evidence),
            "suggestion": self.suggestion,
            "level": self.level.value,
            "contribution": self.contribution,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one signal ended for one case."""

    signal: str
    status: OutcomeStatus
    findings: tuple[Finding, ...] = ()
    reason: str | None = None
    """Why the signal does not apply, or what went wrong in it."""

    @property
    def score(self) -> float:
        """Strength in [0, 1] of the strongest finding, 0 where there is none."""
        return max((finding.score for finding in self.findings), default=0.0)

    @property
    def answered(self) -> bool:
        """Whether the signal could look at the case: it fired or was silent."""
        return self.status in (OutcomeStatus.FIRED, OutcomeStatus.SILENT)


@dataclass(frozen=True, slots=True)
class Inspection:
    """All that the signals say of one case, before anything is aggregated.

    `outcomes` has one entry for every selected signal, in the registry's order. `shape` holds
    the measures of the query and the question (length, joins, ...): features, never findings.
    `findings` of the parser or the database (status not ok) are in `notices`.
    """

    case: Case
    status: CaseStatus
    reason: str | None
    outcomes: Mapping[str, Outcome]
    shape: Mapping[str, float]
    notices: tuple[Finding, ...] = ()
    cost: Mapping[str, Json] | None = None
    """Calls, tokens and money that the answers of a language model cost; None where none was
    asked. The same whether an answer came from the cache or not."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every finding of every signal, in the registry's order, notices first."""
        return self.notices + tuple(
            finding for outcome in self.outcomes.values() for finding in outcome.findings
        )


class Verdict(StrEnum):
    """What is said of a case in one word."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, slots=True)
class ScoredCase:
    """One line of the scores file.

    `p_correct` lies in [0, 1], high = likely correct; None only where `status` is unchecked.
    `carried` holds every field of the input case, in input order.
    """

    question_id: str | int | None
    db_id: str | None
    predicted_sql: str | None
    p_correct: float | None
    verdict: Verdict
    status: CaseStatus
    reason: str | None
    findings: tuple[Finding, ...]
    signals: Mapping[str, Outcome]
    carried: Mapping[str, Json]
    cost: Mapping[str, Json] | None = None
    """What a language model's answers cost; see `Inspection.cost`."""
    abstained: bool = False
    """Whether the probability lies where the verdict is not to be relied on (`--abstain`)."""

    def to_dict(self) -> dict[str, Json]:
        """Return the contract's JSON object; probabilities are rounded to 6 digits."""
        record: dict[str, Json] = {
            "question_id": self.question_id,
            "db_id": self.db_id,
            "predicted_sql": self.predicted_sql,
            "p_correct": None if self.p_correct is None else round(self.p_correct, 6),
            "verdict": self.verdict.value,
            "abstained": self.abstained,
            "status": self.status.value,
            "reason": self.reason,
            "findings": [finding.to_dict() for finding in self.findings],
            "signals": {name: outcome.status.value for name, outcome in self.signals.items()},
            "signal_reasons": {
                name: outcome.reason for name, outcome in self.signals.items() if outcome.reason
            },
            "cost": None if self.cost is None else dict(self.cost),
            "schema_version": SCHEMA_VERSION,
        }
        record.update({key: value for key, value in self.carried.items() if key not in record})
        return record


@dataclass(frozen=True, slots=True)
class OutsideVote:
    """One vote that clausewise did not make: a person's review, someone's judge (`--votes`).

    `score` lies in [0, 1], high = likely wrong; None where the source gave none.
    """

    question_id: str | int
    signal: str
    vote: Vote
    score: float | None = None
    message: str | None = None
