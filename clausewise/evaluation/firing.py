"""How often signals fire: on gold queries, their false-alarm rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from clausewise.evaluation.intervals import wilson_interval
from clausewise.types import Inspection, Json, OutcomeStatus


@dataclass(frozen=True, slots=True)
class FiringRate:
    """How often one signal fired.

    `rate` is `fired / answered`, in [0, 1], where `answered` counts the cases in which the
    signal could look at all; `interval` is its Wilson 95 % interval. None where it never could.
    """

    signal: str
    fired: int
    answered: int
    not_applicable: int
    faults: int
    rate: float | None
    interval: tuple[float, float] | None

    def to_dict(self) -> dict[str, Json]:
        """Return everything under the attributes' names."""
        return {
            "signal": self.signal,
            "fired": self.fired,
            "answered": self.answered,
            "not_applicable": self.not_applicable,
            "faults": self.faults,
            "rate": self.rate,
            "interval": None if self.interval is None else list(self.interval),
        }


def firing_rates(inspections: Iterable[Inspection]) -> tuple[FiringRate, ...]:
    """Return the firing rate of every signal, in the order of the inspections' outcomes.

    On queries that are taken to be correct (gold) this is the rate of false alarms, or of wrong
    gold. Cases are taken as independent.
    """
    counted: dict[str, Counter[OutcomeStatus]] = {}
    for inspection in inspections:
        for name, outcome in inspection.outcomes.items():
            counted.setdefault(name, Counter())[outcome.status] += 1
    return tuple(_rate(name, statuses) for name, statuses in counted.items())


def _rate(name: str, statuses: Counter[OutcomeStatus]) -> FiringRate:
    fired = statuses[OutcomeStatus.FIRED]
    answered = fired + statuses[OutcomeStatus.SILENT]
    return FiringRate(
        signal=name,
        fired=fired,
        answered=answered,
        not_applicable=statuses[OutcomeStatus.NOT_APPLICABLE],
        faults=statuses[OutcomeStatus.FAULT],
        rate=fired / answered if answered else None,
        interval=wilson_interval(fired, answered),
    )
