"""What the readable views (text, Markdown, HTML) show of one case, before any escaping."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from clausewise.datasets import dump_line
from clausewise.reporting.contents import ReportContents, ReportedCase
from clausewise.reporting.error_report import SignalReport, strongest_first
from clausewise.reporting.evidence_text import evidence_text
from clausewise.reporting.explaining import (
    Amounts,
    SumView,
    amounts,
    signed,
    unread_reasons,
    weight_text,
)
from clausewise.reporting.marking import Mark, merge_marks
from clausewise.reporting.passing import is_let_pass, passing_message
from clausewise.text import one_line, shortened
from clausewise.types import (
    CaseStatus,
    Finding,
    FindingJudgment,
    OutcomeStatus,
    ScoredCase,
    Verdict,
)

if TYPE_CHECKING:
    from clausewise.reporting.counterexample_view import CounterexampleView

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
    """One finding. `number` is the label of its mark in the query.

    One that people let pass has neither a weight nor a suggestion.
    """

    number: int
    signal: str
    code: str
    clause: str
    level: str
    let_pass: bool
    score: str
    weight: str | None
    """Its part of the log-odds in words; None where that is not known."""
    message: str
    evidence: tuple[tuple[str, str], ...]
    counterexample: CounterexampleView | None
    """Rows on which another query gives another result; None where the evidence has none."""
    suggestion: str | None
    dismissal: str | None
    """The line of `clausewise feedback` that dismisses it; None where it moved nothing."""
    more: str | None
    """How many findings of the same signal for the same reason are not written out, and their
    part of the log-odds; None where there are none."""


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
    called: str | None
    """Where the verdict stands; None where there is no probability."""
    probability: str
    share: float | None
    """The probability as a number; None where there is none."""
    abstained: str | None
    """That the verdict is not to be relied on; None where it is."""
    trouble: str | None
    """Why the case could not be checked as usual; None where its status is ok."""
    unread: str | None
    """Why the question was not compared with the query; None where it was."""
    question: str | None
    evidence: str | None
    sql: str | None
    marks: tuple[Mark, ...]
    findings: tuple[FindingView, ...]
    summed: SumView | None
    """How the probability comes about; None where that is not known."""
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
    findings, counted = _written_out(strongest_first(case.findings), details)
    parts = amounts(case, findings, counted)
    places = [(finding.clause.start, finding.clause.end) for finding in findings]
    return CaseView(
        title=case_title(case),
        verdict=case.verdict.value,
        called=_called(case),
        probability=probability_text(case),
        share=case.p_correct,
        abstained=ABSTAINED if case.abstained else None,
        trouble=_trouble(case),
        unread=_unread(case),
        question=_optional(case.carried.get("question")),
        evidence=_optional(case.carried.get("evidence")),
        sql=sql,
        marks=tuple(merge_marks(places, sql)) if sql else (),
        findings=_finding_views(case, findings, _more_counts(case, findings, counted), parts),
        summed=parts.summed,
        repairs=tuple(_repair_view(entry) for entry in case.error_report),
        coverage=" ".join(filter(None, (_coverage(case.signals), cost_text(case.cost)))),
        failed=_skipped(case, OutcomeStatus.FAULT, "failed"),
        skipped=_skipped(case, OutcomeStatus.NOT_APPLICABLE, "does not apply")
        if (details if list_skipped is None else list_skipped)
        else (),
    )


def _called(case: ReportedCase) -> str | None:
    """Return where the verdict stands, and why a query beyond that place is not called."""
    if case.threshold is None or case.p_correct is None or case.status is not CaseStatus.OK:
        return None
    limit = 1.0 - case.threshold
    text = f"called incorrect at {limit:.3f} or less"
    if case.verdict is Verdict.CORRECT and case.p_correct <= limit:
        return f"{text}, but no finding says why"
    return text


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


def _written_out(
    findings: Sequence[Finding], details: bool
) -> tuple[list[Finding], dict[int, list[Finding]]]:
    """Return the findings to write out, and by the place of one there, those counted with it."""
    kept: list[Finding] = []
    counted: dict[int, list[Finding]] = {}
    seen: Counter[tuple[str, str]] = Counter()
    last: dict[tuple[str, str], int] = {}
    for finding in findings:
        alike = (finding.signal, finding.reason)
        seen[alike] += 1
        if details or seen[alike] <= ALIKE_SHOWN:
            last[alike] = len(kept)
            kept.append(finding)
        else:
            counted.setdefault(last[alike], []).append(finding)
    return kept, counted


def _more_counts(
    case: ScoredCase, written: Sequence[Finding], counted: Mapping[int, Sequence[Finding]]
) -> Counter[int]:
    """Return how many findings are counted with which of those written out.

    A signal's findings that the scores leave out count at its last one.
    """
    more = Counter({place: len(findings) for place, findings in counted.items()})
    last = {finding.signal: place for place, finding in enumerate(written)}
    for signal, count in case.more_findings.items():
        if signal in last:
            more[last[signal]] += count
    return more


def _counterexample(
    finding: Finding, sql: str
) -> tuple[CounterexampleView | None, tuple[str, ...]]:
    """Return the counterexample in a finding's evidence, and the keys that it stands under."""
    if "counterexample" not in finding.evidence:
        return None, ()
    from clausewise.reporting.counterexample_view import DRAWN, evidence_counterexample

    found = evidence_counterexample(finding.evidence, sql)
    return found, () if found is None else DRAWN


def _finding_views(
    case: ReportedCase, findings: Sequence[Finding], more: Counter[int], parts: Amounts
) -> tuple[FindingView, ...]:
    views = []
    for place, finding in enumerate(findings):
        amount = parts.findings[place]
        counterexample, drawn = _counterexample(finding, case.predicted_sql or "")
        passes = is_let_pass(finding)
        view = FindingView(
            number=place + 1,
            signal=_name(finding.signal),
            code=_name(finding.code),
            clause=finding.clause.kind.value.replace("_", " "),
            level=finding.level.value,
            let_pass=passes,
            score=f"{finding.score:.2f}",
            weight=None if amount is None or passes else weight_text(amount),
            message=shortened(one_line(passing_message(finding)), MESSAGE_SHOWN),
            evidence=evidence_text(finding.evidence, without=drawn),
            counterexample=counterexample,
            suggestion=None if passes else _optional(finding.suggestion, MESSAGE_SHOWN),
            dismissal=_dismissal(case, finding) if amount is not None and not passes else None,
            more=_more(more[place], parts.more.get(place)),
        )
        views.append(view)
    return tuple(views)


def _dismissal(case: ReportedCase, finding: Finding) -> str | None:
    if case.question_id is None or not finding.reason or (finding.contribution or 0.0) <= 0.0:
        return None
    judgment = FindingJudgment(case.question_id, finding.signal, finding.reason, "dismissed")
    return one_line(dump_line(asdict(judgment)))


def _more(count: int, amount: int | None) -> str | None:
    if not count:
        return None
    moved = f", {signed(amount)} together" if amount else ""
    return f"and {count} more like it{moved}"


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


def _unread(case: ScoredCase) -> str | None:
    """Return that the question is in a language that is not read, and for how many signals."""
    unread = unread_reasons(case)
    if not unread:
        return None
    signals = "1 signal" if len(unread) == 1 else f"{len(unread)} signals"
    reason = shortened(one_line(unread[0]), REASON_SHOWN)
    return f"{reason}: {signals} could not compare it with the query"


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
