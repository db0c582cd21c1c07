"""Findings that decide: an error that was right nine times out of ten makes the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from clausewise.explanation import Explanation
from clausewise.models.probability import logit, sigmoid
from clausewise.types import Finding, Outcome

_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Decided:
    """A case's probability of being incorrect with its outcomes and its explanation."""

    incorrect: float
    outcomes: Mapping[str, Outcome]
    explanation: Explanation


def decided(
    incorrect: float, outcomes: Mapping[str, Outcome], explanation: Explanation, moved: float = 0.0
) -> Decided:
    """Return the case, its probability raised to what a deciding finding proves by itself.

    The measured precision of a reason holds whatever else was found or not, `moved` in log-odds as
    all probabilities are: where the sum of all evidence is lower, the difference is counted as that
    finding's contribution.
    """
    strongest = max(
        ((_shifted(proven, moved), finding) for finding, proven in _proofs(outcomes)),
        key=lambda pair: pair[0],
        default=None,
    )
    if strongest is None or strongest[0] <= incorrect:
        return Decided(incorrect, outcomes, explanation)
    proven, deciding = strongest
    both = logit(np.array([incorrect, proven]))
    raised = replace(
        deciding,
        contribution=round((deciding.contribution or 0.0) + float(both[1] - both[0]), _DIGITS),
    )
    outcome = outcomes[deciding.signal]
    findings = tuple(raised if finding is deciding else finding for finding in outcome.findings)
    changed = {**outcomes, deciding.signal: replace(outcome, findings=findings)}
    return Decided(proven, changed, explanation)


def _shifted(proven: float, moved: float) -> float:
    return float(sigmoid(logit(np.array([proven])) + moved)[0])


def _proofs(outcomes: Mapping[str, Outcome]) -> Iterator[tuple[Finding, float]]:
    """Yield the findings that decide, with the probability of being incorrect that they prove."""
    from clausewise.signals.reasons import proven_probability

    for outcome in outcomes.values():
        for finding in outcome.findings:
            proven = proven_probability(finding)
            if proven is not None:
                yield finding, proven
