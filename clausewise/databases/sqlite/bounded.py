"""Reads one database within limits, and keeps what could not be read, with the reason.

What is counted (steps of SQLite's machine, bytes) decides first, so that the same database gives
the same profile everywhere; the processor's clock stands behind it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import thread_time

from clausewise.databases.files import unreadable
from clausewise.databases.marker import Marker
from clausewise.databases.sqlite.file import DatabaseFile
from clausewise.workers import heartbeat, memory

LONGEST_CELL = 50_000_000
"""Bytes of the largest stored value that is read."""
LONGEST_COMPUTED = 1_000_000
"""Bytes of the largest value that a view or a generated column may compute."""


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """What one part of a database may take: a column, a view, a comparison of two columns."""

    steps: int
    """Steps of SQLite's machine."""
    cpu_seconds: float
    """A backstop, for functions of SQLite that take long in one step."""
    cell_bytes: int
    interval: int
    """Steps between two looks at the limits."""
    seconds: float
    """By the clock on the wall: a process that dies after so long died because of this part."""
    is_computed: bool = False


STORED = ReadingLimits(4_000_000_000, 120.0, LONGEST_CELL, 10_000, 240.0)
"""For what is only read."""
COMPUTED = ReadingLimits(200_000_000, 10.0, LONGEST_COMPUTED, 100, 30.0, is_computed=True)
"""For views, virtual tables and generated columns: for one of them, or all columns of a view."""
DATABASE_STEPS = 20_000_000_000
"""Steps for all parts of one database."""
MOST_LONG_BYTES = 2_000_000_000
"""Bytes of long values that are read for one column."""


SMALL_FILE = 10_000_000
"""Bytes; what a file of fewer stores is read within no time, and needs no marker."""


class LeftOut(Exception):
    """A part of a database that cannot be read within its limits; the message is the reason."""


class OverLimits(LeftOut):
    """A part took too long, by the clock or in steps, or processes died while they read it.

    Which of these comes first depends on the machine, so all that is read at the same place is
    left out, for one reason, whichever it was.
    """

    def __init__(self) -> None:
        super().__init__("it could not be read within its limits")


class BoundedSource:
    """A read-only connection to a database that is profiled, part by part."""

    def __init__(self, file: DatabaseFile, marker: Marker) -> None:
        self.connection = file.connect()
        self.left_out: dict[str, str] = {}
        """Name of a table, view or column to the reason."""
        self._file = file
        self._marker = marker
        self._is_large = file.size() >= SMALL_FILE
        self._steps_left = DATABASE_STEPS

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def leave_out(self, name: str, reason: object) -> None:
        """Keep that a part was left out."""
        self.left_out[name] = str(reason)

    @contextmanager
    def part(self, name: str, allowance: Allowance, place: str | None = None) -> Iterator[None]:
        """Read one part; raises LeftOut where it cannot be read within its allowance.

        `place` is what to blame where the process dies, the part itself if not given. Raises
        DatabaseError where a part that is stored, not computed, cannot be read at all, and where
        memory runs out for the first time at this part.
        """
        place = place or name
        limits = allowance.limits
        if self._marker.gave_up(place):
            raise OverLimits
        if limits.is_computed or self._is_large:
            self._marker.enter(place, limits.seconds)
        self.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limits.cell_bytes)
        began = thread_time()
        allowance.start()

        def stop() -> bool:
            self._steps_left -= limits.interval
            allowance.spend(limits.interval, thread_time() - began)
            if self._steps_left <= 0 and not allowance.is_used_up:
                allowance.stopped = LeftOut(f"the database takes over {DATABASE_STEPS:,} steps")
            return allowance.is_used_up

        self.connection.set_progress_handler(stop, limits.interval)
        heartbeat.begin_statement(limits.seconds)
        try:
            yield
        except sqlite3.Error as error:
            raise self._translate(error, allowance) from error
        except MemoryError as error:
            if self._marker.runs_short(place):
                raise LeftOut("there is not enough memory to read it") from error
            # What else this process holds may be the reason.
            memory.note_shortage()
            raise unreadable(self._file.path, f"memory ran out at '{name}'") from error
        finally:
            heartbeat.end_statement()
            self.connection.set_progress_handler(None, 0)
            allowance.seconds_left -= thread_time() - began

    def _translate(self, error: sqlite3.Error, allowance: Allowance) -> BaseException:
        if allowance.stopped is not None:
            return allowance.stopped
        code = getattr(error, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_INTERRUPT:
            # Ctrl-C broke off the handler before its first line, and SQLite discards it.
            return KeyboardInterrupt()
        if code == sqlite3.SQLITE_TOOBIG:
            return LeftOut(f"it holds values of over {allowance.limits.cell_bytes:,} bytes")
        if allowance.limits.is_computed:
            return LeftOut(str(error))
        return unreadable(self._file.path, error)


class Allowance:
    """What is left of the limits of one part, or of several that share them."""

    def __init__(self, limits: ReadingLimits) -> None:
        self.limits = limits
        self.steps_left = limits.steps
        self.seconds_left = limits.cpu_seconds
        self.start()

    def start(self) -> None:
        """Begin a part."""
        self.stopped: BaseException | None = None
        """Why the statement was stopped."""

    @property
    def is_used_up(self) -> bool:
        """Whether the statement must stop."""
        return self.stopped is not None

    def spend(self, steps: int, seconds: float) -> None:
        """Count steps, and compare the seconds since the part began; never raises."""
        try:
            self.steps_left -= steps
            if self.steps_left <= 0 or seconds > self.seconds_left:
                self.stopped = OverLimits()
        except BaseException as error:  # SQLite would discard it
            self.stopped = error
