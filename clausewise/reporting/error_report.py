"""The one dictionary behind every view: the scores, each with its error report in four parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from clausewise._version import __version__
from clausewise.datasets import as_scored_cases
from clausewise.text import plain_json
from clausewise.types import (
    SCHEMA_VERSION,
    WRAPPED_QUERY,
    CaseStatus,
    Json,
    OutcomeStatus,
    ScoredCase,
    Verdict,
)

Report: TypeAlias = dict[str, Any]
"""What `report_dict` returns; its form is `schema/report.schema.json`."""


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


_NOTICES: dict[str, SignalNotes] = {
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
"""What the parser and the database say; they are no signals."""

_FROM_OUTSIDE = _Notes(
    "A vote from outside clausewise; only its source knows what it looks at.",
    "",
    "Compare the named clauses with the question by hand.",
)


def strongest_first(findings: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the findings by falling score, equal ones in the order in which they stand."""
    return sorted(findings, key=lambda finding: -finding["score"])


def report_dict(
    scored: Iterable[ScoredCase | Mapping[str, Json]],
    settings: Mapping[str, Any] | None = None,
    *,
    signals: Mapping[str, SignalNotes] | None = None,
) -> Report:
    """Return the report: summary, settings, and every case with its error report.

    A case is its scores record with `error_report` added: one entry for each signal that found
    something or fired, strongest first, in the four parts of the SQLens report (section 4.4):
    `signal_description`, `example` (null where there is none), `correction_instruction`,
    `problematic_clauses`. `settings` is given back as it is; `signals` says by name what is known
    of a signal, every installed one where None. A signal that is not among them is described as a
    vote from outside.

    Raises InputError where one is neither a scored case nor a dictionary like one.
    """
    records = [case.to_dict() for case in as_scored_cases(scored)]
    notes = _NOTICES | dict(_installed_signals() if signals is None else signals)
    return {
        "schema_version": SCHEMA_VERSION,
        "generator": {"name": "clausewise", "version": __version__},
        "settings": plain_json(settings or {}),
        "summary": _summary(records),
        "cases": [
            plain_json(record) | {"error_report": _error_report(record, notes)}
            for record in records
        ],
    }


def _installed_signals() -> Mapping[str, SignalNotes]:
    from clausewise.signals import SIGNALS, load_signals

    load_signals()
    return SIGNALS


def _summary(records: list[dict[str, Any]]) -> dict[str, Any]:
    verdicts = Counter(record["verdict"] for record in records)
    statuses = Counter(record["status"] for record in records)
    return {
        "cases": len(records),
        "abstained": sum(bool(record.get("abstained")) for record in records),
        "verdicts": {verdict.value: verdicts[verdict.value] for verdict in Verdict},
        "statuses": {status.value: statuses[status.value] for status in CaseStatus},
        "cost": _total_cost(records),
    }


def _total_cost(records: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the sum of what the cases cost; None where no language model was asked."""
    costs = [record["cost"] for record in records if record.get("cost")]
    if not costs:
        return None
    counted = {
        name: sum(cost[name] for cost in costs)
        for name in ("calls", "prompt_tokens", "completion_tokens")
    }
    money = [cost["usd"] for cost in costs if cost["usd"] is not None]
    return counted | {"usd": round(sum(money), 6) if money else None}


def _error_report(
    record: Mapping[str, Any], notes: Mapping[str, SignalNotes]
) -> list[dict[str, Any]]:
    by_signal: dict[str, list[Mapping[str, Any]]] = {}
    for finding in strongest_first(record["findings"]):
        if finding["signal"] == WRAPPED_QUERY:
            continue  # a notice: there is nothing to correct in the SQL
        by_signal.setdefault(finding["signal"], []).append(finding)
    for name, outcome in record["signals"].items():
        if outcome == OutcomeStatus.FIRED:
            by_signal.setdefault(name, [])
    return [
        _entry(name, findings, notes.get(name, _FROM_OUTSIDE))
        for name, findings in by_signal.items()
    ]


def _entry(name: str, findings: list[Mapping[str, Any]], notes: SignalNotes) -> dict[str, Any]:
    return {
        "signal": name,
        "code": findings[0]["code"] if findings else getattr(notes, "code", ""),
        "signal_description": notes.description,
        "example": notes.example or None,
        "correction_instruction": notes.instruction,
        "problematic_clauses": [_problematic_clause(finding) for finding in findings],
    }


def _problematic_clause(finding: Mapping[str, Any]) -> dict[str, Any]:
    clause = finding["clause"]
    return {
        "kind": str(clause["kind"]),
        "text": clause["text"],
        "start": clause["start"],
        "end": clause["end"],
        "score": finding["score"],
        "reason": finding.get("reason", ""),
        "message": finding["message"],
        "evidence": plain_json(finding["evidence"]),
        "suggestion": finding.get("suggestion"),
    }
