"""One strategy over the predictions of systems: fixed, broken, net, with and without the auditor.

    python -m experiments.correction.run DATA --out RESULTS --strategy NAME [--option NAME=VALUE]
        [--llm MODEL --llm-base-url URL | --recorded good|useless|reworded|harmful]
        [--systems a,b] [--limit N] [--candidates] [--margin 0.05] [--jobs 2]

What scores and audits is trained on the other benchmark. Labels that say nothing are left out.
`RESULTS/STRATEGY.csv` and `.md` get one line for each benchmark, system and kind of audit,
`RESULTS/STRATEGY.jsonl` every correction.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from clausewise.correction.base import DEFAULT_MARGIN
from clausewise.llm import LLM, Budget, LLMSettings
from experiments.common.results import Cell, read_csv, write_csv
from experiments.common.workspace import Workspace, parser
from experiments.correction.figures import system_rows, table
from experiments.correction.recorded import KINDS, run_recorded
from experiments.correction.trials import Corrected, Trial, run_trial

AUDITED, UNAUDITED = "with the auditor", "without"
KEYS = ("audit", "benchmark", "system")


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command; experiments that need more add to it."""
    made = parser(__doc__)
    made.add_argument("--strategy", required=True)
    made.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    made.add_argument("--rounds", type=int)
    made.add_argument("--systems", default="", help="names with commas; else all")
    made.add_argument("--limit", type=int, help="cases of each system; the same questions for all")
    made.add_argument("--candidates", action="store_true", help="other systems' queries in view")
    made.add_argument("--margin", type=float, help="the auditor's; else the package's default")
    made.add_argument("--audit", choices=["both", "with", "without"], default="both")
    made.add_argument("--recorded", choices=KINDS, help="replies of known worth, from no model")
    add_model_arguments(made)
    return made


def add_model_arguments(made: argparse.ArgumentParser) -> None:
    """Add the options by which a language model is asked."""
    made.add_argument("--llm", metavar="MODEL")
    made.add_argument("--llm-base-url")
    made.add_argument("--llm-budget", default="", help="such as calls=1000")
    made.add_argument("--llm-concurrency", type=int, default=8)
    made.add_argument("--llm-timeout", type=float, default=60.0)
    made.add_argument("--llm-max-tokens", type=int, default=2_048)
    made.add_argument("--llm-schema-tokens", type=int, default=3_000)


def model_settings(given: argparse.Namespace) -> LLMSettings | None:
    """Return the settings of the model that the arguments name, None where they name none."""
    if given.llm is None:
        return None
    return LLMSettings(
        given.llm,
        base_url=given.llm_base_url,
        concurrency=given.llm_concurrency,
        timeout=given.llm_timeout,
        max_tokens=given.llm_max_tokens,
        schema_tokens=given.llm_schema_tokens,
        budget=Budget.parse(given.llm_budget) if given.llm_budget else Budget(),
    )


def trial_of(given: argparse.Namespace) -> Trial:
    """Return the trial that the arguments ask for, with the auditor."""
    pairs = (text.partition("=") for text in given.option)
    return Trial(
        given.strategy,
        {name: value for name, _, value in pairs},
        margin=DEFAULT_MARGIN if given.margin is None else given.margin,
        rounds=given.rounds,
        candidates=given.candidates,
        systems=tuple(filter(None, given.systems.split(","))),
        limit=given.limit,
    )


def measured(workspace: Workspace, given: argparse.Namespace) -> dict[str, list[Corrected]]:
    """Return the corrections with the auditor and without, as far as asked for."""
    trial = trial_of(given)
    trials = {AUDITED: trial, UNAUDITED: replace(trial, margin=None)}
    if given.audit != "both":
        trials = {
            f: t
            for f, t in trials.items()
            if f == (AUDITED if given.audit == "with" else UNAUDITED)
        }
    if given.recorded:
        return {audit: run_recorded(workspace, of, given.recorded) for audit, of in trials.items()}
    settings = model_settings(given)
    with nullcontext(None) if settings is None else LLM(settings) as llm:
        return {audit: run_trial(workspace, of, llm) for audit, of in trials.items()}


def write(out: Path, name: str, found: dict[str, list[Corrected]]) -> None:
    """Write the lines, their table, and every correction."""
    rows: list[dict[str, Cell]] = []
    for audit, of in found.items():
        rows += system_rows(of, audit=audit)
    write_csv(out / f"{name}.csv", rows)
    (out / f"{name}.md").write_text(table(read_csv(out / f"{name}.csv"), KEYS), encoding="utf-8")
    with (out / f"{name}.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(
            json.dumps(_record(audit, row), ensure_ascii=False) + "\n"
            for audit, of in found.items()
            for row in of
        )


def _record(audit: str, row: Corrected) -> dict[str, Any]:
    return {
        "audit": audit,
        "benchmark": row.benchmark,
        "system": row.system,
        "right_before": row.right_before,
        "right_after": row.right_after,
        "signals": sorted(row.signals),
        **row.result.to_dict(),
    }


def main(words: Sequence[str] | None = None) -> None:
    """Run the trial and write its results."""
    given = arguments().parse_args(words)
    workspace = Workspace.of(given)
    name = "-".join(filter(None, [given.strategy, given.recorded]))
    write(workspace.out, name, measured(workspace, given))
    print((workspace.out / f"{name}.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
