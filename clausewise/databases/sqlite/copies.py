"""Private copies of databases with a write-ahead log, which do not outlive their processes.

Every copy stands in a folder of its own with a lock that its process holds, and that the system
takes from a process that dies: a folder whose lock is free is removed by the next one.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet

if TYPE_CHECKING:
    from filelock import BaseFileLock

_PREFIX = "clausewise-copy-"
_LOCK_NAME = "in-use.lock"
_FRESH_SECONDS = 3600.0
"""A younger folder without a lock may be one that is being made."""


class PrivateCopy:
    """A copy of a database and its log. Raises OSError where it cannot be made."""

    def __init__(self, path: Path, log_path: Path) -> None:
        remove_abandoned()
        self._owner = os.getpid()
        self._folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{self._owner}-"))
        self._lock = _lock_of(self._folder)
        self.path = self._folder / path.name
        """The copy of the database."""
        _made.add(self)
        try:
            self._lock.acquire()
            shutil.copyfile(path, self.path)
            shutil.copyfile(log_path, self.path.with_name(self.path.name + "-wal"))
        except BaseException:
            self.remove()
            raise

    def remove(self) -> None:
        """Remove the copy; in a process that was forked since, leave it to the one that made it."""
        if os.getpid() == self._owner:
            shutil.rmtree(self._folder, ignore_errors=True)
            with suppress(OSError):
                self._lock.release()


_made: WeakSet[PrivateCopy] = WeakSet()


def remove_copies() -> None:
    """Remove the copies of this process, which ends, and of processes that are dead."""
    for copy in list(_made):
        copy.remove()
    remove_abandoned()


def remove_abandoned() -> None:
    """Remove the copies of processes of this user that are dead."""
    found = list(Path(tempfile.gettempdir()).glob(_PREFIX + "*"))
    if not found:
        return
    from filelock import Timeout

    for folder in found:
        with suppress(OSError, Timeout):
            state = folder.lstat()
            is_ours = not hasattr(os, "getuid") or state.st_uid == os.getuid()
            is_locked = (folder / _LOCK_NAME).exists()
            is_fresh = time.time() - state.st_mtime < _FRESH_SECONDS
            if not is_ours or not folder.is_dir() or folder.is_symlink():
                continue
            if is_locked or not is_fresh:
                with _lock_of(folder).acquire(timeout=0):
                    shutil.rmtree(folder, ignore_errors=True)


def _lock_of(folder: Path) -> BaseFileLock:
    from filelock import FileLock

    # A name that is not `database.name`: the copy of a database may have any other.
    return FileLock(folder / _LOCK_NAME)
