"""Starting a worker process: a copy of this one where that is safe, else a fresh interpreter.

A copy (fork) is there within milliseconds and needs nothing to be pickled. It is not safe while
other threads run: a lock that one of them holds would stay locked in the copy for ever.
"""

from __future__ import annotations

import mmap
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from multiprocessing.spawn import get_executable
from typing import Any, Protocol

from clausewise.workers import heartbeat
from clausewise.workers.isolation import Isolation

HARMLESS_MODULES = ("rich.",)
HARMLESS_NAMES = frozenset(("clausewise-signals",))
"""Threads that hold no lock which a worker needs: they draw progress bars, or wait for signals."""

_BOOT = "import sys; from clausewise.workers.serving import boot; boot(*map(int, sys.argv[1:]))"


class Process(Protocol):
    """What the parent needs of a worker's process."""

    pid: int

    def kill(self) -> None:
        """End it at once."""

    def wait(self) -> int:
        """Wait for its end; return its exit code, the negative number of a signal."""


class ForkedProcess:
    """A copy of this process."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._code: int | None = None

    def kill(self) -> None:
        """End it at once."""
        if self._code is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Wait for its end; 0 where somebody else has waited for it."""
        if self._code is None:
            try:
                self._code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            except ChildProcessError:
                self._code = 0
        return self._code


Ends = tuple[Process, Connection, Connection, heartbeat.Heartbeat]
"""A process, where to send tasks, where results arrive, and what it shows meanwhile."""


def can_isolate() -> bool:
    """Whether this system has what workers need: fork, pipes that are inherited, SIGKILL."""
    return hasattr(os, "fork")


def may_fork() -> bool:
    """Whether no other thread runs that could hold a lock."""
    me = threading.current_thread()
    others = (thread for thread in threading.enumerate() if thread is not me)
    return sys.platform != "darwin" and all(
        thread.name in HARMLESS_NAMES or type(thread).__module__.startswith(HARMLESS_MODULES)
        for thread in others
    )


def start(
    serve: Callable[..., None], job: Any, isolation: Isolation, inherited: list[Connection]
) -> Ends:
    """Start a worker that runs `serve(job, isolation, tasks, results, shared, parent)`.

    `inherited` are connections of other workers, which a copy of this process closes.
    """
    tasks, to_worker = Pipe(duplex=False)
    from_worker, results = Pipe(duplex=False)
    with tempfile.TemporaryFile(prefix="clausewise-") as file:
        file.truncate(heartbeat.SIZE)
        shared = mmap.mmap(file.fileno(), heartbeat.SIZE)
        if may_fork():
            ours = [to_worker, from_worker, *inherited]
            process: Process = _fork(serve, (job, isolation, tasks, results, shared), ours)
        else:
            process = _spawn(tasks, results, file.fileno())
            to_worker.send_bytes(_packed((sys.path, job, isolation)))
    tasks.close()
    results.close()
    return process, to_worker, from_worker, heartbeat.Heartbeat(shared, isolation)


def _packed(content: object) -> bytes:
    """Return the content as bytes, functions of the main module included."""
    import cloudpickle

    packed: bytes = cloudpickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)
    return packed


def _fork(
    serve: Callable[..., None], arguments: tuple[Any, ...], ours: list[Connection]
) -> ForkedProcess:
    parent = os.getpid()
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    with warnings.catch_warnings():
        # Python 3.12 and newer warn of threads of C libraries, too, which take care of themselves.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid:
        return ForkedProcess(pid)
    code = 1
    try:
        for connection in ours:
            with suppress(OSError):
                connection.close()
        serve(*arguments, parent)
        code = 0
    except BaseException:
        with suppress(Exception):
            traceback.print_exc()
    finally:
        # Nothing of the parent's may be flushed, closed or removed a second time.
        os._exit(code)


def _spawn(tasks: Connection, results: Connection, shared: int) -> Process:
    descriptors = (tasks.fileno(), results.fileno(), shared)
    process: Process = subprocess.Popen(
        # -P: what lies in the working folder must not stand in for a module.
        [
            os.fsdecode(get_executable()),
            "-P",
            "-c",
            _BOOT,
            *map(str, descriptors),
            str(os.getpid()),
        ],
        stdin=subprocess.DEVNULL,
        pass_fds=descriptors,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    return process
