"""GBV-SQL's tables 3 and 4, on the systems here.

    python -m experiments.gbv.run DATA --out experiments/gbv/results
    python -m experiments.gbv.run DATA --out RESULTS --llm MODEL --llm-base-url URL --limit 20

Table 3 is made for the systems' predictions as they are; with a model also for what the strategy
makes of them. Table 4 needs a model. `--audits FOLDER` reads the audits of the golds from
`FOLDER/<benchmark>.jsonl`, as `clausewise audit` writes them; else the golds are audited here.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from clausewise.correction.base import DEFAULT_MARGIN
from clausewise.llm import LLM
from experiments.common.parallel import without_label_warnings
from experiments.common.results import Cell, read_csv, write_csv, write_report
from experiments.common.workspace import Workspace, parser
from experiments.correction.recorded import KINDS, run_recorded
from experiments.correction.run import add_model_arguments, model_settings
from experiments.correction.trials import Corrected, Trial, run_trial
from experiments.gbv import ablation, diagnosis

NEEDS_A_MODEL = (
    "Not measured here: it needs a capable language model, and none ships with the project. The "
    "command that fills the table stands in the README.\n"
)


def report(folder: Path) -> str:
    """Return all tables as Markdown."""
    rows = read_csv(folder / diagnosis.FILE)
    found = [
        f"{benchmark}: {flagged} of {golds} golds flagged by the audit, {repaired} of them with a "
        "repair that a rule determines."
        for benchmark, golds, flagged, repaired in dict.fromkeys(
            (row["benchmark"], row["golds_all"], row["golds_flagged"], row["golds_repaired"])
            for row in rows
        )
    ]
    models = folder / ablation.FILE
    return "\n".join(
        [
            "# Results\n",
            "Execution accuracy with 95 % intervals over resampled questions.\n",
            "## Diagnostic re-evaluation (table 3)\n",
            *(f"{line}\n" for line in found),
            diagnosis.table([row for row in rows if row["system"] == diagnosis.ALL]),
            "Each system:\n",
            diagnosis.table([row for row in rows if row["system"] != diagnosis.ALL]),
            "## The strategy and its parts (table 4)\n",
            ablation.table(read_csv(models)) if models.exists() else NEEDS_A_MODEL,
        ]
    )


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    made = parser(__doc__)
    made.add_argument("--audits", type=Path, help="folder of audits; else they are made here")
    made.add_argument("--systems", default="", help="names with commas; else all")
    made.add_argument("--limit", type=int, help="cases of each system; the same questions for all")
    made.add_argument("--margin", type=float, default=DEFAULT_MARGIN, help="the auditor's")
    made.add_argument("--variants", default=",".join(ablation.VARIANTS), help="those of table 4")
    made.add_argument("--recorded", choices=KINDS, help="replies of known worth, from no model")
    add_model_arguments(made)
    return made


def main(words: Sequence[str] | None = None) -> None:
    """Run the experiment and write its results."""
    given = arguments().parse_args(words)
    workspace = Workspace.of(given)
    without_label_warnings()
    systems = tuple(filter(None, given.systems.split(",")))
    trial = Trial("gbv", margin=given.margin, systems=systems, limit=given.limit)
    after, rows = _corrected(workspace, trial, given)
    diagnosed = diagnosis.diagnosed(
        workspace, given.audits, systems=systems, limit=given.limit, after=after
    )
    write_csv(workspace.out / diagnosis.FILE, diagnosed)
    if rows:
        write_csv(workspace.out / ablation.FILE, rows)
    print(write_report(workspace.out, report))


def _corrected(
    workspace: Workspace, trial: Trial, given: argparse.Namespace
) -> tuple[dict[str, list[Corrected]], list[dict[str, Cell]]]:
    """Return what the strategy makes of the predictions, and its figures; nothing without model."""
    settings = model_settings(given)
    variants = [name.strip() for name in given.variants.split(",")]
    if given.recorded:
        name = f"{given.recorded} replies"
        found, rows = ablation.ablated(
            trial, name, lambda of: run_recorded(workspace, of, given.recorded), variants
        )
    elif settings is not None:
        name = settings.model
        with LLM(settings) as llm:
            found, rows = ablation.ablated(
                trial, name, lambda of: run_trial(workspace, of, llm), variants
            )
    else:
        return {}, []
    return {f"after {variant}, {name}": of for variant, of in found.items()}, rows


if __name__ == "__main__":
    main()
