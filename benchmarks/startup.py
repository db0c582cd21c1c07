"""How long the command and the import take to start, as a ratio to Python's own start.

    python -m benchmarks.startup [--rounds 10] [--python .venv-base/bin/python]

Rounds are interleaved, so that a busy minute slows every process alike; one before them writes the
compiled modules and the profile. `--python` is the interpreter of an installation, such as that
of `make test-base`: the figure of the base install. A second table says what `check` imports, in
milliseconds under `-X importtime`, which itself costs time: its shares count.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence

from benchmarks.measuring import process_seconds, startup_arguments
from clausewise.datasets import sample_dir
from experiments.common.tables import markdown_table

DATABASE, TABLE = "bookshop", "books"
"""Of the packaged sample."""
COMPILED = {"PYTHONDONTWRITEBYTECODE": ""}
"""Modules are compiled once, as an installation does it."""
PARTS = 8
"""Packages that the second table names."""
_IMPORTED = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\w+)")


def imports(python: str, arguments: Sequence[str]) -> list[list[str]]:
    """Return rows of what a process imports: package, modules, milliseconds, share."""
    done = subprocess.run(
        [python, "-X", "importtime", *arguments],
        capture_output=True, check=False, text=True, env={**os.environ, **COMPILED},
    )  # fmt: skip
    own: Counter[str] = Counter()
    modules: Counter[str] = Counter()
    for line in done.stderr.splitlines():
        if found := _IMPORTED.match(line):
            own[found[2]] += int(found[1])
            modules[found[2]] += 1
    total = own.total()
    named = [*own.most_common(PARTS), ("all others", sum(sorted(own.values())[:-PARTS]))]
    counted = {**modules, "all others": sum(modules[name] for name, _ in own.most_common()[PARTS:])}
    return [
        [name, str(counted[name]), f"{spent / 1e3:.0f}", f"{spent / total:.0%}"]
        for name, spent in named
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--python", default=sys.executable)
    chosen = parser.parse_args()
    database = sample_dir() / "databases" / DATABASE / f"{DATABASE}.sqlite"
    processes = startup_arguments(database, TABLE)
    seconds: dict[str, list[float]] = {name: [] for name in processes}
    for number in range(chosen.rounds + 1):
        for name, arguments in processes.items():
            spent = process_seconds(arguments, COMPILED, chosen.python)[0]
            if number:
                seconds[name].append(spent)
    medians = {name: statistics.median(of) for name, of in seconds.items()}
    python = next(iter(medians.values()))
    rows = [
        [f"`{name}`", f"{median:.2f}", f"{min(seconds[name]):.2f}", f"{median / python:.1f}"]
        for name, median in medians.items()
    ]
    header = ["process", "median s", "fastest s", "ratio to Python's start"]
    print(markdown_table(header, rows))
    print()
    check = processes["clausewise check"]
    header = ["imported by `clausewise check`", "modules", "ms", "share"]
    print(markdown_table(header, imports(chosen.python, check)))


if __name__ == "__main__":
    main()
