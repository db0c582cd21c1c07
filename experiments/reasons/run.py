"""Learn what each reason is worth from labeled predictions.

    python -m experiments.reasons.run DATA --out RESULTS [--write] [--jobs 2]

Counted are executable predictions of three populations (Spider, BIRD, world) with a label that says
something: not `vacuous`, not disputed; on the world a column more is no error. With `--write`
the strengths, levels and counts go into `clausewise/signals/strengths.json`, where every declared
reason gets an entry; without it nothing changes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import clausewise
from clausewise.signals import SIGNALS, select_signals
from clausewise.types import Group, Need
from experiments.common.data import POPULATIONS
from experiments.common.workspace import Workspace, parser
from experiments.reasons.counting import Seen, seen_predictions, tallies
from experiments.reasons.learning import Strengths, fields_of, learned

STRENGTHS = Path(clausewise.__file__).parent / "signals" / "strengths.json"


def unlearned_signals() -> frozenset[str]:
    """Return the signals whose strengths stay: of candidates, and those that ask a model."""
    select_signals("all")
    return frozenset(
        spec.name
        for spec in SIGNALS.values()
        if spec.group is Group.CONSISTENCY or Need.LLM in spec.needs
    )


def all_seen(workspace: Workspace) -> list[Seen]:
    """Return all labeled predictions that strengths are learned from."""
    return seen_predictions(
        system for name in POPULATIONS for system in workspace.systems(name, candidates=True)
    )


def declared() -> Strengths:
    """Return the data file's content for the declared reasons, before anything is counted."""
    select_signals("all")
    return {
        spec.name: {name: fields_of(reason) for name, reason in spec.reasons.items()}
        for spec in SIGNALS.values()
        if spec.reasons
    }


def strengths_from(seen: list[Seen]) -> Strengths:
    """Return the data file's content learned from these queries."""
    return learned(declared(), tallies(seen), unlearned_signals())


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--write", action="store_true", help="write the strengths")
    arguments = made.parse_args()
    workspace = Workspace.of(arguments)
    content = strengths_from(all_seen(workspace))
    for signal, reasons in content.items():
        for reason, fields in reasons.items():
            print(_line(signal, reason, fields))
    if arguments.write:
        STRENGTHS.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
        sys.stderr.write(f"written to {STRENGTHS}\n")


def _line(signal: str, reason: str, fields: Any) -> str:
    precision = "-" if fields["precision"] is None else f"{fields['precision']:.3f}"
    count = sum(of["count"] for of in fields["populations"].values())
    at_most = f" to {fields['at_most']:.2f}" if "at_most" in fields else ""
    return (
        f"{signal:28} {reason:28} {fields['grade']:9} {fields['strength']:.2f}{at_most:8} "
        f"{fields['level']:8} {count:6} {precision}"
    )


if __name__ == "__main__":
    main()
