"""The nouns of clausewise: case, clause, finding, outcome, inspection, scored case.

Data flows one way through them: a `Case` is inspected by signals, each of which ends in one
`Outcome`; all outcomes of a case are an `Inspection`; a detector turns it into a `ScoredCase`.

The records are dataclasses, because signals make many findings and a dataclass is made in half
the time of a pydantic model. What their annotations say is checked where a record is read from
outside, and is what the published JSON Schemas are generated from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetPydanticSchema,
    Strict,
)
from pydantic.json_schema import SkipJsonSchema

from clausewise.case import Case as Case  # noqa: PLC0414
from clausewise.case import Json as Json  # noqa: PLC0414
from clausewise.case import RawJson as RawJson  # noqa: PLC0414
from clausewise.case import UncheckedCase as UncheckedCase  # noqa: PLC0414
from clausewise.errors import InputError
from clausewise.explanation import Explanation as Explanation  # noqa: PLC0414

JsonObject: TypeAlias = Annotated[
    Mapping[str, Json], GetPydanticSchema(lambda _source, handler: handler(dict[str, Any]))
]
"""An object of JSON; what is in it is not checked."""
UnitInterval: TypeAlias = Annotated[float, Strict(), Field(ge=0, le=1, allow_inf_nan=False)]
"""A number from 0 to 1."""
Offset: TypeAlias = Annotated[
    int, Strict(), Field(ge=0, description="in characters of predicted_sql")
]

SCHEMA_VERSION = "1.0"
"""Version of the scores and report formats; the first number changes when a meaning changes."""

CLOSED_RECORD = ConfigDict(
    json_schema_extra={"additionalProperties": False},
    json_schema_serialization_defaults_required=True,
)
"""Of a record in the output: every field is there, and no other one."""


WRAPPED_QUERY = "wrapped_query"
"""Signal name of the notice that text around the SQL was left out; it is never a vote."""

NOT_RUN = "not_run"
"""Signal name of the notice that there is no data to run the query on; it is never a vote."""

NOTICES = frozenset({WRAPPED_QUERY, NOT_RUN})
"""Signal names of notices: they say how a case was checked, not what is wrong with it."""


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
    """How severe a finding is by itself, before any aggregation."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Strictness(StrEnum):
    """Whether what people let pass counts as an error (`--conventions`)."""

    RELAXED = "relaxed"
    """A column more than asked, rounding, an order, ties: reported, and moving nothing."""
    STRICT = "strict"
    """The exact match of the benchmarks."""

    @classmethod
    def named(cls, name: str) -> Strictness:
        """Return the member of a name.

        Raises InputError where there is none.
        """
        try:
            return cls(name)
        except ValueError:
            message = f"must be {' or '.join(cls)}, got {name!r}"
            raise InputError(message, field="conventions") from None


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


@dataclass(frozen=True, slots=True)
class ClauseSpan:
    """A piece of the original query: `sql[start:end] == text`, offsets in characters."""

    __pydantic_config__: ClassVar[ConfigDict] = CLOSED_RECORD

    kind: Clause
    text: str
    start: Offset
    end: Offset

    def to_dict(self) -> dict[str, Json]:
        """Return the span as the contract's `clause` object."""
        return {"kind": self.kind.value, "text": self.text, "start": self.start, "end": self.end}


@dataclass(frozen=True, slots=True)
class Finding:
    """One suspicious clause, with enough evidence to check it by hand.

    A signal gives the clause, one of its named reasons, a message and evidence; the runner fills
    in `signal`, `code`, and, from the reason, `level` and `score` in [0, 1], high = more likely
    wrong. `measure` in [0, 1] says how strongly the reason holds where it comes in degrees.
    `contribution` is in log-odds of the query being incorrect: positive moved the probability
    toward incorrect; None before scoring.
    """

    __pydantic_config__: ClassVar[ConfigDict] = CLOSED_RECORD

    clause: ClauseSpan
    score: Annotated[UnitInterval, Field(description="high = more likely wrong")] = 0.0
    message: str = ""
    evidence: Annotated[JsonObject, Field(description="enough to check the finding by hand")] = (
        field(default_factory=dict)
    )
    suggestion: str | None = None
    level: Level = Level.WARNING
    signal: str = ""
    code: str = ""
    contribution: Annotated[
        Annotated[float, Strict()] | None,
        Field(
            description="log-odds of being incorrect that it added (positive) or took away; "
            "null where not known"
        ),
    ] = None
    reason: Annotated[
        str, Field(description="one of the signal's named reasons; empty where it has none")
    ] = ""
    measure: Annotated[
        UnitInterval | None,
        Field(description="how strongly the reason holds; null where it has no degrees"),
    ] = None

    @property
    def moves_nothing(self) -> bool:
        """Whether it is information that left the probability as it was."""
        return self.level is Level.INFO and self.contribution == 0.0

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
            "measure": self.measure,
        }


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one signal ended for one case."""

    signal: str
    status: OutcomeStatus
    findings: tuple[Finding, ...] = ()
    reason: str | None = None
    """Why the signal does not apply, what went wrong in it, or how many parts of the query it
    left unchecked."""

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
    expectation: Mapping[str, float] = field(default_factory=dict)
    """Attribute of the query to how much it surprises after the question: log of the largest
    probability over that of what the query has, 0 or more, high = more likely wrong. Empty where
    the question leads one to expect nothing."""
    agreement: Mapping[str, float] = field(default_factory=dict)
    """How the other candidates' results compare with the query's: `voices`, how many independent
    candidates they count as (1 or more), `disagreement`, the share in [0, 1] of these voices that
    speak against the query, high = more likely wrong, and `candidates`, how many ran. Empty
    without comparable candidates."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every finding of every signal, in the registry's order, notices first."""
        return self.notices + tuple(
            finding for outcome in self.outcomes.values() for finding in outcome.findings
        )


InspectionResult: TypeAlias = Inspection | UncheckedCase
"""What the signals report on a case, or why there is nothing to report."""


class Verdict(StrEnum):
    """What is said of a case in one word."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    UNCHECKED = "unchecked"


class ModelCost(BaseModel):
    """What the answers of a language model cost, the same whether they were cached or not."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"additionalProperties": False})

    calls: Annotated[int, Field(ge=0)]
    prompt_tokens: Annotated[int, Field(ge=0)]
    completion_tokens: Annotated[int, Field(ge=0)]
    usd: Annotated[float, Field(ge=0)] | None = Field(description="null where no price is known")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredCase:
    """One line of the scores file.

    `p_correct` lies in [0, 1], high = likely correct; None only where `status` is unchecked.
    `signals` says how each signal ended, `signal_reasons` why one did not apply, failed or left
    parts of the query unchecked. `explanation` and the findings' contributions add up to the
    log-odds of `1 - p_correct`; None in the scores of earlier versions too.
    `carried` holds every field of the input case, in input order. `cost` is what a language
    model's answers cost, see `Inspection.cost`.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(
        json_schema_serialization_defaults_required=True
    )

    question_id: Annotated[
        str | int | None, Field(description="null only where the input line has none")
    ]
    db_id: str | None
    predicted_sql: str | None
    p_correct: Annotated[
        UnitInterval | None,
        Field(description="calibrated, high = likely correct; null only where unchecked"),
    ]
    verdict: Verdict
    threshold: Annotated[
        UnitInterval | None,
        Field(
            description="probability of being incorrect from which a query with a finding that "
            "says why is called incorrect; null where unchecked"
        ),
    ] = None
    abstained: Annotated[
        bool,
        Strict(),
        Field(
            description="whether p_correct lies in the abstention band, where the verdict is not "
            "to be relied on"
        ),
    ] = False
    status: CaseStatus
    reason: Annotated[str | None, Field(description="why the status is not ok")] = None
    findings: tuple[Finding, ...]
    more_findings: Annotated[
        Mapping[str, Annotated[int, Field(ge=1)]],
        Field(
            description="how many findings are left out, by signal; those kept are the strongest"
        ),
    ] = field(default_factory=dict)
    signals: Annotated[Mapping[str, OutcomeStatus], Field(description="outcome by signal")]
    signal_reasons: Annotated[
        Mapping[str, str],
        Field(description="why a signal did not apply, failed or left parts unchecked, by signal"),
    ] = field(default_factory=dict)
    cost: Annotated[
        Mapping[str, Json] | None,
        GetPydanticSchema(lambda _source, handler: handler(ModelCost | None)),
        AfterValidator(lambda cost: None if cost is None else dict(cost)),
        Field(description="null where no language model was asked"),
    ] = None
    explanation: Annotated[
        Explanation | None,
        Field(description="null where no probability was computed"),
    ] = None
    schema_version: Annotated[str, Field(pattern=r"^1\.[0-9]+$")] = SCHEMA_VERSION
    carried: SkipJsonSchema[JsonObject] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Json]:
        """Return the contract's JSON object; probabilities are rounded to 6 digits."""
        record: dict[str, Json] = {
            "question_id": self.question_id,
            "db_id": self.db_id,
            "predicted_sql": self.predicted_sql,
            "p_correct": None if self.p_correct is None else round(self.p_correct, 6),
            "verdict": self.verdict.value,
            "threshold": None if self.threshold is None else round(self.threshold, 6),
            "abstained": self.abstained,
            "status": self.status.value,
            "reason": self.reason,
            "findings": [finding.to_dict() for finding in self.findings],
            "more_findings": dict(self.more_findings),
            "signals": {name: outcome.value for name, outcome in self.signals.items()},
            "signal_reasons": dict(self.signal_reasons),
            "cost": None if self.cost is None else dict(self.cost),
            "explanation": None if self.explanation is None else dict(self.explanation.to_dict()),
            "schema_version": self.schema_version,
        }
        record.update({key: value for key, value in self.carried.items() if key not in record})
        return record

    def _repr_html_(self) -> str:
        """Return the case for a notebook: verdict, query with marked clauses, findings."""
        from clausewise.notebook import case_html

        return case_html(self.to_dict())


@dataclass(frozen=True, slots=True)
class FindingJudgment:
    """What somebody says of one finding: `confirmed` where it names an error, or `dismissed`."""

    question_id: str | int
    signal: str
    reason: str
    finding: Literal["confirmed", "dismissed"]


@dataclass(frozen=True, slots=True)
class CaseJudgment:
    """What somebody says of one query: whether it is correct."""

    question_id: str | int
    correct: bool


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
