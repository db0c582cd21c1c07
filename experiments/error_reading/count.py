"""Count what was read: the numbers of docs/concepts/limits.md.

python -m experiments.error_reading.count
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from experiments.common.data import BENCHMARKS
from experiments.common.results import read_csv
from experiments.common.tables import markdown_table

READINGS = Path(__file__).with_name("readings.csv")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readings", type=Path, default=READINGS)
    readings = read_csv(parser.parse_args().readings)
    for kind in ("miss", "false_alarm"):
        chosen = [row for row in readings if row["kind"] == kind]
        counts = Counter((row["reading"], row["cause"], row["benchmark"]) for row in chosen)
        causes = Counter((row["reading"], row["cause"]) for row in chosen)
        silent = Counter(row["reading"] for row in chosen if not row["fired"])
        lines = [
            [
                reading,
                cause,
                *(str(counts[reading, cause, name]) for name in BENCHMARKS),
                str(total),
            ]
            for (reading, cause), total in sorted(
                causes.items(), key=lambda item: (item[0][0], -item[1], item[0][1])
            )
        ]
        print(markdown_table([f"{kind}: reading", "cause", *BENCHMARKS, "both"], lines))
        for reading, total in sorted(Counter(row["reading"] for row in chosen).items()):
            print(f"{reading}: {total}, with no finding at all: {silent[reading]}")
        print()


if __name__ == "__main__":
    main()
