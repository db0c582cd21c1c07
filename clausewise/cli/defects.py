"""Reporting an error that nothing expects: one line, and the traceback where it is found again."""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from dataclasses import dataclass

from clausewise.cli.exit_codes import ExitCode
from clausewise.cli.streams import write_error
from clausewise.text import visible


@dataclass
class _Reporting:
    """How errors are reported; one for the process."""

    tracebacks: bool = False


_reporting = _Reporting()


def show_tracebacks(wanted: bool) -> None:
    """Write the tracebacks of defects to standard error, not to files."""
    _reporting.tracebacks = wanted


def report_defect(error: BaseException) -> int:
    """Report an error that nothing expects; returns its exit code."""
    if isinstance(error, MemoryError):
        try_to_say("error: out of memory")
        return int(ExitCode.DEFECT)
    try:
        text = "".join(traceback.format_exception(error))
        what = traceback.format_exception_only(error)[-1].strip()
        if _reporting.tracebacks:
            sys.stderr.write(visible(text))
            where = "see above"
        else:
            where = _kept(text)
        try_to_say(
            f"error: {what[:500]}; this is a defect in clausewise, please report it ({where})"
        )
    except BaseException:  # out of memory, or an error that cannot be put into words
        os.write(2, f"error: {type(error).__name__}\n".encode("ascii", "replace"))
    return int(ExitCode.DEFECT)


def _kept(text: str) -> str:
    """Write the traceback to a file of this user's; return where it is."""
    try:
        number, path = tempfile.mkstemp(prefix="clausewise-error-", suffix=".txt")
        with os.fdopen(number, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError:
        return "-v shows the traceback"
    return f"traceback in {path}"


def try_to_say(message: str) -> None:
    """Write one line to standard error, if it still can be written to."""
    try:
        write_error(message)
    except OSError:
        return
