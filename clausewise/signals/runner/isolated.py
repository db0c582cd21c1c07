"""Inspecting cases in worker processes that are ended where they exceed a limit."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar, cast
from weakref import WeakKeyDictionary

from clausewise.databases.sqlite.copies import remove_abandoned, remove_copies
from clausewise.errors import InputError
from clausewise.signals.base import SignalSpec
from clausewise.signals.runner.case import (
    broken_off,
    inspect_or_explain,
    plain_outcome,
)
from clausewise.types import (
    Case,
    Inspection,
    InspectionResult,
    Outcome,
    OutcomeStatus,
    UncheckedCase,
)
from clausewise.workers import Backend, Broken, Done, Isolation, WorkerPool

if TYPE_CHECKING:
    from clausewise.databases import Databases

T = TypeVar("T")

RunTasks: TypeAlias = "Callable[[Iterator[CaseTask]], Iterator[Done | Broken]]"
"""Does the tasks of cases somewhere else, and yields what came of each, in order."""

Found: TypeAlias = dict[str, Outcome]

PackedInspection: TypeAlias = "tuple[list[Any], tuple[Any, ...]]"
"""Outcomes in the order of the signals, and the other fields of an inspection but its case."""

_FIELDS = tuple(
    field.name for field in fields(Inspection) if field.name not in ("case", "outcomes")
)


class CaseTask(NamedTuple):
    """A case for a worker."""

    db_id: str
    packed: bytes
    is_whole: bool
    """False where its other fields cannot be sent and are left out."""


class InspectionJob:
    """Inspects one case after another in a worker.

    The databases are opened there, and the case itself is not sent back: the parent has it.
    """

    def __init__(self, databases: Databases, signals: Sequence[SignalSpec]) -> None:
        self._packed = pickle.dumps(databases)
        self._databases: Databases | None = None
        self._signals = tuple(signals)
        self._found: Found = {}

    def __call__(self, task: CaseTask) -> Any:
        """Inspect a case; never raises for anything in it.

        Returns a packed inspection, or why the case could not be looked at.
        """
        return packed_inspection(self.inspect(task))

    def inspect(self, task: CaseTask) -> InspectionResult:
        """Inspect the case of a task; never raises for anything in it."""
        if self._databases is None:
            self._databases = pickle.loads(self._packed)
        self._found = {}
        case = pickle.loads(task.packed)
        return inspect_or_explain(case, self._databases, self._signals, self._found)

    def found(self) -> Found:
        """Return the outcomes of the signals that have ended for the case at work."""
        return dict(self._found)

    def clean_up(self) -> None:
        """Remove the copies that had to be made of databases in this worker."""
        remove_copies()

    def clean_up_after_others(self) -> None:
        """Remove the copies of workers that were killed."""
        remove_abandoned()


def packed_inspection(inspected: InspectionResult) -> PackedInspection | str:
    """Return what a worker sends of an inspection to a parent that has the case."""
    if isinstance(inspected, UncheckedCase):
        return inspected.reason
    outcomes = [
        # Of most outcomes there is little to say, and to pickle them whole takes long.
        outcome if outcome.findings else (outcome.status.value, outcome.reason)
        for outcome in inspected.outcomes.values()
    ]
    return outcomes, tuple(getattr(inspected, name) for name in _FIELDS)


def _unpacked(case: Case, packed: PackedInspection, signals: Sequence[SignalSpec]) -> Inspection:
    outcomes = {
        spec.name: (
            packed_one
            if isinstance(packed_one, Outcome)
            else plain_outcome(spec.name, OutcomeStatus(packed_one[0]), packed_one[1])
        )
        for spec, packed_one in zip(signals, packed[0], strict=True)
    }
    others = dict(zip(_FIELDS, packed[1], strict=True))
    return Inspection(case=case, outcomes=outcomes, **others)


def inspect_isolated(
    cases: Iterable[Case | UncheckedCase],
    databases: Databases,
    signals: Sequence[SignalSpec],
    jobs: int,
    isolation: Isolation,
    backend: Backend | None = None,
) -> Iterator[Inspection | UncheckedCase]:
    """Yield one inspection for every case, in input order; see `iter_inspections`.

    A case over a limit is unchecked, with the reason, and has the outcomes of the signals that
    had ended until shortly before.
    """
    if backend is None:
        run = on_pool(_pool_of(databases, signals, isolation), jobs)
    else:
        run = on_backend(backend, InspectionJob(databases, signals), isolation, databases)
    return results_in_order(
        cases,
        run,
        lambda case, outcome: inspection_of(case, outcome, signals),
        lambda case: case,
    )


def on_pool(pool: WorkerPool, jobs: int) -> RunTasks:
    """Return what does the tasks of cases in a pool's workers, each database in few of them."""
    return lambda tasks: pool.run(tasks, jobs, attrgetter("db_id"))


def on_backend(
    backend: Backend, job: InspectionJob, isolation: Isolation, databases: Databases
) -> RunTasks:
    """Return what does the tasks of cases on a backend, those of one database together.

    Raises InputError where the databases cannot be opened there, or there are to be no limits.
    """
    if not databases.reopen:
        message = "needs databases that are files or addresses: others live in this process only"
        raise InputError(message, field="--backend")
    if not isolation.enabled:
        raise InputError("has no effect together with --backend", field="--in-process")
    from clausewise.workers.backends import run_on_backend

    return lambda tasks: run_on_backend(backend, job, isolation, tasks, attrgetter("db_id"))


def results_in_order(
    cases: Iterable[Case | UncheckedCase],
    run: RunTasks,
    received: Callable[[Case, Done | Broken], T],
    unchecked: Callable[[UncheckedCase], T],
) -> Iterator[T]:
    """Yield a result for every case, in input order.

    Parameters
    ----------
    cases
        Read as far ahead as `run` takes tasks.
    run
        Does the tasks, one for each case that could be read.
    received, unchecked
        Make the result of what came of a case, and of a case that could not be read.
    """
    given: deque[Case | UncheckedCase] = deque()

    def tasks() -> Iterator[CaseTask]:
        for case in cases:
            given.append(case)
            if isinstance(case, Case):
                yield _task(case)

    for outcome in run(tasks()):
        yield from map(unchecked, _unchecked(given))
        yield received(cast("Case", given.popleft()), outcome)
    yield from map(unchecked, _unchecked(given))


def _unchecked(given: deque[Case | UncheckedCase]) -> Iterator[UncheckedCase]:
    """Take the cases off the front that were not inspected."""
    while given and isinstance(given[0], UncheckedCase):
        yield cast("UncheckedCase", given.popleft())


def inspection_of(
    case: Case, outcome: Done | Broken, signals: Sequence[SignalSpec]
) -> InspectionResult:
    """Return what became of a case, with the case in it."""
    if isinstance(outcome, Broken):
        return broken_off(case, outcome.reason, signals, outcome.found or {})
    if isinstance(outcome.result, str):
        return UncheckedCase.of(case, outcome.result)
    return _unpacked(case, outcome.result, signals)


def _task(case: Case) -> CaseTask:
    """Return the case for a worker, without its other fields where these cannot be sent."""
    try:
        return CaseTask(case.db_id, pickle.dumps(case, pickle.HIGHEST_PROTOCOL), True)
    except Exception:  # whatever a caller has put there
        return CaseTask(case.db_id, pickle.dumps(case.bare(), pickle.HIGHEST_PROTOCOL), False)


_MOST_POOLS = 4
"""Pools that open databases keep; there is another for each choice of signals and limits."""

_pools: WeakKeyDictionary[Any, list[tuple[tuple[object, ...], WorkerPool]]] = WeakKeyDictionary()
"""What keeps databases open, with the workers that have opened them as well."""


def _pool_of(
    databases: Databases, signals: Sequence[SignalSpec], isolation: Isolation
) -> WorkerPool:
    """Return workers that live as long as the databases are open."""
    keeper = databases.keeper
    key = (*signals, isolation)
    pools = _pools.setdefault(keeper, [])
    for known, pool in pools:
        if _same(known, key):
            return pool
    pool = WorkerPool(InspectionJob(databases, signals), isolation)
    pools.append((key, pool))
    keeper.at_close(partial(_close, pool, pools))
    if len(pools) > _MOST_POOLS:
        _close(pools[0][1], pools)
    return pool


def _close(pool: WorkerPool, pools: list[tuple[tuple[object, ...], WorkerPool]]) -> None:
    """End a pool's workers; what uses the databases again begins with another pool."""
    pools[:] = [known for known in pools if known[1] is not pool]
    pool.close()


def _same(known: Sequence[object], key: Sequence[object]) -> bool:
    """Whether two keys hold the same signals and the same limits."""
    return len(known) == len(key) and all(
        one is other or one == other for one, other in zip(known, key, strict=True)
    )
