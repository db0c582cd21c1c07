"""Figures of a ranking and of probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BINS = 15
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def area(wrong: Bools, score: Floats) -> float:
    """Return the area under the ROC curve; NaN where a class is missing."""
    from scipy.stats import rankdata

    n_wrong, n_right = int(wrong.sum()), int((~wrong).sum())
    if not n_wrong or not n_right:
        return float("nan")
    ranks = float(rankdata(score)[wrong].sum())
    return (ranks - n_wrong * (n_wrong + 1) / 2) / (n_wrong * n_right)


def recall_at(wrong: Bools, score: Floats, alarms: float) -> float:
    """Return the share of wrong queries above all but a share of the right ones."""
    threshold = np.quantile(score[~wrong], 1.0 - alarms)
    return float((score[wrong] > threshold).mean())


def ece(wrong: Bools, p: Floats) -> float:
    """Return the expected calibration error over bins of equal mass."""
    order = np.argsort(p, kind="stable")
    parts = np.array_split(order, BINS)
    gaps = [abs(p[part].mean() - wrong[part].mean()) * len(part) for part in parts if len(part)]
    return float(sum(gaps) / len(p))
