"""Folders that a library writes while it learns, which do not outlive their processes.

Each has a lock beside it that its process holds, and that the system takes from a process that
dies: a folder whose lock is free is removed by the next one.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
import weakref
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import BaseFileLock

PREFIX = "clausewise-fit-"
_LOCK = ".lock"


def working_folder(owner: object) -> Path:
    """Return a new folder that is removed with its owner, at the end of the process at the latest.

    What processes of this user that were killed have left is removed first. Raises OSError where
    none can be made.
    """
    from filelock import FileLock

    remove_abandoned()
    folder = Path(tempfile.gettempdir()) / f"{PREFIX}{os.getpid()}-{uuid.uuid4().hex[:12]}"
    lock = FileLock(folder.with_name(folder.name + _LOCK))
    lock.acquire()
    weakref.finalize(owner, _remove, folder, lock, os.getpid())
    folder.mkdir(mode=0o700)
    return folder


def remove_abandoned() -> None:
    """Remove the working folders of processes of this user that are dead."""
    from filelock import FileLock, Timeout

    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*{_LOCK}"):
        with suppress(OSError, Timeout):
            if path.is_symlink() or (hasattr(os, "getuid") and path.lstat().st_uid != os.getuid()):
                continue
            lock = FileLock(path)
            lock.acquire(timeout=0)
            _remove(path.with_name(path.name.removesuffix(_LOCK)), lock, os.getpid())


def _remove(folder: Path, lock: BaseFileLock, owner: int) -> None:
    """Remove a folder and its lock; a process that was forked since leaves them to its parent."""
    if os.getpid() != owner:
        return
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        Path(lock.lock_file).unlink(missing_ok=True)
        lock.release()
