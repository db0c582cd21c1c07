"""What the readable views (text, Markdown, HTML) say of one case, before any escaping."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clausewise.reporting.error_report import Report, strongest_first
from clausewise.reporting.marking import Mark, merge_marks
from clausewise.text import compact, one_line, shortened
from clausewise.types import CaseStatus, OutcomeStatus

EVIDENCE_SHOWN = 300
"""Characters of one piece of evidence in the readable views; the JSON views have all of it."""
NAME_SHOWN = 100
"""Characters of an id, a name or a code in the readable views."""
TEXT_SHOWN = 2_000
"""Characters of a question, a message or a reason in the readable views."""


ABSTAINED = "abstained: too close to call, a person should look"


@dataclass(frozen=True, slots=True)
class FindingView:
    """One finding. `number` is the label of its mark in the query."""

    number: int
    signal: str
    code: str
    clause: str
    level: str
    score: str
    weight: str | None
    """How it moved the probability; None where that is not known."""
    message: str
    evidence: tuple[tuple[str, str], ...]
    suggestion: str | None


@dataclass(frozen=True, slots=True)
class SkippedView:
    """Signals that could not say anything of the case, for one reason."""

    names: tuple[str, ...]
    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class RepairView:
    """What is known of a signal that found something."""

    signal: str
    description: str
    example: str | None
    instruction: str


@dataclass(frozen=True, slots=True)
class CaseView:
    """One case in words. All texts but `sql` are visible text on one line."""

    title: str
    verdict: str
    probability: str
    abstained: str | None
    """That the verdict is not to be relied on; None where it is."""
    trouble: str | None
    """Why the case could not be checked as usual; None where its status is ok."""
    question: str | None
    evidence: str | None
    sql: str | None
    marks: tuple[Mark, ...]
    findings: tuple[FindingView, ...]
    repairs: tuple[RepairView, ...]
    coverage: str
    skipped: tuple[SkippedView, ...]


def case_view(case: Mapping[str, Any]) -> CaseView:
    """Return what there is to say of one entry of a report's `cases`."""
    findings = strongest_first(case["findings"])
    sql = case["predicted_sql"]
    places = [(finding["clause"]["start"], finding["clause"]["end"]) for finding in findings]
    probability = case["p_correct"]
    reasons = case.get("signal_reasons") or {}
    return CaseView(
        title=_title(case),
        verdict=str(case["verdict"]),
        probability="unknown" if probability is None else f"{probability:.3f}",
        abstained=ABSTAINED if case.get("abstained") else None,
        trouble=_trouble(case),
        question=_optional(case.get("question")),
        evidence=_optional(case.get("evidence")),
        sql=sql,
        marks=tuple(merge_marks(places, sql)) if sql else (),
        findings=tuple(
            _finding_view(number, finding, reasons.get(finding["signal"]))
            for number, finding in enumerate(findings, start=1)
        ),
        repairs=tuple(_repair_view(entry) for entry in case["error_report"]),
        coverage=" ".join(filter(None, (_coverage(case["signals"]), _spent(case.get("cost"))))),
        skipped=_skipped(case["signals"], reasons),
    )


def summary_lines(report: Report) -> list[str]:
    """Return what a report says of all its cases: verdicts, and cases that are not ok."""
    summary = report["summary"]
    total = summary["cases"]
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in summary["verdicts"].items())
    lines = [f"{total} {'case' if total == 1 else 'cases'}: {verdicts}"]
    if summary.get("abstained"):
        lines.append(f"abstained on {summary['abstained']} of them: too close to call")
    troubles = [
        f"{count} {status.replace('_', ' ')}"
        for status, count in summary["statuses"].items()
        if count and status not in (CaseStatus.OK, CaseStatus.UNCHECKED)
    ]
    if troubles:
        lines.append(f"counted as incorrect: {', '.join(troubles)}")
    return [*lines, *filter(None, [_spent(summary.get("cost"))])]


def _spent(cost: Mapping[str, Any] | None) -> str:
    """Return what a language model's answers cost, a sentence; empty where none was asked."""
    if not cost:
        return ""
    tokens = cost["prompt_tokens"] + cost["completion_tokens"]
    money = "" if cost["usd"] is None else f", {cost['usd']:.4f} US dollars"
    return f"A language model's answers: {cost['calls']} calls, {tokens} tokens{money}."


def _title(case: Mapping[str, Any]) -> str:
    question_id = case["question_id"]
    name = "without a question id" if question_id is None else _name(question_id)
    return f"Case {name}" + (f", database {_name(case['db_id'])}" if case["db_id"] else "")


def _name(value: object) -> str:
    return shortened(one_line(value), NAME_SHOWN)


def _trouble(case: Mapping[str, Any]) -> str | None:
    if case["status"] == CaseStatus.OK:
        return None
    unchecked = case["status"] == CaseStatus.UNCHECKED
    what = "not checked" if unchecked else str(case["status"]).replace("_", " ")
    return f"{what}: {_optional(case.get('reason')) or 'no reason given'}"


def _optional(value: object) -> str | None:
    text = "" if value is None else one_line(value)
    return shortened(text, TEXT_SHOWN) or None


def _finding_view(number: int, finding: Mapping[str, Any], unweighed: str | None) -> FindingView:
    return FindingView(
        number=number,
        signal=_name(finding["signal"]),
        code=_name(finding["code"]),
        clause=str(finding["clause"]["kind"]).replace("_", " "),
        level=str(finding["level"]),
        score=f"{finding['score']:.2f}",
        weight=_weight(finding.get("contribution")) or _optional(unweighed),
        message=shortened(one_line(finding["message"]), TEXT_SHOWN),
        evidence=tuple(
            (_name(key), shortened(compact(value), EVIDENCE_SHOWN))
            for key, value in finding["evidence"].items()
        ),
        suggestion=_optional(finding.get("suggestion")),
    )


def _weight(contribution: float | None) -> str | None:
    """Say log-odds as a factor on the odds of being incorrect, which can be read at sight."""
    if contribution is None:
        return None
    if abs(contribution) < 0.005:
        return "did not move the probability"
    factor = math.exp(min(abs(contribution), 20.0))
    direction = "raised" if contribution > 0 else "lowered"
    return f"{direction} the odds of an error {factor:,.3g}-fold"


def _repair_view(entry: Mapping[str, Any]) -> RepairView:
    return RepairView(
        signal=_name(entry["signal"]),
        description=one_line(entry["signal_description"]),
        example=_optional(entry["example"]),
        instruction=one_line(entry["correction_instruction"]),
    )


def _coverage(signals: Mapping[str, str]) -> str:
    counts = Counter(OutcomeStatus(outcome) for outcome in signals.values())
    if not signals:
        return "No signal looked at this query."
    looked = counts[OutcomeStatus.FIRED] + counts[OutcomeStatus.SILENT]
    text = f"{looked} of {len(signals)} signals looked at this query, "
    text += f"{counts[OutcomeStatus.FIRED] or 'none'} of them found something"
    unseen = [
        f"{counts[status]} {words}"
        for status, words in (
            (OutcomeStatus.NOT_APPLICABLE, "did not apply"),
            (OutcomeStatus.FAULT, "failed"),
        )
        if counts[status]
    ]
    return f"{text}; {' and '.join(unseen)}." if unseen else f"{text}."


DOES_NOT_APPLY = "does not apply"
_WHY_SKIPPED = {
    OutcomeStatus.FAULT: "failed",
    OutcomeStatus.NOT_APPLICABLE: DOES_NOT_APPLY,
}


def _skipped(signals: Mapping[str, str], reasons: Mapping[str, str]) -> tuple[SkippedView, ...]:
    """Group what was not checked by its reason, failures first."""
    groups: dict[tuple[str, str], list[str]] = {}
    for status, what in _WHY_SKIPPED.items():
        for name in _names_with(signals, status):
            reason = shortened(one_line(reasons.get(name) or "no reason given"), EVIDENCE_SHOWN)
            groups.setdefault((what, reason), []).append(_name(name))
    return tuple(
        SkippedView(tuple(names), what, reason) for (what, reason), names in groups.items()
    )


def _names_with(signals: Mapping[str, str], status: OutcomeStatus) -> Sequence[str]:
    return [name for name, outcome in signals.items() if outcome == status]
