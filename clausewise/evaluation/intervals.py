"""Confidence interval of a share."""

from __future__ import annotations


def wilson_interval(hits: int, trials: int) -> tuple[float, float] | None:
    """Return the Wilson score interval, 95 %, of `hits / trials`; None where there is no trial.

    Both ends lie in [0, 1]; unlike the normal interval it keeps its width at shares of 0 and 1.
    """
    from scipy.stats import binomtest

    if trials == 0:
        return None
    interval = binomtest(hits, trials).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)
