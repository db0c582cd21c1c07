"""What the detection metrics are, computed for many resamples of the cases at once.

The positive class is the incorrect query; a score is high where the query is likely incorrect.
Every function here returns an array `[b]`, one value for each resample, with NaN where the
metric is undefined; the cases as they are count as one resample (b = 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Counts: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]

ECE_BINS = 15


@dataclass(frozen=True, slots=True)
class Tally:
    """Cases counted by score, so that ties are one group and never depend on an order.

    `scores` `[g]` are the distinct scores, ascending; `incorrect` and `correct` `[b, g]` count
    the cases of each resample that have them.
    """

    scores: Floats
    incorrect: Counts
    correct: Counts

    @property
    def cases(self) -> Counts:
        """Cases of each score, `[b, g]`."""
        return self.incorrect + self.correct


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts `[b]` of what was called incorrect (positive) or correct against what it is."""

    true_positive: Counts
    false_positive: Counts
    false_negative: Counts
    true_negative: Counts


def auc(tally: Tally) -> Floats:
    """Area under the ROC curve, in [0, 1], high = better, 0.5 = chance.

    The chance that a random incorrect query has a higher score than a random correct one, ties
    counting half. Undefined where only one class is present.
    """
    correct_below = np.cumsum(tally.correct, axis=1) - tally.correct
    wins = (tally.incorrect * (correct_below + 0.5 * tally.correct)).sum(axis=1)
    return ratio(wins, tally.incorrect.sum(axis=1) * tally.correct.sum(axis=1))


def average_precision(tally: Tally) -> Floats:
    """Mean precision over the incorrect queries, in [0, 1], high = better, chance = base rate.

    The sum over falling thresholds of precision times the gain in recall, without interpolation.
    Undefined where no query is incorrect.
    """
    found = _cumulate_from_highest(tally.incorrect)
    called = _cumulate_from_highest(tally.cases)
    precision = found / np.maximum(called, 1)
    return ratio((precision * tally.incorrect).sum(axis=1), tally.incorrect.sum(axis=1))


def coverage_at_risk(tally: Tally, risk: float) -> Floats:
    """Largest share of the cases that can be accepted at that risk, in [0, 1], high = better.

    Queries are accepted from the lowest score upwards, equal scores together; the risk is the
    share of incorrect ones among the accepted. 0 where even the first group exceeds it.
    Undefined without cases.
    """
    accepted = np.cumsum(tally.cases, axis=1)
    within = np.cumsum(tally.incorrect, axis=1) <= risk * accepted
    covered = np.where(within, accepted, 0).max(axis=1, initial=0)
    return ratio(covered, tally.cases.sum(axis=1))


def brier(tally: Tally) -> Floats:
    """Mean squared distance of the probability from the truth, in [0, 1], low = better.

    Undefined without cases.
    """
    squares = tally.incorrect * (1 - tally.scores) ** 2 + tally.correct * tally.scores**2
    return ratio(squares.sum(axis=1), tally.cases.sum(axis=1))


def ece(tally: Tally, bins: int = ECE_BINS) -> Floats:
    """Expected calibration error over bins of equal mass, in [0, 1], low = better.

    Cases are sorted by probability and cut into `bins` of equal size (the first ones are larger
    by one where the number does not divide); the error is the mean over the cases of the
    distance, in each bin, between the mean probability and the share of incorrect queries. Where
    a group of equal probabilities is cut, each part gets the group's share of incorrect ones, so
    that the order of the input does not matter. Undefined without cases.
    """
    cases = tally.cases
    totals = cases.sum(axis=1)
    reached = np.cumsum(cases, axis=1)
    surplus = np.cumsum(tally.scores * cases - tally.incorrect, axis=1)
    errors = np.full(len(totals), np.nan)
    for row in np.flatnonzero(totals):
        edges = bin_edges(int(totals[row]), bins)
        at_edges = np.interp(edges, np.r_[0, reached[row]], np.r_[0.0, surplus[row]])
        errors[row] = np.abs(np.diff(at_edges)).sum() / totals[row]
    return errors


def accuracy(confusion: Confusion) -> Floats:
    """Share of the cases called what they are, in [0, 1]. Undefined without cases."""
    right = confusion.true_positive + confusion.true_negative
    return ratio(right, right + confusion.false_positive + confusion.false_negative)


def precision(confusion: Confusion) -> Floats:
    """Share of incorrect queries among those called incorrect, in [0, 1].

    Undefined where none is called incorrect.
    """
    called = confusion.true_positive + confusion.false_positive
    return ratio(confusion.true_positive, called)


def recall(confusion: Confusion) -> Floats:
    """Share of the incorrect queries that are called incorrect, in [0, 1].

    Undefined where no query is incorrect.
    """
    incorrect = confusion.true_positive + confusion.false_negative
    return ratio(confusion.true_positive, incorrect)


def f1(confusion: Confusion) -> Floats:
    """Harmonic mean of precision and recall, in [0, 1].

    Undefined where no query is incorrect and none is called so.
    """
    mistakes = confusion.false_positive + confusion.false_negative
    return ratio(2 * confusion.true_positive, 2 * confusion.true_positive + mistakes)


def ratio(part: npt.NDArray[np.generic], whole: npt.NDArray[np.generic]) -> Floats:
    """Return `part / whole`, NaN where the whole is 0."""
    result = np.full(np.shape(whole), np.nan)
    np.divide(part, whole, out=result, where=np.asarray(whole) != 0)
    return result


def _cumulate_from_highest(counts: Counts) -> Counts:
    summed: Counts = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1]
    return summed


def bin_edges(cases: int, bins: int) -> Counts:
    """Return the `bins + 1` borders that cut `cases` into bins of equal size, larger ones first."""
    size, larger = divmod(cases, bins)
    sizes = np.full(bins, size, dtype=np.int64)
    sizes[:larger] += 1
    edges: Counts = np.r_[0, np.cumsum(sizes)]
    return edges
