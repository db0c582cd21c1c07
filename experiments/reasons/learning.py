"""Strengths of reasons from counts, drawn to the strength of their authors' grades."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest import mock

from clausewise.signals import reasons
from clausewise.signals.reasons import BASE_SHARE, Grade, Reason, level_of
from clausewise.types import Finding, Inspection, Level, Outcome
from experiments.common.data import Item, System
from experiments.reasons.counting import ReasonKey, Tally

GRADE_WEIGHT = 30.0
"""What the grade weighs beside what was counted, in findings."""
SMALLEST, LARGEST = 0.02, 0.98
DIGITS = 3
Strengths = Mapping[str, Mapping[str, Mapping[str, Any]]]


def fields_of(reason: Reason) -> dict[str, Any]:
    """Return what the data file needs to know of a reason before anything is counted."""
    fields: dict[str, Any] = {"grade": reason.grade.value, "strength": reason.strength}
    if reason.at_most is not None:
        fields["at_most"] = reason.at_most
    return fields | {"level": reason.level.value}


def learned(known: Strengths, found: Mapping[ReasonKey, Tally], fixed: frozenset[str]) -> Strengths:
    """Return the data file with strengths from counts; the signals in `fixed` keep theirs."""
    return {
        signal: {
            reason: _learned(fields, found.get((signal, reason), Tally()), signal in fixed)
            for reason, fields in reasons.items()
        }
        for signal, reasons in known.items()
    }


def _learned(known: Mapping[str, Any], tally: Tally, is_fixed: bool) -> dict[str, Any]:
    strength, at_most = float(known["strength"]), known.get("at_most")
    grade = Grade(known["grade"])
    if not is_fixed:
        typical = strength
        if at_most is not None:
            measure = 0.5 if tally.measure is None else tally.measure
            typical = strength + (float(at_most) - strength) * measure
        ratio = _shrunk(grade, tally) / max(typical, SMALLEST)
        strength = _kept(strength * ratio, 0.0 if at_most is not None else SMALLEST)
        at_most = None if at_most is None else _kept(float(at_most) * ratio, SMALLEST)
    fields: dict[str, Any] = {"grade": grade.value, "strength": strength}
    if at_most is not None:
        fields["at_most"] = at_most
    level = known["level"] if is_fixed else _level(strength, at_most, tally)
    precision = None if tally.precision is None else round(tally.precision, DIGITS)
    return fields | {
        "level": level,
        "count": tally.count,
        "precision": precision,
        "sources": sorted(tally.databases),
    }


def _shrunk(grade: Grade, tally: Tally) -> float:
    """Return the strength from weighed counts and the grade's precision."""
    precision = BASE_SHARE + (1.0 - BASE_SHARE) * grade.strength
    incorrect = tally.incorrect + GRADE_WEIGHT * precision
    share = incorrect / (tally.weight + GRADE_WEIGHT)
    return (share - BASE_SHARE) / (1.0 - BASE_SHARE)


def _kept(strength: float, least: float) -> float:
    return round(min(max(strength, least), LARGEST), DIGITS)


def _level(strength: float, at_most: float | None, tally: Tally) -> str:
    if at_most is None:
        return level_of(strength).value
    measure = 0.5 if tally.measure is None else tally.measure
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
