"""Tasks on the backends of joblib: other processes (loky), or a cluster (dask, ray).

Tasks go out in chunks of one kind, so that a worker prepares once what a kind needs and keeps it
for the chunks that follow. A window of tasks is read at a time, and results that wait for earlier
ones lie in a temporary file, so that memory does not grow with the number of tasks. A chunk whose
worker is lost is done again.
"""

from __future__ import annotations

import logging
import tempfile
import threading
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from clausewise.errors import MissingExtraError, WorkerError
from clausewise.workers.backend import Backend
from clausewise.workers.isolation import Isolation
from clausewise.workers.joblib_backends import opened_backend
from clausewise.workers.node import Packed, PackedJob, do_chunk, packed, unpacked
from clausewise.workers.serving import Job
from clausewise.workers.worker import Broken, Done, Logged

T = TypeVar("T")

MOST_FAILURES = 5
"""How often in a row chunks may be handed out again before one of them is done."""


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Tasks of one kind with their numbers."""

    numbers: tuple[int, ...]
    tasks: Packed


def run_on_backend(
    backend: Backend, job: Job, isolation: Isolation, tasks: Iterable[T], kind: Callable[[T], str]
) -> Iterator[Done | Broken]:
    """Yield what came of every task, in order; as `WorkerPool.run`.

    Each worker of the backend does its tasks in a process of its own, under the limits of
    `isolation`.

    Parameters
    ----------
    backend
        Where the tasks are done.
    job
        What is done with each; it is pickled.
    isolation
        The limits.
    tasks
        They are pickled.
    kind
        Tasks of the same kind are done together, as far as they are near each other.

    Raises
    ------
    InputError
        Where there is no such backend, or no cluster at the address.
    MissingExtraError
        Where what the backend needs is not installed.
    WorkerError
        Where workers are lost again and again.
    """
    try:
        import joblib  # noqa: F401
    except ImportError:
        raise MissingExtraError("--backend", "scale") from None
    run = _BackendRun(backend, PackedJob.of(job, isolation), _chunks(tasks, backend, kind))
    number = 0
    with closing(_Shelf()) as shelf, closing(run.results()) as results:
        for chunk, outcomes in results:
            shelf.put(chunk.numbers, outcomes)
            while (found := shelf.take(number)) is not None:
                yield found
                number += 1


def _chunks(tasks: Iterable[T], backend: Backend, kind: Callable[[T], str]) -> Iterator[_Chunk]:
    """Yield the tasks of each window by kind, the chunk of the earliest task first."""
    numbered = enumerate(tasks)
    while window := list(islice(numbered, backend.window)):
        kinds: dict[str, list[tuple[int, T]]] = {}
        for number, task in window:
            kinds.setdefault(kind(task), []).append((number, task))
        parts = [
            of_kind[start : start + backend.chunk]
            for of_kind in kinds.values()
            for start in range(0, len(of_kind), backend.chunk)
        ]
        for part in sorted(parts, key=lambda part: part[0][0]):
            yield _Chunk(tuple(number for number, _ in part), packed([task for _, task in part]))


class _BackendRun:
    """One pass over chunks; those that are handed out are kept until they are done."""

    def __init__(self, backend: Backend, job: PackedJob, chunks: Iterator[_Chunk]) -> None:
        self._backend = backend
        self._job = job
        self._chunks = chunks
        self._lock = threading.Lock()
        self._round = 0
        self._out: dict[int, _Chunk] = {}
        self._input_error: BaseException | None = None
        self._logged: set[Logged] = set()

    def results(self) -> Generator[tuple[_Chunk, Packed], None, None]:
        """Yield every chunk with the packed outcomes of its tasks, as they are done."""
        failures = 0
        with opened_backend(self._backend.name, self._backend.scheduler, self._backend.jobs) as how:
            while True:
                try:
                    with warnings.catch_warnings(), closing(how(self._calls())) as done:
                        warnings.simplefilter("ignore")  # of chunks that are given up on purpose
                        for first, outcomes, logged in done:
                            self._log(logged)
                            chunk = self._out.pop(first, None)
                            if chunk is not None:
                                failures = 0
                                yield chunk, outcomes
                    return
                except Exception as error:
                    if self._input_error is not None:
                        raise self._input_error from None
                    failures += 1
                    if failures > MOST_FAILURES:
                        message = f"workers of '{self._backend.name}' are lost again and again"
                        raise WorkerError(f"{message}: {error}") from error

    def _calls(self) -> Iterator[Any]:
        """Yield calls for the chunks that are handed out and not done, then for the others.

        A backend takes them in threads of its own, perhaps still after it was given up.
        """
        from joblib import delayed

        with self._lock:
            self._round += 1
            this_round = self._round
            again = list(self._out.values())
        for chunk in again:
            yield delayed(do_chunk)(self._job, chunk.numbers[0], chunk.tasks)
        while (new := self._next(this_round)) is not None:
            yield delayed(do_chunk)(self._job, new.numbers[0], new.tasks)

    def _next(self, this_round: int) -> _Chunk | None:
        with self._lock:
            if self._round != this_round:
                return None
            try:
                chunk = next(self._chunks, None)
            except BaseException as error:
                self._input_error = error
                raise
            if chunk is not None:
                self._out[chunk.numbers[0]] = chunk
            return chunk

    def _log(self, records: Iterable[Logged]) -> None:
        for record in records:
            if record not in self._logged:
                self._logged.add(record)
                logging.getLogger(record.logger).log(record.level, "%s", record.text)


class _Shelf:
    """Outcomes that wait for their turn, packed by chunk in a temporary file."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="clausewise-")  # noqa: SIM115
        self._places: dict[int, tuple[tuple[int, ...], int, int]] = {}
        self._open: dict[int, Done | Broken] = {}
        self._end = 0

    def put(self, numbers: tuple[int, ...], outcomes: Packed) -> None:
        """Keep the outcomes of the tasks of these numbers, the lowest first."""
        self._file.seek(self._end)
        self._file.write(outcomes)
        self._places[numbers[0]] = (numbers, self._end, len(outcomes))
        self._end += len(outcomes)

    def take(self, number: int) -> Done | Broken | None:
        """Return the outcome of a task, the lowest not yet taken; None until it is there."""
        if number in self._places:
            numbers, start, size = self._places.pop(number)
            self._file.seek(start)
            self._open.update(zip(numbers, unpacked(self._file.read(size)), strict=True))
            if not self._places:
                self._end = 0
                self._file.truncate(0)
        return self._open.pop(number, None)

    def close(self) -> None:
        """Remove the file."""
        with suppress(OSError):
            self._file.close()
