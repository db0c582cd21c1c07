"""A clock that stops a signal which loops in Python."""

from __future__ import annotations

import signal as os_signal
import threading
from time import monotonic
from types import FrameType
from typing import Any, Self

from clausewise.errors import ClausewiseError

_AGAIN_SECONDS = 1.0
"""When the clock rings again: what it raises in a callback of SQLite is discarded there."""
_SLACK = 0.1
"""By what share of its limit a signal may be late: the timer need not be set for each one."""


class SignalTimeout(ClausewiseError):
    """A signal used up its time for one case."""


class SignalClock:
    """Interrupts what runs between `start` and `stop` with a SignalTimeout.

    Statements on the database have limits of their own; this one is for Python code. Only the
    main thread can be interrupted so; elsewhere, and where the host program uses the same timer,
    it does nothing. To be used as a context manager, which gives the timer back.
    """

    def __init__(self) -> None:
        self._inside = False
        self._rings = 0.0
        self.rang = False
        """Whether what ran since the last `start` was interrupted."""
        self._before: Any = None
        self._free = (
            threading.current_thread() is threading.main_thread()
            and hasattr(os_signal, "setitimer")
            and os_signal.getitimer(os_signal.ITIMER_REAL)[0] == 0
        )

    def start(self, seconds: float) -> None:
        """Let what follows run for `seconds`, a tenth more at most."""
        self.rang = False
        if not self._free:
            return
        self._inside = True
        ends = monotonic() + seconds
        latest = ends + _SLACK * seconds
        if not ends <= self._rings <= latest:
            os_signal.setitimer(os_signal.ITIMER_REAL, latest - ends + seconds)
            self._rings = latest

    def stop(self) -> None:
        """Let what follows run as long as it likes."""
        self._inside = False

    def __enter__(self) -> Self:
        if self._free:
            self._before = os_signal.signal(os_signal.SIGALRM, self._ring)
        return self

    def __exit__(self, *_: object) -> None:
        if self._free:
            os_signal.setitimer(os_signal.ITIMER_REAL, 0)
            os_signal.signal(os_signal.SIGALRM, self._before)

    def _ring(self, _number: int, _frame: FrameType | None) -> None:
        self._rings = 0.0
        if self._inside:
            self.rang = True
            os_signal.setitimer(os_signal.ITIMER_REAL, _AGAIN_SECONDS)
            raise SignalTimeout
