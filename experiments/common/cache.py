"""Inspections kept on disk, so that several experiments inspect the same cases once.

The key is made of everything that an inspection depends on: the code below labeling, the signals,
and the bytes of the data. A folder of cached inspections may be deleted at any time. It holds
pickles: read only a folder that you filled yourself.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import clausewise
from clausewise.signals import SignalSpec, inspect_cases
from experiments.common.data import Benchmark, Item, System

T = TypeVar("T")

FORMAT = 2
"""To be raised when what is kept changes its structure."""
ABOVE = frozenset(
    {
        "api.py", "cli", "correction", "reporting", "evaluation", "models", "labeling", "runs.py",
        "testing", "__pycache__",
    }
)  # fmt: skip
"""The parts of the package that no inspection depends on."""


def cached_systems(
    benchmark: Benchmark, specs: Sequence[SignalSpec], cache: Path, jobs: int = 1
) -> list[System]:
    """Return the systems of a benchmark, with the other systems' queries as candidates.

    `without_candidates` gives the same cases as their inspection is without candidates.
    """

    def inspect() -> list[System]:
        return benchmark.systems(specs, jobs=jobs, candidates=True)

    return _cached(cache / f"{benchmark.name}-{_key(benchmark, specs)}.pickle", inspect)


def cached_golds(
    benchmark: Benchmark, specs: Sequence[SignalSpec], cache: Path, jobs: int = 1
) -> list[Item]:
    """Return the inspections of a benchmark's gold queries, without candidates."""

    def inspect() -> list[Item]:
        return inspect_cases(benchmark.gold_cases(), benchmark.databases, specs, jobs)

    return _cached(cache / f"{benchmark.name}-golds-{_key(benchmark, specs)}.pickle", inspect)


def cached(
    benchmark: Benchmark, specs: Sequence[SignalSpec], cache: Path, make: Callable[[], T], name: str
) -> T:
    """Return what `make` gives for a benchmark and these signals, made once; `name` tells it."""
    return _cached(cache / f"{benchmark.name}-{name}-{_key(benchmark, specs)}.pickle", make)


def _cached(path: Path, make: Callable[[], T]) -> T:
    """Return what was kept in `path`, or make it and keep it."""
    if path.exists():
        kept: T = pickle.loads(path.read_bytes())
        return kept
    made = make()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}")
    unfinished.write_bytes(pickle.dumps(made))
    unfinished.replace(path)
    return made


def _key(benchmark: Benchmark, specs: Sequence[SignalSpec]) -> str:
    digest = hashlib.blake2b(digest_size=12)
    signals = [(spec.name, spec.version) for spec in specs]
    digest.update(repr((FORMAT, benchmark.only, signals)).encode())
    root = Path(clausewise.__file__).parent
    for folder, above in ((root, ABOVE), (benchmark.folder, frozenset[str]())):
        for path in sorted(folder.rglob("*.*")):
            parts = path.relative_to(folder).parts
            if path.is_file() and parts[0] not in above and "__pycache__" not in parts:
                digest.update("/".join(parts).encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()
