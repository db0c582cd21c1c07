"""Inspected cases kept on disk, so that several experiments inspect them once.

The key is made of everything that an inspection depends on: the code below labeling, the options,
and the bytes of the data. A folder of cached inspections may be deleted at any time. It holds
pickles: read only a folder that you filled yourself.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import os
import pickle
import tempfile
from collections.abc import Sequence
from pathlib import Path

import clausewise
from clausewise.signals import SignalSpec
from clausewise.types import CaseStatus, Inspection, Need, Outcome, OutcomeStatus, UncheckedCase
from experiments.data import Benchmark, System

NO_CANDIDATES = "the case has no candidates"
_CODE = ("signals", "sql", "databases", "datasets", "llm", "types.py", "errors.py", "registry.py")
"""What an inspection is made by."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that experiments on cached inspections share."""
    parser.add_argument("data", type=Path, help="folder of the benchmarks")
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument("--benchmarks", default="spider,bird")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path(tempfile.gettempdir()) / f"clausewise-experiments-{os.getuid()}",
        help="folder of cached inspections; default: one in the folder of temporary files",
    )


def inspected(
    benchmark: Benchmark, specs: Sequence[SignalSpec], cache: Path, jobs: int = 1
) -> list[System]:
    """Return the systems of a benchmark, inspected with the other systems' queries as candidates.

    `alone` gives the same cases as they look without candidates.
    """
    path = cache / f"{benchmark.name}-{_key(benchmark, specs)}.pickle"
    if path.exists():
        systems: list[System] = pickle.loads(path.read_bytes())
        return systems
    systems = benchmark.systems(specs, jobs=jobs, candidates=True)
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}")
    unfinished.write_bytes(pickle.dumps(systems))
    unfinished.replace(path)
    return systems


def alone(system: System, specs: Sequence[SignalSpec]) -> System:
    """Return the system's cases as they are inspected where no candidates are given."""
    comparing = [spec.name for spec in specs if Need.CANDIDATES in spec.needs]

    def stripped(item: Inspection | UncheckedCase) -> Inspection | UncheckedCase:
        if isinstance(item, UncheckedCase):
            return item
        outcomes = dict(item.outcomes)
        if item.status is CaseStatus.OK:
            outcomes |= {
                name: Outcome(name, OutcomeStatus.NOT_APPLICABLE, reason=NO_CANDIDATES)
                for name in comparing
            }
        case = item.case.model_copy(update={"candidates": ()})
        return dataclasses.replace(item, case=case, outcomes=outcomes)

    return dataclasses.replace(system, inspections=[stripped(item) for item in system.inspections])


def _key(benchmark: Benchmark, specs: Sequence[SignalSpec]) -> str:
    digest = hashlib.blake2b(digest_size=12)
    digest.update(repr([(spec.name, spec.version) for spec in specs]).encode())
    digest.update(repr((benchmark.only, __doc__)).encode())
    root = Path(clausewise.__file__).parent
    code = [path for name in _CODE for path in _files(root / name, "*.*") if "__pycache__" not in
            path.parts]  # fmt: skip
    for path in (*code, *_files(benchmark.folder, "**/*.*")):
        digest.update(str(path.name).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _files(path: Path, pattern: str) -> list[Path]:
    if path.is_file():
        return [path]
    return sorted(found for found in path.rglob(pattern) if found.is_file())
