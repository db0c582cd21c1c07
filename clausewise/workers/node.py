"""What a worker of a backend does: the tasks of a chunk, in a process that it can end."""

from __future__ import annotations

import hashlib
import pickle
import threading
import zlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

from clausewise.workers.isolation import Isolation
from clausewise.workers.pool import WorkerPool
from clausewise.workers.serving import Job
from clausewise.workers.worker import Broken, Done, Logged

Packed: TypeAlias = bytes
"""Anything, pickled and compressed: lines of scores are a sixth of their size."""

MOST_POOLS = 2
"""Jobs whose processes a worker keeps for the chunks that follow."""
IDLE_SECONDS = 60.0
"""After so long without a chunk a worker's processes are ended."""


def packed(content: object) -> Packed:
    """Return what `unpacked` turns back."""
    return zlib.compress(pickle.dumps(content, pickle.HIGHEST_PROTOCOL), 1)


def unpacked(content: Packed) -> Any:
    """Return what was packed."""
    return pickle.loads(zlib.decompress(content))


@dataclass(frozen=True, slots=True)
class PackedJob:
    """A job that goes with every chunk, and is unpacked once by each worker."""

    content: Packed
    digest: bytes
    isolation: Isolation

    @classmethod
    def of(cls, job: Job, isolation: Isolation) -> Self:
        """Pack a job, functions of the main module included."""
        import cloudpickle

        content = zlib.compress(cloudpickle.dumps(job, pickle.HIGHEST_PROTOCOL), 1)
        key = content + repr(isolation).encode()
        return cls(content, hashlib.blake2b(key, digest_size=16).digest(), isolation)


class _NodePool(WorkerPool):
    """Keeps what its workers log, to be sent with a chunk."""

    def __init__(self, job: Job, isolation: Isolation) -> None:
        super().__init__(job, isolation)
        self.records: list[Logged] = []
        self.at_work = 0
        self.idle: threading.Timer | None = None

    def log(self, record: Logged) -> None:
        self.records.append(record)

    def drained(self) -> list[Logged]:
        """Return what was logged since it was last asked."""
        records, self.records = self.records, []
        return list(dict.fromkeys(records))


_lock = threading.Lock()
_pools: OrderedDict[bytes, _NodePool] = OrderedDict()
"""The processes of this worker, by the digest of their job; the last used one last."""


def do_chunk(job: PackedJob, first: int, tasks: Packed) -> tuple[int, Packed, list[Logged]]:
    """Return `first`, the outcomes of all tasks in order, packed, and what was logged meanwhile."""
    pool = _begin(job)
    try:
        outcomes: Sequence[Done | Broken] = list(pool.run(unpacked(tasks)))
    finally:
        _end(pool)
    return first, packed(outcomes), pool.drained()


def close_pools() -> None:
    """End the processes that no chunk uses."""
    with _lock:
        for digest, pool in list(_pools.items()):
            if not pool.at_work:
                _pools.pop(digest).close()


def _begin(job: PackedJob) -> _NodePool:
    with _lock:
        pool = _pools.get(job.digest)
        if pool is None:
            loaded: Job = pickle.loads(zlib.decompress(job.content))
            pool = _pools[job.digest] = _NodePool(loaded, job.isolation)
        _pools.move_to_end(job.digest)
        pool.at_work += 1
        if pool.idle is not None:
            pool.idle.cancel()
            pool.idle = None
        idle = [digest for digest, other in _pools.items() if not other.at_work]
        for digest in idle[: max(0, len(_pools) - MOST_POOLS)]:
            _pools.pop(digest).close()
        return pool


def _end(pool: _NodePool) -> None:
    with _lock:
        pool.at_work -= 1
        if not pool.at_work:
            pool.idle = threading.Timer(IDLE_SECONDS, close_pools)
            pool.idle.daemon = True
            pool.idle.start()
