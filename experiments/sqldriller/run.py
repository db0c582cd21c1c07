"""SQLDriller's table 6: how many wrong queries are fixed, and how many right ones remain.

    python -m experiments.sqldriller.run DATA --out experiments/sqldriller/results --limit 20
        [--llm MODEL --llm-base-url URL] [--systems a,b]

Execution consistency is the strategy `sqldriller`: with a model the question is executed on small
instances; without one, independent candidates vote with their results there. It runs as in the
paper, without the auditor. The candidates are the other systems' queries. Beside it stands
`select`, in the place of the paper's baseline that asks for a model's consistency.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from clausewise.llm import LLM
from experiments.common.results import Cell, Row, read_csv, write_csv, write_report
from experiments.common.tables import markdown_table
from experiments.common.workspace import Workspace, parser
from experiments.correction.figures import figures_by
from experiments.correction.run import add_model_arguments, model_settings
from experiments.correction.trials import Corrected, Trial, run_trial

FILE = "table6.csv"
WITHOUT_MODEL = "none"
STRATEGIES = ("sqldriller", "select")


def measured(workspace: Workspace, given: argparse.Namespace) -> list[dict[str, Cell]]:
    """Return one line for each strategy and benchmark."""
    settings = model_settings(given)
    rows: list[dict[str, Cell]] = []
    with nullcontext(None) if settings is None else LLM(settings) as llm:
        for strategy in STRATEGIES:
            trial = Trial(
                strategy,
                margin=None,
                candidates=True,
                systems=tuple(filter(None, given.systems.split(","))),
                limit=given.limit,
                own_questions=True,
            )
            asked = llm if strategy == "sqldriller" else None
            model = WITHOUT_MODEL if asked is None else str(given.llm)
            found = run_trial(workspace, trial, asked)
            rows += _lines(strategy, model, found)
    return rows


def _lines(strategy: str, model: str, found: Sequence[Corrected]) -> list[dict[str, Cell]]:
    return [
        {"strategy": strategy, "model": model, "benchmark": benchmark, **of}
        for (benchmark,), of in figures_by(found, lambda row: row.benchmark)
    ]


def report(folder: Path) -> str:
    """Return the table in the paper's form."""
    header = ["benchmark", "strategy", "model", "incorrect", "fixed", "correct", "remain right"]
    rows = sorted(read_csv(folder / FILE), key=lambda row: row["benchmark"], reverse=True)
    return (
        "# SQLDriller's table 6\n\nModel `none`: independent candidates vote in place of an "
        "executed question. What a capable model reaches was not measured.\n\n"
        + markdown_table(header, [_shown(row) for row in rows])
    )


def _shown(row: Row) -> list[str]:
    cases, right = int(row["cases"]), int(row["right_before"])
    fixed, remain = int(row["fixed"]), right - int(row["broken"])
    wrong = cases - right
    return [
        row["benchmark"],
        row["strategy"],
        row["model"],
        str(wrong),
        f"{fixed} ({fixed / max(wrong, 1):.1%})",
        str(right),
        f"{remain} ({remain / max(right, 1):.1%})",
    ]


def main(words: Sequence[str] | None = None) -> None:
    """Run both strategies and write the table."""
    made = parser(__doc__)
    made.add_argument("--systems", default="", help="names with commas; else all")
    made.add_argument("--limit", type=int, help="questions of each system")
    add_model_arguments(made)
    given = made.parse_args(words)
    workspace = Workspace.of(given)
    write_csv(workspace.out / FILE, measured(workspace, given))
    print(write_report(workspace.out, report))


if __name__ == "__main__":
    main()
