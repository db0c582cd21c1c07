"""From an inspection and a probability to a line of the scores file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from clausewise.explanation import Explanation
from clausewise.labeling import OutsideVotes
from clausewise.models.calibration.decision import DecisionRule
from clausewise.models.contributions import explanations, fired_sources, with_contributions
from clausewise.models.features import running
from clausewise.models.probability import sigmoid
from clausewise.models.waiving import judged, shown
from clausewise.types import (
    CaseStatus,
    Finding,
    Inspection,
    InspectionResult,
    Level,
    Outcome,
    ScoredCase,
    UncheckedCase,
    Verdict,
)

if TYPE_CHECKING:
    from clausewise.models.learned import Learned


MOST_FINDINGS = 20
"""Findings of one signal that a line of the scores has; the rest are counted. A query of 900 ORed
comparisons would have 900."""


LEAST_PART = 0.1
"""Log-odds that a finding must have moved the probability by to be the reason of a verdict: the
shape of a query and its fit with the question alone make none."""

BATCH = 256
"""Cases that are turned into arrays at a time."""


@dataclass(frozen=True, eq=False, slots=True)
class Scorer:
    """What turns inspected cases into scored ones, whether all at once or one after another.

    Attributes
    ----------
    learned
        What the detector knows.
    outside
        Votes from outside, of sources that it knows.
    rule
        What makes verdicts of probabilities; it has a threshold.
    """

    learned: Learned
    outside: OutsideVotes
    rule: DecisionRule

    @property
    def threshold(self) -> float:
        """Probability in (0, 1) of being incorrect from which the verdict is incorrect."""
        return self.rule.with_threshold(self.learned.threshold).threshold or self.learned.threshold

    def scores(self, inspections: Iterable[InspectionResult]) -> Iterator[ScoredCase]:
        """Yield one scored case for every inspected one, in input order.

        Where the inspection is broken off, the cases that it has finished come first.
        """
        batch: list[InspectionResult] = []
        broken_off: BaseException | None = None
        remaining = iter(inspections)
        while broken_off is None:
            try:
                for item in islice(remaining, BATCH):
                    batch.append(item)
            except (Exception, KeyboardInterrupt) as error:
                broken_off = error
            if not batch:
                break
            yield from score_batch(self.learned, batch, self.outside, self.rule)
            batch = []
        if broken_off is not None:
            raise broken_off


def score_batch(
    learned: Learned,
    inspections: Sequence[InspectionResult],
    outside: OutsideVotes,
    rule: DecisionRule,
) -> list[ScoredCase]:
    """Return the scored cases of a few inspected ones, in their order."""
    cases = [judged(item, learned.strictness) for item in running(inspections)]
    space = learned.space
    table = space.table(cases, space.label_matrix(cases, outside), outside)
    weighed = [{**item.outcomes, **outside.outcomes(item.case)} for item in cases]
    fired = [fired_sources(of_case, space.sources) for of_case in weighed]
    found = explanations(
        space, table, cases, fired, learned.log_odds, learned.reference, learned.class_balance
    )
    incorrect = sigmoid(np.array([explained.log_odds for explained in found])).tolist()
    results = iter(zip(incorrect, weighed, found, strict=True))
    scored = []
    for item in inspections:
        if isinstance(item, UncheckedCase):
            scored.append(unchecked_case(item))
        elif item.status is CaseStatus.OK:
            probability, of_case, explained = next(results)
            contributing = with_contributions(of_case, explained.parts)
            outcomes = shown(contributing, item.outcomes, learned.strictness)
            scored.append(scored_case(item, outcomes, probability, rule, explained.rest))
        else:
            certain = None if item.status is CaseStatus.UNCHECKED else 1.0
            scored.append(scored_case(item, item.outcomes, certain, rule))
    return scored


def scored_case(
    inspection: Inspection,
    outcomes: Mapping[str, Outcome],
    incorrect: float | None,
    rule: DecisionRule,
    explanation: Explanation | None = None,
) -> ScoredCase:
    """Return the line of an inspected case.

    Parameters
    ----------
    inspection
        The case, its status and its notices.
    outcomes
        All outcomes, those of outside sources included, with contributions.
    incorrect
        Calibrated probability of being incorrect; None where the case could not be checked.
    rule
        What makes the verdict of it, and where to abstain.
    explanation
        What the probability is made of beside the findings.
    """
    case = inspection.case
    verdict = Verdict.UNCHECKED if incorrect is None else rule.verdict(incorrect)
    if inspection.status is CaseStatus.OK:
        if verdict is Verdict.INCORRECT and not any(map(_says_why, outcomes.values())):
            verdict = Verdict.CORRECT
        if verdict is Verdict.CORRECT:
            outcomes = _without_errors(outcomes)
    kept = {name: strongest(outcome.findings) for name, outcome in outcomes.items()}
    findings = inspection.notices + tuple(chain.from_iterable(kept.values()))
    more = {name: len(outcomes[name].findings) - len(found) for name, found in kept.items()}
    p_correct = None if incorrect is None else 1.0 - incorrect
    runs = inspection.status is CaseStatus.OK
    return ScoredCase(
        question_id=case.question_id,
        db_id=case.db_id,
        predicted_sql=case.predicted_sql,
        p_correct=p_correct,
        verdict=verdict,
        status=inspection.status,
        reason=inspection.reason,
        findings=findings,
        more_findings={name: count for name, count in more.items() if count},
        signals={name: outcome.status for name, outcome in outcomes.items()},
        signal_reasons={
            name: outcome.reason for name, outcome in outcomes.items() if outcome.reason
        },
        carried=case.carried(),
        cost=inspection.cost,
        explanation=explanation,
        threshold=None if incorrect is None else rule.threshold,
        abstained=runs and p_correct is not None and rule.abstains(p_correct),
    )


def _says_why(outcome: Outcome) -> bool:
    """Whether an outcome has a finding that moved the probability toward incorrect."""
    return any((finding.contribution or 0.0) >= LEAST_PART for finding in outcome.findings)


def _without_errors(outcomes: Mapping[str, Outcome]) -> Mapping[str, Outcome]:
    """Return the outcomes of a query that is not called incorrect: nothing in them is an error."""
    changed = {
        name: replace(outcome, findings=tuple(map(_no_error, outcome.findings)))
        for name, outcome in outcomes.items()
        if any(finding.level is Level.ERROR for finding in outcome.findings)
    }
    return {**outcomes, **changed} if changed else outcomes


def _no_error(finding: Finding) -> Finding:
    return replace(finding, level=Level.WARNING) if finding.level is Level.ERROR else finding


def strongest(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Return one signal's strongest `MOST_FINDINGS`, in the order in which they stand."""
    if len(findings) <= MOST_FINDINGS:
        return findings
    ranked = sorted(range(len(findings)), key=lambda place: -findings[place].score)
    return tuple(findings[place] for place in sorted(ranked[:MOST_FINDINGS]))


def unchecked_case(case: UncheckedCase) -> ScoredCase:
    """Return the line of a case that could not be read or looked at."""
    return ScoredCase(
        question_id=case.question_id,
        db_id=case.db_id,
        predicted_sql=case.predicted_sql,
        p_correct=None,
        verdict=Verdict.UNCHECKED,
        status=CaseStatus.UNCHECKED,
        reason=case.reason,
        findings=(),
        signals={},
        carried=case.raw,
    )
