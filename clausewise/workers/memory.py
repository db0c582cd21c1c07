"""The memory of a worker: limited by the operating system, and what to know when it ran out."""

from __future__ import annotations

import os
from pathlib import Path

_DATA_FIELD = 5


class _Shortage:
    """Whether memory ran out since `begin`; one for the process."""

    seen = False
    preparing = False


def limit_memory(more_bytes: int) -> bool:
    """Let this process take that many bytes beyond what it has; return whether that is enforced.

    Where the system cannot limit what a process takes (macOS does not), nothing happens.
    """
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[_DATA_FIELD])
        wanted = pages * os.sysconf("SC_PAGE_SIZE") + more_bytes
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        if hard != resource.RLIM_INFINITY:
            wanted = min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
    except (ImportError, OSError, ValueError):
        return False
    return True


def begin() -> None:
    """Forget what was seen before: a task begins."""
    _Shortage.seen = _Shortage.preparing = False


def note_shortage() -> None:
    """Remember that memory ran out: what else this process holds may have brought that about."""
    _Shortage.seen = True


def ran_out() -> bool:
    """Whether memory ran out since `begin`."""
    return _Shortage.seen


def note_preparation_failed() -> None:
    """Remember that a database could not be prepared, where memory has run out."""
    _Shortage.preparing = _Shortage.seen


def ran_out_preparing() -> bool:
    """Whether memory ran out while a database was prepared: the next trial leaves more out."""
    return _Shortage.preparing
