"""Running signals over cases: one `Inspection` for every case that can be looked at."""

from __future__ import annotations

import logging
import pickle
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from clausewise.databases import Databases
from clausewise.errors import DatabaseError
from clausewise.signals.base import SignalSpec
from clausewise.signals.runner.case import inspect_case
from clausewise.signals.runner.judges import with_model_signals
from clausewise.types import Case, Cost, Inspection, UncheckedCase

if TYPE_CHECKING:
    from clausewise.llm import LLM

T = TypeVar("T")

logger = logging.getLogger(__name__)

BATCH = 64
"""Cases passed to a worker process at a time."""


def iter_inspections(
    cases: Iterable[Case | UncheckedCase],
    databases: Databases,
    signals: Sequence[SignalSpec],
    jobs: int = 1,
    llm: LLM | None = None,
) -> Iterator[Inspection | UncheckedCase]:
    """Yield one inspection for every case, in input order, whatever `jobs` is.

    A case whose database cannot be opened comes out as an `UncheckedCase` with the reason; an
    `UncheckedCase` passes through. With `llm`, the signals that ask a language model run in
    threads of this process, on what the other signals have already looked at.
    """
    if llm is not None and any(spec.cost is Cost.MODEL for spec in signals):
        stream = iter_inspections(cases, databases, signals, jobs)
        yield from with_model_signals(stream, databases, signals, llm)
        return
    if jobs == 1:
        for case in cases:
            yield _inspect_one(case, databases, signals)
        return
    from joblib import Parallel, delayed

    workers = Parallel(n_jobs=jobs, return_as="generator", pre_dispatch="2*n_jobs", batch_size=1)
    packed = pickle.dumps(databases)
    tasks = (delayed(_inspect_batch)(batch, packed, signals) for batch in batches(cases, BATCH))
    for done in workers(tasks):
        yield from done


def inspect_cases(
    cases: Iterable[Case | UncheckedCase],
    databases: Databases,
    signals: Sequence[SignalSpec],
    jobs: int = 1,
    llm: LLM | None = None,
) -> list[Inspection | UncheckedCase]:
    """Return `iter_inspections` as a list, one entry for every case, in input order."""
    return list(iter_inspections(cases, databases, signals, jobs, llm))


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in order, in lists of at most `size`, as they become available."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


@lru_cache(maxsize=1)
def _worker_databases(packed: bytes) -> Databases:
    """Open the databases once in each worker process, not once for each batch."""
    databases: Databases = pickle.loads(packed)
    return databases


def _inspect_batch(
    batch: list[Case | UncheckedCase], packed: bytes, signals: Sequence[SignalSpec]
) -> list[Inspection | UncheckedCase]:
    databases = _worker_databases(packed)
    return [_inspect_one(case, databases, signals) for case in batch]


def _inspect_one(
    case: Case | UncheckedCase, databases: Databases, signals: Sequence[SignalSpec]
) -> Inspection | UncheckedCase:
    if isinstance(case, UncheckedCase):
        return case
    try:
        database = databases.get(case.db_id)
        return inspect_case(case, database, signals)
    except DatabaseError as error:
        return UncheckedCase(reason=str(error), raw=case.model_dump(mode="json"))
    except Exception as error:  # a defect of ours must not cost the other cases
        logger.exception("case %r cannot be inspected", case.question_id)
        reason = f"a defect in clausewise: {type(error).__name__}: {error}"
        return UncheckedCase(reason=reason, raw=case.model_dump(mode="json"))
