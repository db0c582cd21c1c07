"""Run the attack: a table for each part, a count, exit code 1 where a promise was broken.

python -m benchmarks.attack [--only PART ...] [--out FILE]
"""

from __future__ import annotations

import argparse
import platform
import sqlite3
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.attack.parts import PARTS
from benchmarks.attack.rows import Row, table
from experiments.common.tables import markdown_table


def main() -> None:
    """Run the parts that are asked for and print or write their tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attack", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=tuple(PARTS), default=tuple(PARTS))
    parser.add_argument("--out", type=Path, help="where the tables go; standard output else")
    arguments = parser.parse_args()
    found: dict[str, Sequence[Row]] = {name: _run(name) for name in arguments.only}
    text = report(found)
    if arguments.out is None:
        print(text)
    else:
        arguments.out.write_text(text, encoding="utf-8")
    broken = sum(not row.kept for rows in found.values() for row in rows)
    total = sum(map(len, found.values()))
    print(f"{total} attacks, {broken} of them broke a promise", file=sys.stderr)
    sys.exit(1 if broken else 0)


def _run(name: str) -> list[Row]:
    """Run one part, with a line on standard error for each attack."""
    rows = []
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="clausewise-attack-") as folder:
        for row in PARTS[name].run(Path(folder).resolve() / name):
            rows.append(row)
            end = "kept" if row.kept else f"BROKEN: {'; '.join(row.broken)}"
            print(f"{name}: {row.attack}: {row.seconds:.1f} s: {end}", file=sys.stderr, flush=True)
    print(f"{name}: {time.monotonic() - began:.0f} s in all", file=sys.stderr)
    return rows


def report(found: dict[str, Sequence[Row]]) -> str:
    """Return the tables of all parts that were run, with a summary above them."""
    summary = [
        [
            f"[{name}](#{name})",
            str(len(rows)),
            str(sum(row.kept for row in rows)),
            f"{max((row.seconds for row in rows), default=0.0):.1f}",
        ]
        for name, rows in found.items()
    ]
    header = ["part", "attacks", "all promises kept", "longest, seconds"]
    system = (
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {platform.system()}"
    )
    parts = [f"## {name}\n\n{PARTS[name].PROMISE}\n\n{table(rows)}" for name, rows in found.items()]
    intro = f"Written by `python -m benchmarks.attack`, never by hand. {system}.\n"
    return "\n".join(["# Results of the attack\n", intro, markdown_table(header, summary), *parts])


if __name__ == "__main__":
    main()
