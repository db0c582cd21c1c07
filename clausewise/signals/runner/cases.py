"""Running signals over cases: one `Inspection` for every case that can be looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from typing import TYPE_CHECKING, TypeVar, cast

from clausewise.databases import Databases
from clausewise.signals.base import SignalSpec
from clausewise.signals.runner.case import inspect_or_explain
from clausewise.signals.runner.judges import with_model_signals
from clausewise.types import Case, Cost, Inspection, UncheckedCase
from clausewise.workers import Backend, Isolation, can_isolate

if TYPE_CHECKING:
    from clausewise.llm import LLM

T = TypeVar("T")


def iter_inspections(
    cases: Iterable[Case | UncheckedCase],
    databases: Databases,
    signals: Sequence[SignalSpec],
    jobs: int = 1,
    llm: LLM | None = None,
    isolation: Isolation | None = None,
    backend: Backend | None = None,
) -> Iterator[Inspection | UncheckedCase]:
    """Yield one inspection for every case, in input order, whatever `jobs` is.

    Cases are inspected in `jobs` worker processes under the hard limits of `isolation` (the usual
    ones where it is None): a case over one of them is unchecked and the others go on. With
    `isolation.enabled` false and one job they are inspected in this process, as they are where a
    database is another object than a `Database`, whose methods are called here. With `backend`
    they are inspected there, under the same limits.

    A case whose database cannot be opened comes out as an `UncheckedCase` with the reason; an
    `UncheckedCase` passes through. With `llm`, the signals that ask a language model run in
    threads of this process, on what the other signals have already looked at.
    """
    isolation = isolation or Isolation()
    if llm is not None and any(spec.cost is Cost.MODEL for spec in signals):
        stream = iter_inspections(
            cases, databases, signals, jobs, isolation=isolation, backend=backend
        )
        with remote_databases(databases, isolation) as asked:
            yield from with_model_signals(stream, asked, signals, llm)
        return
    if backend is not None or isolates(databases, isolation, jobs):
        from clausewise.signals.runner.isolated import inspect_isolated

        yield from inspect_isolated(cases, databases, signals, jobs, isolation, backend)
        return
    for case in cases:
        if isinstance(case, UncheckedCase):
            yield case
        else:
            yield inspect_or_explain(case, databases, signals)


def isolates(databases: Databases, isolation: Isolation, jobs: int = 1) -> bool:
    """Whether hostile work on these databases is done in processes of its own."""
    return can_isolate() and (jobs > 1 or (isolation.enabled and databases.reopen))


@contextmanager
def remote_databases(databases: Databases, isolation: Isolation | None) -> Iterator[Databases]:
    """Yield databases for the threads of this process that ask a language model.

    What they run on them is done in a worker where cases are.
    """
    isolation = isolation or Isolation()
    if not isolates(databases, isolation):
        yield databases
        return
    from clausewise.databases.remote import RemoteDatabases

    with closing(RemoteDatabases(databases, isolation)) as remote:
        yield cast("Databases", remote)


def inspect_cases(
    cases: Iterable[Case | UncheckedCase],
    databases: Databases,
    signals: Sequence[SignalSpec],
    jobs: int = 1,
    llm: LLM | None = None,
    isolation: Isolation | None = None,
) -> list[Inspection | UncheckedCase]:
    """Return `iter_inspections` as a list, one entry for every case, in input order."""
    return list(iter_inspections(cases, databases, signals, jobs, llm, isolation))


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in order, in lists of at most `size`, as they become available."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
