"""Hands waiting cases to worker processes in small batches, and their answers to who waits.

Runs in one event loop: nothing here blocks for longer than a write to a pipe. A batch is what has
come while a worker was busy, so that one case is answered at once when little is asked, and the
detector scores several at a time when much is.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol

from clausewise.service.job import CheckedCase, CheckingJob, Found
from clausewise.service.logs import log
from clausewise.signals.runner.case import broken_off
from clausewise.types import Case, Outcome
from clausewise.workers import Broken, Done, Isolation
from clausewise.workers.serving import NO_MEMORY
from clausewise.workers.worker import Logged, Worker

MOST_TOGETHER = 16
"""Cases in a batch."""
BULK_SHARE = 4
"""One of so many cases in a batch, at least, is from a request of many cases, where some wait."""
LOOK_SECONDS = 0.1
"""How often the limits of workers and of the queue are looked at."""
MOST_TRIALS = 2
"""How often a case is tried whose worker dies: another case may have brought that about."""
RESTART_SECONDS = 1.0
"""After how long a worker is started again that did not even begin."""


class QueueTimeout(Exception):
    """A case has waited too long for a worker."""


class DispatcherEvents(Protocol):
    """What is counted of a dispatcher's work."""

    def queued(self, change: int) -> None:
        """Count cases that begin (positive) or end (negative) waiting."""

    def worker_ended(self, why: str) -> None:
        """Count a worker that had to be ended or has died."""


@dataclass(eq=False, slots=True)
class Waiting:
    """A case that waits for its answer.

    Attributes
    ----------
    packed
        The case, pickled.
    answer
        Where its answer goes; cancelled where nobody wants it any more.
    since
        When it came, by the monotonic clock.
    patient
        Whether it may wait as long as it takes: it came with many others.
    trials
        How often its worker has died over it.
    """

    packed: bytes
    answer: asyncio.Future[CheckedCase]
    since: float
    patient: bool = False
    trials: int = 0


@dataclass(eq=False, slots=True)
class _WorkerSlot:
    """One worker, and what it has in hand: cases, or the names of databases first."""

    worker: Worker
    batch: list[Waiting] = field(default_factory=list)
    unprepared: deque[str] = field(default_factory=deque)
    busy: bool = False
    """Whether it has a task, or is being started."""
    starting: bool = False
    descriptor: int | None = None
    """Of the pipe that the event loop listens to."""


class Dispatcher:
    """Worker processes, and the cases that wait for them.

    Parameters
    ----------
    job
        What the workers do.
    isolation
        Their limits.
    names
        Databases that each worker prepares before its first case.
    jobs
        How many workers there are.
    queue_seconds
        How long a case may wait that is not patient.
    events
        What counts.
    """

    def __init__(
        self,
        job: CheckingJob,
        isolation: Isolation,
        names: tuple[str, ...],
        jobs: int,
        queue_seconds: float,
        events: DispatcherEvents,
    ) -> None:
        self.job = job
        self._isolation = isolation
        self._names = names
        self._queue_seconds = queue_seconds
        self._events = events
        self._all: list[Worker] = []
        self.problems: dict[str, str] = {}
        """Name of a database to why it could not be prepared."""
        self._slots = [self._new_slot() for _ in range(jobs)]
        self._single: deque[Waiting] = deque()
        self._bulk: deque[Waiting] = deque()
        self._again: deque[Waiting] = deque()
        self._number = 0
        self._looking: asyncio.Task[None] | None = None
        self._starting: set[asyncio.Task[None]] = set()

    @property
    def ready(self) -> bool:
        """Whether some worker has prepared its databases and can take cases."""
        return any(not (slot.unprepared or slot.starting) for slot in self._slots)

    @property
    def width(self) -> int:
        """Cases that can be at work at a time."""
        return len(self._slots) * MOST_TOGETHER

    def open(self) -> None:
        """Begin: the event loop runs."""
        for slot in self._slots:
            self._listen(slot)
        self._looking = asyncio.get_running_loop().create_task(self._look())
        self._feed()

    async def close(self) -> None:
        """End all workers; who still waits is cancelled."""
        tasks = [*self._starting, *([self._looking] if self._looking else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for slot in self._slots:
            self._stop_listening(slot)
            for item in slot.batch:
                item.answer.cancel()
        for item in (*self._again, *self._single, *self._bulk):
            item.answer.cancel()
        while self._all:
            self._all.pop().close()

    def submit(self, case: Case, patient: bool = False) -> asyncio.Future[CheckedCase]:
        """Return where the answer for a case will be; QueueTimeout where it waited too long."""
        answer: asyncio.Future[CheckedCase] = asyncio.get_running_loop().create_future()
        packed = pickle.dumps(case, protocol=pickle.HIGHEST_PROTOCOL)
        item = Waiting(packed, answer, monotonic(), patient)
        (self._bulk if patient else self._single).append(item)
        self._events.queued(1)
        self._feed()
        return answer

    def _new_slot(self) -> _WorkerSlot:
        worker = Worker(self.job, self._isolation, self._all)
        self._all.append(worker)
        names = [name for name in self._names if name not in self.problems]
        return _WorkerSlot(worker, unprepared=deque(names))

    def _listen(self, slot: _WorkerSlot) -> None:
        slot.descriptor = slot.worker.results.fileno()
        asyncio.get_running_loop().add_reader(slot.descriptor, self._readable, slot)
        # uvloop lets no read of it block, but a message is read whole, larger than a pipe or not.
        os.set_blocking(slot.descriptor, True)

    @staticmethod
    def _stop_listening(slot: _WorkerSlot) -> None:
        if slot.descriptor is not None:
            asyncio.get_running_loop().remove_reader(slot.descriptor)
            slot.descriptor = None

    def _feed(self) -> None:
        """Give every idle worker something to do."""
        idle = [slot for slot in self._slots if not slot.busy]
        for number, slot in enumerate(idle):
            if slot.unprepared:
                self._hand_over(slot, slot.unprepared[0])
                continue
            slot.batch = self._next_batch(len(idle) - number)
            if slot.batch:
                alone = bool(slot.batch[0].trials)
                self._hand_over(slot, [item.packed for item in slot.batch], alone)

    def _hand_over(self, slot: _WorkerSlot, task: list[bytes] | str, alone: bool = False) -> None:
        self._number += 1
        slot.busy = True
        slot.worker.take([(self._number, task)], alone=alone and slot.worker.is_new)

    def _next_batch(self, idle: int) -> list[Waiting]:
        """Return what waits, shared among the idle workers; one alone that is tried again."""
        while self._again:
            item = self._again.popleft()
            if not item.answer.done():
                self._events.queued(-1)
                return [item]
        size = min(MOST_TOGETHER, -(-(len(self._single) + len(self._bulk)) // idle))
        bulk = min(len(self._bulk), max(size - len(self._single), size // BULK_SHARE))
        batch = [*self._taken(self._single, size - bulk), *self._taken(self._bulk, bulk)]
        return [item for item in batch if not item.answer.done()]

    def _taken(self, queue: deque[Waiting], count: int) -> Iterator[Waiting]:
        for _ in range(min(count, len(queue))):
            self._events.queued(-1)
            yield queue.popleft()

    def _readable(self, slot: _WorkerSlot) -> None:
        """Take what a worker has sent."""
        try:
            for message in slot.worker.receive():
                if isinstance(message, Logged):
                    logging.getLogger(message.logger).log(message.level, "%s", message.text)
                else:
                    self._take_result(slot, message)
        except EOFError:
            self._end(slot, None)
        self._release(slot)
        self._feed()

    def _release(self, slot: _WorkerSlot) -> None:
        """Take back what a worker has not begun that has been at one case for long."""
        found: Found | None = slot.worker.found(self._number_of(slot)) if slot.busy else None
        if found is None or len(slot.batch) < 2:
            return
        done = len(found[0])
        for item, checked in zip(slot.batch, self.job.checked(found[0]), strict=False):
            _answer(item, checked)
        # The worker gives back what it has after the case at work, see `BATCH_SECONDS`.
        slot.batch, rest = slot.batch[: done + 1], slot.batch[done + 1 :]
        self._return(rest)

    def _take_result(self, slot: _WorkerSlot, message: Done | Broken) -> None:
        batch, slot.batch, slot.busy = slot.batch, [], False
        if slot.unprepared and not batch:
            name = slot.unprepared.popleft()
            problem = message.reason if isinstance(message, Broken) else message.result
            self._note_preparation(name, problem)
        elif isinstance(message, Broken):
            self._give_up(batch[0], message.reason, None)
            self._return(batch[1:])
        else:
            for item, checked in zip(batch, message.result, strict=False):
                _answer(item, checked)
            self._return(batch[len(message.result) :])

    def _note_preparation(self, name: str, problem: str | None) -> None:
        if problem is None:
            self.problems.pop(name, None)
        elif name not in self.problems:
            self.problems[name] = problem
            logging.getLogger(__name__).error("database '%s' is not ready: %s", name, problem)

    def _return(self, items: list[Waiting]) -> None:
        """Put cases back at the front that were not begun."""
        for item in reversed(items):
            if not item.answer.done():
                self._events.queued(1)
                (self._bulk if item.patient else self._single).appendleft(item)

    async def _look(self) -> None:
        """End workers over a limit, and the waiting of cases that have waited too long."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            for slot in self._slots:
                overdue = slot.worker.overdue() if slot.busy else None
                if overdue is not None:
                    self._end(slot, overdue[1])
            latest = monotonic() - self._queue_seconds
            while self._single and self._single[0].since < latest:
                self._events.queued(-1)
                answer = self._single.popleft().answer
                if not answer.done():
                    answer.set_exception(QueueTimeout())
            self._feed()

    def _end(self, slot: _WorkerSlot, limit: str | None) -> None:
        """End a worker, over a limit or dead, answer for the case at work, and start another."""
        self._stop_listening(slot)
        batch, slot.batch, slot.busy, slot.starting = slot.batch, [], True, True
        found: Found = slot.worker.found(self._number_of(slot)) or ([], {})
        how = slot.worker.end()
        reason = limit or (
            NO_MEMORY if slot.worker.again else f"the process that checked the case died ({how})"
        )
        self._events.worker_ended("limit" if limit else "death")
        log("worker ended", logging.WARNING, reason=reason, cases=len(batch))
        if slot.unprepared and not batch:
            self._note_preparation(slot.unprepared.popleft(), reason)
        elif batch:
            self._settle(batch, found, reason, over_limit=limit is not None)
        stillborn = slot.worker.is_new
        self._all.remove(slot.worker)
        slot.worker.close()
        self.job.clean_up_after_others()
        task = asyncio.get_running_loop().create_task(
            self._restart(slot, RESTART_SECONDS if stillborn else 0.0)
        )
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    @staticmethod
    def _number_of(slot: _WorkerSlot) -> int:
        return next(iter(slot.worker.busy), -1)

    def _settle(self, batch: list[Waiting], found: Found, reason: str, *, over_limit: bool) -> None:
        """Answer for the case over which a worker was ended; the others are tried again."""
        done, outcomes = found
        for item, checked in zip(batch, self.job.checked(done), strict=False):
            _answer(item, checked)
        rest = batch[len(done) :] or batch[-1:]
        if over_limit:
            self._give_up(rest[0], reason, outcomes, timed_out=True)
            self._return(rest[1:])
            return
        # What a worker had found may be a little older than its death, so that any may be the one.
        for item in rest:
            item.trials += 1
            if len(batch) == 1 and item.trials >= MOST_TRIALS:
                self._give_up(item, reason, outcomes)
            elif not item.answer.done():
                self._events.queued(1)
                self._again.append(item)

    def _give_up(
        self,
        item: Waiting,
        reason: str,
        outcomes: Mapping[str, Outcome] | None,
        *,
        timed_out: bool = False,
    ) -> None:
        """Answer that a case could not be checked, with what was found of it."""
        if item.answer.done():
            return
        case: Case = pickle.loads(item.packed)
        inspection = broken_off(case, reason, self.job.specs, outcomes or {})
        (checked,) = self.job.checked([inspection])
        checked = CheckedCase(checked.line, checked.verdict, checked.status, (), timed_out)
        _answer(item, checked)

    async def _restart(self, slot: _WorkerSlot, delay: float) -> None:
        """Start another worker, without stopping the loop.

        Started by a thread it is a fresh interpreter: a copy of this process would hold the
        connections of clients open.
        """
        await asyncio.sleep(delay)
        fresh = await asyncio.to_thread(self._new_slot)
        slot.worker, slot.unprepared = fresh.worker, fresh.unprepared
        slot.busy = slot.starting = False
        self._listen(slot)
        self._feed()


def _answer(item: Waiting, checked: CheckedCase) -> None:
    if not item.answer.done():
        item.answer.set_result(checked)
