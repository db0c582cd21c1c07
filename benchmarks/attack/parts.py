"""The parts of the suite by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

from benchmarks.attack import cases, databases, detectors, endpoints, order, resume, statements
from benchmarks.attack.rows import Row


class Part(Protocol):
    """A module that attacks: what it shows, and the attacks in a folder that is not there yet."""

    PROMISE: str

    def run(self, folder: Path) -> Iterator[Row]:
        """Attack, and yield one row for each attack."""


PARTS: Mapping[str, Part] = {
    "statements": statements,
    "databases": databases,
    "order": order,
    "resume": resume,
    "detectors": detectors,
    "endpoints": endpoints,
    "cases": cases,
}
