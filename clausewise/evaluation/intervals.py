"""Confidence interval of a share."""

from __future__ import annotations

from math import sqrt

_Z = 1.959963984540054
"""97.5 % quantile of the normal distribution."""


def wilson_interval(hits: int, trials: int) -> tuple[float, float] | None:
    """Return the Wilson score interval, 95 %, of `hits / trials`; None where there is no trial.

    Both ends lie in [0, 1]; unlike the normal interval it keeps its width at shares of 0 and 1.
    """
    if trials == 0:
        return None
    share = hits / trials
    weight = _Z * _Z / trials
    middle = (share + weight / 2) / (1 + weight)
    half = _Z * sqrt(share * (1 - share) / trials + weight / (4 * trials)) / (1 + weight)
    # At the very ends rounding could leave [0, 1] or exclude the share itself.
    return min(max(0.0, middle - half), share), max(min(1.0, middle + half), share)
