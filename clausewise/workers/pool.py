"""Workers for one job: tasks in, results out in the same order, whatever becomes of a worker."""

from __future__ import annotations

import logging
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import wait
from typing import Any

from clausewise.errors import WorkerError
from clausewise.workers import serving
from clausewise.workers.isolation import Isolation
from clausewise.workers.serving import MOST_KEPT, Job
from clausewise.workers.waiting import WaitingTasks
from clausewise.workers.worker import Broken, Done, Logged, Worker

LOOK_SECONDS = 0.25
"""How often the limits of workers are looked at while nothing arrives."""
MOST_AHEAD = 8 * MOST_KEPT
"""Tasks begun ahead of the oldest one without a result, for each worker."""
DEATH_TRIALS = 2
"""How often a task is tried whose worker dies: what it did before may have brought that about."""
PREPARATION_TRIALS = 4
"""How often a task is tried whose database is not prepared in time: each time more is left out."""
MOST_LOGGED = 10_000
"""Messages that are remembered so that none is logged twice."""
MOST_STILLBORN = 5
"""Workers in a row that may end without having begun a task."""


class WorkerPool:
    """Worker processes that do tasks of one job, kept for the next ones.

    A worker over one of its limits is ended and another takes its place: the task at work comes
    back as `Broken`, the tasks after it are done by the new worker. A worker that dies, or that
    runs out of memory, may do so because of what it did before, so its task is tried again by a
    new one, alone; what comes of it then stands. Safe to use from several threads.

    Parameters
    ----------
    job
        What is done with each task. In a copy of this process it is the same object; where a
        fresh interpreter must be started, it is pickled.
    isolation
        The limits.
    """

    def __init__(self, job: Job, isolation: Isolation) -> None:
        self.job = job
        self.isolation = isolation
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._all: list[Worker] = []
        self._logged: set[Logged] = set()
        self._closer = weakref.finalize(self, _close_all, self._all, os.getpid())

    def run(
        self,
        tasks: Iterable[Any],
        jobs: int = 1,
        kind: Callable[[Any], Hashable] | None = None,
    ) -> Generator[Done | Broken, None, None]:
        """Yield what came of every task, numbered from 0, in order.

        Tasks are taken from the iterable as workers are ready for them; of those that are begun
        ahead, tasks of one `kind` go to the same worker where none is idle for that. A run that
        is given up ends its workers.
        """
        run = _TaskStream(self, tasks, jobs, kind if jobs > 1 else None)
        try:
            yield from run.results()
            run.release()
        finally:
            run.abandon()

    def call(self, task: Any) -> Done | Broken:
        """Do one task."""
        (outcome,) = self.run([task])
        return outcome

    def start(self) -> None:
        """Start a worker ahead of its first task."""
        self.put_back(self.take())

    def close(self) -> None:
        """End all workers."""
        with self._lock:
            self._idle.clear()
            _close_all(self._all, os.getpid())

    def take(self) -> Worker:
        """Return a worker for one run: one that waits for work, or a new one."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
            worker = Worker(self.job, self.isolation, self._all)
            self._all.append(worker)
            return worker

    def put_back(self, worker: Worker) -> None:
        """Keep a worker without tasks for the next run."""
        with self._lock:
            self._idle.append(worker)

    def discard(self, worker: Worker) -> None:
        """End a worker."""
        with self._lock:
            if worker in self._all:
                self._all.remove(worker)
        killed = bool(worker.busy)
        worker.close()
        if killed:
            self.job.clean_up_after_others()

    def log(self, record: Logged) -> None:
        """Log what a worker has logged, once where several say the same."""
        if record not in self._logged:
            if len(self._logged) >= MOST_LOGGED:
                self._logged.clear()
            self._logged.add(record)
            logging.getLogger(record.logger).log(record.level, "%s", record.text)


def _close_all(workers: list[Worker], owner: int) -> None:
    """End workers; in a process that was copied from their owner, leave them alone."""
    if os.getpid() == owner:
        while workers:
            workers.pop().close()


class _TaskStream:
    """One pass over tasks."""

    def __init__(
        self,
        pool: WorkerPool,
        tasks: Iterable[Any],
        jobs: int,
        kind: Callable[[Any], Hashable] | None,
    ) -> None:
        self._pool = pool
        self._source = iter(tasks)
        self._exhausted = False
        self._taken = 0
        self._stillborn = 0
        self._jobs = jobs
        self._workers: list[Worker] = []
        self._waiting = WaitingTasks(kind)
        self._most_waiting = MOST_KEPT if kind is None else jobs * MOST_AHEAD
        self._retried: deque[tuple[int, Any]] = deque()
        self._trials: dict[int, int] = {}
        self._done: dict[int, Done | Broken] = {}
        self._next = 0

    def results(self) -> Iterator[Done | Broken]:
        """Yield what came of every task, in order."""
        while True:
            while self._next in self._done:
                self._next += 1
                yield self._done.pop(self._next - 1)
            self._hand_out()
            busy = [worker for worker in self._workers if worker.busy]
            if not busy:
                if self._next in self._done:
                    continue
                return
            ready = set(wait([worker.results for worker in busy], LOOK_SECONDS))
            for worker in busy:
                overdue = worker.overdue()
                if overdue is not None:
                    self._end(worker, *overdue)
                elif worker.results in ready:
                    self._collect(worker)

    def release(self) -> None:
        """Give the workers back: all their tasks are done."""
        while self._workers:
            self._pool.put_back(self._workers.pop())

    def abandon(self) -> None:
        """End the workers that are still at it."""
        while self._workers:
            self._pool.discard(self._workers.pop())

    def _hand_out(self) -> None:
        while self._retried and (worker := self._fresh_worker()) is not None:
            worker.take([self._retried.popleft()], alone=True)
        for number in range(self._jobs):
            self._fill_waiting()
            if not self._waiting:
                return
            if number >= len(self._workers):
                self._workers.append(self._pool.take())
            worker = self._workers[number]
            if worker.can_take():
                # The last tasks are shared out, so that one worker does not have them all.
                share = -(-len(self._waiting) // self._jobs) if self._exhausted else MOST_KEPT
                batch = self._waiting.take(worker, min(share, MOST_KEPT))
                if not worker.take(batch):
                    self._waiting.put_back(batch)

    def _fresh_worker(self) -> Worker | None:
        """Return a worker that has done nothing yet, None while all are at work."""
        idle = next((worker for worker in self._workers if not worker.busy), None)
        if idle is not None and not idle.is_new:
            self._workers.remove(idle)
            self._waiting.forget(idle)
            self._pool.discard(idle)
        elif idle is not None:
            return idle
        if len(self._workers) >= self._jobs:
            return None
        worker = self._pool.take()
        while not worker.is_new:
            self._pool.discard(worker)
            worker = self._pool.take()
        self._workers.append(worker)
        return worker

    def _fill_waiting(self) -> None:
        """Take tasks from the source, not too far ahead of the oldest one without a result.

        Only a few at a time: where the source is slow, workers wait for no more than these.
        """
        ahead = self._next + self._jobs * MOST_AHEAD
        enough = min(self._most_waiting, len(self._waiting) + MOST_KEPT)
        while not self._exhausted and len(self._waiting) < enough and self._taken < ahead:
            try:
                self._waiting.add(self._taken, next(self._source))
            except StopIteration:
                self._exhausted = True
                return
            self._taken += 1

    def _collect(self, worker: Worker) -> None:
        try:
            self._keep(worker)
        except EOFError:
            self._end(worker)

    def _keep(self, worker: Worker) -> None:
        for message in worker.receive():
            if isinstance(message, Logged):
                self._pool.log(message)
            else:
                self._done[message.number] = message
                self._trials.pop(message.number, None)
                self._stillborn = 0

    def _end(
        self,
        worker: Worker,
        at_work: int | None = None,
        limit: str | None = None,
        preparing: bool = False,
    ) -> None:
        """End a worker, one that is over a limit or is dead, and see to its tasks."""
        how = worker.end()
        with suppress(EOFError):
            self._keep(worker)
        reason = ""
        if worker.again is not None:
            at_work, preparing = worker.again
            limit = None
            reason = serving.NO_MEMORY
        elif limit is None:
            at_work, preparing = worker.beat.task, worker.beat.preparing
            reason = f"the process that checked the case died ({how})"
        tasks = dict(worker.busy)
        self._workers.remove(worker)
        self._pool.discard(worker)
        if at_work in tasks:
            content = tasks.pop(at_work)
            if self._may_retry(at_work, preparing, died=limit is None):
                self._retried.append((at_work, content))
            else:
                self._trials.pop(at_work, None)
                self._done[at_work] = Broken(at_work, limit or reason, worker.found(at_work))
        elif limit is None:
            self._count_stillborn(how)
        self._waiting.forget(worker)
        self._waiting.put_back(tasks.items())

    def _may_retry(self, number: int, preparing: bool, died: bool) -> bool:
        """Whether a worker may have ended for another reason than the task itself."""
        self._trials[number] = self._trials.get(number, 0) + 1
        if preparing:
            return self._trials[number] < PREPARATION_TRIALS
        return died and self._trials[number] < DEATH_TRIALS

    def _count_stillborn(self, how: str) -> None:
        self._stillborn += 1
        if self._stillborn > MOST_STILLBORN:
            raise WorkerError(f"worker processes end before they begin: {how}")
