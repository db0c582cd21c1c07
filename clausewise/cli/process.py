"""The process around the commands: whatever happens, it ends with one of `ExitCode`."""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn

from clausewise.cli.defects import report_defect, show_tracebacks, try_to_say
from clausewise.cli.exit_codes import ExitCode
from clausewise.cli.interrupts import Interrupts
from clausewise.cli.streams import discard_output, open_streams, output_is_gone, write_error

YOUNG_OBJECTS = 20_000
"""New objects between two searches for garbage. At Python's 700, what is imported, and never is
garbage, is looked through so often that it takes a tenth of the start."""


def run() -> NoReturn:
    """Run the command line and exit with one of `ExitCode`."""
    # NumPy's linear algebra starts threads that wait busily; matrices here are too small for them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    open_streams()
    show_tracebacks(False)
    interrupts = Interrupts()
    usual = gc.get_threshold()
    gc.set_threshold(YOUNG_OBJECTS, *usual[1:])
    try:
        with interrupts:
            code = _guarded(interrupts)
    except KeyboardInterrupt:
        code = interrupts.code
    finally:
        gc.set_threshold(*usual)  # a process that runs several commands, as tests do
    sys.exit(code)


def _guarded(interrupts: Interrupts) -> int:
    """Run the command and return its code; no error gets out of here, and no second signal."""
    try:
        code = _flushed(_command())
    except KeyboardInterrupt:
        code = interrupts.code
        try_to_say("terminated" if code == ExitCode.TERMINATED else "interrupted")
    except BrokenPipeError as error:
        code = int(ExitCode.OUTPUT_CLOSED)
        if not output_is_gone():
            code = report_defect(error)
    except BaseException as error:
        code = report_defect(error)
    discard_output()
    return code


def _command() -> int:
    # Imported here: an installation that is broken ends with its own code, too.
    from clausewise.cli.app import invoke

    try:
        return int(invoke(sys.argv[1:]))
    except SystemExit as error:
        raise RuntimeError(f"a library ended the process with {error.code!r}") from error


def _flushed(code: int) -> int:
    """Return the code, that of a failed write where what is buffered cannot be written."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return int(ExitCode.OUTPUT_CLOSED)
    except OSError as error:
        write_error(f"error: standard output: {error.strerror or error}")
        return int(ExitCode.USAGE)
    return code
