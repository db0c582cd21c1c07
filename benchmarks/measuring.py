"""What speed is measured by, for the package that is imported; needs nothing but it.

`python -P benchmarks/measuring.py BENCHMARK` prints the medians as JSON: so `compare` measures
another checkout, named by PYTHONPATH, with this code.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import sqlglot

import clausewise
from clausewise.databases import BaseDatabase, open_database
from clausewise.datasets import read_cases
from clausewise.models import packaged_detector
from clausewise.signals import inspect_case, select_signals
from clausewise.sql import parse
from clausewise.types import Case, CaseStatus

Clock = Callable[[], float]


@dataclass(frozen=True)
class Times:
    """Milliseconds of each executable query, the fastest round: lists of `n`."""

    bare: list[float]
    """sqlglot's parse, and one run on a bare connection of sqlite3."""
    once: list[float]
    """Parsing and running the query once, as the signals do."""
    signals: list[float]
    """All that the signals do, parsing and running included."""
    scoring: list[float]
    """Scoring one case after its inspection, by the packaged detector."""


def cases_of(benchmark: Path, every: int = 1) -> list[Case]:
    """Return the distinct predictions of a benchmark's folder, or one in `every` of them."""
    distinct: dict[tuple[str, str], Case] = {}
    for path in sorted((benchmark / "predictions").glob("*.jsonl")):
        for case in read_cases(path):
            if isinstance(case, Case):
                distinct.setdefault((case.db_id, case.predicted_sql), case)
    return list(distinct.values())[::every]


def measure(
    benchmark: Path, selector: str, rounds: int, every: int = 1, clock: Clock = time.perf_counter
) -> Times:
    """Time each query cold within the process; rounds are interleaved.

    `clock` returns seconds: of the wall, or `time.process_time`, which other work beside does not
    move as much.
    """

    def milliseconds(began: float) -> float:
        return (clock() - began) * 1e3

    specs = select_signals(selector)
    cases = cases_of(benchmark, every)
    detector = packaged_detector()
    needed = {spec.name for spec in detector.specs()}
    bare: list[list[float]] = [[] for _ in cases]
    once: list[list[float]] = [[] for _ in cases]
    signals: list[list[float]] = [[] for _ in cases]
    scoring: list[list[float]] = [[] for _ in cases]
    for _ in range(rounds):
        databases = _open(benchmark, cases)
        fresh = _open(benchmark, cases)
        connections = _connected(benchmark, cases)
        for number, case in enumerate(cases):
            began = clock()
            try:
                sqlglot.parse_one(case.predicted_sql, dialect="sqlite")
                connections[case.db_id].execute(case.predicted_sql).fetchall()
            except (sqlglot.errors.SqlglotError, sqlite3.Error):
                continue
            unguarded = milliseconds(began)
            began = clock()
            try:
                parse(case.predicted_sql, tables=databases[case.db_id].schema.names())
                databases[case.db_id].run(case.predicted_sql)
            except Exception:
                continue
            ran = milliseconds(began)
            began = clock()
            inspection = inspect_case(case, fresh[case.db_id], specs)
            looked = milliseconds(began)
            if inspection.status is not CaseStatus.OK:
                continue
            bare[number].append(unguarded)
            once[number].append(ran)
            signals[number].append(looked)
            if needed <= set(inspection.outcomes):
                began = clock()
                detector.score_inspections([inspection])
                scoring[number].append(milliseconds(began))
    return Times(*([min(of) for of in times if of] for times in (bare, once, signals, scoring)))


def process_seconds(
    arguments: Sequence[str],
    environment: Mapping[str, str] | None = None,
    python: str = sys.executable,
) -> tuple[float, float]:
    """Return the seconds of a Python process, its start included: by the clock, and of the CPU."""
    began, cpu = time.perf_counter(), _cpu_of_children()
    done = subprocess.run(
        [python, *arguments],
        capture_output=True,
        check=False,
        text=True,
        env=None if environment is None else {**os.environ, **environment},
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"{arguments} ended with {done.returncode}:\n{done.stderr}")
    return time.perf_counter() - began, _cpu_of_children() - cpu


def startup_arguments(database: Path, table: str) -> dict[str, list[str]]:
    """Return the arguments of Python of each process whose start is timed, by its description."""
    run = "from clausewise.cli import main; main()"
    query = ["--db", str(database), "--question", f"How many {table} are there?"]
    return {
        "python -c pass": ["-c", "pass"],
        "import clausewise": ["-c", "import clausewise"],
        "clausewise --version": ["-c", run, "--version"],
        "clausewise check": ["-c", run, "check", *query, "--sql", f"SELECT COUNT(*) FROM {table}"],
    }


def peak_megabytes() -> float:
    """Return the largest memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _open(benchmark: Path, cases: Sequence[Case]) -> dict[str, BaseDatabase]:
    opened = {}
    for db_id in sorted({case.db_id for case in cases}):
        opened[db_id] = open_database(benchmark / "databases" / db_id / f"{db_id}.sqlite")
        _ = opened[db_id].store, opened[db_id].schema, opened[db_id].join_graph
    return opened


def _connected(benchmark: Path, cases: Sequence[Case]) -> dict[str, sqlite3.Connection]:
    folder = (benchmark / "databases").resolve()
    return {
        db_id: sqlite3.connect(f"{(folder / db_id / db_id).as_uri()}.sqlite?mode=ro", uri=True)
        for db_id in sorted({case.db_id for case in cases})
    }


def main() -> None:
    """Print the medians of one benchmark as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("benchmark", type=Path)
    parser.add_argument("--every", type=int, default=1, help="one prediction in so many")
    arguments = parser.parse_args()
    clock = time.process_time
    times = measure(arguments.benchmark, "all", rounds=1, every=arguments.every, clock=clock)
    found = {
        "package": str(Path(clausewise.__file__).parent),
        "bare parse + run, median CPU ms": statistics.median(times.bare),
        "parse + run once, median CPU ms": statistics.median(times.once),
        "with signals, median CPU ms": statistics.median(times.signals),
        "with signals, mean CPU ms": statistics.mean(times.signals),
        "scoring one case, median CPU ms": statistics.median(times.scoring),
        "peak memory, MB": peak_megabytes(),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
