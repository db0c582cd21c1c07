"""The verifier's figures as Markdown."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments.common.results import Row, grouped, number, read_csv
from experiments.common.tables import markdown_table

FIGURES = ("auc", "auc_within_databases", "recall_at_5")


def report(folder: Path) -> str:
    """Return the tables of the last training and of the trials before it."""
    (path,) = sorted(folder.glob("verifier_*.csv"))
    rows = read_csv(path)
    names = ("AUC", "AUC within databases", "recall at 5 %")
    header = ["population", "set", "queries", "wrong", *names]
    lines = [_line(row) for row in rows if row["population"] == "world"]
    for (population,), of in grouped(rows, "population").items():
        if population != "world":
            lines.append(_mean(population, of))
    trials = read_csv(folder / "trials.csv")
    return "\n".join(
        [
            "# Results\n\nDatabases of which nothing was learned. "
            "Those of the benchmarks are means over systems.\n",
            markdown_table(header, lines),
            "## What was tried, on the composed queries of `world`\n",
            markdown_table(list(trials[0]), [list(row.values()) for row in trials]),
        ]
    )


def _line(row: Row) -> list[str]:
    figures = [
        f"{number(row, name):.3f}" for name in ("auc", "auc_within_databases", "recall_at_5")
    ]
    return [row["population"], row["set"], row["queries"], row["wrong"], *figures]


def _mean(population: str, rows: list[Row]) -> list[str]:
    figures = [f"{np.mean([number(row, name) for row in rows]):.3f}" for name in FIGURES]
    counts = [str(sum(int(row[name]) for row in rows)) for name in ("queries", "wrong")]
    return [population, f"{len(rows)} systems", *counts, *figures]
