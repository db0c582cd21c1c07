"""DART-SQL's table 1 for corrections: what each of its parts brings.

    python -m experiments.dart.run DATA --out experiments/dart/results
        --llm MODEL --llm-base-url URL | --recorded good|useless|reworded|harmful
        [--systems a,b] [--limit N] [--margin P]

The paper's lines write a query afresh (`regenerate`): the baseline from question and schema alone,
RW with the question rewritten, CAP with rows of the tables, ER with refinement by execution. The
lines below refine the given query. Every line is measured without an auditor and with one.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from clausewise.correction.base import DEFAULT_MARGIN
from clausewise.llm import LLM
from clausewise.types import Json
from experiments.common.results import Cell, Row, grouped, read_csv, write_csv, write_report
from experiments.common.tables import markdown_table
from experiments.common.workspace import Workspace, parser
from experiments.correction.figures import ALL, system_rows, table
from experiments.correction.recorded import KINDS, run_recorded
from experiments.correction.run import AUDITED, UNAUDITED, add_model_arguments, model_settings
from experiments.correction.trials import Trial, run_trial
from experiments.dart import rows

FILE = "table1.csv"
SCRIPTED = "scripted: "
AUDITS = (UNAUDITED, AUDITED)
SHOWN = ("fixed", "broken")
NOTHING: Mapping[str, Json] = {"rewrite": False, "rows": 0, "refinements": 0}
RW: Mapping[str, Json] = {"rewrite": True}
CAP: Mapping[str, Json] = {"rows": 15}
ER: Mapping[str, Json] = {"refinements": 3}
AFRESH = {**NOTHING, "regenerate": True}
GIVEN = {**NOTHING, "regenerate": False}
VARIANTS: dict[str, Mapping[str, Json]] = {
    "afresh (baseline)": AFRESH,
    "afresh + RW": {**AFRESH, **RW},
    "afresh + CAP": {**AFRESH, **CAP},
    "afresh + ER": {**AFRESH, **ER},
    "afresh + CAP + ER": {**AFRESH, **CAP, **ER},
    "afresh, all (DART-SQL)": {**AFRESH, **RW, **CAP, **ER},
    "given + ER": {**GIVEN, **ER},
    "given + CAP + ER": {**GIVEN, **CAP, **ER},
    "given, all (the default)": {**GIVEN, **RW, **CAP, **ER},
}


def measured(workspace: Workspace, given: argparse.Namespace) -> list[dict[str, Cell]]:
    """Return one line for each variant, audit and benchmark."""
    found: list[dict[str, Cell]] = []
    settings = model_settings(given)
    margin = DEFAULT_MARGIN if given.margin is None else given.margin
    systems = tuple(filter(None, given.systems.split(",")))
    with nullcontext(None) if settings is None else LLM(settings) as llm:
        for name, options in VARIANTS.items():
            trial = Trial("dart", options, systems=systems, limit=given.limit)
            for audit, of in ((UNAUDITED, None), (AUDITED, margin)):
                now = replace(trial, margin=of)
                if given.recorded:
                    corrected = run_recorded(workspace, now, given.recorded)
                else:
                    corrected = run_trial(workspace, now, llm)
                lines = system_rows(corrected, replies=_replies(given), variant=name, audit=audit)
                found += [line for line in lines if line["system"] == ALL]
    return found


def _replies(given: argparse.Namespace) -> str:
    if given.recorded:
        return f"{SCRIPTED}{given.recorded}"
    return str(given.llm)


def report(folder: Path) -> str:
    """Return all tables of the folder's figures."""
    parts = ["# DART-SQL's parts\n"]
    known = read_csv(folder / FILE)
    for (replies, benchmark), lines in grouped(known, "replies", "benchmark").items():
        scripted = replies.startswith(SCRIPTED)
        shown = _scripted_table(lines) if scripted else table(lines, ("variant", "audit"))
        parts.append(f"## {benchmark}, as table 1 of DART-SQL: {replies}\n\n{shown}")
    parts.append(f"## What the rows show\n\n{rows.report(folder)}")
    return "\n".join(parts)


def _scripted_table(lines: Sequence[Row]) -> str:
    """Return only what scripted replies can show: that a line runs, its calls, and the auditor."""
    header = [
        "variant",
        "cases",
        "calls",
        *(f"{name}, {audit}" for audit in AUDITS for name in SHOWN),
    ]
    found = []
    for (variant,), of in grouped(lines, "variant").items():
        by_audit = {row["audit"]: row for row in of}
        counts = [by_audit[audit][name] for audit in AUDITS for name in SHOWN]
        found.append([variant, of[0]["cases"], of[0]["calls"], *counts])
    note = "Replies of known worth, the same for all lines; a capable model is needed for more.\n\n"
    return note + markdown_table(header, found)


def write_results(out: Path) -> str:
    """Write and return `results.md`."""
    return write_report(out, report)


def main(words: Sequence[str] | None = None) -> None:
    """Measure, keep the lines of other replies, and write all results."""
    made = parser(__doc__)
    made.add_argument("--systems", default="", help="names with commas; else all")
    made.add_argument("--limit", type=int, help="cases of each system; the same questions for all")
    made.add_argument("--margin", type=float, help="the auditor's; else the package's default")
    made.add_argument("--recorded", choices=KINDS, help="replies of known worth, from no model")
    add_model_arguments(made)
    given = made.parse_args(words)
    if given.llm is None and given.recorded is None:
        made.error("name a model by --llm, or scripted replies by --recorded")
    workspace = Workspace.of(given)
    lines = measured(workspace, given)
    replaced = {(line["replies"], line["benchmark"]) for line in lines}
    kept: list[Mapping[str, Cell]] = [
        row
        for row in read_csv(workspace.out / FILE)
        if (row["replies"], row["benchmark"]) not in replaced
    ]
    write_csv(workspace.out / FILE, [*kept, *lines])
    print(write_results(workspace.out))


if __name__ == "__main__":
    main()
