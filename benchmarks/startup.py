"""How long the command and the import take to start, as a ratio to Python's own start.

    python -m benchmarks.startup [--rounds 10]

Rounds are interleaved, so that a busy minute slows every process alike.
"""

from __future__ import annotations

import argparse
import statistics

from benchmarks.measuring import process_seconds, startup_arguments
from clausewise.datasets import sample_dir
from experiments.common.tables import markdown_table

DATABASE, TABLE = "bookshop", "books"
"""Of the packaged sample."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    database = sample_dir() / "databases" / DATABASE / f"{DATABASE}.sqlite"
    processes = startup_arguments(database, TABLE)
    seconds: dict[str, list[float]] = {name: [] for name in processes}
    for _ in range(rounds):
        for name, arguments in processes.items():
            seconds[name].append(process_seconds(arguments)[0])
    medians = {name: statistics.median(of) for name, of in seconds.items()}
    python = next(iter(medians.values()))
    rows = [
        [f"`{name}`", f"{median:.2f}", f"{min(seconds[name]):.2f}", f"{median / python:.1f}"]
        for name, median in medians.items()
    ]
    header = ["process", "median s", "fastest s", "ratio to Python's start"]
    print(markdown_table(header, rows))


if __name__ == "__main__":
    main()
