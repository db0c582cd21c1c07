"""Take one part of the detector away, and measure on databases left out.

python -m experiments.ablation.run DATA --out RESULTS
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from pathlib import Path

from clausewise.signals import SIGNALS
from clausewise.types import Group, Inspection, Outcome, OutcomeStatus
from experiments.common.data import BENCHMARKS, Item, System
from experiments.common.results import Cell, grouped, number, read_csv, write_csv, write_report
from experiments.common.tables import interval_text, markdown_table
from experiments.common.workspace import Workspace, parser
from experiments.packaged_detector.evaluate import MEAN, figures, left_out
from experiments.reasons.counting import Seen
from experiments.reasons.learning import Strengths, learned
from experiments.reasons.run import declared, strengths_from, unlearned_signals

EXPECTING = frozenset({"unexpected_shape", "unexpected_column", "unused_mention"})
Change = Callable[[Inspection], Inspection]


def silenced(names: Iterable[str]) -> Change:
    """Return what makes signals silent."""
    chosen = frozenset(names)

    def change(item: Inspection) -> Inspection:
        outcomes = {
            name: Outcome(name, OutcomeStatus.SILENT) if name in chosen else outcome
            for name, outcome in item.outcomes.items()
        }
        return dataclasses.replace(item, outcomes=outcomes)

    return change


def without_expectation(item: Inspection) -> Inspection:
    """Return the inspection without surprises and the findings made of them."""
    return dataclasses.replace(silenced(EXPECTING)(item), expectation={})


def without_shape(item: Inspection) -> Inspection:
    """Return the inspection as of a query of no shape."""
    return dataclasses.replace(item, shape=dict.fromkeys(item.shape, 0.0))


def by_grade(seen: list[Seen]) -> Strengths:
    """Return the strengths that the reasons' grades have, whatever was counted."""
    del seen
    return learned(declared(), {}, unlearned_signals())


def changed(system: System, change: Change) -> System:
    """Return the system with every inspection changed."""

    def one(item: Item) -> Item:
        return change(item) if isinstance(item, Inspection) and item.shape else item

    return dataclasses.replace(system, inspections=[one(item) for item in system.inspections])


def of_group(group: Group) -> Change:
    """Return what makes the signals of a group silent."""
    return silenced(spec.name for spec in SIGNALS.values() if spec.group is group)


def report(folder: Path) -> str:
    """Return the means over systems as tables."""
    parts = ["# Results\n\nMeans over systems, databases left out; intervals of the mean AUC.\n"]
    means = [row for row in read_csv(folder / "results.csv") if row["system"] == MEAN]
    header = ["detector", "AUC", "F1 at its verdict", "ECE"]
    for (name,), rows in grouped(means, "benchmark").items():
        lines = [
            [
                row["detector"],
                interval_text(
                    (number(row, "auc"), number(row, "auc_low"), number(row, "auc_high"))
                ),
                f"{number(row, 'f1'):.3f}",
                f"{number(row, 'ece'):.3f}",
            ]
            for row in rows
        ]
        parts.append(f"## {name}\n\n{markdown_table(header, lines)}")
    return "\n".join(parts)


def main() -> None:
    """Run the experiment and write its results."""
    workspace = Workspace.of(parser(__doc__).parse_args())
    single = {name: workspace.systems(name) for name in BENCHMARKS}
    changes: dict[str, Change] = {
        "whole": lambda item: item,
        "without expectation": without_expectation,
        "without the query's shape": without_shape,
        "without database signals": of_group(Group.DATABASE),
        "without question signals": of_group(Group.QUESTION),
    }
    rows: list[dict[str, Cell]] = []
    for label, change in changes.items():
        systems = {name: [changed(s, change) for s in of] for name, of in single.items()}
        rows += _rows(label, systems, strengths_from)
    rows += _rows("strengths of the grades", single, by_grade)
    order = {name: place for place, name in enumerate(BENCHMARKS)}
    rows.sort(key=lambda row: order[str(row["benchmark"])])
    write_csv(workspace.out / "results.csv", rows)
    write_report(workspace.out, report)


def _rows(
    label: str, systems: dict[str, list[System]], strengths: Callable[[list[Seen]], Strengths]
) -> list[dict[str, Cell]]:
    everyone = [system for of in systems.values() for system in of]
    found = left_out(everyone, everyone, strengths)
    rows: list[dict[str, Cell]] = []
    for name, of in systems.items():
        key: dict[str, Cell] = {"benchmark": name, "detector": label}
        rows += [key | row for row in figures(of, found)]
        print(name, label, rows[-len(of) - 1], flush=True)
    return rows


if __name__ == "__main__":
    main()
