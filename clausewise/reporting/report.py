"""The one record behind every view: scored cases with their error reports, and their summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from html import escape
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, GetPydanticSchema

from clausewise._version import __version__
from clausewise.datasets import as_scored_cases
from clausewise.reporting.error_report import (
    NOTICES,
    SignalNotes,
    SignalReport,
    error_report,
    installed_signals,
)
from clausewise.reporting.selection import select_cases, selection_text
from clausewise.text import plain_json
from clausewise.types import (
    SCHEMA_VERSION,
    CaseStatus,
    Json,
    JsonObject,
    ModelCost,
    OutcomeStatus,
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

    def to_dict(self) -> dict[str, Json]:
        """Return everything under the attributes' names."""
        return {
            "cases": self.cases,
            "shown": self.shown,
            "abstained": self.abstained,
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
class Report:
    """A report: summary, settings, and every shown case with its error report.

    `selection` says in words which cases are shown; empty where all are.
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
    cases: tuple[ReportedCase, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the object that `report --format json` writes."""
        made: dict[str, Any] = plain_json(
            {
                "schema_version": self.schema_version,
                "generator": _flat(self.generator),
                "settings": self.settings,
                "selection": self.selection,
                "summary": self.summary.to_dict(),
                "cases": [case.to_dict() for case in self.cases],
            }
        )
        return made

    def __repr__(self) -> str:
        counts = {verdict.value: count for verdict, count in self.summary.verdicts.items()}
        return f"Report({self.summary.cases} cases: {counts}, {self.summary.shown} shown)"

    def _repr_html_(self) -> str:
        """Return the HTML report in a frame of its own, for notebooks."""
        from clausewise.reporting.markup_views import html_view

        page = escape(html_view(self), quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="600" frameborder="0"></iframe>'


def build_report(
    scored: Iterable[ScoredCase | Mapping[str, Json]],
    settings: Mapping[str, Any] | None = None,
    *,
    signals: Mapping[str, SignalNotes] | None = None,
    only: Collection[str] = (),
    top: int | None = None,
    sort: str | None = None,
) -> Report:
    """Return the report of scored cases.

    Parameters
    ----------
    scored
        Scored cases, or dictionaries like a line of a scores file.
    settings
        Given back as they are.
    signals
        What is known of signals by name; every installed one where None. A signal that is not
        among them is described as a vote from outside.
    only, top, sort
        Which cases are shown, see `select_cases`; the summary counts all.

    Raises
    ------
    InputError
        Where a score is neither a scored case nor a dictionary like one, or a choice is unknown.
    """
    cases = as_scored_cases(scored)
    shown = select_cases(cases, only=only, top=top, sort=sort)
    notes = {**NOTICES, **(installed_signals() if signals is None else signals)}
    return Report(
        settings=plain_json(settings or {}),
        selection=selection_text(only, top, sort),
        summary=_summary(cases, len(shown)),
        cases=tuple(_reported(case, notes) for case in shown),
    )


def report_dict(
    scored: Iterable[ScoredCase | Mapping[str, Json]],
    settings: Mapping[str, Any] | None = None,
    *,
    signals: Mapping[str, SignalNotes] | None = None,
) -> dict[str, Any]:
    """Return `build_report` of all cases as a dictionary: what `report --format json` writes."""
    return build_report(scored, settings, signals=signals).to_dict()


def _reported(case: ScoredCase, notes: Mapping[str, SignalNotes]) -> ReportedCase:
    values = {part.name: getattr(case, part.name) for part in fields(ScoredCase)}
    return ReportedCase(**values, error_report=error_report(case, notes))


def _flat(record: Any) -> dict[str, Json]:
    return {part.name: getattr(record, part.name) for part in fields(record)}


def _summary(cases: Sequence[ScoredCase], shown: int) -> ReportSummary:
    verdicts = Counter(case.verdict for case in cases)
    statuses = Counter(case.status for case in cases)
    by_database: dict[str, list[ScoredCase]] = {}
    for case in cases:
        by_database.setdefault(case.db_id or "", []).append(case)
    return ReportSummary(
        cases=len(cases),
        shown=shown,
        abstained=sum(case.abstained for case in cases),
        verdicts={verdict: verdicts[verdict] for verdict in Verdict},
        statuses={status: statuses[status] for status in CaseStatus},
        databases={name: _of_database(by_database[name]) for name in sorted(by_database)},
        signals=_by_signal(cases),
        cost=_total_cost(cases),
    )


def _of_database(cases: Sequence[ScoredCase]) -> DatabaseSummary:
    verdicts = Counter(case.verdict for case in cases)
    return DatabaseSummary(
        cases=len(cases),
        incorrect=verdicts[Verdict.INCORRECT],
        unchecked=verdicts[Verdict.UNCHECKED],
        abstained=sum(case.abstained for case in cases),
    )


def _by_signal(cases: Sequence[ScoredCase]) -> dict[str, SignalSummary]:
    fired: Counter[str] = Counter()
    incorrect: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    for case in cases:
        for name, outcome in case.signals.items():
            fired[name] += outcome is OutcomeStatus.FIRED
            faults[name] += outcome is OutcomeStatus.FAULT
            incorrect[name] += outcome is OutcomeStatus.FIRED and case.verdict is Verdict.INCORRECT
    names = [name for name in fired if fired[name] or faults[name]]
    names.sort(key=lambda name: (-fired[name], -faults[name], name))
    return {
        name: SignalSummary(fired=fired[name], incorrect=incorrect[name], faults=faults[name])
        for name in names
    }


def _total_cost(cases: Sequence[ScoredCase]) -> dict[str, Json] | None:
    """Return the sum of what the cases cost; None where no language model was asked."""
    costs: list[Mapping[str, Any]] = [case.cost for case in cases if case.cost]
    if not costs:
        return None
    counted = {
        name: sum(cost[name] for cost in costs)
        for name in ("calls", "prompt_tokens", "completion_tokens")
    }
    money = [cost["usd"] for cost in costs if cost["usd"] is not None]
    return counted | {"usd": round(sum(money), 6) if money else None}
