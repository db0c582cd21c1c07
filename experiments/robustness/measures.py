"""What a perturbation costs: the same predictions scored before and after it."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping

from clausewise.databases import Databases
from clausewise.models import Detector
from clausewise.signals import inspect_cases
from clausewise.types import Case, CaseStatus, OutcomeStatus, ScoredCase, Verdict
from experiments.common.data import System
from experiments.common.means import system_figures
from experiments.common.results import Cell, interval_columns
from experiments.robustness.inputs import NAMES, Key, Perturbed, Predictions

Scores = Mapping[Key, ScoredCase]
RESAMPLES = 300


def scores(
    detector: Detector, cases: Mapping[Key, Case], databases: Databases, jobs: int
) -> dict[Key, ScoredCase]:
    """Return what the detector says of each case that runs."""
    found = inspect_cases(cases.values(), databases, detector.specs(), jobs)
    scored = detector.score_inspections(found)
    pairs = zip(cases, scored, strict=True)
    return {key: case for key, case in pairs if case.status is CaseStatus.OK}


def cost(
    predictions: Predictions, found: Perturbed, before: Scores, after: Scores
) -> dict[str, Cell]:
    """Return the figures before and after: means over systems, of the cases scored both times."""
    both = before.keys() & after.keys()
    gold = predictions.benchmark.gold()
    systems = [
        System(predictions.benchmark.name, name, [], predictions.labels[name])
        for name in predictions.of_system
    ]
    figures, silent, alarms = [], [], []
    for of in (before, after):
        scored = {
            name: [of[key] for key in keys if key in both]
            for name, keys in predictions.of_system.items()
        }
        figures.append(system_figures(systems, scored, gold, RESAMPLES))
        silent.append(statistics.mean(_silent(system, scored[system.name]) for system in systems))
        alarms.append(statistics.mean(_alarms(system, scored[system.name]) for system in systems))
    one, other = figures
    return {
        "benchmark": predictions.benchmark.name,
        "perturbed": found.of,
        "perturbation": found.name,
        "cases": len(both),
        "changed": len(both - found.unchanged(predictions)),
        "dropped": found.dropped,
        "auc_before": one.mean("auc")[0],
        "auc_after": other.mean("auc")[0],
        **interval_columns("auc_fall", one.gain(other, "auc")),
        "recall_before": one.mean("recall")[0],
        "recall_after": other.mean("recall")[0],
        "silent_before": silent[0],
        "silent_after": silent[1],
        "false_alarms_before": alarms[0],
        "false_alarms_after": alarms[1],
    }


def _silent(system: System, scored: Iterable[ScoredCase]) -> float:
    """Return the share of a system's wrong queries that have no finding."""
    return statistics.mean(
        not case.findings for case in scored if not system.labels[case.question_id or 0]
    )


def _alarms(system: System, scored: Iterable[ScoredCase]) -> float:
    """Return the share of a system's right queries that are called incorrect."""
    return statistics.mean(
        case.verdict is Verdict.INCORRECT for case in scored if system.labels[case.question_id or 0]
    )


def examples(
    predictions: Predictions, found: Perturbed, before: Scores, after: Scores, most: int
) -> list[str]:
    """Return texts on queries where a signal does harm under the perturbation.

    At most so many for each signal that is lost on wrong queries or fires on right ones.
    """
    right = rightness(predictions)
    counts: Counter[tuple[str, bool]] = Counter()
    texts: list[str] = []
    for key in before:
        if key not in after:
            continue
        one, other = (
            {finding.signal: finding.message for finding in of[key].findings}
            for of in (before, after)
        )
        harmed = other.keys() - one.keys() if right[key] else one.keys() - other.keys()
        for signal in sorted(harmed):
            counts[signal, right[key]] += 1
            if counts[signal, right[key]] <= most:
                what = "fires on a right query" if right[key] else "is lost on a wrong query"
                case, was = found.cases[key], predictions.cases[key]
                message = (other if right[key] else one)[signal]
                lines = [f"{found.name}: {signal} {what}: {message}", f"  {was.question}"]
                lines += [f"  {case.question}"] if case.question != was.question else []
                lines += [f"  {was.predicted_sql}"]
                lines += [f"  {case.predicted_sql}"] if found.of == NAMES else []
                texts.append("\n".join(lines) + "\n")
    return texts


def rightness(predictions: Predictions) -> dict[Key, bool]:
    """Return whether each prediction is right."""
    return {
        key: predictions.labels[name][key[0]]
        for name, keys in predictions.of_system.items()
        for key in keys
    }


def firings(
    predictions: Predictions, before: Scores, after: Scores
) -> Counter[tuple[str, bool, str]]:
    """Count how often each signal fires: (signal, whether the query is right, when).

    `when` is `before`, `after`, or `cases` for the number of queries. Each distinct prediction
    counts once, of those that were scored both times.
    """
    counts: Counter[tuple[str, bool, str]] = Counter()
    right = rightness(predictions)
    for key in before.keys() & after.keys():
        for when, of in (("before", before), ("after", after)):
            for signal, status in of[key].signals.items():
                fired = status is OutcomeStatus.FIRED
                counts[signal, right[key], when] += fired
                counts[signal, right[key], "cases"] += when == "before"
    return counts
