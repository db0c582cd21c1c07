"""Options for where cases are checked: processes of this machine, or a cluster."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from clausewise.errors import InputError
from clausewise.workers import Backend

JobsOption: TypeAlias = Annotated[
    int | None,
    typer.Option(help="Processes; 1, with --backend as many as it has.", min=1, show_default=False),
]
BackendOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--backend",
        help="Check on a backend of joblib: loky, dask, ray or another one.",
    ),
]
SchedulerOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        help="Address of the cluster's scheduler, with --backend dask or ray; else one is started "
        "on this machine.",
    ),
]


def backend_of(backend: str | None, scheduler: str | None, jobs: int | None) -> Backend | None:
    """Return where the options say that cases are checked; None: by processes of this one.

    Raises InputError where a scheduler is given without a backend.
    """
    if backend is None:
        if scheduler is not None:
            raise InputError("has no effect without --backend", field="--scheduler")
        return None
    return Backend(backend, scheduler, jobs)
