"""SQLens's tables 4, 5 and 7, on the systems here: with its nine signals and with all signals.

    python -m experiments.sqlens.run DATA --out experiments/sqlens/results

Every system, one query a case. `--parts` chooses what is measured anew: `detection` (tables 4 and
7), `signals` (table 5), `paper` (the paper's own setting, with AutoGluon; tens of minutes); the
other results in the folder are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from experiments.common.parallel import without_label_warnings
from experiments.common.results import Cell, read_csv, write_csv, write_report
from experiments.common.workspace import Workspace, parser
from experiments.sqlens import as_in_the_paper, correction, detection, signals

DATABASES = "databases.csv"


def signal_rows(workspace: Workspace) -> list[dict[str, Cell]]:
    """Return what each signal found on every system, with the other systems' queries given."""
    return [
        row
        for name in workspace.benchmarks
        for row in signals.measured(workspace.systems(name, candidates=True))
    ]


PARTS: dict[str, tuple[str, Callable[[Workspace], list[dict[str, Cell]]]]] = {
    "detection": (detection.FILE, detection.measured),
    "signals": (signals.FILE, signal_rows),
    "paper": (as_in_the_paper.FILE, as_in_the_paper.measured),
}


def report(folder: Path) -> str:
    """Return all tables as Markdown."""
    unchanged = [
        f"Hashes of the {row['files']} database files of {row['benchmark']} unchanged: "
        f"{row['unchanged']}.\n"
        for row in read_csv(folder / DATABASES)
    ]
    parts = [
        "# Results\n\nExecutable queries only, 95 % intervals, leave-one-database-out. One query a "
        "case; only for candidate_disagreement in the tables of signals the other systems' queries "
        "were given, and it is graded: it fires at any disagreement.\n",
        *detection.report(folder),
        "![AUC of every system](detection.png)\n",
        *signals.report(folder),
        "![Precision of every signal](signals.png)\n",
        *as_in_the_paper.report(folder),
        *correction.report(folder),
        *unchanged,
    ]
    return "\n".join(parts)


def main() -> None:
    """Run the experiment and write its results."""
    arguments = parser(__doc__)
    arguments.add_argument("--parts", default=",".join(PARTS), help="those to measure anew")
    parsed = arguments.parse_args()
    workspace = Workspace.of(parsed)
    without_label_warnings()
    benchmarks = [workspace.benchmark(name) for name in workspace.benchmarks]
    before = [benchmark.hashes() for benchmark in benchmarks]
    for name in workspace.benchmarks:
        workspace.systems(name)
    for part in parsed.parts.split(","):
        file, measure = PARTS[part]
        write_csv(workspace.out / file, measure(workspace))
    rows: list[dict[str, Cell]] = [
        {"benchmark": of.name, "files": len(hashes), "unchanged": of.hashes() == hashes}
        for of, hashes in zip(benchmarks, before, strict=True)
    ]
    write_csv(workspace.out / DATABASES, rows)
    write_report(workspace.out, report)
    detection.plot(workspace.out)
    signals.plot(workspace.out)


if __name__ == "__main__":
    main()
