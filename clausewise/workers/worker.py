"""The parent's side of one worker: hands over tasks, collects results, ends it."""

from __future__ import annotations

import os
import pickle
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from signal import Signals
from typing import Any

from clausewise.workers import serving, starting
from clausewise.workers.isolation import Isolation
from clausewise.workers.serving import Job, Task

MOST_WAITING_BYTES = 64_000
"""Tasks of more bytes are handed over only to a worker that waits for them: a pipe holds less."""

LEAVING_SECONDS = 2.0
"""How long a worker without tasks may take to end by itself."""


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a task."""

    number: int
    result: Any


@dataclass(frozen=True, slots=True)
class Logged:
    """A record of a worker's log."""

    logger: str
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Broken:
    """Why nothing came of a task, and what was found of it until then."""

    number: int
    reason: str
    found: Any = None


class Worker:
    """A process that does tasks of one job.

    Tasks are handed over several at a time; `busy` are those without a result, in order.
    """

    def __init__(self, job: Job, isolation: Isolation, others: Sequence[Worker] = ()) -> None:
        ends = [end for other in others for end in other.connections]
        self._process, self._tasks, self._results, self.beat = starting.start(
            serving.serve, job, isolation, ends
        )
        self._owner = os.getpid()
        self.busy: OrderedDict[int, Any] = OrderedDict()
        self.is_new = True
        self.again: tuple[int, bool] | None = None
        """A task for which memory ran out in this worker, which may hold things of other tasks;
        and whether that was while a database was prepared."""
        self._heard = True
        self._partial: tuple[int, Any] = (-1, None)

    @property
    def connections(self) -> tuple[Connection, Connection]:
        """The parent's ends of both pipes."""
        return self._tasks, self._results

    @property
    def results(self) -> Connection:
        """Where results arrive, to wait for."""
        return self._results

    def can_take(self) -> bool:
        """Whether it has less than it can begin with at once, so that it need not wait."""
        return not self.busy or (self._heard and len(self.busy) < serving.MOST_KEPT)

    def take(self, tasks: Sequence[tuple[int, Any]], alone: bool = False) -> bool:
        """Hand tasks over; return False, and do nothing, where they must wait for it to be idle."""
        batch: list[Task] = [(number, content, alone) for number, content in tasks]
        packed = pickle.dumps(batch, protocol=pickle.HIGHEST_PROTOCOL)
        if self.busy and len(packed) > MOST_WAITING_BYTES:
            return False
        self.busy.update(tasks)
        self._heard = self.is_new = False
        # A worker that has died meanwhile is found out when its results are asked for.
        with suppress(BrokenPipeError, ConnectionResetError):
            self._tasks.send_bytes(packed)
        return True

    def receive(self) -> Iterator[Done | Broken | Logged]:
        """Yield what has arrived; raises EOFError where the worker has ended."""
        while self._results.poll():
            kind, subject, content = self._message()
            if kind == serving.DONE:
                for number, result in subject:
                    self._heard = True
                    self.busy.pop(number, None)
                    yield Done(number, result)
            elif kind == serving.BROKEN:
                self.busy.pop(subject, None)
                yield Broken(subject, content)
            elif kind == serving.AGAIN:
                self.again = (subject, content)
            elif kind == serving.PARTIAL:
                self._partial = (subject, content)
            else:
                yield Logged(*content)

    def overdue(self) -> tuple[int, str, bool] | None:
        """Return the task at work, the limit it is over, and whether that is the preparation's."""
        number, preparing = self.beat.task, self.beat.preparing
        reason = self.beat.overdue()
        if reason is None or number is None or number != self.beat.task:
            return None
        return number, reason, preparing

    def found(self, number: int) -> Any:
        """Return what a task had found when it was last heard of, None where that is not known."""
        return self._partial[1] if self._partial[0] == number else None

    def end(self) -> str:
        """End the process; return in words how it ended. What it has sent can still be received."""
        if os.getpid() != self._owner:
            return ""
        self._process.kill()
        code = self._process.wait()
        if code < 0:
            return f"signal {Signals(-code).name}"
        return f"exit code {code}"

    def close(self) -> None:
        """Let an idle process end by itself, end a busy one, and close the pipes."""
        if os.getpid() == self._owner and not self.busy:
            self._tasks.close()
            with suppress(EOFError, OSError):
                while self._results.poll(LEAVING_SECONDS):
                    self._results.recv_bytes()
        self.end()
        for connection in self.connections:
            connection.close()

    def _message(self) -> tuple[int, Any, Any]:
        try:
            message: tuple[int, Any, Any] = pickle.loads(self._results.recv_bytes())
        except (OSError, pickle.UnpicklingError) as error:
            raise EOFError from error
        return message
