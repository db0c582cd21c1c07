"""Is one checkout as fast as another? Both are measured in turn within one run.

    python -m benchmarks.compare BEFORE AFTER DATA/spider [DATA/bird] [--rounds 5] [--every 5]

BEFORE and AFTER are folders that hold the package `clausewise`. Each round measures both, one
right after the other and in the other order than the round before, in processes of their own with
this checkout's measuring code. Times are those of the CPU, since work beside slows the clock. What
carries over to other machines is the ratio, and how far it differs between rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks import measuring
from benchmarks.measuring import process_seconds, startup_arguments
from benchmarks.startup import DATABASE, TABLE
from clausewise.datasets import sample_dir
from experiments.common.tables import markdown_table

Figures = dict[str, float]


def measure(checkout: Path, benchmarks: Sequence[Path], every: int, cache: Path) -> Figures:
    """Return the figures of one round of a checkout: start-up in s, queries in ms, of the CPU."""
    environment = {
        "PYTHONPATH": str(checkout.resolve()),
        "PYTHONPYCACHEPREFIX": str(cache / "bytecode"),
        "CLAUSEWISE_CACHE_DIR": str(cache),
    }
    database = sample_dir() / "databases" / DATABASE / f"{DATABASE}.sqlite"
    figures = {
        f"`{name}`, CPU s": process_seconds(["-P", *arguments], environment)[1]
        for name, arguments in startup_arguments(database, TABLE).items()
    }
    for benchmark in benchmarks:
        done = subprocess.run(
            [sys.executable, "-P", measuring.__file__, str(benchmark), "--every", str(every)],
            capture_output=True,
            check=False,
            text=True,
            env={**os.environ, **environment},
        )
        if done.returncode:
            raise SystemExit(f"{checkout}: {done.stderr}")
        found = json.loads(done.stdout)
        package = Path(found.pop("package"))
        if package.parent.resolve() != checkout.resolve():
            raise SystemExit(f"{package} was imported, not the package in {checkout}")
        figures |= {f"{benchmark.name}: {name}": value for name, value in found.items()}
    return figures


def rows(before: Sequence[Figures], after: Sequence[Figures]) -> list[list[str]]:
    """Return the table: medians over rounds, the median ratio and its least and largest."""
    table = []
    for name in before[0]:
        pairs = [(one[name], other[name]) for one, other in zip(before, after, strict=True)]
        ratios = [second / first for first, second in pairs]
        first, second = (statistics.median(of) for of in zip(*pairs, strict=True))
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
        ratio = f"{statistics.median(ratios):.2f}"
        table.append([name, f"{first:.3g}", f"{second:.3g}", ratio, spread])
    return table


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", type=Path, help="folder that holds the package before")
    parser.add_argument("after", type=Path, help="folder that holds the package after")
    parser.add_argument("benchmarks", type=Path, nargs="*", help="folders of predictions")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--every", type=int, default=5, help="one prediction in so many")
    arguments = parser.parse_args()
    checkouts = (arguments.before, arguments.after)
    found: tuple[list[Figures], list[Figures]] = ([], [])
    with tempfile.TemporaryDirectory() as folder:
        caches = (Path(folder) / "before", Path(folder) / "after")
        for number in range(-1, arguments.rounds):
            for side in (0, 1) if number % 2 else (1, 0):
                figures = measure(
                    checkouts[side], arguments.benchmarks, arguments.every, caches[side]
                )
                if number >= 0:  # the round before fills the caches of profiles and of bytecode
                    found[side].append(figures)
            print(f"round {number + 1} of {arguments.rounds}", file=sys.stderr, flush=True)
    header = ["measure", "before", "after", "ratio", "ratio, least to largest"]
    print(markdown_table(header, rows(*found)))


if __name__ == "__main__":
    main()
