"""RED-SQL on the systems' predictions: its table 3 with a model, and what can be told without.

    python -m experiments.redsql.run DATA recall bugs --out RESULTS
    python -m experiments.redsql.run DATA accuracy --out RESULTS --llm MODEL --llm-base-url URL
        [--groups paper,orders,sizes,parts] [--systems a,b] [--limit N]

`recall` and `bugs` ask no model. `accuracy` asks the model, or with `--recorded KINDS` a server
whose replies are of known worth. `RESULTS` gets a CSV file for each, and `results.md` of them all;
`report` writes that alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from experiments.common.results import write_csv, write_report
from experiments.common.workspace import Workspace, parser
from experiments.correction.recorded import KINDS
from experiments.correction.run import add_model_arguments
from experiments.redsql import accuracy, bugs, recall

PARTS = ("recall", "bugs", "accuracy", "report")


def report(folder: Path) -> str:
    """Return the Markdown of the CSV files."""
    parts = [*recall.report(folder), *bugs.report(folder), *accuracy.report(folder)]
    return "# RED-SQL\n\n" + "\n".join(parts)


def main(words: Sequence[str] | None = None) -> None:
    """Run what is asked for and write the results."""
    made = parser(__doc__)
    made.add_argument("parts", nargs="+", choices=PARTS, help="what to measure")
    made.add_argument("--groups", default="paper", help="of: paper,orders,sizes,parts")
    made.add_argument("--systems", default="", help="names with commas; else all")
    made.add_argument("--limit", type=int, help="cases of each system; the same questions for all")
    made.add_argument("--recorded", default="", help=f"replies of known worth: {','.join(KINDS)}")
    add_model_arguments(made)
    given = made.parse_args(words)
    workspace = Workspace.of(given)
    if "accuracy" in given.parts and not (given.llm or given.recorded):
        made.error("accuracy needs --llm MODEL, or --recorded KINDS")
    if "recall" in given.parts:
        write_csv(given.out / recall.FILE, recall.measured(workspace, given.limit))
    if "bugs" in given.parts:
        write_csv(given.out / bugs.FILE, bugs.measured(workspace, given.limit))
    if "accuracy" in given.parts:
        write_csv(given.out / accuracy.FILE, accuracy.measured(workspace, given))
    print(write_report(given.out, report))


if __name__ == "__main__":
    main()
