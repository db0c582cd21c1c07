"""Writing files that are whole or not there at all.

A file is written beside its place, without a name where the system can and else under a temporary
one, synchronized with the disk and renamed::

    check_output(out)  # before the work begins
    with writing_text(out) as file:
        file.writelines(lines)

Symbolic links are followed: the file that they lead to is replaced, the links stay. Devices, pipes
and the process's own streams (`/dev/null`, `/dev/stdout`, `/dev/fd/3`, a FIFO) are written to as
they are. Nothing is left of a file whose writing ends with an error or Ctrl-C.
"""

from __future__ import annotations

import errno
import io
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO

from clausewise.errors import InputError

if TYPE_CHECKING:
    from filelock import BaseFileLock

TEMPORARY = ".tmp"
"""The suffix of a file that is being written; its name begins with a dot."""

_OWN_STREAM = re.compile(r"/(?:dev|proc/(?:self|[0-9]+))/fd/([0-9]+)")
_STANDARD_STREAMS = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_MOST_LINKS = 40
DISK_ERRORS = frozenset(
    (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EBADF)
)
"""Errors of a full or broken disk or a stream only to be read: they name no file by themselves."""


@contextmanager
def writing_bytes(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file to be written whole; it is in its place when the block ends without an error.

    The mode bits of an existing file are kept, its other hard links keep the earlier content.

    Raises
    ------
    InputError
        Where `check_output` refuses the path, or the disk is full.
    """
    path = Path(path)
    check_output(path)
    try:
        if is_stream(path):
            with _open_stream(path) as file:
                yield file
        else:
            with _replacing(Path(os.path.realpath(path))) as file:
                yield file
    except OSError as error:
        if error.errno not in DISK_ERRORS:
            raise
        raise InputError(f"cannot be written: {error.strerror}", path=path) from error


@contextmanager
def writing_text(path: str | Path) -> Iterator[TextIO]:
    """Open a file of UTF-8 text as `writing_bytes` does; line breaks are written as they are."""
    with writing_bytes(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        try:
            yield text
            text.flush()
        finally:
            # What could not be written must not be tried again when the wrapper is collected.
            with suppress(OSError, ValueError):
                text.detach()


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write a whole file; see `writing_bytes`."""
    with writing_bytes(path) as file:
        file.write(content)


def write_text(path: str | Path, content: str) -> None:
    """Write a whole file of UTF-8 text with its line breaks as they are; see `writing_bytes`."""
    write_bytes(path, content.encode("utf-8"))


def check_output(path: str | Path) -> None:
    """Raise InputError where no file can be written at `path`.

    That is where it names a folder, its folder is missing or cannot be written to, or an existing
    file or device is protected from writing. A command calls it before its work begins.
    """
    path = Path(path)
    target = Path(os.path.realpath(path))
    try:
        descriptor = _own_descriptor(path)
        if descriptor is not None:
            os.fstat(descriptor)
            return
        mode = target.stat().st_mode
    except FileNotFoundError:
        _check_folder(target.parent, path)
        return
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", path=path) from None
    if stat.S_ISDIR(mode):
        raise InputError("is a folder; the name of a file is needed", path=path)
    if not os.access(target, os.W_OK):
        raise InputError("cannot be written: it is protected from writing", path=path)
    if stat.S_ISREG(mode):
        _check_folder(target.parent, path)


def is_stream(path: str | Path) -> bool:
    """Whether `path` leads to what is written to and never replaced: a device, a pipe, a socket.

    The streams of the process itself count too, also where they lead to a plain file.
    """
    path = Path(path)
    if _own_descriptor(path) is not None:
        return True
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _check_folder(folder: Path, path: Path) -> None:
    if not folder.is_dir():
        raise InputError(f"cannot be written: there is no folder {folder}", path=path)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"cannot be written: no files can be made in {folder}", path=path)


def _own_descriptor(path: Path) -> int | None:
    """Return the number of the process's own stream that the path names, also through links."""
    here = path.absolute()
    for _ in range(_MOST_LINKS):
        name = os.path.normpath(here)
        if name in _STANDARD_STREAMS:
            return _STANDARD_STREAMS[name]
        match = _OWN_STREAM.fullmatch(name)
        if match is not None:
            owner = name.split("/")[2]
            return int(match[1]) if owner in ("fd", "self", str(os.getpid())) else None
        try:
            here = here.parent / here.readlink()
        except OSError:
            return None
    return None


def _open_stream(path: Path) -> BinaryIO:
    descriptor = _own_descriptor(path)
    try:
        if descriptor is None:
            return path.open("wb")
        # A copy of the stream keeps its place in a file and works for sockets too.
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, ValueError):
                stream.flush()
        return os.fdopen(os.dup(descriptor), "wb")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", path=path) from error


@contextmanager
def _replacing(target: Path) -> Iterator[BinaryIO]:
    temporary = target.with_name(f".clausewise-{secrets.token_hex(8)}{TEMPORARY}")
    descriptor = _open_unnamed(target.parent)
    if descriptor is None:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with suppress(FileNotFoundError):
                os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
            if not temporary.exists():
                # Only with a folder's descriptor, whichever, is the link in /proc followed.
                os.link(f"/proc/self/fd/{file.fileno()}", temporary, src_dir_fd=file.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(target.parent)


def _open_unnamed(folder: Path) -> int | None:
    """Open a file that has no name yet, so that a kill leaves nothing; None where none can be."""
    unnamed = getattr(os, "O_TMPFILE", None)
    if unnamed is None or not Path("/proc/self/fd").is_dir():
        return None
    try:
        return os.open(folder, os.O_WRONLY | unnamed, 0o666)
    except OSError:
        return None


def sync_folder(folder: Path) -> None:
    """Make the renames in a folder last through a loss of power, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class Lock:
    """An exclusive lock on a file beside what is written, which ends with its process.

    The file is made by `acquire` and removed by `release`; that one is there says nothing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._held: BaseFileLock | None = None

    def acquire(self, timeout: float = 0.0) -> bool:
        """Return whether the lock was got within so many seconds.

        Raises InputError where its file cannot be made.
        """
        from filelock import FileLock, Timeout

        lock = FileLock(self.path)
        try:
            lock.acquire(timeout=timeout)
        except Timeout:
            return False
        except OSError as error:
            raise InputError(f"cannot be locked: {error.strerror}", path=self.path) from error
        self._held = lock
        return True

    def release(self) -> None:
        """End the lock, where it is held."""
        if self._held is not None:
            # Removed while it is held: a process that waits for it sees that it is gone.
            self.path.unlink(missing_ok=True)
            self._held.release()
            self._held = None
