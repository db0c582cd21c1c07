"""RED-SQL's tables 3, 5 and 6 and figures 8 and 9: EX before and after, by order and by part."""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from pathlib import Path

from clausewise.llm import LLM
from clausewise.types import Json
from experiments.common.results import Cell, Row, grouped, interval, number, read_csv
from experiments.common.tables import interval_text, markdown_table
from experiments.common.workspace import Workspace
from experiments.correction.figures import ALL, system_rows
from experiments.correction.recorded import run_recorded
from experiments.correction.run import model_settings
from experiments.correction.trials import Trial, run_trial

FILE = "accuracy.csv"
AUDITED, PAPER = "audited", "as in the paper"

GROUPS: dict[str, dict[str, dict[str, Json]]] = {
    "paper": {"AB": {}},
    "orders": {order: {"order": order} for order in ("AB", "A", "B", "AA", "BB", "ABB")},
    "sizes": {
        f"k1 = {k1}, k2 = {k2}": {"tables": k1, "columns": k2}
        for k1, k2 in ((2, 40), (4, 40), (6, 40), (8, 40), (6, 10), (6, 20), (6, 60))
    },
    "parts": {
        "all": {},
        "without documentation": {"documentation": False},
        "without execution": {"execution": False},
        "without violations": {"violations": "none"},
        "with the paper's constraints only": {"violations": "paper"},
        "without expansion": {"expansion": False},
        "only violations": {"documentation": False, "execution": False, "expansion": False},
    },
}
"""Settings by what varies: nothing (table 3), the paper's figure 9, its figure 8, its table 6."""
TABLE_3 = {
    "RESDSQL": (43.9, 62.2), "CODES": (58.5, 66.2), "C3": (50.2, 59.4), "DAILSQL": (55.9, 61.7),
    "PURPLE": (56.6, 64.0), "SUPERSQL": (58.5, 63.6),
}  # fmt: skip
"""EX in % on BIRD's development set before and after, the paper's own table 3."""


def measured(workspace: Workspace, given: argparse.Namespace) -> list[dict[str, Cell]]:
    """Return the lines of every setting of the groups asked for, with each kind of audit.

    Audited: rounds go on from what the detector of the other benchmark lets pass. As in the paper:
    every output is taken, and the next round goes on from it.
    """
    settings = model_settings(given)
    rows: list[dict[str, Cell]] = []
    replies = [kind for kind in given.recorded.split(",") if kind] or [given.llm]
    trials = [
        (said, group, name, audit, _trial(given, options, audit))
        for said in replies
        for group in given.groups.split(",")
        for name, options in GROUPS[group].items()
        for audit in (AUDITED, PAPER)
    ]
    with nullcontext(None) if settings is None else LLM(settings) as llm:
        for said, group, name, audit, trial in trials:
            found = (
                run_recorded(workspace, trial, said)
                if given.recorded
                else run_trial(workspace, trial, llm)
            )
            rows += system_rows(found, replies=said, group=group, setting=name, audit=audit)
    return rows


def _trial(given: argparse.Namespace, options: dict[str, Json], audit: str) -> Trial:
    base: dict[str, Json] = {"documentation": False} if given.recorded else {}
    if audit == PAPER:
        base |= {"chain": True}
    return Trial(
        "redsql",
        {**options, **base},
        margin=None if audit == PAPER else 0.0,
        systems=tuple(filter(None, given.systems.split(","))),
        limit=given.limit,
    )


def report(folder: Path) -> list[str]:
    """Return a table in the form of table 3 for each group, and the paper's figures."""
    rows = read_csv(folder / FILE)
    parts = ["## Execution accuracy before and after\n"]
    parts.append("Of a capable model nothing is measured here; replies are what each table says.\n")
    for (replies, group, benchmark), of in grouped(rows, "replies", "group", "benchmark").items():
        header = ["setting", "audit", "system", "cases", "EX before", "EX after", "gain", "fixed",
                  "broken", "calls", "tokens"]  # fmt: skip
        lines = [_line(row) for row in of]
        parts.append(
            f"### {benchmark}, {group}, replies: {replies}\n\n{markdown_table(header, lines)}"
        )
    paper = [
        [name, f"{before:.1f}", f"{after:.1f}", f"{after - before:+.1f}"]
        for name, (before, after) in TABLE_3.items()
    ]
    parts.append(
        "### The paper's own figures (%, its table 3: BIRD, ChatGPT, order AB)\n\n"
        + markdown_table(["system", "EX before", "EX after", "delta"], paper)
    )
    return parts


def _line(row: Row) -> list[str]:
    system = f"**{row['system']}**" if row["system"] == ALL else row["system"]
    shares = [interval_text(interval(row, name)) for name in ("ex_before", "ex_after")]
    counts = [f"{number(row, name):.0f}" for name in ("fixed", "broken", "calls", "tokens")]
    gain = interval_text(interval(row, "gain"), signed=True)
    return [row["setting"], row["audit"], system, row["cases"], *shares, gain, *counts]
