"""The search for a small instance on which two queries certainly differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from time import monotonic

from clausewise.databases.instances import Instance
from clausewise.equivalence.generation.pools import Pools
from clausewise.equivalence.model import (
    Attempt,
    Conventions,
    Counterexample,
    DifferenceKind,
    Stage,
)
from clausewise.equivalence.outcomes import InstanceRunner, QueryOutcome, difference
from clausewise.equivalence.plan import Plan
from clausewise.equivalence.shrinking import shrunk

_MOST_FAILURES = 10
"""Instances in a row on which a query does not run, after which no more are tried."""
_MOST_FOR_ROWS = 20
"""Instances tried for one on which queries of different columns both return rows."""


@dataclass(slots=True)
class PairSearch:
    """Runs two queries on instances until one tells them apart, and makes that one smaller.

    `until` is the time, as `monotonic` gives it, after which no more instances are tried.
    """

    plan: Plan
    runner: InstanceRunner
    pools: Pools
    conventions: Conventions
    until: float
    attempts: list[Attempt] = field(default_factory=list)
    failure: str = ""
    """Why a query does not run, where that ended the search."""
    _failures: int = 0
    _last_instance: Instance | None = None
    _last: tuple[DifferenceKind | None, tuple[QueryOutcome, ...]] | None = None

    def among(self, stage: Stage, candidates: Iterable[Instance]) -> Counterexample | None:
        """Try instances one after another; None where none tells the queries apart.

        An instance that breaks a constraint of the database is passed over.
        """
        tried = 0
        bare: Instance | None = None
        for candidate in self._in_time(candidates):
            tried += 1
            if self._tells(candidate) and not self.plan.constraints.violations(candidate):
                if self._shows(candidate):
                    return self._found(candidate, self._shows, stage, tried)
                bare = bare or candidate
            if self._failures >= _MOST_FAILURES or (bare and tried >= _MOST_FOR_ROWS):
                break
        if bare is not None:
            return self._found(bare, self._tells, stage, tried)
        outcome = "no difference"
        if self.failure:
            outcome = "a query does not run"
        elif monotonic() > self.until:
            outcome = "out of time"
        self.attempts.append(Attempt(stage, tried, outcome))
        return None

    def _found(
        self, instance: Instance, tells: Callable[[Instance], bool], stage: Stage, tried: int
    ) -> Counterexample | None:
        small = shrunk(instance, tells, self.plan, self.pools)
        found = self._verified(small) or self._verified(instance)
        self.attempts.append(Attempt(stage, tried, "told apart" if found else "not verified"))
        return found

    def _in_time(self, candidates: Iterable[Instance]) -> Iterator[Instance]:
        for candidate in candidates:
            if monotonic() > self.until:
                return
            yield candidate

    def _kind(
        self, instance: Instance, again: bool = False
    ) -> tuple[DifferenceKind | None, tuple[QueryOutcome, ...]]:
        if not again and instance is self._last_instance and self._last is not None:
            return self._last
        outcomes = self.runner.outcomes(instance)
        a, b = outcomes
        failure = a.failure or b.failure
        self._failures = self._failures + 1 if failure else 0
        self.failure = failure if self._failures >= _MOST_FAILURES else ""
        self._last_instance = instance
        self._last = difference(a, b, self.conventions), outcomes
        return self._last

    def _tells(self, instance: Instance) -> bool:
        return self._kind(instance)[0] is not None

    def _shows(self, instance: Instance) -> bool:
        """Whether it tells and, where results differ in their columns, both have rows to show."""
        kind, outcomes = self._kind(instance)
        is_bare = kind is DifferenceKind.COLUMNS and not all(o.result.rows for o in outcomes)
        return kind is not None and not is_bare

    def _verified(self, instance: Instance) -> Counterexample | None:
        """Return the counterexample, once more run and held against every constraint."""
        if self.plan.constraints.violations(instance):
            return None
        kind, (a, b) = self._kind(instance, again=True)
        return None if kind is None else Counterexample(kind, instance, a.result, b.result)
