"""Strengths of reasons: what a finding is worth on a database that nobody has seen.

The log-odds of being incorrect, given the finding, differ from one database to the next. They are
taken for normally distributed: the mean over databases and the variance between them are estimated
by a random-effects model (moments, as in a meta-analysis), the mean drawn to what the author's
grade says. What a reason is worth elsewhere is the expected precision on a further database.

R. DerSimonian, N. Laird. Meta-analysis in clinical trials. Controlled Clinical Trials 7(3), 1986.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from clausewise.models.probability import logit, sigmoid
from clausewise.signals import reasons
from clausewise.signals.reasons import BASE_SHARE, Grade, Reason, level_of
from clausewise.types import Finding, Inspection, Level, Outcome
from experiments.common.data import Item, System
from experiments.reasons.counting import ReasonKey, Tallies, Tally

GRADE_DATABASES = 3.0
"""What the grade weighs beside what was counted, in databases that said the same."""
USUAL_SPREAD = 1.0
"""Standard deviation of log-odds between databases where too few databases tell it."""
SPREAD_DATABASES = 5.0
"""What the usual spread weighs beside the one that was found, in databases."""
SMALLEST, LARGEST = 0.02, 0.98
DIGITS = 3
Strengths = Mapping[str, Mapping[str, Mapping[str, Any]]]


@dataclasses.dataclass(frozen=True, slots=True)
class Worth:
    """What a reason is worth on a further database, where a quarter of all queries is incorrect."""

    precision: float
    spread: float
    """Standard deviation of its log-odds between databases."""


def worth(grade: Grade, counted: Tallies) -> Worth:
    """Return the worth of a reason from weighed counts by database and its author's grade."""
    incorrect = np.array([tally.incorrect for tally in counted.values()])
    correct = np.array([tally.correct for tally in counted.values()])
    # a database with one finding says little: half a query with the usual share is added
    log_odds = np.log((incorrect + 0.5 * BASE_SHARE) / (correct + 0.5 * (1.0 - BASE_SHARE)))
    variances = 1.0 / (incorrect + 0.5 * BASE_SHARE) + 1.0 / (correct + 0.5 * (1.0 - BASE_SHARE))
    between = _between(log_odds, variances)
    weights = 1.0 / (variances + between)
    expected = BASE_SHARE + (1.0 - BASE_SHARE) * grade.strength
    prior_weight = GRADE_DATABASES / USUAL_SPREAD**2
    prior = float(logit(np.array([expected]))[0])
    mean = float((weights @ log_odds + prior_weight * prior) / (weights.sum() + prior_weight))
    variance = 1.0 / (float(weights.sum()) + prior_weight) + between
    return Worth(_expected_probability(mean, variance), float(np.sqrt(between)))


def _between(log_odds: NDArray[np.float64], variances: NDArray[np.float64]) -> float:
    """Return the variance between databases, drawn to the usual one where there are few."""
    count = len(log_odds)
    if count < 2:
        return USUAL_SPREAD**2
    weights = 1.0 / variances
    mean = (weights @ log_odds) / weights.sum()
    excess = weights @ (log_odds - mean) ** 2 - (count - 1)
    scale = weights.sum() - (weights**2).sum() / weights.sum()
    found = max(0.0, float(excess / scale)) if scale > 0.0 else 0.0
    return (count * found + SPREAD_DATABASES * USUAL_SPREAD**2) / (count + SPREAD_DATABASES)


def _expected_probability(mean: float, variance: float) -> float:
    """Return the mean of the probability for normally distributed log-odds."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(21)
    values = sigmoid(mean + np.sqrt(variance) * nodes)
    return float(values @ weights / weights.sum())


def fields_of(reason: Reason) -> dict[str, Any]:
    """Return what the data file needs to know of a reason before anything is counted."""
    fields: dict[str, Any] = {"grade": reason.grade.value, "strength": reason.strength}
    if reason.at_most is not None:
        fields["at_most"] = reason.at_most
    return fields | {"level": reason.level.value}


def learned(
    known: Strengths, found: Mapping[ReasonKey, Tallies], fixed: frozenset[str]
) -> Strengths:
    """Return the data file with strengths from counts; the signals in `fixed` keep theirs."""
    return {
        signal: {
            reason: _learned(fields, found.get((signal, reason), {}), signal in fixed)
            for reason, fields in reasons.items()
        }
        for signal, reasons in known.items()
    }


def _learned(known: Mapping[str, Any], counted: Tallies, is_fixed: bool) -> dict[str, Any]:
    strength, at_most = float(known["strength"]), known.get("at_most")
    grade = Grade(known["grade"])
    measure = _measure(counted.values())
    of = worth(grade, counted)
    if not is_fixed:
        typical = strength
        if at_most is not None:
            typical = strength + (float(at_most) - strength) * measure
        ratio = (of.precision - BASE_SHARE) / (1.0 - BASE_SHARE) / max(typical, SMALLEST)
        strength = _kept(strength * ratio, 0.0 if at_most is not None else SMALLEST)
        at_most = None if at_most is None else _kept(float(at_most) * ratio, SMALLEST)
    fields: dict[str, Any] = {"grade": grade.value, "strength": strength}
    if at_most is not None:
        fields["at_most"] = at_most
    return fields | {
        "level": known["level"] if is_fixed else _level(strength, at_most, measure),
        "precision": round(of.precision, DIGITS) if counted else None,
        "spread": round(of.spread, DIGITS) if counted else None,
        "populations": _by_population(grade, counted),
    }


def _by_population(grade: Grade, counted: Tallies) -> dict[str, dict[str, Any]]:
    """Return the counts of each population, and the precision that it alone leads to expect."""
    found = {}
    for name in sorted({population for population, _ in counted}):
        own = {key: tally for key, tally in counted.items() if key[0] == name}
        found[name] = {
            "count": sum(tally.count for tally in own.values()),
            "databases": len(own),
            "precision": round(worth(grade, own).precision, DIGITS),
        }
    return found


def _measure(counted: Iterable[Tally]) -> float:
    """Return the mean measure, the middle one where nothing was counted."""
    tallies = list(counted)
    weight = sum(tally.weight for tally in tallies)
    return sum(tally.measured for tally in tallies) / weight if weight else 0.5


def _kept(strength: float, least: float) -> float:
    return round(min(max(strength, least), LARGEST), DIGITS)


def _level(strength: float, at_most: float | None, measure: float) -> str:
    if at_most is None:
        return level_of(strength).value
    return level_of(strength + (at_most - strength) * measure).value


@contextmanager
def in_force(strengths: Strengths) -> Iterator[None]:
    """Let other strengths say which findings decide by themselves."""
    with mock.patch.object(reasons, "strengths", return_value=strengths):
        yield


def regraded(systems: list[System], strengths: Strengths) -> list[System]:
    """Return the systems with the scores and levels that other strengths give their findings."""
    known = {
        (signal, reason): _reason(reason, fields)
        for signal, reasons in strengths.items()
        for reason, fields in reasons.items()
    }
    return [
        dataclasses.replace(
            system, inspections=[_regraded(item, known) for item in system.inspections]
        )
        for system in systems
    ]


def _reason(name: str, fields: Mapping[str, Any]) -> Reason:
    own = {field.name for field in dataclasses.fields(Reason)}
    known = {key: value for key, value in fields.items() if key in own}
    known |= {"grade": Grade(fields["grade"]), "level": Level(fields["level"])}
    return Reason(name, "", **known)


def _regraded(item: Item, known: Mapping[ReasonKey, Reason]) -> Item:
    if not isinstance(item, Inspection):
        return item
    outcomes = {
        name: _regraded_outcome(outcome, known) if outcome.findings else outcome
        for name, outcome in item.outcomes.items()
    }
    return dataclasses.replace(item, outcomes=outcomes)


def _regraded_outcome(outcome: Outcome, known: Mapping[ReasonKey, Reason]) -> Outcome:
    findings = tuple(_regraded_finding(finding, known) for finding in outcome.findings)
    return dataclasses.replace(outcome, findings=findings)


def _regraded_finding(finding: Finding, known: Mapping[ReasonKey, Reason]) -> Finding:
    reason = known.get((finding.signal, finding.reason))
    if reason is None:
        return finding
    score = reason.score(finding.measure)
    return dataclasses.replace(finding, score=score, level=reason.level)
