"""Ctrl-C and SIGTERM: the first ends the run in order, the second at once.

The first one raises KeyboardInterrupt in the main thread. Python does so only between two steps
of its own: where the main thread is inside a library for longer, or threads do not come to their
end, a thread that watches ends the process.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn, Self

from clausewise.cli.exit_codes import ExitCode

HANDLED = (signal.SIGINT, signal.SIGTERM)

_UNTIL_NOTICED = 1.5
"""Seconds until the main thread must have noticed the signal."""
_UNTIL_TIDY = 10.0
"""Seconds from then on for closing files, connections and workers."""
_UNTIL_ENDED = 0.3
"""Seconds from then on for Python's own end."""

_UNTIL_AGAIN = 0.01
"""Seconds until a signal is sent again whose KeyboardInterrupt was discarded."""

# Numbers that no signal has, sent on the same socket as the numbers of signals.
_AGAIN, _STOP, _NOTICED, _TIDY = 252, 253, 254, 255

_SHOW_CURSOR = b"\x1b[?25h"


class Interrupts:
    """Handles the signals while it is open as a context manager; only the main thread can.

    Attributes
    ----------
    number
        The first signal that came; None where none did.
    """

    def __init__(self) -> None:
        self.number: int | None = None
        self._before: dict[signal.Signals, Any] = {}
        self._ends: tuple[socket.socket, socket.socket] | None = None
        self._thread: threading.Thread | None = None
        self._show_unraisable = sys.unraisablehook

    @property
    def code(self) -> int:
        """The exit code of an interrupted run."""
        number = self.number or signal.SIGINT
        return 128 + number if number != signal.SIGINT else int(ExitCode.INTERRUPTED)

    def __enter__(self) -> Self:
        if threading.current_thread() is not threading.main_thread():
            return self
        # Signals that are ignored from the start (nohup, jobs in the background) stay so.
        chosen = [each for each in HANDLED if signal.getsignal(each) not in (signal.SIG_IGN, None)]
        if not chosen:
            return self
        reading, writing = self._ends = socket.socketpair()
        writing.setblocking(False)
        signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
        for each in chosen:
            self._before[each] = signal.signal(each, self._notice)
        self._show_unraisable = sys.unraisablehook
        sys.unraisablehook = self._raise_again
        _open.append(self)
        self._thread = threading.Thread(
            target=self._watch, args=(reading,), name="clausewise-signals", daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._ends is None or self._thread is None:
            return
        if self.number is not None:
            # The watch goes on: threads in the middle of something could hold up the end.
            self._tell(_TIDY)
            return
        self._tell(_STOP)
        self._thread.join()
        self.give_back()
        for end in self._ends:
            end.close()

    def give_back(self) -> None:
        """Handle the signals as before."""
        if self not in _open:
            return
        _open.remove(self)
        sys.unraisablehook = self._show_unraisable
        signal.set_wakeup_fd(-1)
        for each, before in self._before.items():
            signal.signal(each, before)

    def _notice(self, number: int, _frame: FrameType | None) -> None:
        self._tell(_NOTICED)
        if self.number is None:
            self.number = number
            raise KeyboardInterrupt

    def _raise_again(self, found: sys.UnraisableHookArgs) -> None:
        """Have the signal sent again: Python discards what is raised in a finalizer."""
        if self.number is None or not isinstance(found.exc_value, KeyboardInterrupt):
            self._show_unraisable(found)
        else:
            self.number = None
            self._tell(_AGAIN)

    def _tell(self, what: int) -> None:
        if self._ends is not None:
            try:
                self._ends[1].send(bytes([what]))
            except BlockingIOError:  # so many signals that the watch has long ended the process
                return

    def _watch(self, reading: socket.socket) -> None:
        """End the process after a second signal, or where the first has no effect."""
        first: int | None = None
        while True:
            try:
                told = reading.recv(1)[0]
            except TimeoutError:
                _end_now(first)
            if told == _STOP:
                return
            if told == _AGAIN and first is not None:
                again, first = first, None
                reading.settimeout(None)
                time.sleep(_UNTIL_AGAIN)
                os.kill(os.getpid(), again)
            if told in HANDLED:
                if first is not None:
                    _end_now(first)
                first = told
                reading.settimeout(_UNTIL_NOTICED)
            elif told == _NOTICED:
                reading.settimeout(_UNTIL_TIDY)
            elif told == _TIDY:
                reading.settimeout(_UNTIL_ENDED)


def _end_now(number: int | None) -> NoReturn:
    if os.isatty(2):
        os.write(2, _SHOW_CURSOR)
    os._exit(128 + (number or signal.SIGINT))


_open: list[Interrupts] = []
"""The one that is open, so that a forked process finds it."""


@contextmanager
def leave_signals() -> Iterator[None]:
    """Leave the signals to what is inside, which ends by itself where it is asked to."""
    for interrupts in tuple(_open):
        interrupts.give_back()
    yield


def _give_back_in_child() -> None:
    # Its parent is told of its own signals only, and a worker must end when it is terminated.
    for interrupts in tuple(_open):
        interrupts.give_back()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_give_back_in_child)
