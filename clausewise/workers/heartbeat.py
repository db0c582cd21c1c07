"""What a worker shows its parent while it works: which task, and until when it may take.

The parent reads it from shared memory, so it also sees a worker that hangs in a function of C and
answers nothing. Outside a worker nobody looks, and nothing is written.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from clausewise.workers import memory
from clausewise.workers.isolation import Isolation

SIZE = mmap.PAGESIZE
"""Bytes of shared memory for one worker."""

_TASK, _TASK_ENDS, _STATEMENT_ENDS, _STATEMENT_SECONDS, _PREPARING = range(5)
_NO_TASK = -1.0


class Heartbeat:
    """One worker's place in shared memory: five numbers, each written in one step.

    Times are those of the monotonic clock, which is the same in all processes of a machine; 0
    stands for no limit.
    """

    def __init__(self, shared: mmap.mmap, isolation: Isolation) -> None:
        self._words = memoryview(shared).cast("d")
        self._isolation = isolation
        self._words[_TASK] = _NO_TASK

    @property
    def task(self) -> int | None:
        """The number of the task at work, None where there is none."""
        number = int(self._words[_TASK])
        return None if number < 0 else number

    @property
    def preparing(self) -> bool:
        """Whether a database is being prepared."""
        return bool(self._words[_PREPARING])

    def overdue(self) -> str | None:
        """Return which limit has passed, in words for the case's reason; None where none has."""
        now, limits = monotonic(), self._isolation
        ends = self._words[_STATEMENT_ENDS]
        if ends and now > ends + limits.grace_seconds:
            seconds = self._words[_STATEMENT_SECONDS]
            return f"a statement could not be stopped at its limit of {seconds:g} seconds"
        ends = self._words[_TASK_ENDS]
        if not ends or now <= ends:
            return None
        if self.preparing:
            seconds = limits.preparation_seconds
            return f"the profile of the database was not done after {seconds:g} seconds"
        return f"the case was not done after {limits.case_seconds:g} seconds"

    def begin_task(self, number: int) -> None:
        """Start the clock of a task."""
        self._words[_TASK_ENDS] = monotonic() + self._isolation.case_seconds
        self._words[_TASK] = number

    def end_task(self) -> None:
        """Say that no task is at work."""
        self._words[_TASK_ENDS] = 0.0
        self._words[_STATEMENT_ENDS] = 0.0
        self._words[_TASK] = _NO_TASK

    def begin_statement(self, seconds: float) -> None:
        """Start the clock of a statement that may take that many seconds."""
        self._words[_STATEMENT_SECONDS] = seconds
        self._words[_STATEMENT_ENDS] = monotonic() + seconds

    def end_statement(self) -> None:
        """Say that no statement runs."""
        self._words[_STATEMENT_ENDS] = 0.0

    @contextmanager
    def preparation(self) -> Iterator[None]:
        """Start the clock of a database's profile, and stop the task's own meanwhile."""
        begun = monotonic()
        ends = self._words[_TASK_ENDS]
        self._words[_TASK_ENDS] = begun + self._isolation.preparation_seconds
        self._words[_PREPARING] = 1.0
        try:
            yield
        except Exception:
            memory.note_preparation_failed()
            raise
        finally:
            self._words[_PREPARING] = 0.0
            self._words[_TASK_ENDS] = ends + monotonic() - begun if ends else 0.0


class _Watched:
    """The heartbeat of this process, where it is a worker."""

    beat: Heartbeat | None = None


def install(beat: Heartbeat) -> None:
    """Make this process one that is watched."""
    _Watched.beat = beat


def begin_statement(seconds: float) -> None:
    """Say that a statement begins that may take that many seconds."""
    if _Watched.beat is not None:
        _Watched.beat.begin_statement(seconds)


def end_statement() -> None:
    """Say that no statement runs."""
    if _Watched.beat is not None:
        _Watched.beat.end_statement()


@contextmanager
def preparation() -> Iterator[None]:
    """Say that what is inside is the preparation of a database."""
    if _Watched.beat is None:
        yield
        return
    with _Watched.beat.preparation():
        yield
