"""The report of what was mined: how much supports the rows of each list.

python -m experiments.naming.report --out experiments/naming/results
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from experiments.common.results import Row, read_csv, write_report
from experiments.common.tables import markdown_table

LISTS: Mapping[str, str] = {
    "abbreviations": "precision",
    "synonyms": "",
    "comparatives": "share",
    "superlatives": "share",
}
"""Each list, and its column with the share in [0, 1] of databases that agree."""
SUPPORT = (1, 2, 5, 10, 20)
AGREEING = 0.9


def report(out: Path) -> str:
    """Return the Markdown of a folder of results."""
    parts = [_part(name, share, read_csv(out / f"{name}.csv")) for name, share in LISTS.items()]
    return "# Results\n\nRows of each list by the databases that support them.\n" + "".join(parts)


def _part(name: str, share: str, rows: Sequence[Row]) -> str:
    is_listed = bool(rows) and "listed" in rows[0]
    header = ["databases, at least", "rows"]
    header += [f"of which {AGREEING:.0%} agree"] * bool(share) + ["packaged"] * is_listed
    lines = []
    for least in SUPPORT:
        found = [row for row in rows if int(row["databases"]) >= least]
        line = [str(least), str(len(found))]
        if share:
            line.append(str(sum(float(row[share]) >= AGREEING for row in found)))
        if is_listed:
            line.append(str(sum(row["listed"] == "1" for row in found)))
        lines.append(line)
    return f"\n## {name}\n\n" + markdown_table(header, lines)


def main() -> None:
    """Write `results.md`."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    print(write_report(parser.parse_args().out, report))


if __name__ == "__main__":
    main()
