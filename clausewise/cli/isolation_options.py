"""Options for the processes in which cases are checked."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from clausewise.errors import InputError
from clausewise.workers import IN_PROCESS, Isolation

CaseLimitOption: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--case-limit",
        help="Seconds after which a case is ended and comes out unchecked; 120 by default.",
    ),
]
InProcessOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--in-process",
        help="Check in this process, without hard limits: only for queries that you trust.",
    ),
]


def isolation_of(case_limit: float | None, in_process: bool = False) -> Isolation:
    """Return the limits that the options name.

    Raises InputError where both are given, or the limit is not above 0.
    """
    if in_process and case_limit is not None:
        raise InputError("has no effect together with --in-process", field="--case-limit")
    if in_process:
        return IN_PROCESS
    if case_limit is None:
        return Isolation()
    if not case_limit > 0:
        raise InputError(
            f"is a number of seconds above 0, not {case_limit:g}", field="--case-limit"
        )
    return Isolation(case_seconds=case_limit)
