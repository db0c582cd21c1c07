"""The key of a database's content, remembered so that unchanged files are not read again."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Protocol

from clausewise.databases.files import unreadable

_RACY_NANOSECONDS = 2_000_000_000
"""A file changed within this time before it was looked at may change again unseen."""
_CHUNK = 1 << 20
READ_WHOLE = 64_000_000
"""Bytes; of a larger file the beginning and evenly spread blocks are hashed, not all of it."""
_SPREAD_BLOCKS = 256
_SPREAD_BYTES = 16_384


class LoggedFile(Protocol):
    """A file with a log beside it that belongs to its content."""

    path: Path

    @property
    def log_path(self) -> Path:
        """Where the log would be."""

    def has_log(self) -> bool:
        """Whether there is one."""


def content_key(file: LoggedFile, cache_dir: Path) -> str:
    """Return 32 hexadecimal digits that stand for the bytes of a database and its log.

    Of a file over 64 MB they stand for its size, its time of change, its header (where SQLite
    counts the changes made to it) and 256 evenly spread blocks of 16 KB: a change that keeps all
    of these is not seen.

    The key is remembered in `cache_dir` by path, size, times of change and file number. As in
    git, a memory is not trusted where the file changed less than 2 seconds before it was made.
    Raises DatabaseError where the file cannot be read.
    """
    stamp = _stamp(file)
    memo = cache_dir / f"{_digest(os.fsencode(file.path))}.key.json"
    remembered = _recall(memo, stamp)
    if remembered is not None:
        return remembered
    looked_at = time.time_ns()
    key = _hash_content(file)
    newest = max(max(part[1:3]) for part in stamp)
    if newest + _RACY_NANOSECONDS <= looked_at and stamp == _stamp(file):
        _remember(memo, stamp, key)
    return key


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _stamp(file: LoggedFile) -> list[list[int]]:
    """Return size, times of change and file number, of the file and of its log if it has one."""
    paths = [file.path, file.log_path] if file.has_log() else [file.path]
    try:
        stats = [path.stat() for path in paths]
    except OSError as error:
        raise unreadable(file.path, error) from error
    return [[stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino] for stat in stats]


def _hash_content(file: LoggedFile) -> str:
    digest = hashlib.blake2b(digest_size=16)
    try:
        for path in [file.path, file.log_path] if file.has_log() else [file.path]:
            state = path.stat()
            with path.open("rb") as stream:
                if state.st_size > READ_WHOLE:
                    digest.update(f"{state.st_size} {state.st_mtime_ns} ".encode())
                    for number in range(_SPREAD_BLOCKS):
                        stream.seek((state.st_size - _SPREAD_BYTES) * number // _SPREAD_BLOCKS)
                        digest.update(stream.read(_SPREAD_BYTES))
                    continue
                while chunk := stream.read(_CHUNK):
                    digest.update(chunk)
    except OSError as error:
        raise unreadable(file.path, error) from error
    return digest.hexdigest()


def _recall(memo: Path, stamp: list[list[int]]) -> str | None:
    try:
        known = json.loads(memo.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(known, dict) or known.get("stamp") != stamp:
        return None
    key = known.get("key")
    return key if isinstance(key, str) and key.isalnum() else None


def _remember(memo: Path, stamp: list[list[int]], key: str) -> None:
    """Write the memo in one step; a cache that cannot be written is the store's to report."""
    with contextlib.suppress(OSError):
        handle, name = tempfile.mkstemp(dir=memo.parent, prefix="memo-", suffix=".tmp")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump({"stamp": stamp, "key": key}, file)
            Path(name).replace(memo)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
