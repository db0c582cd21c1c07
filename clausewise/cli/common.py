"""What all commands share: exit codes, consoles, progress bars, opening of what users name."""

from __future__ import annotations

import errno
import logging
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias, TypeVar

import typer
from rich.console import Console

from clausewise.cli.defects import show_tracebacks
from clausewise.cli.exit_codes import ExitCode as ExitCode  # noqa: PLC0414 - given on
from clausewise.cli.streams import safe_line
from clausewise.errors import InputError
from clausewise.text import visible
from clausewise.types import UncheckedCase, Verdict

if TYPE_CHECKING:
    from clausewise.databases import Databases

T = TypeVar("T")


class _StandardError(Console):
    """Leaves a closed pipe to the end of the process: Rich would exit with the code 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


stderr = _StandardError(stderr=True, highlight=False, soft_wrap=True, markup=False, emoji=False)
"""Logs, progress and errors; results go to standard output or to a file."""


def exit_code(verdicts: Iterable[Verdict]) -> ExitCode:
    """Return the exit code for the verdicts of all cases.

    An unchecked case weighs more than a finding: what was not checked must not pass unseen.
    """
    found = set(verdicts)
    if Verdict.UNCHECKED in found:
        return ExitCode.SOME_UNCHECKED
    return ExitCode.FOUND if Verdict.INCORRECT in found else ExitCode.NOTHING_FOUND


@dataclass
class _Output:
    """What goes to standard error besides errors; one for the process."""

    quiet: bool = False


_output = _Output()


def set_quiet(quiet: bool) -> bool:
    """Switch notices, progress bars and warnings off or on; returns what it is given."""
    _output.quiet = quiet
    logging.getLogger("clausewise").setLevel(logging.ERROR if quiet else logging.NOTSET)
    return quiet


QuietOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--quiet", callback=set_quiet, is_eager=True, help="Only errors on standard error."
    ),
]


SignalsOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--signals",
        help="Run only these signals of the detector, e.g. sqlens or PRED; the probability is "
        "then not calibrated.",
    ),
]


def notify_uncalibrated(signals: str | None) -> None:
    """Say that a detector's probability does not mean what it says with some of its signals."""
    if signals is not None:
        notify(
            f"only the signals '{signals}' were run: p(correct) is not calibrated without the "
            "others; fit with --signals for one that is"
        )


def notify_not_run(databases: Databases) -> None:
    """Say that no query was run, where only the schema was given."""
    if not databases.has_data:
        notify("no query was run and no value looked up: only the schema was given")


def notify(message: str) -> None:
    """Print one line to standard error, unless `--quiet` is given."""
    if not _output.quiet:
        print_error(message)


def print_error(message: str) -> None:
    """Print one line to standard error, with `--quiet` too; nothing in it steers the terminal."""
    print_text(safe_line(message))


def print_text(text: str) -> None:
    """Print text of one or more lines to standard error, with `--quiet` too."""
    stderr.print(visible(text))


class _VisibleFormatter(logging.Formatter):
    """Writes log records so that nothing in them steers the terminal, messages on one line."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        return safe_line(super().formatMessage(record))

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))


def set_up_output(verbose: bool) -> None:
    """Send the package's log and all warnings to standard error, one line each."""
    from rich.logging import RichHandler

    set_quiet(False)
    show_tracebacks(verbose)
    handler = RichHandler(console=stderr, show_time=False, show_path=False)
    handler.setFormatter(_VisibleFormatter("%(message)s"))
    logging.basicConfig(level=logging.INFO if verbose else logging.WARNING, handlers=[handler])

    def show(message: Warning | str, *_place: object) -> None:
        notify(f"warning: {message}")

    # Where in the code a warning was raised says nothing to a user of the command line.
    warnings.showwarning = show  # type: ignore[assignment]


@contextmanager
def progress_hook(label: str, total: int | None = None) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on a terminal, nothing in a pipe.

    Yields a function of how many are done and how many there are (0 where that is unknown), such
    as `Detector.fit` takes.
    """
    if _output.quiet or not stderr.is_terminal:
        yield lambda _done, _of: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=stderr, transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda done, of: bar.update(task, completed=done, total=of or None)


@contextmanager
def progress(label: str, total: int) -> Iterator[Callable[[float], None]]:
    """Show a progress bar as `progress_hook` does; yields a function to advance it."""
    done = 0.0

    def advance(count: float) -> None:
        nonlocal done
        done += count
        report(int(done), total)

    with progress_hook(label, total) as report:
        yield advance


def tracked(items: Iterable[T], label: str, total: int) -> Iterator[T]:
    """Yield the items, with a progress bar on a terminal."""
    with progress(label, total) as advance:
        for item in items:
            yield item
            advance(1)


SchemaOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--schema", help="Instead of data: CREATE TABLE statements, or what --schema-out wrote."
    ),
]
DialectOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--dialect", help="SQL dialect of --schema: sqlite (default), postgres, mysql."),
]


def open_databases(
    folder: Path | None,
    db: str | None,
    schema: Path | None = None,
    dialect: str | None = None,
    *,
    takes_schema: bool = False,
) -> Databases:
    """Return the databases of `--databases DIR`, of `--db URL`, or of `--schema FILE`.

    Raises InputError where none or several are given.
    """
    from clausewise.databases import Databases

    if sum(given is not None for given in (folder, db, schema)) != 1:
        choices = "--databases DIR or --db URL"
        if takes_schema:
            choices = "--databases DIR, --db URL or --schema FILE"
        raise InputError(f"give either {choices}")
    if schema is not None:
        return Databases.from_schema(schema, dialect)
    if dialect is not None:
        raise InputError("goes with --schema only: a database knows its own", field="--dialect")
    if db is not None:
        from clausewise.databases import open_database

        return Databases(open_database(db))
    if folder is None or not folder.is_dir():
        raise InputError("no such folder", path=folder, field="--databases")
    return Databases(folder)


def report_unreadable(cases: Iterable[object]) -> int:
    """Name the first cases that could not be read or inspected; return how many there are."""
    unreadable = [case for case in cases if isinstance(case, UncheckedCase)]
    for case in unreadable[:10]:
        print_error(f"not read: {case.reason}")
    if len(unreadable) > 10:
        print_error(f"... and {len(unreadable) - 10} more cases")
    return len(unreadable)
