"""Findings of labeled predictions, counted by reason.

A query that several systems predict counts once. Predictions of one question share their mistakes:
n of them with the same reason together weigh as much as the root of n. Each population is weighed
so that a quarter of its predictions is incorrect.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from clausewise.signals.reasons import BASE_SHARE
from clausewise.types import Inspection
from experiments.common.data import System

ReasonKey = tuple[str, str]
"""Signal and reason."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One query and what was found in it: reason to its largest measure, None without degrees."""

    benchmark: str
    database: str
    question: str
    incorrect: bool
    found: dict[ReasonKey, float | None]


@dataclass(slots=True)
class Tally:
    """Weighed findings of one reason on one database."""

    count: int = 0
    incorrect: float = 0.0
    correct: float = 0.0
    measured: float = 0.0
    """Sum of weight times measure."""

    @property
    def weight(self) -> float:
        return self.incorrect + self.correct


Tallies = Mapping[tuple[str, str], Tally]
"""Of one reason: population and database to what was counted there."""


def found_in(item: Inspection) -> dict[ReasonKey, float | None]:
    """Return the reasons of an inspection's findings, with their largest measure."""
    found: dict[ReasonKey, float | None] = {}
    for outcome in item.outcomes.values():
        for finding in outcome.findings:
            key = (finding.signal, finding.reason)
            if finding.measure is None:
                found[key] = None
            else:
                found[key] = max(found.get(key) or 0.0, finding.measure)
    return found


def seen_predictions(systems: Iterable[System]) -> list[Seen]:
    """Return the distinct labeled predictions of systems."""
    distinct: dict[tuple[object, ...], Seen] = {}
    for system in systems:
        for item in system.labeled():
            case = item.case
            key = (system.benchmark, case.db_id, case.question, case.predicted_sql)
            distinct[key] = Seen(
                system.benchmark,
                case.db_id,
                case.question,
                system.is_incorrect(item),
                found_in(item),
            )
    return list(distinct.values())


def tallies(seen: Sequence[Seen]) -> Mapping[ReasonKey, Tallies]:
    """Return the weighed findings by reason, population and database."""
    together: dict[tuple[ReasonKey, str, str, str], list[Seen]] = defaultdict(list)
    for item in seen:
        for key in item.found:
            together[key, item.benchmark, item.database, item.question].append(item)
    weights = _class_weights(seen)
    found: dict[ReasonKey, dict[tuple[str, str], Tally]] = defaultdict(lambda: defaultdict(Tally))
    for (key, benchmark, database, _), items in together.items():
        tally = found[key][benchmark, database]
        for item in items:
            weight = len(items) ** -0.5 * weights[benchmark][item.incorrect]
            tally.count += 1
            tally.incorrect += weight * item.incorrect
            tally.correct += weight * (not item.incorrect)
            tally.measured += weight * (item.found[key] or 0.0)
    return found


def _class_weights(seen: Sequence[Seen]) -> dict[str, dict[bool, float]]:
    """Return for each benchmark what an incorrect and a correct query weigh."""
    weights: dict[str, dict[bool, float]] = {}
    for benchmark in {item.benchmark for item in seen}:
        labels = [item.incorrect for item in seen if item.benchmark == benchmark]
        incorrect = sum(labels)
        weights[benchmark] = {
            True: BASE_SHARE * len(labels) / max(incorrect, 1),
            False: (1.0 - BASE_SHARE) * len(labels) / max(len(labels) - incorrect, 1),
        }
    return weights
