"""What the readable views (text, Markdown, HTML) show of one case, before any escaping."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from clausewise.reporting.contents import ReportContents, ReportedCase
from clausewise.reporting.error_report import SignalReport, strongest_first
from clausewise.reporting.evidence_text import evidence_text
from clausewise.reporting.marking import Mark, merge_marks
from clausewise.text import one_line, shortened
from clausewise.types import CaseStatus, Finding, OutcomeStatus, ScoredCase, Verdict

REASON_SHOWN = 300
"""Characters of why a signal did not apply or failed; the JSON views have all of it."""
NAME_SHOWN = 100
"""Characters of an id, a name or a code in the readable views."""
TEXT_SHOWN = 2_000
"""Characters of a question or its evidence in the readable views."""
MESSAGE_SHOWN = 400
"""Characters of a message, a suggestion or a reason in the readable views."""
ALIKE_SHOWN = 3
"""Findings of one signal for one reason that are written out; the rest are counted."""


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
    more: int = 0
    """Findings of the same signal for the same reason that are not written out."""


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
    share: float | None
    """The probability as a number; None where there is none."""
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
    failed: tuple[SkippedView, ...]
    skipped: tuple[SkippedView, ...]
    """Signals that did not apply; empty where they are only counted."""


def case_view(
    case: ReportedCase, *, details: bool = False, list_skipped: bool | None = None
) -> CaseView:
    """Return what there is to show of one case.

    With `details` every finding is written out. The signals that did not apply are named with
    `list_skipped`, where that is None, with `details`.
    """
    sql = case.predicted_sql
    findings, more = _written_out(strongest_first(case.findings), details)
    places = [(finding.clause.start, finding.clause.end) for finding in findings]
    return CaseView(
        title=case_title(case),
        verdict=case.verdict.value,
        probability=probability_text(case),
        share=case.p_correct,
        abstained=ABSTAINED if case.abstained else None,
        trouble=_trouble(case),
        question=_optional(case.carried.get("question")),
        evidence=_optional(case.carried.get("evidence")),
        sql=sql,
        marks=tuple(merge_marks(places, sql)) if sql else (),
        findings=_finding_views(findings, more, case),
        repairs=tuple(_repair_view(entry) for entry in case.error_report),
        coverage=" ".join(filter(None, (_coverage(case.signals), cost_text(case.cost)))),
        failed=_skipped(case, OutcomeStatus.FAULT, "failed"),
        skipped=_skipped(case, OutcomeStatus.NOT_APPLICABLE, "does not apply")
        if (details if list_skipped is None else list_skipped)
        else (),
    )


def noteworthy(report: ReportContents, *, details: bool = False) -> Sequence[int]:
    """Return the places of the cases that are written out where a report is of many.

    Those are all that were chosen, or where none were, all that a person should look at: called
    incorrect, abstained on, or not checked. With `details` it is every case.
    """
    if details or report.selection or len(report.cases) == 1:
        return range(len(report.cases))
    return [
        place
        for place, digest in enumerate(report.digests())
        if digest.verdict is not Verdict.CORRECT or digest.abstained
    ]


def case_title(case: ScoredCase) -> str:
    """Return the id and the database of a case."""
    name = "without a question id" if case.question_id is None else _name(case.question_id)
    return f"Case {name}" + (f", database {_name(case.db_id)}" if case.db_id else "")


def probability_text(case: ScoredCase) -> str:
    """Return p(correct) with three digits."""
    return "unknown" if case.p_correct is None else f"{case.p_correct:.3f}"


def cost_text(cost: Mapping[str, object] | None) -> str:
    """Return what a language model's answers cost, a sentence; empty where none was asked."""
    if not cost:
        return ""
    tokens = int(str(cost["prompt_tokens"])) + int(str(cost["completion_tokens"]))
    money = "" if cost["usd"] is None else f", {cost['usd']:.4f} US dollars"
    return f"A language model's answers: {cost['calls']} calls, {tokens} tokens{money}."


def _written_out(findings: Sequence[Finding], details: bool) -> tuple[list[Finding], Counter[int]]:
    """Return the findings to write out, and how many more there are like which of them."""
    kept: list[Finding] = []
    more: Counter[int] = Counter()
    seen: Counter[tuple[str, str]] = Counter()
    last: dict[tuple[str, str], int] = {}
    for finding in findings:
        alike = (finding.signal, finding.reason)
        seen[alike] += 1
        if details or seen[alike] <= ALIKE_SHOWN:
            last[alike] = len(kept)
            kept.append(finding)
        else:
            more[last[alike]] += 1
    return kept, more


def _finding_views(
    findings: Sequence[Finding], more: Counter[int], case: ScoredCase
) -> tuple[FindingView, ...]:
    """Return the views; a signal's findings that the scores leave out count at its last one."""
    views = [
        _finding_view(number, finding, case.signal_reasons.get(finding.signal), more[number - 1])
        for number, finding in enumerate(findings, start=1)
    ]
    last = {finding.signal: place for place, finding in enumerate(findings)}
    for signal, count in case.more_findings.items():
        if signal in last:
            place = last[signal]
            views[place] = replace(views[place], more=views[place].more + count)
    return tuple(views)


def _finding_view(number: int, finding: Finding, unweighed: str | None, more: int) -> FindingView:
    return FindingView(
        number=number,
        signal=_name(finding.signal),
        code=_name(finding.code),
        clause=finding.clause.kind.value.replace("_", " "),
        level=finding.level.value,
        score=f"{finding.score:.2f}",
        weight=_weight(finding.contribution) or _optional(unweighed),
        message=shortened(one_line(finding.message), MESSAGE_SHOWN),
        evidence=evidence_text(finding.evidence),
        suggestion=_optional(finding.suggestion, MESSAGE_SHOWN),
        more=more,
    )


def _weight(contribution: float | None) -> str | None:
    """Return log-odds as a factor on the odds of being incorrect, which is easier to read."""
    if contribution is None:
        return None
    if abs(contribution) < 0.005:
        return "did not move the probability"
    factor = math.exp(min(abs(contribution), 20.0))
    direction = "raised" if contribution > 0 else "lowered"
    return f"{direction} the odds of an error {factor:,.3g}-fold"


def _repair_view(entry: SignalReport) -> RepairView:
    return RepairView(
        signal=_name(entry.signal),
        description=one_line(entry.signal_description),
        example=_optional(entry.example),
        instruction=one_line(entry.correction_instruction),
    )


def _name(value: object) -> str:
    return shortened(one_line(value), NAME_SHOWN)


def _trouble(case: ScoredCase) -> str | None:
    if case.status is CaseStatus.OK:
        return None
    unchecked = case.status is CaseStatus.UNCHECKED
    what = "not checked" if unchecked else case.status.value.replace("_", " ")
    return f"{what}: {_optional(case.reason, MESSAGE_SHOWN) or 'no reason given'}"


def _optional(value: object, limit: int = TEXT_SHOWN) -> str | None:
    text = "" if value is None else one_line(value)
    return shortened(text, limit) or None


def _coverage(signals: Mapping[str, OutcomeStatus]) -> str:
    counts = Counter(signals.values())
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


def _skipped(case: ScoredCase, status: OutcomeStatus, what: str) -> tuple[SkippedView, ...]:
    """Return the signals that ended so, grouped by their reason."""
    groups: dict[str, list[str]] = {}
    for name, outcome in case.signals.items():
        if outcome is status:
            reason = one_line(case.signal_reasons.get(name) or "no reason given")
            groups.setdefault(shortened(reason, REASON_SHOWN), []).append(_name(name))
    return tuple(SkippedView(tuple(names), what, reason) for reason, names in groups.items())
