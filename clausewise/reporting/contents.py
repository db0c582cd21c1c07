"""The records of a report: its cases with their error reports, its summary, its settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import ConfigDict, Field, GetPydanticSchema

from clausewise._version import __version__
from clausewise.reporting.error_report import SignalReport
from clausewise.text import plain_json
from clausewise.types import (
    SCHEMA_VERSION,
    CaseStatus,
    Json,
    JsonObject,
    ModelCost,
    ScoredCase,
    Verdict,
)

_CLOSED = ConfigDict(json_schema_extra={"additionalProperties": False})
Count = Annotated[int, Field(ge=0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedCase(ScoredCase):
    """A scored case with its error report."""

    error_report: tuple[SignalReport, ...]

    def to_dict(self) -> dict[str, Json]:
        """Return the line of the scores file with `error_report` added."""
        record = ScoredCase.to_dict(self)
        return record | {"error_report": [entry.to_dict() for entry in self.error_report]}


class CaseDigest(NamedTuple):
    """What a report must know of every case before it writes the first one."""

    verdict: Verdict
    abstained: bool
    p_correct: float | None

    @classmethod
    def of(cls, case: ScoredCase) -> CaseDigest:
        """Return the digest of a case."""
        return cls(case.verdict, case.abstained, case.p_correct)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseSummary:
    """Cases on one database."""

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED

    cases: Count
    incorrect: Count
    unchecked: Count
    abstained: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalSummary:
    """Cases on which one signal fired or failed; `incorrect` of the fired have that verdict."""

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED

    fired: Count
    incorrect: Count
    faults: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSummary:
    """Counts over all cases, those included that the report does not show.

    `databases` is in alphabetical order; `signals` has those that fired or failed, the most
    fired first.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED

    cases: Count
    shown: Annotated[int, Field(ge=0, description="cases that the report shows")]
    abstained: Count
    verdicts: Mapping[Verdict, Count]
    statuses: Mapping[CaseStatus, Count]
    databases: Mapping[str, DatabaseSummary]
    signals: Mapping[str, SignalSummary]
    cost: Annotated[
        Mapping[str, Json] | None,
        GetPydanticSchema(lambda _source, handler: handler(ModelCost | None)),
        Field(description="the sum over all cases; null where no language model was asked"),
    ] = None
    not_run: Annotated[
        int, Field(ge=0, description="queries that were not run: only the schema was given")
    ] = 0

    def to_dict(self) -> dict[str, Json]:
        """Return everything under the attributes' names."""
        return {
            "cases": self.cases,
            "shown": self.shown,
            "abstained": self.abstained,
            "not_run": self.not_run,
            "verdicts": {verdict.value: count for verdict, count in self.verdicts.items()},
            "statuses": {status.value: count for status, count in self.statuses.items()},
            "databases": {name: _flat(counts) for name, counts in self.databases.items()},
            "signals": {name: _flat(counts) for name, counts in self.signals.items()},
            "cost": None if self.cost is None else dict(self.cost),
        }


@dataclass(frozen=True, slots=True)
class ReportGenerator:
    """The program that wrote a report."""

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED

    name: Literal["clausewise"] = "clausewise"
    version: str = __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportContents:
    """A report: summary, settings, and every shown case with its error report.

    `selection` says in words which cases are shown; empty where all are. `cases` may be read
    from a file as they are asked for.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(
        json_schema_extra={
            "title": "A clausewise report",
            "description": "Scores, each with its error report in four parts: signal "
            "description, example, correction instruction, problematic clauses.",
            "additionalProperties": False,
        }
    )

    schema_version: Annotated[str, Field(pattern=r"^1\.[0-9]+$")] = SCHEMA_VERSION
    generator: ReportGenerator = field(default_factory=ReportGenerator)
    settings: JsonObject = field(default_factory=dict)
    selection: Annotated[str, Field(description="which cases are shown; empty: all")] = ""
    summary: ReportSummary
    schemas: Annotated[
        Mapping[str, str],
        Field(description="db_id to its schema in words, for prompts; empty unless asked for"),
    ] = field(default_factory=dict)
    cases: Sequence[ReportedCase]

    def scored(self) -> Iterable[ScoredCase]:
        """Return the shown cases; their error reports may be missing."""
        return self.cases

    def digests(self) -> Sequence[CaseDigest]:
        """Return the digest of each shown case, in their order."""
        return [CaseDigest.of(case) for case in self.cases]

    def to_dict(self) -> dict[str, Any]:
        """Return the object that `report --format json` writes."""
        return {**self.head(), "cases": [plain_json(case.to_dict()) for case in self.cases]}

    def head(self) -> dict[str, Any]:
        """Return `to_dict` without the cases."""
        made: dict[str, Any] = plain_json(
            {
                "schema_version": self.schema_version,
                "generator": _flat(self.generator),
                "settings": self.settings,
                "selection": self.selection,
                "summary": self.summary.to_dict(),
                "schemas": self.schemas,
            }
        )
        return made

    def __repr__(self) -> str:
        counts = {verdict.value: count for verdict, count in self.summary.verdicts.items()}
        cases, shown = self.summary.cases, self.summary.shown
        return f"{type(self).__name__}({cases} cases: {counts}, {shown} shown)"


def _flat(record: Any) -> dict[str, Json]:
    return {part.name: getattr(record, part.name) for part in fields(record)}
