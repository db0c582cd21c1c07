"""Milliseconds a case for the signals, and the ratio to parsing and running the query once.

    python -m benchmarks.speed DATA/spider DATA/bird [--signals sqlens] [--rounds 3]

Each query is timed cold within the process (no result is remembered from another case, the
profiles are on disk), in the order parse + run, then everything; rounds are interleaved.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from pathlib import Path

from clausewise.databases import Database, open_database
from clausewise.datasets import read_cases
from clausewise.models import packaged_detector
from clausewise.signals import inspect_case, select_signals
from clausewise.sql import parse
from clausewise.types import Case, CaseStatus
from experiments.common.tables import markdown_table


def cases_of(benchmark: Path) -> list[Case]:
    """Return the distinct executable predictions of a benchmark's folder."""
    distinct: dict[tuple[str, str], Case] = {}
    for path in sorted((benchmark / "predictions").glob("*.jsonl")):
        for case in read_cases(path):
            if isinstance(case, Case):
                distinct.setdefault((case.db_id, case.predicted_sql), case)
    return list(distinct.values())


def milliseconds(began: float) -> float:
    """Return the time since `began`."""
    return (time.perf_counter() - began) * 1e3


def measure(benchmark: Path, selector: str, rounds: int) -> list[str]:
    """Return one row of the table."""
    specs = select_signals(selector)
    cases = cases_of(benchmark)
    detector = packaged_detector()
    parse_and_run: list[list[float]] = [[] for _ in cases]
    signals: list[list[float]] = [[] for _ in cases]
    scoring: list[list[float]] = [[] for _ in cases]
    for _ in range(rounds):
        databases = _open(benchmark, cases)
        fresh = _open(benchmark, cases)
        for number, case in enumerate(cases):
            began = time.perf_counter()
            try:
                parse(case.predicted_sql, tables=databases[case.db_id].schema.names())
                databases[case.db_id].run(case.predicted_sql)
            except Exception:
                continue
            parse_and_run[number].append(milliseconds(began))
            began = time.perf_counter()
            inspection = inspect_case(case, fresh[case.db_id], specs)
            signals[number].append(milliseconds(began))
            if inspection.status is not CaseStatus.OK:
                signals[number].pop()
                parse_and_run[number].pop()
                continue
            if {spec.name for spec in detector.specs()} <= set(inspection.outcomes):
                began = time.perf_counter()
                detector.score_inspections([inspection])
                scoring[number].append(milliseconds(began))
    kept = [number for number, times in enumerate(signals) if times]
    once = [min(parse_and_run[number]) for number in kept]
    all_of_it = [min(signals[number]) for number in kept]
    scored = [min(scoring[number]) for number in kept if scoring[number]]
    return [
        benchmark.name,
        str(len(kept)),
        f"{statistics.median(once):.2f}",
        f"{statistics.median(all_of_it):.2f}",
        f"{statistics.mean(all_of_it):.2f}",
        f"{statistics.quantiles(all_of_it, n=20)[-1]:.2f}",
        f"{statistics.median(a / o for a, o in zip(all_of_it, once, strict=True)):.1f}",
        f"{sum(all_of_it) / sum(once):.1f}",
        f"{statistics.median(scored):.2f}" if scored else "-",
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}",
    ]


def _open(benchmark: Path, cases: list[Case]) -> dict[str, Database]:
    opened = {}
    for db_id in sorted({case.db_id for case in cases}):
        opened[db_id] = open_database(benchmark / "databases" / db_id / f"{db_id}.sqlite")
        _ = opened[db_id].store, opened[db_id].schema, opened[db_id].join_graph
    return opened


HEADER = (
    "benchmark", "queries", "parse + run once, median ms", "with signals, median ms", "mean ms",
    "95th percentile ms", "median ratio", "ratio of sums", "scoring one case, median ms",
    "peak memory, MB",
)  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("benchmarks", type=Path, nargs="+")
    parser.add_argument("--signals", default="all")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    rows = [measure(path, arguments.signals, arguments.rounds) for path in arguments.benchmarks]
    print(markdown_table(HEADER, rows))


if __name__ == "__main__":
    main()
