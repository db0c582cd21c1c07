"""Whether probabilities mean what they say, and what abstaining buys."""

from __future__ import annotations

import numpy as np

from clausewise.evaluation.measuring import Sample, ratio_figure
from clausewise.evaluation.metrics import ECE_BINS, Flags, bin_edges
from clausewise.evaluation.results import Answered, ReliabilityBin


def reliability(sample: Sample, bins: int = ECE_BINS) -> tuple[ReliabilityBin, ...]:
    """Return the bins of equal mass over which `ece` is taken, by rising probability.

    The mean over the cases of |predicted - incorrect| is the expected calibration error exactly.
    Where a border cuts a group of equal probabilities, each part gets the group's share of
    incorrect queries. With fewer cases than bins there are as many bins as cases.
    """
    scores, group = np.unique(sample.score, return_inverse=True)
    cases = np.bincount(group, minlength=len(scores))
    incorrect = np.bincount(group, weights=sample.incorrect, minlength=len(scores))
    reached = np.r_[0, np.cumsum(cases)]
    edges = np.unique(bin_edges(len(sample.score), bins))
    sizes = np.diff(edges)
    predicted = np.diff(np.interp(edges, reached, np.r_[0.0, np.cumsum(scores * cases)])) / sizes
    share = np.diff(np.interp(edges, reached, np.r_[0.0, np.cumsum(incorrect)])) / sizes
    rows = zip(sizes.tolist(), predicted.tolist(), share.tolist(), strict=True)
    return tuple(ReliabilityBin(n, mean, wrong) for n, mean, wrong in rows)


def answered_cases(
    sample: Sample, answered: Flags, *, bootstrap: int = 1000, seed: int = 0
) -> Answered:
    """Return how many cases are answered, and how often the verdict on those is right.

    `answered` `[n]` is false where the detector abstained. Both figures have the bootstrap 95 %
    interval of `measure`.
    """
    n = len(answered)
    called = np.zeros(n, dtype=bool) if sample.called is None else sample.called
    right = answered & (called == sample.incorrect)
    everything = np.ones(n, dtype=bool)
    return Answered(
        n=int(answered.sum()),
        coverage=ratio_figure(answered, everything, bootstrap, seed, "there is no case"),
        accuracy=ratio_figure(right, answered, bootstrap, seed, "no case is answered"),
    )
