"""Reasons: why a signal fires, by name, and what each of them is worth.

A signal names its reasons, says what each means, and may give each one of four grades. How strong
a reason is, is learned (`experiments/reasons`) and stands in one data file, `strengths.json`, and
nowhere in a signal: signal, reason, then

- `grade`: what its author thinks of it, which is what is known before anything is counted;
- `strength` in (0, 1], high = more likely wrong: of a hundred queries with such a finding that
  would be correct if the finding said nothing, how many are incorrect; drawn to the grade's where
  few were counted;
- `at_most`, where findings of that reason differ in degree: a finding's `measure` in [0, 1] then
  places it between `strength`, which may then be 0, and `at_most`;
- `level`: info, warning or error, which follows from the strength;
- `count`, `precision`: how many labeled predictions had such a finding, and the share in [0, 1] of
  them that are incorrect, where a quarter of all predictions is; null where none had;
- `sources`: the databases whose predictions were counted.

A reason that the file does not know, such as a plug-in's, has the strength and the level of its
grade.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib import resources
from typing import Any, TypeAlias

from clausewise.errors import RegistryError
from clausewise.types import Finding, Level

_DIGITS = 3


class Grade(StrEnum):
    """What the author of a signal thinks a reason is worth before anything is counted."""

    SLIGHT = "slight"
    """Hardly more often on incorrect queries than on others."""
    MODERATE = "moderate"
    """Worth a look; often harmless."""
    STRONG = "strong"
    """More often a mistake than not."""
    DECISIVE = "decisive"
    """Hardly ever on a correct query."""

    @property
    def strength(self) -> float:
        """Strength in (0, 1] of a reason of which nothing else is known."""
        return _STRENGTH_OF_GRADE[self]

    @property
    def level(self) -> Level:
        """Level of a reason of which nothing else is known."""
        return level_of(self.strength)

    @classmethod
    def nearest(cls, strength: float) -> Grade:
        """Return the grade whose strength is nearest."""
        return min(cls, key=lambda grade: abs(grade.strength - strength))


_STRENGTH_OF_GRADE = {
    Grade.SLIGHT: 0.15,
    Grade.MODERATE: 0.4,
    Grade.STRONG: 0.65,
    Grade.DECISIVE: 0.9,
}
_LEAST_OF_LEVEL = {Level.ERROR: 0.6, Level.WARNING: 0.3}
"""Least strength of the level; 0.6 is a precision of 0.7 where a quarter of all is wrong."""
BASE_SHARE = 0.25
"""Share of incorrect queries that precisions and strengths are stated for."""
DECISIVE_PRECISION = 0.9
"""Precision from which an error alone makes the verdict."""
DECISIVE_COUNT = 10
"""Fewer findings than this prove no precision."""


def level_of(strength: float) -> Level:
    """Return the level of a reason with that strength in [0, 1]."""
    return next(
        (level for level, least in _LEAST_OF_LEVEL.items() if strength >= least), Level.INFO
    )


Graded: TypeAlias = "str | tuple[str, Grade | str]"
"""What a reason means in a sentence, alone or with its grade; alone it is moderate."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One named reason of a signal; see the module for its fields."""

    name: str
    meaning: str
    grade: Grade = Grade.MODERATE
    strength: float = Grade.MODERATE.strength
    at_most: float | None = None
    level: Level = Grade.MODERATE.level
    count: int = 0
    precision: float | None = None
    sources: tuple[str, ...] = ()

    def score(self, measure: float | None) -> float:
        """Return the score in (0, 1] of a finding, high = more likely wrong.

        Raises RegistryError where a measure is missing, not wanted, or outside [0, 1].
        """
        if (self.at_most is None) != (measure is None):
            wanted = "no measure" if self.at_most is None else "a measure"
            raise RegistryError(f"reason '{self.name}' takes {wanted}")
        if self.at_most is None or measure is None:
            return self.strength
        if not 0.0 <= measure <= 1.0:
            raise RegistryError(f"reason '{self.name}': measure {measure} is outside [0, 1]")
        return round(self.strength + (self.at_most - self.strength) * measure, _DIGITS)


@lru_cache(maxsize=1)
def strengths() -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    """Return the data file: signal to reason to its fields."""
    file = resources.files("clausewise.signals") / "strengths.json"
    known: dict[str, dict[str, dict[str, Any]]] = json.loads(file.read_text(encoding="utf-8"))
    return known


def reasons_of(signal: str, meanings: Mapping[str, Graded]) -> dict[str, Reason]:
    """Return a signal's reasons by name, with what the data file says of them.

    Raises RegistryError where a grade is none of the four.
    """
    known = strengths().get(signal, {})
    return {name: _reason(signal, name, given, known.get(name)) for name, given in meanings.items()}


def _reason(signal: str, name: str, given: Graded, saved: Mapping[str, Any] | None) -> Reason:
    meaning, grade = (given, Grade.MODERATE) if isinstance(given, str) else given
    try:
        grade = Grade(grade)
    except ValueError:
        known = ", ".join(Grade)
        raise RegistryError(
            f"signal '{signal}', reason '{name}': '{grade}' is no grade; known: {known}"
        ) from None
    if saved is None:
        return Reason(name, meaning, grade, grade.strength, level=grade.level)
    fields = dict(saved)
    fields["grade"] = Grade(fields["grade"])
    fields["level"] = Level(fields["level"])
    fields["sources"] = tuple(fields["sources"])
    return Reason(name, meaning, **fields)


def graded(finding: Finding, reasons: Mapping[str, Reason], signal: str) -> tuple[float, Level]:
    """Return the score and the level of a finding from its reason.

    Raises RegistryError where the signal does not declare the reason.
    """
    reason = reasons.get(finding.reason)
    if reason is None:
        declared = ", ".join(reasons)
        raise RegistryError(
            f"signal '{signal}' gives the reason '{finding.reason}'; it declares {declared}"
        )
    return reason.score(finding.measure), reason.level


def proven_probability(finding: Finding) -> float | None:
    """Return the probability of being incorrect that a finding proves by itself, None for most.

    That is an error whose reason was right nine times in ten, and counted often enough. The
    probability is the reason's precision, drawn to its grade's, where a quarter of all queries is
    incorrect.
    """
    saved = strengths().get(finding.signal, {}).get(finding.reason)
    if (
        saved is None
        or saved["level"] != Level.ERROR
        or saved["count"] < DECISIVE_COUNT
        or (saved["precision"] or 0.0) < DECISIVE_PRECISION
    ):
        return None
    return BASE_SHARE + (1.0 - BASE_SHARE) * finding.score
