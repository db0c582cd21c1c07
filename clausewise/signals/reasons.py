"""Reasons: why a signal fires, by name, and what each of them is worth.

A signal names its reasons, says what each means, and may give each one of four grades, and call it
a convention: something that benchmarks count as an error and people let pass. How strong a reason
is, is learned (`experiments/reasons`) and stands in one data file, `strengths.json`, and nowhere in
a signal: signal, reason, then

- `grade`: what its author thinks of it, which is what is known before anything is counted;
- `strength` in (0, 1], high = more likely wrong: of a hundred queries with such a finding that
  would be correct if the finding said nothing, how many are incorrect in a database that nobody has
  seen; drawn to the grade's where few were counted;
- `at_most`, where findings of that reason differ in degree: a finding's `measure` in [0, 1] then
  places it between `strength`, which may then be 0, and `at_most`;
- `level`: info, warning or error, which follows from the strength;
- `precision`, `spread`: the share in (0, 1) of queries with such a finding that are incorrect in a
  database nobody has seen, where a quarter of all queries is, and the standard deviation of its
  log-odds from one database to the next; `precision` is null where no prediction had one;
- `populations`: by population of labeled predictions (Spider, BIRD, world) the `count` of those
  that had such a finding, on how many `databases`, and their `precision`.

A reason that the file does not know, such as a plug-in's, has the strength and the level of its
grade.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
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
CONVENTION = "convention"
"""Marks a reason that people let pass where benchmarks count it as an error."""


def level_of(strength: float) -> Level:
    """Return the level of a reason with that strength in [0, 1]."""
    return next(
        (level for level, least in _LEAST_OF_LEVEL.items() if strength >= least), Level.INFO
    )


Graded: TypeAlias = "str | tuple[str, Grade | str] | tuple[str, Grade | str, str]"
"""What a reason means in a sentence, alone or with its grade; alone it is moderate. A third entry,
`CONVENTION`, says that people let it pass."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One named reason of a signal; see the module for its fields."""

    name: str
    meaning: str
    grade: Grade = Grade.MODERATE
    strength: float = Grade.MODERATE.strength
    at_most: float | None = None
    level: Level = Grade.MODERATE.level
    is_convention: bool = False
    precision: float | None = None
    spread: float | None = None
    populations: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many labeled predictions had such a finding."""
        return sum(int(of["count"]) for of in self.populations.values())

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
    meaning, grade, *marks = (given, Grade.MODERATE) if isinstance(given, str) else given
    try:
        grade = Grade(grade)
    except ValueError:
        known = ", ".join(Grade)
        raise RegistryError(
            f"signal '{signal}', reason '{name}': '{grade}' is no grade; known: {known}"
        ) from None
    if marks not in ([], [CONVENTION]):
        raise RegistryError(
            f"signal '{signal}', reason '{name}': after the grade only '{CONVENTION}' may stand"
        )
    is_convention = bool(marks)
    if saved is None:
        return Reason(
            name,
            meaning,
            grade,
            grade.strength,
            level=grade.level,
            is_convention=is_convention,
        )
    fields = dict(saved)
    fields["grade"] = Grade(fields["grade"])
    fields["level"] = Level(fields["level"])
    return Reason(name, meaning, is_convention=is_convention, **fields)


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
