"""A circuit breaker: a dead endpoint must not cost a run an hour of waiting."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from clausewise.errors import LLMUnavailable


class CircuitBreaker:
    """Fails calls at once after `failures` in a row failed; tries again after `pause` seconds.

    After the pause one call is let through: if it works the circuit is closed again, if not the
    next pause begins. To be used from one event loop.
    """

    def __init__(
        self, failures: int, pause: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limit = failures
        self._pause = pause
        self._clock = clock
        self._failed = 0
        self._opened: float | None = None
        self._trying = False
        self._last = ""

    @contextmanager
    def call(self) -> Iterator[bool]:
        """Enter a call; yields whether it is the one that tries whether the endpoint is back.

        Raises LLMUnavailable while the circuit is open.
        """
        if self._opened is None:
            yield False
            return
        if self._trying or self._clock() - self._opened < self._pause:
            self.check()
        self._trying = True
        try:
            yield True
        finally:
            self._trying = False

    def check(self) -> None:
        """Raise LLMUnavailable where the circuit is open."""
        if self._opened is not None:
            raise LLMUnavailable(
                f"not asked, since the last {self._limit} calls failed; at the end: {self._last}"
            )

    def succeed(self) -> None:
        """Note that the endpoint works."""
        self._failed = 0
        self._opened = None

    def fail(self, reason: str) -> None:
        """Note that a call failed for good by the endpoint's fault."""
        self._failed += 1
        self._last = reason
        if self._failed >= self._limit:
            self._opened = self._clock()
