"""Which predictions a bug-only round refines, by the findings that count; no model is asked."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from clausewise.correction.redsql import ViolationSource
from clausewise.correction.redsql.violations import has_bugs, violations
from clausewise.types import CaseStatus, Level, ScoredCase
from experiments.common.results import Cell, grouped, number, read_csv
from experiments.common.tables import markdown_table
from experiments.common.workspace import Workspace
from experiments.correction.trials import Trial, ready

FILE = "bugs.csv"
LEVELS = (Level.INFO, Level.WARNING, Level.ERROR)
SOURCES = (ViolationSource.ALL, ViolationSource.PAPER)
NO_SOURCE = "none"
HEADER = ("violations", "least level", "queries", "wrong", "refined", "of the wrong",
          "of the right", "wrong among refined")  # fmt: skip


def measured(workspace: Workspace, limit: int | None) -> list[dict[str, Cell]]:
    """Return a line for each benchmark, source of violations and level."""
    rows: list[dict[str, Cell]] = []
    for name in workspace.benchmarks:
        of = ready(workspace, name, Trial("redsql", limit=limit))
        with closing(of.databases):
            cases = [(case, of.is_right(case)) for found in of.cases.values() for case in found]
        rows.append(_row(name, NO_SOURCE, "", [(not _runs(c), right) for c, right in cases]))
        for source in SOURCES:
            for level in LEVELS:
                chosen = [(_refined(case, source, level), right) for case, right in cases]
                rows.append(_row(name, source.value, level.value, chosen))
        print(rows[-1], flush=True)
    return rows


def _row(name: str, source: str, level: str, chosen: list[tuple[bool, bool]]) -> dict[str, Cell]:
    return {
        "benchmark": name,
        "violations": source,
        "level": level,
        "queries": len(chosen),
        "wrong": sum(not right for _, right in chosen),
        "refined": sum(refined for refined, _ in chosen),
        "wrong_refined": sum(refined and not right for refined, right in chosen),
    }


def _runs(case: ScoredCase) -> bool:
    return case.status is CaseStatus.OK


def _refined(case: ScoredCase, source: ViolationSource, level: Level) -> bool:
    return not _runs(case) or has_bugs(violations(case.findings, source), level)


def report(folder: Path) -> list[str]:
    """Return a table for each benchmark."""
    parts = ["## What a bug-only round refines\n"]
    for (name,), rows in grouped(read_csv(folder / FILE), "benchmark").items():
        lines = []
        for row in rows:
            queries, wrong = number(row, "queries"), number(row, "wrong")
            refined, hit = number(row, "refined"), number(row, "wrong_refined")
            shares = (hit / wrong, (refined - hit) / (queries - wrong), hit / max(refined, 1))
            what = [row["violations"], row["level"] or "does not run"]
            counts = [row["queries"], row["wrong"], row["refined"]]
            lines.append([*what, *counts, *(f"{share:.3f}" for share in shares)])
        parts.append(f"### {name}\n\n{markdown_table(HEADER, lines)}")
    return parts
