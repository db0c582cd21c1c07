"""Where tasks are done, if not in processes of this one: a backend of joblib."""

from __future__ import annotations

from dataclasses import dataclass

from clausewise.errors import InputError


@dataclass(frozen=True, slots=True)
class Backend:
    """Where tasks are done.

    Attributes
    ----------
    name
        A backend of joblib: `loky`, `threading`, `sequential`, `dask`, `ray`, or another that is
        registered.
    scheduler
        Address of the cluster's scheduler, for `dask` and `ray`; None for one on this machine.
    jobs
        Processes at a time; None for as many as the backend has.
    chunk
        Most tasks that a worker is given at a time.
    window
        How many tasks are read ahead to be sorted by kind.
    """

    name: str
    scheduler: str | None = None
    jobs: int | None = None
    chunk: int = 256
    window: int = 8_192

    def __post_init__(self) -> None:
        if self.chunk < 1 or self.window < 1 or (self.jobs is not None and self.jobs < 1):
            raise InputError("chunk, window and jobs of a backend are at least 1")
