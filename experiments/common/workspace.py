"""What an experiment's command was asked for, and the systems that it reads."""

from __future__ import annotations

import argparse
import os
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Self

from clausewise.signals import SignalSpec, select_signals
from experiments.common.cache import cached_golds, cached_systems
from experiments.common.data import BENCHMARKS, Benchmark, Item, System, without_candidates


@dataclass(frozen=True)
class Workspace:
    """The folders, benchmarks and number of processes of a run; small, so that tasks carry it."""

    data: Path
    out: Path
    benchmarks: tuple[str, ...] = BENCHMARKS
    jobs: int = 1
    cache: Path = Path(tempfile.gettempdir()) / f"clausewise-experiments-{os.getuid()}"

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> Self:
        """Return the workspace of parsed arguments, with its folder of results made."""
        arguments.out.mkdir(parents=True, exist_ok=True)
        return cls(
            data=arguments.data,
            out=arguments.out,
            benchmarks=tuple(arguments.benchmarks.split(",")),
            jobs=arguments.jobs,
            cache=arguments.cache,
        )

    def benchmark(self, name: str, only: tuple[str, ...] = ()) -> Benchmark:
        """Return a benchmark, with some of its systems only where `only` is given."""
        return Benchmark(self.data / name, only)

    def systems(
        self, name: str, *, candidates: bool = False, only: tuple[str, ...] = ()
    ) -> list[System]:
        """Return the systems of a benchmark after inspection by all signals, read once."""
        return list(_systems(self, name, candidates, only))


def gold_inspections(workspace: Workspace, name: str = "spider_train") -> list[Item]:
    """Return the gold queries of a set after inspection by all signals."""
    benchmark = workspace.benchmark(name)
    return cached_golds(benchmark, all_signals(), workspace.cache, workspace.jobs)


def all_signals() -> tuple[SignalSpec, ...]:
    """Return every signal that asks no language model."""
    return tuple(select_signals())


def parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser of the arguments that all experiments on predictions share."""
    made = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("data", type=Path, help="folder of the benchmarks")
    made.add_argument("--out", type=Path, required=True, help="folder of the results")
    made.add_argument("--benchmarks", default=",".join(BENCHMARKS))
    made.add_argument("--jobs", type=int, default=1, help="processes")
    made.add_argument(
        "--cache",
        type=Path,
        default=Workspace.cache,
        help="folder of cached inspections; default: one in the folder of temporary files",
    )
    return made


@lru_cache(maxsize=8)
def _systems(
    workspace: Workspace, name: str, candidates: bool, only: tuple[str, ...]
) -> tuple[System, ...]:
    specs = all_signals()
    if not candidates:
        full = workspace.systems(name, candidates=True, only=only)
        return tuple(without_candidates(system, specs) for system in full)
    benchmark = workspace.benchmark(name, only)
    return tuple(cached_systems(benchmark, specs, workspace.cache, workspace.jobs))
