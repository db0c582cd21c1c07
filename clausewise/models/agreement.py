"""What agreement among candidates adds to the log-odds of a query being incorrect.

The candidates count as `voices`, so many independent ones, of which the share `disagreement` speaks
against the query (`Inspection.agreement`). What they add is the log-odds of a share that is known
from few voices: the logarithm of the voices against the query over those for it, each with some
that are imagined. So one voice moves little and many move much, and since all candidates of one
model are hardly more than one voice, their agreement is no proof.

    opposed = voices * disagreement + against
    agreed = voices * (1 - disagreement) + with_it
    evidence = scale * log(opposed / agreed) + center

Much of what a single query shows, the candidates show again, hard questions above all: of the
log-odds without them the share `kept` = 1 / (1 + overlap * voices) remains.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clausewise.models.probability import sigmoid

Floats = NDArray[np.float64]

DISAGREEMENT, VOICES = "disagreement", "voices"
"""Names in `Inspection.agreement` of what is read here."""

FEWEST_CASES = 50
"""With fewer cases with candidates a domain's factor is 1."""
_SURE = 2.0
"""Standard errors by which a domain must differ before it counts."""


@dataclass(frozen=True, slots=True)
class AgreementWeights:
    """The numbers of the formula; `python -m experiments.candidates.run` learns them."""

    scale: float
    """Log-odds for each unit of the logarithm; 0 or more."""
    against: float
    """Voices that are imagined against the query, above 0."""
    with_it: float
    """Voices that are imagined for it, above 0."""
    center: float
    """Log-odds where as many speak against it as for it, the imagined ones included."""
    overlap: float
    """How much of the other evidence each voice repeats; 0 or more."""


LEARNED = AgreementWeights(scale=1.46, against=1.58, with_it=0.89, center=-0.48, overlap=0.14)
"""Learned on both benchmarks from many systems, families of systems, one other model, and the same
model, beside the calibrated log-odds of the single query (experiments/candidates)."""


def evidence(disagreement: Floats, voices: Floats, weights: AgreementWeights = LEARNED) -> Floats:
    """Return `[n]` log-odds of being incorrect that agreement says, 0 where `voices` is 0.

    Parameters
    ----------
    disagreement
        `[n]` shares in [0, 1] of the voices that speak against the query.
    voices
        `[n]` numbers of independent candidates, 0 where there are none to compare with.
    weights
        The numbers of the formula.
    """
    opposed = voices * disagreement + weights.against
    agreed = voices * (1.0 - disagreement) + weights.with_it
    said: Floats = weights.scale * np.log(opposed / agreed) + weights.center
    return np.where(voices > 0, said, 0.0)


def kept(voices: Floats, weights: AgreementWeights = LEARNED) -> Floats:
    """Return `[n]` shares in (0, 1] of the other log-odds that remain; 1 where `voices` is 0."""
    share: Floats = 1.0 / (1.0 + weights.overlap * voices)
    return share


def added(
    log_odds: Floats,
    disagreement: Floats,
    voices: Floats,
    factor: float = 1.0,
    weights: AgreementWeights = LEARNED,
) -> Floats:
    """Return `[n]` what the candidates add to the log-odds of the single query, 0 without any.

    Parameters
    ----------
    log_odds
        `[n]` calibrated log-odds of being incorrect without candidates, prior included.
    disagreement, voices, weights
        See `evidence`.
    factor
        What `domain_factor` returned: at 0 the candidates add nothing.
    """
    said = evidence(disagreement, voices, weights) - (1.0 - kept(voices, weights)) * log_odds
    return factor * said


def domain_factor(
    log_odds: Floats,
    disagreement: Floats,
    voices: Floats,
    weights: AgreementWeights = LEARNED,
) -> float:
    """Estimate from cases without labels what agreement is worth here, as a factor in [0, 1].

    Where agreement is independent of the rest given the class, it rises with the rest's
    probability exactly as fast as from the correct to the incorrect cases, and log-odds that mean
    what they say are as far apart there as their variance within a class is large. Hard questions
    make both rise together, so in most domains the slope is steeper than that and the factor is
    1. Only where it is less by more than two standard errors, agreement proves less here: the
    factor is then the slope, with these errors added, over the variance.

    Parameters
    ----------
    log_odds
        `[n]` calibrated log-odds of being incorrect without candidates.
    disagreement, voices, weights
        See `evidence`; cases without voices are left out.

    Returns
    -------
    float
        1.0 where fewer than `FEWEST_CASES` cases have candidates, or where agreement or the other
        evidence is the same for all cases.
    """
    has = voices > 0
    if int(has.sum()) < FEWEST_CASES:
        return 1.0
    said = evidence(disagreement[has], voices[has], weights)
    probability = sigmoid(log_odds[has])
    away = probability - probability.mean()
    scatter, spread = float(away @ away), float(said.var())
    if scatter < 1e-9 or spread < 1e-9:
        return 1.0
    slope = float(away @ said) / scatter
    left = said - said.mean() - slope * away
    error = float(np.sqrt(left @ left / (len(said) - 2) / scatter))
    within = spread - slope**2 * float((probability * (1.0 - probability)).mean())
    highest = slope + _SURE * error
    if within <= 0.0 or highest >= within:
        return 1.0
    return max(0.0, highest / within)
