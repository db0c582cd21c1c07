"""Reasons: why a signal fires, by name, and what each of them is worth.

A signal names its reasons and says what each means. How strong a reason is stands in one data
file, `strengths.json`, and nowhere in a signal: signal, reason, then

- `strength` in (0, 1], high = more likely wrong; 0 only where `at_most` is given;
- `at_most`, where findings of that reason differ in degree: a finding's `measure` in [0, 1] then
  places it between `strength`, which may then be 0, and `at_most`;
- `level`: info, warning or error;
- `count`, `precision`, `source`: how many findings of labeled predictions had that reason, the
  share in [0, 1] of them on incorrect queries, and where the strength and those two come from.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from clausewise.errors import RegistryError
from clausewise.types import Finding, Level

DEFAULT_STRENGTH = 0.5
"""Strength of a reason that the data file does not know, such as a plug-in's."""
_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Reason:
    """One named reason of a signal; see the module for its fields."""

    name: str
    meaning: str
    strength: float = DEFAULT_STRENGTH
    at_most: float | None = None
    level: Level = Level.WARNING
    count: int | None = None
    precision: float | None = None
    source: str = "default: no data"

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


def reasons_of(signal: str, meanings: Mapping[str, str]) -> dict[str, Reason]:
    """Return a signal's reasons by name, with what the data file says of them."""
    known = strengths().get(signal, {})
    return {
        name: Reason(name, meaning, **_fields(known.get(name, {})))
        for name, meaning in meanings.items()
    }


def _fields(saved: Mapping[str, Any]) -> dict[str, Any]:
    fields = dict(saved)
    if "level" in fields:
        fields["level"] = Level(fields["level"])
    return fields


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
