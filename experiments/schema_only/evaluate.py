"""What the probability is worth where only the schema is known, beside the view with data.

    python -m experiments.schema_only.evaluate DATA --out RESULTS

Each database is scored by a detector that was trained without it, on predictions inspected through
a view; strengths of reasons are learned without it too, from predictions inspected with data, as
those of the package. Measured are, for every view, the predictions that run and whose label says
something.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from clausewise.evaluation.measuring import Sample, measure, resamples
from clausewise.types import CaseStatus, Inspection, ScoredCase, Verdict
from experiments.common.data import System, database, question_of
from experiments.common.folds import part, values
from experiments.common.results import (
    Cell,
    grouped,
    interval,
    interval_columns,
    read_csv,
    write_csv,
    write_report,
)
from experiments.common.starts import trained_on_labels
from experiments.common.tables import interval_text, markdown_table
from experiments.common.workspace import Workspace, parser
from experiments.reasons.counting import Seen, seen_predictions
from experiments.reasons.learning import in_force, regraded
from experiments.reasons.run import strengths_from
from experiments.schema_only.views import DATA, DDL, SCHEMA, VIEWS, viewed_systems

METRICS = ("auc", "f1", "ece", "brier")
RESAMPLES = 300
SEED = 0
WAYS = {
    DATA: {"data": DATA, "schema file, detector with data": SCHEMA},
    SCHEMA: {"schema file": SCHEMA, "DDL alone": DDL},
}
"""The view that is trained on to what is called how and scored."""
ORDER = ("data", "schema file", "DDL alone", "schema file, detector with data")
Key = tuple[str, str]
"""Benchmark and system."""
Scored = dict[Key, dict[int, ScoredCase]]
"""Scored cases by their place among the system's predictions."""


def left_out(
    trained: list[System], views: dict[str, list[System]], seen: list[Seen]
) -> dict[str, Scored]:
    """Score every case of some views by a detector trained on all other databases."""
    found: dict[str, Scored] = {way: {_key(one): {} for one in views[way]} for way in views}
    for name in values(trained, database):
        strengths = strengths_from([item for item in seen if item.database != name])
        rest = [part(system, database, name, inside=False) for system in trained]
        detector = trained_on_labels(regraded([s for s in rest if s.inspections], strengths))
        for way, scored in views.items():
            for system in regraded(scored, strengths):
                at = [n for n, item in enumerate(system.inspections) if database(item) == name]
                if at:
                    with in_force(strengths):
                        cases = detector.score_inspections([system.inspections[n] for n in at])
                    found[way][_key(system)].update(zip(at, cases, strict=True))
        print(name, "scored", flush=True)
    return found


def _key(system: System) -> Key:
    return system.benchmark, system.name


def figures(systems: list[System], scored: Scored) -> list[dict[str, Cell]]:
    """Return each system's figures, the mean over systems first, with intervals of the mean.

    `systems` were inspected with data: measured are the predictions that run there.
    """
    samples = [_sample(system, scored[_key(system)]) for system in systems]
    rows = [_measured(sample) for sample in samples]
    drawn = [
        [
            _measured(sample.only(draws))
            for block in resamples(len(sample.incorrect), RESAMPLES, SEED)
            for draws in block
        ]
        for sample in samples
    ]
    head: dict[str, Cell] = {"system": "mean", "n": sum(len(s.incorrect) for s in samples)}
    for metric in METRICS:
        means = np.mean([[row[metric] for row in of] for of in drawn], axis=0)
        low, high = np.nanpercentile(means, [2.5, 97.5])
        own = float(np.mean([row[metric] for row in rows]))
        head |= interval_columns(metric, (own, float(low), float(high)))
    alone: list[dict[str, Cell]] = []
    for system, sample, row in zip(systems, samples, rows, strict=True):
        line: dict[str, Cell] = {"system": system.name, "n": len(sample.incorrect)}
        for metric in METRICS:
            line |= interval_columns(metric, (row[metric], float("nan"), float("nan")))
        alone.append(line)
    return [head, *alone]


def _measured(sample: Sample) -> dict[str, float]:
    found = measure(sample, bootstrap=0).figures
    known = {name: found[name].value for name in METRICS}
    return {name: float("nan") if value is None else value for name, value in known.items()}


def _sample(system: System, scored: dict[int, ScoredCase]) -> Sample:
    """Return the cases that run with data and have a label; what is unchecked is left out."""
    incorrect, score, called = [], [], []
    for place, item in enumerate(system.inspections):
        case = scored[place]
        if not isinstance(item, Inspection) or item.status is not CaseStatus.OK:
            continue
        if question_of(case) not in system.labels or case.p_correct is None:
            continue
        incorrect.append(not system.labels[question_of(case)])
        score.append(1.0 - case.p_correct)
        called.append(case.verdict is Verdict.INCORRECT)
    return Sample(np.array(incorrect), np.array(score), np.array(called), probability=True)


def statuses(with_data: list[System], without: list[System]) -> list[dict[str, Cell]]:
    """Return how often each status with data meets each one without, over all predictions."""
    counted: Counter[Key] = Counter()
    for one, other in zip(with_data, without, strict=True):
        for full, bare in zip(one.inspections, other.inspections, strict=True):
            counted[_status(full), _status(bare)] += 1
    return [
        {"with_data": full, "schema_only": bare, "predictions": count}
        for (full, bare), count in sorted(counted.items())
    ]


def _status(item: object) -> str:
    return item.status.value if isinstance(item, Inspection) else CaseStatus.UNCHECKED.value


def report(folder: Path) -> str:
    """Return the means over systems as tables."""
    parts = [
        "# Results\n\nMeans over systems with 95 % intervals over cases; each database scored by "
        "detectors trained on all others. Predictions that run, labels that say nothing left "
        "out.\n"
    ]
    means = [row for row in read_csv(folder / "results.csv") if row["system"] == "mean"]
    for (name,), rows in grouped(means, "benchmark").items():
        lines = [
            [row["view"], row["n"], *(interval_text(interval(row, one)) for one in METRICS)]
            for row in rows
        ]
        header = ["view", "predictions", "AUC", "F1 at its verdict", "ECE", "Brier"]
        parts.append(f"## {name}\n\n{markdown_table(header, lines)}")
    header = ["benchmark", "with data", "schema only", "predictions"]
    lines = [list(row.values()) for row in read_csv(folder / "statuses.csv")]
    parts.append(f"## What becomes of a prediction\n\n{markdown_table(header, lines)}")
    return "\n".join(parts)


def main() -> None:
    """Run the experiment and write its results."""
    workspace = Workspace.of(parser(__doc__).parse_args())
    systems = {
        view: {name: viewed_systems(workspace, name, view) for name in workspace.benchmarks}
        for view in VIEWS
    }
    everyone = {view: [one for of in systems[view].values() for one in of] for view in VIEWS}
    seen = seen_predictions(everyone[DATA])
    found: dict[str, Scored] = {}
    for trained, ways in WAYS.items():
        views = {way: everyone[view] for way, view in ways.items()}
        found |= left_out(everyone[trained], views, seen)
    rows: list[dict[str, Cell]] = []
    counted: list[dict[str, Cell]] = []
    for name in workspace.benchmarks:
        for way in ORDER:
            key: dict[str, Cell] = {"benchmark": name, "view": way}
            measured = figures(systems[DATA][name], found[way])
            rows += [key | row for row in measured]
            print(name, way, measured[0], flush=True)
        pairs = statuses(systems[DATA][name], systems[SCHEMA][name])
        counted += [{"benchmark": name, **row} for row in pairs]
    write_csv(workspace.out / "results.csv", rows)
    write_csv(workspace.out / "statuses.csv", counted)
    write_report(workspace.out, report)


if __name__ == "__main__":
    main()
