"""Which part of a database is being read, written beside the store that is being built.

A process may be ended while it reads: it is over a hard limit, or memory ran out. Whoever builds
the store next finds the marker of the dead process, and leaves out a part that ended it.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

BEAT_SECONDS = 0.5
"""How often the time of a marker is renewed: the last one is when its process died."""
RENEWED_SECONDS = 1.0
"""How long a part is not marked again when its next statement begins."""
MOST_DEATHS = 3
"""Deaths at one part after which it is left out, however short it was being read."""
LOCK_SECONDS = 900.0
"""How long to wait for another process that builds the same store."""


@contextlib.contextmanager
def build_lock(path: Path) -> Iterator[bool]:
    """Hold the lock of a store's place; yields whether it is held.

    The system takes it from a process that dies. Where it cannot be had (a folder that cannot be
    written, a process that does not end), the store is built without it: it is moved to its
    place whole, by whoever is last.
    """
    from filelock import FileLock, Timeout

    file = path.with_suffix(".lock")
    lock = FileLock(file)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=LOCK_SECONDS)
    except (OSError, Timeout, NotImplementedError):  # the last: a file system without locks
        yield False
        return
    try:
        yield True
    finally:
        # Whoever waits for it finds it gone when it gets it, and locks a new one.
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)
        lock.release()


class Marker:
    """The parts at which processes died that were building a store, and the one being read now.

    `path` is where it is written; None where nothing can be, then it remembers nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._name: str | None = None
        self._since = 0.0
        self._deaths: Counter[str] = Counter()
        self._short: set[str] = set()
        self._given_up: set[str] = set()
        self._ended = threading.Event()
        self._beating: threading.Thread | None = None
        if path is not None:
            self._take_over(path)

    def enter(self, name: str, seconds: float) -> None:
        """Say that a part is being read from now on, which should take less than `seconds`."""
        now = time.time()
        if self._path is None or (name == self._name and now - self._since < RENEWED_SECONDS):
            return
        self._name = name
        self._since = now
        self._write(seconds)
        if self._beating is None:
            self._beating = threading.Thread(target=self._beat, args=(self._path,), daemon=True)
            self._beating.start()

    def gave_up(self, name: str) -> bool:
        """Whether processes died because they read this part."""
        return name in self._given_up

    def runs_short(self, name: str) -> bool:
        """Say that memory ran out at a part; returns whether it did so before.

        The first time other things that the process holds may have been the reason.
        """
        if self._path is None or name in self._short:
            return True
        self._short.add(name)
        return False

    def close(self, *, complete: bool) -> None:
        """Say that this process reads no more; what is remembered is kept where it must go on."""
        self._ended.set()
        if self._beating is not None:
            self._beating.join()
        if self._path is None:
            return
        self._name = None
        if complete or not (self._deaths or self._short or self._given_up):
            with contextlib.suppress(OSError):
                self._path.unlink(missing_ok=True)
        else:
            self._write(0.0)

    def _beat(self, path: Path) -> None:
        while not self._ended.wait(BEAT_SECONDS):
            with contextlib.suppress(OSError):
                os.utime(path)

    def _take_over(self, path: Path) -> None:
        """Take over what a dead process left."""
        try:
            left = json.loads(path.read_text(encoding="utf-8"))
            name = left["name"]
            self._deaths.update({str(part): int(count) for part, count in left["deaths"].items()})
            self._short.update(map(str, left["short"]))
            self._given_up.update(map(str, left["given_up"]))
            if isinstance(name, str):
                self._deaths[name] += 1
                read_for = path.stat().st_mtime - float(left["since"])
                if read_for >= float(left["seconds"]) or self._deaths[name] >= MOST_DEATHS:
                    self._given_up.add(name)
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return

    def _write(self, seconds: float) -> None:
        if self._path is None:
            return
        content = {
            "process": os.getpid(),
            "name": self._name,
            "since": self._since,
            "seconds": seconds,
            "deaths": self._deaths,
            "short": sorted(self._short),
            "given_up": sorted(self._given_up),
        }
        draft = self._path.with_suffix(".tmp")
        with contextlib.suppress(OSError):
            draft.write_text(json.dumps(content), encoding="utf-8")
            draft.replace(self._path)
