"""Run the attack: a table for each part, a count, exit code 1 where a promise was broken.

python -m benchmarks.attack [--only PART ...] [--jobs N] [--out FILE]
"""

from __future__ import annotations

import argparse
import platform
import sqlite3
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks.attack.parts import PARTS
from benchmarks.attack.rows import Row, table


def main() -> None:
    """Run the parts that are asked for and print or write their tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attack", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=tuple(PARTS), default=tuple(PARTS))
    parser.add_argument("--jobs", type=int, default=1, help="parts attacked at the same time")
    parser.add_argument(
        "--out",
        type=Path,
        help="where the tables go, those of other parts stay; else standard output",
    )
    arguments = parser.parse_args()
    with ProcessPoolExecutor(arguments.jobs) as pool:
        found = dict(zip(arguments.only, pool.map(run, arguments.only), strict=True))
    sections = {name: section(name, rows) for name, rows in found.items()}
    if arguments.out is None:
        print(report(sections))
    else:
        arguments.out.write_text(report(earlier(arguments.out) | sections), encoding="utf-8")
    broken = sum(not row.kept for rows in found.values() for row in rows)
    total = sum(map(len, found.values()))
    print(f"{total} attacks, {broken} of them broke a promise", file=sys.stderr)
    sys.exit(1 if broken else 0)


def run(name: str) -> list[Row]:
    """Run one part, with a line on standard error for each attack."""
    rows = []
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="clausewise-attack-") as temporary:
        folder = Path(temporary).resolve()
        for row in PARTS[name].run(folder / name):
            rows.append(row.without(f"{folder}/{name}"))
            end = "kept" if row.kept else f"BROKEN: {'; '.join(row.broken)}"
            line = f"{name}: {row.attack!r}: {row.seconds:.1f} s: {end}"
            print(line, file=sys.stderr, flush=True)
    print(f"{name}: {time.monotonic() - began:.0f} s in all", file=sys.stderr)
    return rows


def section(name: str, rows: Sequence[Row]) -> str:
    """Return what a part shows: its promises, counts and table."""
    kept = sum(row.kept for row in rows)
    longest = max((row.seconds for row in rows), default=0.0)
    counts = f"{len(rows)} attacks, {kept} kept all promises, the longest took {longest:.1f} s."
    return f"## {name}\n\n{PARTS[name].PROMISE}\n\n{counts}\n\n{table(rows)}"


def earlier(out: Path) -> dict[str, str]:
    """Return the sections of an earlier run by part, none where there is no file."""
    text = out.read_text(encoding="utf-8") if out.is_file() else ""
    found = [f"## {part}" for part in text.split("\n## ")[1:]]
    return {part.removeprefix("## ").partition("\n")[0]: part for part in found}


def report(sections: Mapping[str, str]) -> str:
    """Return the sections of all parts, in their order."""
    system = (
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {platform.system()}"
    )
    intro = f"Written by `python -m benchmarks.attack`, never by hand. {system}.\n"
    parts = [sections[name].strip() + "\n" for name in PARTS if name in sections]
    return "\n".join(["# Results of the attack\n", intro, *parts])


if __name__ == "__main__":
    main()
