"""Which aggregator, voting by what, and how sensitive it is.

    python -m experiments.aggregation.run DATA --out experiments/aggregation/results

Every detector is fitted from nothing and without labels on a system's own predictions, without any
of the database that it scores (databases are held out in at most five groups); in the part on
sensitivity on all of them, since nothing but the setting differs there. Figures are means over
systems of the AUC on executable queries, with 95 % intervals over resampled questions. With
`--parts` only those are measured, and the other results are kept.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from clausewise.labeling import shape_levels
from clausewise.labeling.shape import ALL_MEASURES
from clausewise.models import LABEL_MODELS, Detector
from clausewise.signals import SignalSpec
from clausewise.types import Inspection
from experiments.aggregation.dawid_skene import DawidSkene
from experiments.common.data import Item, System
from experiments.common.folds import Scored, database_groups, held_out
from experiments.common.means import SystemFigures, system_figures
from experiments.common.parallel import without_label_warnings
from experiments.common.results import (
    Cell,
    grouped,
    interval,
    interval_columns,
    read_csv,
    write_csv,
    write_report,
)
from experiments.common.tables import interval_text, markdown_table
from experiments.common.workspace import Workspace, all_signals, parser

COPIED = "table_similarity"
"""The weak signal that is copied: it fires often and says little."""
COPIES = 6
DROPPED = "empty_predicate"
BALANCES = (0.1, 0.4)
LABEL_MODELS_COMPARED = ("majority", "weighted", "snorkel", "dawid-skene")
FOLDS = 5
SHAPED = (
    ("snorkel", "none"),
    ("snorkel", "logistic"),
    ("weighted", "none"),
    ("weighted", "logistic"),
    ("weighted", "additive"),
)
"""Label models and classifiers that are measured with votes on shape; the additive classifier
learns the same from either label model."""
MANY_LEVELS = (0.1, 0.25)
"""Quantiles from either end at which six measures vote, in the comparison with many votes."""
REFERENCE = "snorkel, by signal"
"""What the label models are compared with."""
NOTHING = {"classifier": "none", "start": "none"}

Specs = tuple[SignalSpec, ...]


def copied(specs: Specs, systems: Sequence[System]) -> tuple[Specs, list[System]]:
    """Add copies of one signal, to the specifications and to the inspections."""
    names = [f"{COPIED}_copy{index}" for index in range(COPIES)]
    original = next(spec for spec in specs if spec.name == COPIED)

    def more(item: Item) -> Item:
        if not isinstance(item, Inspection):
            return item
        outcome = item.outcomes[COPIED]
        added = {name: dataclasses.replace(outcome, signal=name) for name in names}
        return dataclasses.replace(item, outcomes={**item.outcomes, **added})

    more_specs = (*specs, *(dataclasses.replace(original, name=name) for name in names))
    return more_specs, [
        dataclasses.replace(system, inspections=[more(item) for item in system.inspections])
        for system in systems
    ]


def by_database(specs: Specs, systems: Sequence[System], **options: Any) -> Scored:
    """Score each system by detectors fitted on its other databases."""

    def fit(training: list[System]) -> Detector:
        return Detector(signals=specs, **options).fit_inspections(training[0].inspections)

    found: Scored = {}
    for system in systems:
        found |= held_out([system], [system], database_groups(system, FOLDS), fit)
    return found


def in_domain(specs: Specs, systems: Sequence[System], **options: Any) -> Scored:
    """Score each system by a detector fitted on the cases that it scores."""
    return {
        system.name: Detector(signals=specs, **options)
        .fit_inspections(system.inspections)
        .score_inspections(system.inspections)
        for system in systems
    }


def label_models(specs: Specs, systems: Sequence[System]) -> dict[str, Scored]:
    """Return what the label models say by themselves."""
    return {
        f"{name}, by {by}": by_database(specs, systems, label_model=name, by=by, **NOTHING)
        for name in LABEL_MODELS_COMPARED
        for by in ("signal", "family")
    }


def with_shape(specs: Specs, systems: Sequence[System]) -> dict[str, Scored]:
    """Return the detectors without votes on shape, with those that ship, and with many more."""
    many = partial(
        shape_levels, measures=ALL_MEASURES, lower=MANY_LEVELS, upper=[1 - q for q in MANY_LEVELS]
    )
    found: dict[str, Scored] = {}
    for model, classifier in SHAPED:
        options: dict[str, Any] = {"label_model": model, "classifier": classifier, "start": "none"}
        name = f"{model}, {classifier}"
        found[name] = by_database(specs, systems, **options)
        options["shape_functions"] = True
        found[f"{name}, shape votes"] = by_database(specs, systems, **options)
        if model == "weighted":
            options["shape_functions"] = many
            found[f"{name}, many shape votes"] = by_database(specs, systems, **options)
    return found


def sensitivity(specs: Specs, systems: Sequence[System]) -> dict[str, Scored]:
    """Return what copies, a dropped signal and another class balance change."""
    more_specs, more = copied(specs, systems)
    fewer = tuple(spec for spec in specs if spec.name != DROPPED)
    found: dict[str, Scored] = {}
    for model, classifier in (
        ("snorkel", "none"), ("dawid-skene", "none"), ("weighted", "none"), ("snorkel", "additive"),
    ):  # fmt: skip
        options: dict[str, Any] = {"label_model": model, "classifier": classifier, "start": "none"}
        name = f"{model}, {classifier}"
        found[name] = in_domain(specs, systems, **options)
        found[f"{name}, {COPIES} copies of {COPIED}"] = in_domain(more_specs, more, **options)
        found[f"{name}, without {DROPPED}"] = in_domain(fewer, systems, **options)
        for balance in BALANCES:
            found[f"{name}, class balance {balance}"] = in_domain(
                specs, systems, class_balance=balance, **options
            )
    return found


def compared_with(name: str, part: str) -> str | None:
    """Return the way of scoring that a row is the change of, None where it is the reference."""
    if part == "sensitivity" or part == "shape":
        base = ", ".join(name.split(", ")[:2])
    else:
        base = REFERENCE
    return None if base == name else base


def measured(
    part: str, name: str, workspace: Workspace
) -> tuple[list[dict[str, Cell]], list[dict[str, Cell]]]:
    """Return, for one part on one benchmark, a row for every aggregator, and for every system."""
    candidates = part.endswith("candidates")
    every = all_signals()
    specs = every if candidates else tuple(s for s in every if s.name != "candidate_disagreement")
    systems = workspace.systems(name, candidates=candidates)
    gold = workspace.benchmark(name).gold()
    figures = {
        aggregator: system_figures(systems, scored, gold)
        for aggregator, scored in PARTS[part][0](specs, systems).items()
    }
    rows, of_system = [], []
    for aggregator, of in figures.items():
        key: dict[str, Cell] = {"part": part, "benchmark": name, "aggregator": aggregator}
        rows.append(
            {**key, **of.row(), **interval_columns("change", change(aggregator, part, figures))}
        )
        of_system += [{**key, **row} for row in of.auc_rows()]
    return rows, of_system


def change(name: str, part: str, figures: dict[str, SystemFigures]) -> list[float]:
    """Return by how much the AUC is above what the row is compared with."""
    base = compared_with(name, part)
    return [float("nan")] * 3 if base is None else figures[name].gain(figures[base], "auc")


def report(folder: Path) -> str:
    """Return the AUC and the change of every aggregator on every benchmark, part by part."""
    parts = ["# Results\n"]
    for (part,), rows in grouped(read_csv(folder / "results.csv"), "part").items():
        header = ["aggregator"]
        for (benchmark,) in grouped(rows, "benchmark"):
            header += [f"AUC {benchmark}", "change"]
        lines = []
        for (aggregator,), of in grouped(rows, "aggregator").items():
            line = [aggregator]
            for row in of:
                gain = interval_text(interval(row, "change"), signed=True) if row["change"] else ""
                line += [interval_text(interval(row, "auc")), gain]
            lines.append(line)
        parts.append(f"## {PARTS[part][1]}\n\n{markdown_table(header, lines)}")
    return "\n".join(parts)


PARTS = {
    "label models": (label_models, "Label models by themselves, by database, one query"),
    "label models with candidates": (label_models, "The same with candidates"),
    "shape": (with_shape, "Classifiers, without and with votes on the shape, by database"),
    "sensitivity": (sensitivity, "Sensitivity, in-domain"),
}


def kept(path: Path, part: str, rows: Sequence[dict[str, Cell]]) -> list[dict[str, Cell]]:
    """Return the rows of all parts: the new ones of this part, the others from the file."""
    known = {of: list(found) for (of,), found in grouped(read_csv(path), "part").items()}
    every: dict[str, Sequence[Any]] = {**known, part: rows}
    return [row for name in PARTS for row in every.get(name, ())]


def main() -> None:
    """Run the experiment and write its results."""
    arguments = parser(__doc__)
    arguments.add_argument("--parts", default=",".join(PARTS), help="those to measure anew")
    parsed = arguments.parse_args()
    workspace = Workspace.of(parsed)
    without_label_warnings()
    LABEL_MODELS.add("dawid-skene", DawidSkene)
    for part in parsed.parts.split(","):
        found = [measured(part, name, workspace) for name in workspace.benchmarks]
        for file, place in (("results.csv", 0), ("systems.csv", 1)):
            path = workspace.out / file
            write_csv(path, kept(path, part, [row for of in found for row in of[place]]))
        write_report(workspace.out, report)
        print(part, flush=True)


if __name__ == "__main__":
    main()
