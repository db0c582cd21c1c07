"""The worker's side: takes tasks, does them one after another, sends what came of each."""

from __future__ import annotations

import gc
import logging
import mmap
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, NoReturn, Protocol, TypeAlias, runtime_checkable

from clausewise.workers import heartbeat, memory
from clausewise.workers.isolation import Isolation

TICK_SECONDS = 0.25
"""How often a worker looks whether its parent is still there."""
MOST_KEPT = 16
"""Results that a worker keeps before it sends them."""
KEPT_SECONDS = 0.05
"""How long a worker keeps a result before it sends it."""

DONE, PARTIAL, AGAIN, BROKEN, LOG = range(5)
"""What a message of a worker is about."""

NO_MEMORY = "the case needs more memory than there is for it"
"""Why a task came to nothing for which memory ran out also in a new worker."""

Task: TypeAlias = tuple[int, Any, bool]
"""Number, content, and whether the worker is a new one that does this task first and alone."""


class Job(Protocol):
    """What a worker does with each task; made once, called for every task."""

    def __call__(self, task: Any, /) -> Any:
        """Return the result of a task; what is raised is the end of the worker."""

    def found(self) -> Any:
        """Return what was found so far for the task at work; called from another thread."""

    def clean_up(self) -> None:
        """Remove what must not outlive this worker.

        Called before it ends, perhaps from another thread while a task is at work.
        """

    def clean_up_after_others(self) -> None:
        """Remove what killed workers have left; called in the parent."""


@runtime_checkable
class CompletingJob(Job, Protocol):
    """A job whose results are completed several at a time, where that costs less than one by one.

    A worker that ends before they are sent loses them all, and another does their tasks again.
    """

    def complete(self, results: Sequence[Any], /) -> list[Any]:
        """Return what is sent instead of the results, one for each, in order; never raises."""


def serve(
    job: Job,
    isolation: Isolation,
    tasks: Connection,
    results: Connection,
    shared: mmap.mmap,
    parent: int,
) -> None:
    """Do tasks until there are no more, or the parent is gone."""
    # The parent hears Ctrl-C as well and decides what becomes of its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    beat = heartbeat.Heartbeat(shared, isolation)
    heartbeat.install(beat)
    outgoing = _Outgoing(results, job)
    _forward_logs(outgoing)
    gc.freeze()
    incoming: SimpleQueue[bytes | None] = SimpleQueue()
    threading.Thread(target=_listen, args=(tasks, incoming), daemon=True).start()
    watch = threading.Thread(target=_watch, args=(job, beat, outgoing, parent), daemon=True)
    watch.start()
    memory.limit_memory(isolation.memory_bytes)
    while (packed := _next(incoming, outgoing)) is not None:
        for task in pickle.loads(packed):
            if not _done(job, task, beat, outgoing):
                job.clean_up()
                return
    outgoing.flush()
    job.clean_up()


def boot(tasks: int, results: int, shared: int, parent: int) -> None:
    """Serve in a fresh interpreter; the first message says what to do."""
    incoming = Connection(tasks, writable=False)
    sys.path[:], job, isolation = pickle.loads(incoming.recv_bytes())
    memory_map = mmap.mmap(shared, heartbeat.SIZE)
    serve(job, isolation, incoming, Connection(results, readable=False), memory_map, parent)
    sys.stdout.flush()
    os._exit(0)


def _done(job: Job, task: Task, beat: heartbeat.Heartbeat, outgoing: _Outgoing) -> bool:
    """Do one task; return whether the worker can go on with others."""
    number, content, is_first = task
    memory.begin()
    beat.begin_task(number)
    try:
        result = job(content)
    except MemoryError:
        memory.note_shortage()
        result = None
    finally:
        beat.end_task()
    if not memory.ran_out():
        outgoing.add(number, result)
        return True
    # What the worker held before, or holds now, must not decide: it ends, and another begins.
    outgoing.flush()
    preparing = memory.ran_out_preparing()
    if not is_first or preparing:
        outgoing.send(AGAIN, number, preparing)
    elif result is None:
        outgoing.send(BROKEN, number, NO_MEMORY)
    else:
        outgoing.add(number, result)
        outgoing.flush()
    return False


def _next(incoming: SimpleQueue[bytes | None], outgoing: _Outgoing) -> bytes | None:
    """Return the next tasks; what is done is sent before waiting for them."""
    try:
        return incoming.get_nowait()
    except Empty:
        outgoing.flush()
        return incoming.get()


def _listen(tasks: Connection, incoming: SimpleQueue[bytes | None]) -> None:
    """Take tasks off the pipe at once, so that the parent never waits to hand them over."""
    with suppress(EOFError, OSError):
        while True:
            incoming.put(tasks.recv_bytes())
    incoming.put(None)


def _watch(job: Job, beat: heartbeat.Heartbeat, outgoing: _Outgoing, parent: int) -> None:
    """End with the parent, and send what a slow task has found so far."""
    ended = threading.Event()
    sent: tuple[int | None, Any] = (None, None)
    while not ended.wait(TICK_SECONDS):
        if os.getppid() != parent:
            _leave(job)
        number = beat.task
        news = (number, None if number is None else job.found())
        if news[1] and news != sent and number == beat.task:
            sent = news
            with suppress(Exception):  # what cannot be sent is reported when the task is done
                outgoing.send(PARTIAL, *news)


def _leave(job: Job) -> NoReturn:
    """End this process: its parent is gone."""
    with suppress(Exception):
        job.clean_up()
    os._exit(1)


class _Outgoing:
    """Messages to the parent, from several threads; results are sent several at a time."""

    def __init__(self, connection: Connection, job: Job) -> None:
        self._connection = connection
        self._job = job
        self._complete = job.complete if isinstance(job, CompletingJob) else None
        self._lock = threading.Lock()
        self._kept: list[tuple[int, Any]] = []
        self._sent = monotonic()

    def add(self, number: int, result: Any) -> None:
        """Send a result soon."""
        self._kept.append((number, result))
        if len(self._kept) >= MOST_KEPT or monotonic() - self._sent > KEPT_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Send all results that are kept."""
        if self._kept:
            kept, self._kept = self._kept, []
            if self._complete is not None:
                numbers, results = zip(*kept, strict=True)
                kept = list(zip(numbers, self._complete(results), strict=True))
            self.send(DONE, kept, None, fallback=_one_by_one)
        self._sent = monotonic()

    def send(
        self,
        kind: int,
        subject: Any,
        content: Any,
        fallback: Callable[[Any], list[bytes]] | None = None,
    ) -> None:
        """Send a message now. A parent that is gone ends this process."""
        try:
            messages = [pickle.dumps((kind, subject, content), protocol=pickle.HIGHEST_PROTOCOL)]
        except Exception:  # a signal may put anything into its evidence
            if fallback is None:
                raise
            messages = fallback(subject)
        try:
            with self._lock:
                for message in messages:
                    self._connection.send_bytes(message)
        except BrokenPipeError:
            _leave(self._job)


def _one_by_one(results: list[tuple[int, Any]]) -> list[bytes]:
    """Return a message for each result, for one that cannot be sent a message that says so."""
    messages = []
    for number, result in results:
        try:
            message = pickle.dumps((DONE, [(number, result)], None))
        except Exception as error:
            reason = f"what was found cannot be sent: {type(error).__name__}: {error}"
            message = pickle.dumps((BROKEN, number, reason))
        messages.append(message)
    return messages


class _ToParent(logging.Handler):
    """Sends records of the log to the parent, whose handlers know where they go."""

    def __init__(self, outgoing: _Outgoing) -> None:
        super().__init__()
        self._outgoing = outgoing

    def emit(self, record: logging.LogRecord) -> None:
        """Send the record as text: its arguments may be anything."""
        entry = (record.name, record.levelno, record.getMessage())
        with suppress(OSError):
            self._outgoing.send(LOG, None, entry)


def _forward_logs(outgoing: _Outgoing) -> None:
    root = logging.getLogger()
    root.handlers[:] = [_ToParent(outgoing)]
    for name in list(root.manager.loggerDict):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
