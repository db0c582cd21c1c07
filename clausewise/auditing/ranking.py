"""How suspicious an annotation is: a sum of what its categories say, in log-odds.

The detector's own probability is made for predictions, a quarter of which are wrong. Of what people
wrote as correct far less is, so that what is merely unusual comes to the top by its number. And
some evidence that is next to proof in a prediction is none here: a result without rows is what a
wrong value gives, and also what a right query gives on a small database. So each finding counts by
the strength of its reason times the weight of its meaning in `findings.json`; of the categories of
a case the strongest counts in full and each further one half as much as the one before, since one
mistake is often found in several ways.
"""

from __future__ import annotations

from collections.abc import Iterable

from scipy.special import expit, logit

from clausewise.signals.reasons import BASE_SHARE

BASE_RATE = 0.05
"""Share of wrong annotations from which the sum starts. It moves no rank."""
FURTHER = 0.5
"""What each further category counts of the one before."""
FLAGGED_FROM = 0.5
"""Suspicion from which a case is flagged."""
EXPECTATION_WEIGHT = 0.25
"""Of the log-odds that the detector's expectation adds to its probability."""


def lift(strength: float, weight: float = 1.0) -> float:
    """Return the log-odds that a finding adds: 0 or more.

    `strength` in [0, 1] is that of its reason (see `clausewise.signals.reasons`), `weight` what
    of it holds for an annotation.
    """
    precision = BASE_SHARE + (1.0 - BASE_SHARE) * min(strength, 0.98)
    return weight * float(logit(precision) - logit(BASE_SHARE))


def score_of(lifted: float) -> float:
    """Return in [0, 1] how suspicious a case is for which only this speaks, in log-odds."""
    return round(float(expit(logit(BASE_RATE) + lifted)), 4)


def suspicion_of(lifts: Iterable[float], expectation: float = 0.0) -> float:
    """Return in [0, 1] how suspicious a case is, high = more likely a wrong annotation.

    `lifts` are those of its categories, `expectation` what the detector's expectation says, in
    log-odds of being incorrect.
    """
    total = float(logit(BASE_RATE)) + EXPECTATION_WEIGHT * expectation
    for place, amount in enumerate(sorted(lifts, reverse=True)):
        total += amount * FURTHER**place
    return float(expit(total))
