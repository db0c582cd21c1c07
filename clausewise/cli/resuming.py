"""Writing a results file that a killed run leaves unfinished and `--resume` continues."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TypeVar

from clausewise.cli.common import notify, progress_hook

if TYPE_CHECKING:
    from clausewise.models.streaming import Progress
    from clausewise.runs import Run
    from clausewise.types import Json

T = TypeVar("T")


def write_run(
    run: Run,
    records: Callable[[int, Progress], Iterable[Mapping[str, Json]]],
    total: int,
    resume: bool,
    label: str,
) -> None:
    """Write all records, or with `resume` the rest of them, with a progress bar.

    `records` gets how many cases are done already, and what is to be called after every further
    one. An interrupted run says how it can be continued.
    """
    _write(run, lambda done, report: run.write(records(done, report)), total, resume, label)


def write_lines(
    run: Run,
    lines: Callable[[int, Progress], Iterable[tuple[str, T]]],
    count: Callable[[T], None],
    total: int,
    resume: bool,
    label: str,
) -> None:
    """Write lines as `write_run` writes records; `count` gets what stands beside each."""
    _write(
        run, lambda done, report: run.write_lines(lines(done, report), count), total, resume, label
    )


def _write(
    run: Run, write: Callable[[int, Progress], None], total: int, resume: bool, label: str
) -> None:
    done = run.open(resume, total or None)
    if done:
        notify(f"resuming after {done} cases")
    try:
        with progress_hook(label) as report:
            write(done, report)
    except KeyboardInterrupt:
        of_all = f" of {total}" if total else ""
        notify(f"interrupted after {run.done}{of_all} cases; continue with --resume")
        raise
