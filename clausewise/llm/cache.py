"""Answers on disk, by the content of what was asked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

logger = logging.getLogger(__name__)

T = TypeVar("T")

_TEXT_MODES = (1, 3)
"""diskcache's marks for texts, in the table or in a file of their own."""

_BUSY_SECONDS = 5.0


class AnswerCache:
    """Texts by key in one folder, shared by processes; nothing is ever dropped from it.

    All work is done in one thread of its own, since SQLite's connections belong to threads. A
    folder that cannot be used costs money and never an answer: a warning is logged once, and
    everything goes on without a cache.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._cache: Any = None
        self._broken = False
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="clausewise-llm-cache")

    async def get(self, key: str) -> str | None:
        """Return the text under a key, None where there is none or it is damaged."""
        return await self._do(lambda cache: _text_of(cache, key))

    async def put(self, key: str, text: str) -> None:
        """Write a text under a key."""
        await self._do(lambda cache: cache.set(key, text))

    async def close(self) -> None:
        """Close the files."""
        if self._cache is not None:
            await self._do(lambda cache: cache.close())
        self._worker.shutdown()

    async def _do(self, work: Callable[[Any], T]) -> T | None:
        if self._broken:
            return None
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._worker, lambda: work(self._opened())
            )
        except Exception as error:  # the disk, SQLite and diskcache each have errors of their own
            self._broken = True
            logger.warning(
                "cannot use the cache of answers in '%s' (%s); every question is asked anew",
                self.folder,
                error,
            )
            return None

    def _opened(self) -> Any:
        if self._cache is None:
            import diskcache

            class TextDisk(diskcache.Disk):  # type: ignore[misc]
                """Reads nothing but text: a pickle in a forged cache would run its code."""

                def fetch(self, mode: int, filename: str, value: Any, read: bool) -> Any:
                    if mode not in _TEXT_MODES:
                        raise ValueError("it holds something other than text")
                    return super().fetch(mode, filename, value, read)

            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._cache = diskcache.Cache(
                str(self.folder), timeout=_BUSY_SECONDS, disk=TextDisk, eviction_policy="none"
            )
        return self._cache


def _text_of(cache: Any, key: str) -> str | None:
    try:
        found = cache.get(key)
    except (ValueError, TypeError, LookupError):
        # One damaged entry is written anew; it says nothing of the others.
        return None
    return found if isinstance(found, str) else None
