"""Which aggregator, voting by what, and how sensitive it is.

    python -m experiments.aggregation.run DATA --out experiments/aggregation/results

Every detector is fitted from nothing and without labels on a system's own predictions, without any
of the database that it scores (databases are held out in at most five groups); in the part on
sensitivity on all of them, since nothing but the setting differs there. Figures are means over
systems of the AUC on executable queries, with 95 % intervals over resampled questions. With
`--parts` only those are measured, and the other results are kept.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any
from unittest.mock import patch

from clausewise.labeling import LabelMatrixWarning, shape_levels
from clausewise.labeling.shape import ALL_MEASURES
from clausewise.models import LABEL_MODELS, Detector
from clausewise.signals import SignalSpec, select_signals
from clausewise.types import Inspection, UncheckedCase
from experiments.aggregation.dawid_skene import DawidSkene
from experiments.cache import add_arguments, alone, inspected
from experiments.data import Benchmark, System
from experiments.folds import Inspected, Scored, database, held_out
from experiments.means import Judged, cell, judge
from experiments.tables import markdown

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

    def more(item: Inspection | UncheckedCase) -> Inspection | UncheckedCase:
        if isinstance(item, UncheckedCase):
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
        fold = {name: str(place % FOLDS) for place, name in enumerate(system.databases())}

        def group(item: Inspected, fold: dict[str, str] = fold) -> str:
            return fold[database(item)]

        found |= held_out([system], [system], group, fit)
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
            with patch("clausewise.models.learning.shape_levels", many):
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


def figures(judged: dict[str, Judged], part: str) -> dict[str, Any]:
    """Return every row's figures on one benchmark, and its gain over what it is set against."""
    found = {}
    for name, of in judged.items():
        base = compared_with(name, part)
        change = None if base is None else of.gain(judged[base], "auc")
        found[name] = {**of.to_json(), "change": change}
    return found


def table(found: dict[str, dict[str, Any]]) -> str:
    """Return the AUC and the change of every row on every benchmark."""
    header = ["aggregator"]
    for benchmark in found:
        header += [f"AUC {benchmark}", "change"]
    rows = []
    for name in next(iter(found.values())):
        row = [name]
        for of in found.values():
            change = of[name]["change"]
            row += [cell(of[name]["mean"]["auc"]), cell(change, signed=True) if change else ""]
        rows.append(row)
    return markdown(header, rows)


PARTS = {
    "label models": (label_models, "Label models by themselves, by database, one query"),
    "label models with candidates": (label_models, "The same with candidates"),
    "shape": (with_shape, "Classifiers, without and with votes on the shape, by database"),
    "sensitivity": (sensitivity, "Sensitivity, in-domain"),
}


def main() -> None:
    """Run the experiment and write its results."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
    parser.add_argument("--parts", default=",".join(PARTS), help="those to measure anew")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", LabelMatrixWarning)
    LABEL_MODELS.add("dawid-skene", DawidSkene)
    every = select_signals()
    single = tuple(spec for spec in every if spec.name != "candidate_disagreement")
    path = arguments.out / "results.json"
    results: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    arguments.out.mkdir(parents=True, exist_ok=True)
    for part in arguments.parts.split(","):
        candidates = part.endswith("candidates")
        found: dict[str, Any] = {}
        for name in arguments.benchmarks.split(","):
            benchmark = Benchmark(arguments.data / name)
            systems = inspected(benchmark, every, arguments.cache, arguments.jobs)
            if not candidates:
                systems = [alone(system, every) for system in systems]
            scored = PARTS[part][0](every if candidates else single, systems)
            gold = benchmark.gold()
            judged = {what: judge(systems, of, gold) for what, of in scored.items()}
            found[name] = figures(judged, part)
        print(f"{part}\n\n{table(found)}", flush=True)
        results[part] = found
        known = {part: results[part] for part in PARTS if part in results}
        path.write_text(json.dumps(known, indent=1) + "\n")
        tables = [f"## {PARTS[part][1]}\n\n{table(of)}" for part, of in known.items()]
        (arguments.out / "results.md").write_text("\n".join(["# Results\n", *tables]))


if __name__ == "__main__":
    main()
