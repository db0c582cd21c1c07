"""Asking a language model only about the cases on which the other signals are in doubt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clausewise.errors import InputError
from clausewise.models.probability import logit
from clausewise.types import CaseStatus, ScoredCase

SHARE = 0.25
"""Share of the cases that are asked about where neither a budget of calls nor a share is given."""


@dataclass(frozen=True, slots=True)
class Doubtful:
    """The cases that a language model is asked about.

    Attributes
    ----------
    positions
        Where they stand among all cases.
    low, high
        The band of `p_correct` without the model in which they lie; NaN where there are none.
    candidates
        How many cases there were to choose from: those whose queries run.
    """

    positions: frozenset[int]
    low: float
    high: float
    candidates: int


def doubtful_cases(scored: Sequence[ScoredCase], threshold: float, at_most: int) -> Doubtful:
    """Choose the cases whose probability lies nearest to the verdict's threshold.

    Nearness is measured in log-odds, so that 0.01 and 0.02 are as far apart as 0.5 and 0.67; of
    equally near cases the first ones are chosen.

    Parameters
    ----------
    scored
        All cases as they are scored without the model.
    threshold
        Probability of being incorrect from which on a case is called so.
    at_most
        How many to choose.
    """
    runs = [
        (position, case.p_correct)
        for position, case in enumerate(scored)
        if case.status is CaseStatus.OK and case.p_correct is not None
    ]
    incorrect = 1.0 - np.array([p_correct for _, p_correct in runs])
    distance = np.abs(logit(incorrect) - logit(np.array([threshold])))
    nearest = np.argsort(distance, kind="stable")[: max(0, at_most)]
    inside = [runs[index] for index in nearest.tolist()]
    band = [p_correct for _, p_correct in inside] or [float("nan")]
    positions = frozenset(position for position, _ in inside)
    return Doubtful(positions, min(band), max(band), len(runs))


def affordable(n_cases: int, calls_per_case: int, calls: int | None, share: float | None) -> int:
    """Return how many of `n_cases` may be asked about.

    Parameters
    ----------
    n_cases
        Cases whose queries run.
    calls_per_case
        Calls that one of them costs, at least 1.
    calls
        Budget in calls, None where there is none.
    share
        Share in [0, 1] of the cases, None where it is not given.

    Raises
    ------
    InputError
        Where the share is outside [0, 1].
    """
    if share is not None and not 0.0 <= share <= 1.0:
        raise InputError(f"the share of cases to ask about lies in [0, 1], not {share}")
    if share is None:
        share = SHARE if calls is None else 1.0
    count = round(share * n_cases)
    return count if calls is None else min(count, calls // calls_per_case)
