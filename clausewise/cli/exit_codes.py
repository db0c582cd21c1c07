"""The exit codes of the command line."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """The contract's exit codes; from 128 on they are those that a shell gives for signals."""

    NOTHING_FOUND = 0
    FOUND = 1
    USAGE = 2
    SOME_UNCHECKED = 3
    DEFECT = 4
    """An error that clausewise does not expect: a defect, a broken installation or plug-in."""
    INTERRUPTED = 130
    """Ctrl-C."""
    OUTPUT_CLOSED = 141
    """Who reads the output has closed it, as `| head` does."""
    TERMINATED = 143
