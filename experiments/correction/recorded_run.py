"""Every strategy that asks a model, against replies of known worth, with the auditor.

    python -m experiments.correction.recorded_run DATA --out RESULTS --limit 8

No model is asked: a server on the loopback replies to the strategies' own prompts with the gold
query (good), with the query itself (useless) or with a wrong one (harmful); see `recorded`.
"""

from __future__ import annotations

from pathlib import Path

from clausewise.correction.base import STRATEGIES, load_strategies
from experiments.common.results import Cell, number, read_csv, write_csv, write_report
from experiments.common.tables import markdown_table
from experiments.common.workspace import Workspace, parser
from experiments.correction.figures import figures_by
from experiments.correction.recorded import KINDS, run_recorded
from experiments.correction.trials import Trial

COUNTS = ("cases", "changed", "failed", "fixed", "broken", "net", "calls", "tokens")


def strategies() -> list[str]:
    """Return the names of the strategies that can do nothing without a model."""
    load_strategies()
    return sorted(name for name, spec in STRATEGIES.items() if spec.needs_model)


def report(folder: Path) -> str:
    """Return the counts as a table."""
    lines = [
        [*(row[key] for key in ("strategy", "replies", "benchmark")), *_counts(row)]
        for row in read_csv(folder / "results.csv")
    ]
    header = ["strategy", "replies", "benchmark", *COUNTS]
    return "# Results\n\nWith the auditor, no candidates.\n\n" + markdown_table(header, lines)


def _counts(row: dict[str, str]) -> list[str]:
    return [f"{number(row, name):+.0f}" if name == "net" else row[name] for name in COUNTS]


def main() -> None:
    """Run all strategies and write what came of them."""
    made = parser(__doc__)
    made.add_argument("--limit", type=int, help="cases of each system")
    made.add_argument("--strategies", default="", help="names with commas; else all")
    made.add_argument("--kinds", default="", help="kinds of replies with commas; else all")
    given = made.parse_args()
    workspace = Workspace.of(given)
    known = strategies()
    wanted = list(filter(None, given.strategies.split(","))) or known
    kinds = list(filter(None, given.kinds.split(","))) or list(KINDS)
    rows: list[dict[str, Cell]] = []
    for kind in kinds:
        for name in wanted:
            margin = STRATEGIES[name].margin
            trial = Trial(name, margin=margin, limit=given.limit, own_questions=True)
            found = run_recorded(workspace, trial, kind)
            for (benchmark,), of in figures_by(found, lambda row: row.benchmark):
                key: dict[str, Cell] = {"strategy": name, "replies": kind, "benchmark": benchmark}
                rows.append(key | {count: of[count] for count in COUNTS})
                print(rows[-1], flush=True)
            write_csv(workspace.out / "results.csv", rows)
    print(write_report(workspace.out, report))


if __name__ == "__main__":
    main()
