"""What a worker process may spend before it is ended."""

from __future__ import annotations

from dataclasses import dataclass

from clausewise.errors import InputError


@dataclass(frozen=True, slots=True)
class Isolation:
    """Hard limits, kept by ending the process that does the work.

    The limits inside a database (`Limits`) come first and are the usual ones: they are counted in
    steps, so they end a statement at the same place on every machine. These here are for what does
    not heed them, such as one call of a SQL function on a long text.

    Attributes
    ----------
    enabled
        Whether cases are checked in processes of their own. False: in this process, which is
        faster to start and has none of the limits below; for queries that you trust.
    case_seconds
        Wall-clock seconds for one case, all its signals together.
    grace_seconds
        Wall-clock seconds that a statement may be late against its own `Limits.seconds`.
    preparation_seconds
        Wall-clock seconds for profile, inferred keys and value index of one database. A case's own
        clock stands still meanwhile.
    memory_bytes
        What a worker may take beyond what it starts with. Kept by the operating system
        (RLIMIT_DATA on Linux).
    """

    enabled: bool = True
    case_seconds: float = 120.0
    grace_seconds: float = 5.0
    preparation_seconds: float = 600.0
    memory_bytes: int = 1_000_000_000

    def __post_init__(self) -> None:
        for name in ("case_seconds", "grace_seconds", "preparation_seconds", "memory_bytes"):
            if not getattr(self, name) > 0:
                raise InputError(f"{name} must be above 0, not {getattr(self, name)}")


IN_PROCESS = Isolation(enabled=False)
"""Cases are checked in the calling process."""
