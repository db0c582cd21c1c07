"""Milliseconds a case for the signals, and the ratio to parsing and running the query once.

    python -m benchmarks.speed DATA/spider DATA/bird [--signals sqlens] [--rounds 3]

Each query is timed cold within the process (no result is remembered from another case, the
profiles are on disk), in the order bare (sqlglot's parse and one run on a connection of sqlite3),
parse + run, then everything; rounds are interleaved.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

from benchmarks.measuring import measure, peak_megabytes
from experiments.common.tables import markdown_table

HEADER = (
    "benchmark", "queries", "bare, median ms", "parse + run once, median ms",
    "with signals, median ms", "mean ms", "95th percentile ms", "median ratio", "ratio of sums",
    "ratio of sums to bare", "scoring one case, median ms", "peak memory, MB",
)  # fmt: skip


def cells(benchmark: Path, selector: str, rounds: int) -> list[str]:
    """Return one row of the table."""
    times = measure(benchmark, selector, rounds)
    ratios = [signals / once for signals, once in zip(times.signals, times.once, strict=True)]
    return [
        benchmark.name,
        str(len(times.once)),
        f"{statistics.median(times.bare):.2f}",
        f"{statistics.median(times.once):.2f}",
        f"{statistics.median(times.signals):.2f}",
        f"{statistics.mean(times.signals):.2f}",
        f"{statistics.quantiles(times.signals, n=20)[-1]:.2f}",
        f"{statistics.median(ratios):.1f}",
        f"{sum(times.signals) / sum(times.once):.1f}",
        f"{sum(times.signals) / sum(times.bare):.1f}",
        f"{statistics.median(times.scoring):.2f}" if times.scoring else "-",
        f"{peak_megabytes():.0f}",
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("benchmarks", type=Path, nargs="+")
    parser.add_argument("--signals", default="all")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    rows = [cells(path, arguments.signals, arguments.rounds) for path in arguments.benchmarks]
    print(markdown_table(HEADER, rows))


if __name__ == "__main__":
    main()
