"""Writing a results file that a killed run leaves unfinished and `--resume` continues."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from clausewise.cli.common import notify, progress_hook

if TYPE_CHECKING:
    from clausewise.models.streaming import Progress
    from clausewise.runs import Run
    from clausewise.types import Json


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
    done = run.open(resume, total)
    if done:
        notify(f"resuming after {done} cases")
    try:
        with progress_hook(label) as report:
            run.write(records(done, report))
    except KeyboardInterrupt:
        notify(f"interrupted after {run.done} of {total} cases; continue with --resume")
        raise
