"""From a calibrated probability to a verdict: stated costs, and when to leave a case to a person.

Two definitions hold everywhere.

**Costs.** Calling a query incorrect costs `false_alarm` where it is correct, calling it correct
costs `miss` where it is not. With probability q of being incorrect the first costs
`(1 - q) * false_alarm` on average and the second `q * miss`, so the verdict that costs less is
incorrect from q = false_alarm / (false_alarm + miss) on. Only the ratio of the costs matters.

**Expected risk.** The chance that a verdict is wrong, if the probability is true: q where the
verdict is correct, 1 - q where it is incorrect. The expected risk of a set of cases is the mean
of their chances. Cases that do not parse or do not run are not counted: nothing is risked there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from clausewise.errors import InputError
from clausewise.models.prior import estimate_share, moved, prior_of, share_shift
from clausewise.scored_cases import ScoredCases
from clausewise.types import CaseStatus, ScoredCase, Verdict

_DIGITS = 6
"""Chances of a wrong verdict are compared by as many digits as a scores file has."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What a wrong verdict costs, in any unit: both finite and above 0.

    Raises InputError for other values.
    """

    miss: float = 1.0
    """An incorrect query that is called correct."""
    false_alarm: float = 1.0
    """A correct query that is called incorrect."""

    def __post_init__(self) -> None:
        for name, cost in (("a miss", self.miss), ("a false alarm", self.false_alarm)):
            if not (math.isfinite(cost) and cost > 0.0):
                raise InputError(f"the cost of {name} must be above 0, not {cost}")

    @property
    def threshold(self) -> float:
        """Probability in (0, 1) of being incorrect from which calling it so costs less."""
        return 1.0 / (1.0 + self.miss / self.false_alarm)


@dataclass(frozen=True, slots=True)
class Band:
    """The values of `p_correct`, both ends included, at which no verdict is relied on.

    Raises InputError where not 0 <= low <= high <= 1.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        if not 0.0 <= self.low <= self.high <= 1.0:
            raise InputError(
                f"an abstention band is LOW:HIGH with 0 <= LOW <= HIGH <= 1, not "
                f"{self.low:g}:{self.high:g}"
            )

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the band that "LOW:HIGH" names.

        Raises InputError where the text is no band.
        """
        low, _, high = text.partition(":")
        try:
            ends = float(low), float(high)
        except ValueError:
            message = f"an abstention band is LOW:HIGH, like 0.4:0.6, not {text!r}"
            raise InputError(message) from None
        return cls(*ends)

    def __contains__(self, p_correct: float) -> bool:
        return self.low <= p_correct <= self.high


@dataclass(frozen=True, slots=True)
class DecisionRule:
    """What turns a probability into a verdict when a case is scored.

    Attributes
    ----------
    threshold
        A case is called incorrect at or above this probability in (0, 1) of being incorrect;
        None for the one that the detector was fitted with.
    abstain
        Cases whose `p_correct` lies in the band are marked as abstained; they keep their
        verdict, probability and findings.
    alarms
        Share in (0, 1) of the right queries that may be called incorrect: the detector's threshold
        for it counts. Not together with `threshold`.
    class_balance
        Share in (0, 1) of incorrect queries where it is known: the detector's probabilities and its
        own threshold are moved to it.
    """

    threshold: float | None = None
    abstain: Band | None = None
    alarms: float | None = None
    class_balance: float | None = None

    def __post_init__(self) -> None:
        if self.alarms is not None and self.threshold is not None:
            raise InputError("give a threshold or a share of false alarms, not both")
        if self.alarms is not None and not 0.0 < self.alarms < 1.0:
            raise InputError(
                f"the share of false alarms must be between 0 and 1, got {self.alarms:g}",
                field="--alarms",
            )
        if self.threshold is not None and not 0.0 < self.threshold < 1.0:
            raise InputError(f"the threshold is a probability, not {self.threshold}")

    def with_threshold(self, threshold: float) -> DecisionRule:
        """Return the rule with this threshold where it has none of its own."""
        if self.threshold is not None:
            return self
        return replace(self, threshold=threshold, alarms=None)

    def verdict(self, incorrect: float) -> Verdict:
        """Return the verdict at a probability in [0, 1] of being incorrect.

        Raises InputError where the rule has no threshold.
        """
        if self.threshold is None:
            raise InputError("the rule has no threshold")
        return Verdict.INCORRECT if incorrect >= self.threshold else Verdict.CORRECT

    def abstains(self, p_correct: float) -> bool:
        """Return whether a case with this probability of being correct is abstained on."""
        return self.abstain is not None and p_correct in self.abstain


def chosen_threshold(threshold: float | None, costs: Costs | None) -> float | None:
    """Return the threshold that is given or follows from the costs, None where neither is given.

    Raises InputError where both are given.
    """
    if threshold is not None and costs is not None:
        raise InputError("give a threshold or costs, not both: the costs settle the threshold")
    return threshold if costs is None else costs.threshold


def band_for_risk(
    p_correct: Sequence[float] | NDArray[np.float64],
    verdicts: Sequence[Verdict],
    max_risk: float,
    shifts: tuple[float, float] = (0.0, 0.0),
) -> Band | None:
    """Return the least band that keeps the expected risk of the cases outside it in bounds.

    Cases are given up in falling order of their chance of a wrong verdict, those with equal
    chances together, until the mean chance of the others is at most `max_risk`. No other choice
    of as many cases leaves a smaller risk, and because the chance falls with the distance from the
    threshold on both sides of it, the cases given up are exactly those inside a band.

    Parameters
    ----------
    p_correct
        `[n]` calibrated probabilities in [0, 1] of being correct, of the cases that run.
    verdicts
        `[n]` verdicts, all by one threshold.
    max_risk
        Share in [0, 1] of wrong verdicts that is tolerated among the cases answered.
    shifts
        Log-odds of being incorrect by which probabilities may be off, at least and at most, where
        the share of incorrect queries is not known: a verdict of incorrect is judged by the first,
        one of correct by the second.

    Returns
    -------
    Band or None
        None where all cases can be answered; the band of all cases where none can.

    Raises
    ------
    InputError
        Where `max_risk` is not in [0, 1].

    References
    ----------
    C. K. Chow. On optimum recognition error and reject tradeoff. IEEE Transactions on Information
    Theory 16(1), 1970.
    """
    if not 0.0 <= max_risk <= 1.0:
        raise InputError(f"a risk is a share between 0 and 1, not {max_risk}")
    correct = np.asarray(p_correct, dtype=np.float64)
    called = np.array([verdict is Verdict.INCORRECT for verdict in verdicts], dtype=bool)
    # a shift of 0 leaves even 0 and 1 as they are
    low, high = (moved(1.0 - correct, shift) if shift else 1.0 - correct for shift in shifts)
    chances = np.round(np.where(called, 1.0 - low, high), _DIGITS)
    rising = np.sort(chances)
    means = np.cumsum(rising) / np.arange(1, len(rising) + 1)
    last_of_its_value = np.append(rising[1:] > rising[:-1], True)[: len(rising)]
    bearable = np.flatnonzero(last_of_its_value & (means <= max_risk + 1e-12))
    answered = chances <= rising[bearable[-1]] if len(bearable) else np.zeros(len(rising), bool)
    if answered.all():
        return None
    given_up = correct[~answered]
    return Band(float(given_up.min()), float(given_up.max()))


def shifts_for(
    p_correct: Sequence[float] | NDArray[np.float64], prior: float, databases: int = 1
) -> tuple[float, float]:
    """Return by how much log-odds are off, at least and at most, at the share that cases have.

    `prior` is the share in (0, 1) of incorrect queries that the probabilities were made for, and
    `databases` is how many databases the cases are on.
    """
    found = estimate_share(1.0 - np.asarray(p_correct, dtype=np.float64), prior, databases)
    return share_shift(prior, found.low), share_shift(prior, found.high)


def within_risk(
    scored: Sequence[ScoredCase], max_risk: float, *, share_known: bool = False
) -> ScoredCases:
    """Return the cases with those in the band of `band_for_risk` marked as abstained.

    Only queries that run are counted and marked; marks that cases had before are replaced. The
    share of incorrect queries is estimated from the cases, with its error, unless `share_known`:
    then the probabilities are taken as they are.

    Raises InputError where `max_risk` is not in [0, 1].
    """
    running = [
        (case.p_correct, case.verdict)
        for case in scored
        if case.status is CaseStatus.OK and case.p_correct is not None
    ]
    given = [p for p, _ in running]
    shifts = (0.0, 0.0)
    explained = [case.explanation for case in scored if case.explanation is not None]
    if explained and not share_known:
        databases = len({case.db_id for case in scored})
        shifts = shifts_for(given, prior_of(explained[0].prior), databases)
    band = band_for_risk(given, [verdict for _, verdict in running], max_risk, shifts)
    return ScoredCases(
        replace(
            case,
            abstained=band is not None
            and case.status is CaseStatus.OK
            and case.p_correct is not None
            and case.p_correct in band,
        )
        for case in scored
    )
