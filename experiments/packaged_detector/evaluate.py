"""What the packaged detector is worth on databases that it has not seen, and what fitting adds.

    python -m experiments.packaged_detector.evaluate DATA --out RESULTS

Each database is scored by a detector that was trained, strengths of reasons included, without it.
Labels that say nothing are left out. The fitted detectors read no label; they start from one that
knows the other benchmark only, strengths included, or from nothing but these strengths, and are
fitted on one system's own cases.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from clausewise.evaluation import evaluate
from clausewise.evaluation.measuring import Sample, auc_of_resamples, interval_figure, measure
from clausewise.models import Detector
from clausewise.models.agreement import DISAGREEMENT
from clausewise.models.calibration.maps import best_f1_threshold
from clausewise.types import Inspection, OutcomeStatus, Strictness, Verdict
from experiments.common.data import BENCHMARKS, Labels, System, database, labeled_scores
from experiments.common.folds import Scored, part, values
from experiments.common.results import Cell, grouped, number, read_csv, write_csv, write_report
from experiments.common.starts import trained_on_labels
from experiments.common.tables import interval_text, markdown_table
from experiments.common.workspace import Workspace, parser
from experiments.reasons.counting import Seen, seen_predictions
from experiments.reasons.learning import Strengths, in_force, regraded
from experiments.reasons.run import strengths_from

METRICS = ("auc", "f1", "best_f1", "ece", "brier")
EMPTY: dict[str, Cell] = dict.fromkeys(
    ("benchmark", "detector", "system", *METRICS, "auc_low", "auc_high")
)
MEAN = "mean"
"""In the place of a system's name: the mean over systems."""
RESAMPLES = 500
FEW_LABELS = 100
SEED = 0
Systems = dict[str, list[System]]


def left_out(
    single: Sequence[System],
    scored: Sequence[System],
    learn: Callable[[list[Seen]], Strengths] = strengths_from,
) -> Scored:
    """Score every case by a detector trained on all other databases, strengths included.

    `single` are the systems without candidates, which are trained on; `scored` may have them.
    `learn` returns the strengths of reasons.
    """
    seen = seen_predictions(single)
    found: dict[str, dict[int, Any]] = {_key(system): {} for system in scored}
    for name in values(scored, database):
        strengths = learn([item for item in seen if item.database != name])
        rest = [part(system, database, name, inside=False) for system in single]
        detector = trained_on_labels(regraded([s for s in rest if s.inspections], strengths))
        for system in regraded(list(scored), strengths):
            places = [n for n, item in enumerate(system.inspections) if database(item) == name]
            items = [system.inspections[n] for n in places]
            if items:
                with in_force(strengths):
                    cases = detector.score_inspections(items)
                found[_key(system)].update(zip(places, cases, strict=True))
    return {name: [of[place] for place in sorted(of)] for name, of in found.items()}


def fitted(
    logs: Sequence[System], scored: Sequence[System], few: bool = False, **options: Any
) -> Scored:
    """Score each system by a detector fitted, without labels, on its own cases in `logs`."""
    found: Scored = {}
    for log, system in zip(logs, scored, strict=True):
        labels = _some_labels(system) if few else None
        detector = Detector(**options, conventions=Strictness.STRICT.value)
        detector.fit_inspections(log.inspections, labels)
        found[_key(system)] = detector.score_inspections(system.inspections)
    return found


def _some_labels(system: System) -> Labels:
    ids = [item.case.question_id for item in system.labeled()]
    chosen = np.random.default_rng(SEED).permutation(len(ids))[:FEW_LABELS]
    return {ids[n]: system.labels[ids[n]] for n in sorted(chosen.tolist()) if ids[n] is not None}


def _key(system: System) -> str:
    return f"{system.benchmark}/{system.name}"


def figures(systems: Sequence[System], found: Scored) -> list[dict[str, Cell]]:
    """Return the mean over systems of every figure on executable queries, and each system's."""
    rows: list[dict[str, Any]] = []
    resampled = []
    for system in systems:
        pairs = labeled_scores(system, found[_key(system)])
        incorrect = np.array([1.0 - (case.p_correct or 0.0) for case, _ in pairs])
        labels = np.array([wrong for _, wrong in pairs])
        called = np.array([case.verdict is Verdict.INCORRECT for case, _ in pairs])
        scope: Any = evaluate(found[_key(system)], system.labels, bootstrap=2).to_dict()
        measured = scope["executable_only"]
        at_best = incorrect >= best_f1_threshold(incorrect, labels.astype(float))
        rows.append(
            {
                "system": system.name,
                **{name: measured[name] for name in ("auc", "f1", "ece", "brier")},
                "best_f1": 2.0 * (at_best & labels).sum() / (at_best.sum() + labels.sum()),
            }
        )
        sample = Sample(labels, incorrect, called, probability=True)
        resampled.append(auc_of_resamples(sample, RESAMPLES, SEED))
    means = {name: statistics.mean(row[name] for row in rows) for name in METRICS}
    figure = interval_figure(np.mean(resampled, axis=0))
    head = {"system": MEAN, **means, "auc_low": figure.low, "auc_high": figure.high}
    return [head, *({**row, "auc_low": None, "auc_high": None} for row in rows)]


def ways(
    single: Systems, full: Systems, name: str, start: str, strengths: Strengths
) -> dict[str, Callable[[], Scored]]:
    """Return what is measured on one benchmark, by its description.

    `start` and `strengths` were learned without it.
    """
    everyone = [system for of in single.values() for system in of]
    own, own_full = regraded(single[name], strengths), regraded(full[name], strengths)
    other = Detector.load(start)

    def elsewhere(systems: Sequence[System]) -> Scored:
        return {_key(s): other.score_inspections(s.inspections) for s in systems}

    return {
        "trained on all other databases": lambda: left_out(everyone, single[name]),
        "that, with candidates": lambda: left_out(everyone, full[name]),
        "trained on the other benchmark": lambda: elsewhere(own),
        "the other benchmark, with candidates": lambda: elsewhere(own_full),
        "that, fitted on one log": lambda: fitted(own, own, start=start),
        "that, fitted on one log with candidates": lambda: fitted(own_full, own, start=start),
        "that, fitted on one log, 100 labels": lambda: fitted(own, own, few=True, start=start),
        "from nothing, one log, defaults": lambda: fitted(own, own, start="none"),
        "from nothing, one log, additive": lambda: fitted(
            own, own, start="none", label_model="weighted", classifier="additive"
        ),
    }


def baselines(systems: Sequence[System], full: Sequence[System]) -> list[dict[str, Cell]]:
    """Return the mean AUC over systems of what needs no detector."""

    def fired(item: Inspection) -> float:
        return sum(o.status is OutcomeStatus.FIRED for o in item.outcomes.values())

    ranked: dict[str, tuple[Sequence[System], Callable[[Inspection], float]]] = {
        "length of the SQL": (systems, lambda item: len(item.case.predicted_sql)),
        "count of signals that fired": (systems, fired),
        "agreement of the candidates": (full, lambda item: item.agreement.get(DISAGREEMENT, 0.0)),
    }
    return [
        {"detector": name, "system": MEAN, "auc": statistics.mean(_auc(of, rank) for of in given)}
        for name, (given, rank) in ranked.items()
    ]


def _auc(system: System, rank: Callable[[Inspection], float]) -> float:
    items = system.labeled()
    labels = np.array([system.is_incorrect(item) for item in items])
    scores = np.array([rank(item) for item in items])
    figure: Any = measure(Sample(labels, scores, labels, probability=False), bootstrap=2)["auc"]
    return float(figure.value)


def report(folder: Path) -> str:
    """Return the means over systems as tables."""
    parts = [
        "# Results\n\nMeans over systems, executable queries, labels that say nothing left out; "
        "intervals of the mean AUC over cases.\n"
    ]
    means = [row for row in read_csv(folder / "results.csv") if row["system"] == MEAN]
    header = ["detector", "AUC", "F1 at its verdict", "best F1", "ECE", "Brier"]
    for (name,), rows in grouped(means, "benchmark").items():
        lines = [
            [
                row["detector"],
                _auc_text(row),
                *(_text(row, metric) for metric in METRICS[1:]),
            ]
            for row in rows
        ]
        parts.append(f"## {name}\n\n{markdown_table(header, lines)}")
    strict = read_csv(folder / "strict.csv")
    if strict:
        names = [name for name in strict[0] if name not in ("benchmark", "systems")]
        lines = [[row["benchmark"], *(_text(row, name) for name in names)] for row in strict]
        table = markdown_table(["benchmark", *names], lines)
        parts.append(f"## The strict detector, databases left out\n\n{table}")
    return "\n".join(parts)


def _auc_text(row: dict[str, str]) -> str:
    low, high = number(row, "auc_low"), number(row, "auc_high")
    if low != low:
        return _text(row, "auc")
    return interval_text((number(row, "auc"), low, high))


def _text(row: dict[str, str], name: str) -> str:
    value = number(row, name)
    return "-" if value != value else f"{value:.3f}"


def main() -> None:
    """Run the experiment and write its results."""
    workspace = Workspace.of(parser(__doc__).parse_args())
    single = {name: workspace.systems(name) for name in BENCHMARKS}
    full = {name: workspace.systems(name, candidates=True) for name in BENCHMARKS}
    rows: list[dict[str, Cell]] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in workspace.benchmarks:
            others = [s for other, of in single.items() if other != name for s in of]
            start = Path(folder) / name
            strengths = strengths_from(seen_predictions(others))
            trained_on_labels(regraded(others, strengths)).save(start)
            for way, score in ways(single, full, name, str(start), strengths).items():
                with in_force(strengths):
                    found = figures(single[name], score())
                key: dict[str, Cell] = {"benchmark": name, "detector": way}
                rows += [key | row for row in found]
                print(name, way, found[0], flush=True)
            key = {"benchmark": name}
            rows += [EMPTY | key | row for row in baselines(single[name], full[name])]
    write_csv(workspace.out / "results.csv", rows)
    write_report(workspace.out, report)


if __name__ == "__main__":
    main()
