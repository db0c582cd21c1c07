"""From an inspection and a probability to a line of the scores file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING

from clausewise.labeling import OutsideVotes
from clausewise.models.calibration.decision import DecisionRule
from clausewise.models.contributions import contributions, fired_sources, with_contributions
from clausewise.models.features import running
from clausewise.types import (
    CaseStatus,
    Finding,
    Inspection,
    InspectionResult,
    Outcome,
    OutcomeStatus,
    ScoredCase,
    UncheckedCase,
    Verdict,
)

if TYPE_CHECKING:
    from clausewise.models.learning import Learned


NOT_WEIGHED = "not weighed by this detector: fit to weigh it"
"""Reason of a signal that fired and that was not there when the detector was fitted."""
MOST_FINDINGS = 20
"""Findings of one signal that a line of the scores has; the rest are counted. A query of 900 ORed
comparisons would have 900."""


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
    cases = running(inspections)
    space = learned.space
    table = space.table(cases, space.label_matrix(cases, outside), outside)
    outcomes = [{**item.outcomes, **outside.outcomes(item.case)} for item in cases]
    fired = [fired_sources(of_case, space.sources) for of_case in outcomes]
    parts = contributions(space, table, cases, fired, learned.log_odds)
    explained = [
        _marked_unweighed(with_contributions(of_case, parts_of_case), space.sources)
        for of_case, parts_of_case in zip(outcomes, parts, strict=True)
    ]
    results = iter(zip(learned.incorrect(table).tolist(), explained, strict=True))
    scored = []
    for item in inspections:
        if isinstance(item, UncheckedCase):
            scored.append(unchecked_case(item))
        elif item.status is CaseStatus.OK:
            incorrect, of_case = next(results)
            scored.append(scored_case(item, of_case, incorrect, rule))
        else:
            certain = None if item.status is CaseStatus.UNCHECKED else 1.0
            scored.append(scored_case(item, item.outcomes, certain, rule))
    return scored


def _marked_unweighed(
    outcomes: Mapping[str, Outcome], weighed: Sequence[str]
) -> dict[str, Outcome]:
    """Return the outcomes, with a reason on those that fired and that the detector cannot weigh."""
    known = set(weighed)
    return {
        name: replace(outcome, reason=NOT_WEIGHED)
        if name not in known and outcome.status is OutcomeStatus.FIRED
        else outcome
        for name, outcome in outcomes.items()
    }


def scored_case(
    inspection: Inspection,
    outcomes: Mapping[str, Outcome],
    incorrect: float | None,
    rule: DecisionRule,
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
    """
    case = inspection.case
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
        verdict=Verdict.UNCHECKED if incorrect is None else rule.verdict(incorrect),
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
        abstained=runs and p_correct is not None and rule.abstains(p_correct),
    )


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
