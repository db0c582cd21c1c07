"""Rules by which an auditor may take a proposal, each with a margin."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from clausewise.correction.judging import least_probability
from experiments.auditor.pairs import Judged

Rule = Callable[[Judged, Judged, float], bool]
"""Whether a proposal is taken: the current query, the proposed one, the margin."""
MARGINS = tuple(round(0.02 * step, 2) for step in range(31))
"""Differences of probabilities, 0 to 0.6."""


def difference(before: Judged, after: Judged, margin: float) -> bool:
    """The probability is higher by more than the margin."""
    return after.p_correct > before.p_correct + margin


def odds(before: Judged, after: Judged, margin: float) -> bool:
    """The odds are higher by more than a factor, which near 0.5 makes the difference: in force."""
    return after.p_correct > least_probability(before.p_correct, margin)


def odds_doubted(before: Judged, after: Judged, margin: float) -> bool:
    """The odds, and the verdict on the current query is incorrect."""
    return odds(before, after, margin) and before.p_correct <= before.threshold


def less_risk(before: Judged, after: Judged, margin: float) -> bool:
    """The probability of being wrong falls by more than a share, twice the margin."""
    return 1.0 - after.p_correct < (1.0 - before.p_correct) * (1.0 - 2.0 * margin)


def doubted(before: Judged, after: Judged, margin: float) -> bool:
    """The difference, and the verdict on the current query is incorrect."""
    return difference(before, after, margin) and before.p_correct <= before.threshold


def passes(before: Judged, after: Judged, margin: float) -> bool:
    """The difference, and the verdict on the proposed query is correct."""
    return difference(before, after, margin) and after.p_correct > after.threshold


def turns(before: Judged, after: Judged, margin: float) -> bool:
    """The difference, and the verdict turns from incorrect to correct."""
    return doubted(before, after, margin) and passes(before, after, margin)


RULES: Mapping[str, Rule] = {
    "odds": odds,
    "odds, doubted before": odds_doubted,
    "difference": difference,
    "less risk": less_risk,
    "doubted before": doubted,
    "passes after": passes,
    "verdict turns": turns,
}
