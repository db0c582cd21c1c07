"""The time that the profiles of one database may take: a backstop behind what is counted."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from clausewise.errors import InputError

PROFILE_VARIABLE = "CLAUSEWISE_PROFILE_SECONDS"
"""Environment variable of the seconds that the profiles of a database may take."""
PROFILE_SECONDS = 60.0
CHECK_SECONDS = 10.0
"""The same where somebody waits for the answer on one query."""


class Deadline:
    """Seconds by the clock on the wall, from now on."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self.was_met = True
        """Whether nothing was left out for the time."""
        self._clock = clock
        self._end = clock() + seconds

    @property
    def reason(self) -> str:
        """Why a part was left out."""
        return (
            f"the {self.seconds:g} s for profiles were over; "
            "clausewise index --profile-seconds gives more"
        )

    def is_over(self) -> bool:
        """Whether the time is over, for what is about to begin and is left out then."""
        over = self._clock() > self._end
        self.was_met = self.was_met and not over
        return over

    def within(self, seconds: float) -> float:
        """Return how long a statement may take that takes `seconds` at most, and at least 0.1."""
        return max(0.1, min(seconds, self._end - self._clock()))


def profile_seconds(default: float = PROFILE_SECONDS) -> float:
    """Return the seconds of `CLAUSEWISE_PROFILE_SECONDS`, or `default`.

    Raises InputError where the variable is no number above 0.
    """
    text = os.environ.get(PROFILE_VARIABLE)
    if not text:
        return default
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise InputError(f"{PROFILE_VARIABLE} must be a number of seconds above 0, not '{text}'")
    return seconds
