"""SQLens's tables 4, 5 and 7 in form, with the nine signals and with all signals.

    python -m experiments.sqlens_tables.run DATA --out RESULTS

Every system, one query a case, leave-one-database-out. Supervised ways read the labels of the
system's other databases, all others read none.
"""

from __future__ import annotations

import argparse
import csv
import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from clausewise.evaluation.intervals import wilson_interval
from clausewise.labeling import LabelMatrixWarning
from clausewise.models import Detector
from clausewise.signals import select_signals
from clausewise.types import Inspection, OutcomeStatus, ScoredCase, Verdict
from experiments import plots
from experiments.cache import add_arguments, alone, inspected
from experiments.data import Benchmark, System
from experiments.folds import KEYS, Scored, held_out
from experiments.means import METRICS, Judged, judge
from experiments.packaged_detector.train import pooled
from experiments.sqlens_reference.run import BASE_RATE, signal_counts
from experiments.tables import markdown

NINE, ALL = "sqlens", "all"
SHOWN = ("accuracy", "auc", "auc_within", "precision", "recall", "f1")
ANY, LENGTH = "any of the nine fired", "length of the SQL"
NO_VERDICT = {LENGTH: ("accuracy", "precision", "recall", "f1"), ANY: ("auc", "auc_within")}
"""What is not shown: a ranking gives no verdict, one bit no ranking (the paper's cross)."""
LOGISTIC = "logistic"
OPTIONS = {
    LOGISTIC: {"label_model": "snorkel", "classifier": "logistic"},
    "additive": {"label_model": "weighted", "classifier": "additive"},
    "autogluon": {"label_model": "snorkel", "classifier": "autogluon"},
}
TABLE = {"bird": "4", "spider": "7"}


@dataclass(frozen=True)
class Way:
    """A way of detecting errors."""

    name: str
    signals: str = NINE
    labels: bool = False
    learner: str = LOGISTIC


WAYS = (
    Way(LENGTH),
    Way(ANY),
    Way("nine signals, supervised, logistic", labels=True),
    Way("nine signals, Snorkel, logistic"),
    Way("all signals, supervised, logistic", ALL, labels=True),
    Way("all signals, Snorkel, logistic", ALL),
    Way("all signals, additive", ALL, learner="additive"),
)
AS_IN_THE_PAPER = (
    Way("nine signals, Snorkel, AutoGluon", learner="autogluon"),
    Way("all signals, Snorkel, AutoGluon", ALL, learner="autogluon"),
)


@lru_cache(maxsize=2)
def systems_of(folder: Path, cache: Path) -> list[System]:
    """Return the systems' single queries, read once in a process."""
    specs = select_signals(ALL)
    return [alone(system, specs) for system in inspected(Benchmark(folder), specs, cache)]


def scored(way: Way, systems: Sequence[System]) -> Scored:
    """Score every system by detectors fitted on its other databases."""
    if way.name in NO_VERDICT:
        return {system.name: _untrained(way, system) for system in systems}

    def fit(of: list[System]) -> Detector:
        inspections, labels = pooled(of)
        detector = Detector(signals=way.signals, start="none", **OPTIONS[way.learner])
        return detector.fit_inspections(inspections, labels if way.labels else None)

    found: Scored = {}
    for system in systems:
        found.update(held_out([system], [system], KEYS["database"], fit))
    return found


def _untrained(way: Way, system: System) -> list[ScoredCase]:
    """Return cases ranked by their length, or called incorrect where a signal fired."""
    nine = [spec.name for spec in select_signals(NINE)]
    frame = Detector(signals=NINE, label_model="majority", classifier="none", start="none")
    cases = frame.fit_inspections(system.inspections).score_inspections(system.inspections)
    found = []
    for item, case in zip(system.inspections, cases, strict=True):
        if not isinstance(item, Inspection) or case.p_correct is None:
            found.append(case)
            continue
        fired = any(item.outcomes[name].status is OutcomeStatus.FIRED for name in nine)
        correct = 1.0 / len(item.case.predicted_sql) if way.name == LENGTH else 1.0 - fired
        verdict = Verdict.INCORRECT if fired else Verdict.CORRECT
        found.append(replace(case, p_correct=correct, verdict=verdict))
    return found


def measured(benchmark: str, way: Way, data: Path, cache: Path) -> Judged:
    """Return what one way is worth on one benchmark."""
    warnings.simplefilter("ignore", LabelMatrixWarning)
    systems = systems_of(data / benchmark, cache)
    result = judge(systems, scored(way, systems), Benchmark(data / benchmark).gold())
    print(benchmark, way.name, result.mean("auc"), flush=True)
    return result


def cells(way: Way, result: Judged) -> list[str]:
    """Return one row of table 4 or 7."""
    hidden = NO_VERDICT.get(way.name, ())
    return [way.name, *("x" if metric in hidden else result.cell(metric) for metric in SHOWN)]


def detection_table(results: dict[Way, Judged]) -> str:
    """Return table 4 or 7 in form: every system and the mean, every way."""
    first = next(iter(results.values()))
    rows = [["**mean**", *cells(way, result)] for way, result in results.items()]
    for system in first.systems:
        rows.extend([system, *cells(way, result.only(system))] for way, result in results.items())
    return markdown(["system", "method", *(METRICS[metric] for metric in SHOWN)], rows)


Counts = dict[str, tuple[int, int]]


def precision(fired: int, wrong: int) -> list[float] | None:
    """Return the precision with its Wilson interval, None where nothing fired."""
    interval = wilson_interval(wrong, fired)
    return [round(value, 4) for value in (wrong / fired, *interval)] if interval else None


def nine_table(by_system: dict[str, Counts]) -> str:
    """Return table 5 in form: for each system the nine signals, truly wrong of fired."""
    names = [spec.name for spec in select_signals(NINE)]
    rows = []
    for name in (*names, BASE_RATE):
        shown = []
        for counts in by_system.values():
            fired, wrong = counts.get(name, (0, 0))
            shown.append(f"{wrong}/{fired} ({100 * wrong / fired:.0f} %)" if fired else "0/0")
        rows.append([name, *shown])
    return markdown(["signal", *by_system], rows)


def signals_table(counts: Counts) -> str:
    """Return all signals over all systems: fired, truly wrong, precision, lift."""
    total, incorrect = counts[BASE_RATE]
    base = incorrect / total
    rows = []
    for name, (fired, wrong) in counts.items():
        share = precision(fired, wrong)
        shown = "-" if share is None else f"{share[0]:.3f} ({share[1]:.2f} to {share[2]:.2f})"
        lift = "-" if share is None else f"{share[0] / base:.2f}"
        rows.append([name, str(fired), str(wrong), shown, lift])
    return markdown(["signal", "fired", "truly wrong", "precision", "lift"], rows)


def write_csv(path: Path, counts: dict[str, dict[str, Counts]]) -> None:
    """Write what each signal found, for every system."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["benchmark", "system", "signal", "fired", "truly_wrong"])
        for benchmark, by_system in counts.items():
            for system, of in by_system.items():
                writer.writerows([benchmark, system, name, *pair] for name, pair in of.items())


def write_plots(
    results: dict[str, dict[Way, Judged]], counts: dict[str, Counts], out: Path
) -> None:
    """Draw each system's AUC, and each signal's precision."""
    compared = [way for way in WAYS if way.name != ANY]
    panels = {
        benchmark: {
            system: {way.name: of[way].only(system).mean("auc") for way in compared}
            for system in next(iter(of.values())).systems
        }
        for benchmark, of in results.items()
    }
    plots.intervals(out / "detection.png", panels, "AUC, 95 % interval", reference=0.5)
    plots.precisions(
        out / "signals.png",
        {
            benchmark: {name: (*pair, precision(*pair)) for name, pair in of.items()}
            for benchmark, of in counts.items()
        },
        BASE_RATE,
    )


def main() -> None:
    """Run the experiment and write its results."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
    parser.add_argument("--as-in-the-paper", action="store_true", help="with AutoGluon, too (slow)")
    arguments = parser.parse_args()
    ways = (*WAYS, *(AS_IN_THE_PAPER if arguments.as_in_the_paper else ()))
    names = arguments.benchmarks.split(",")
    specs = select_signals(ALL)
    by_system: dict[str, dict[str, Counts]] = {}
    counts: dict[str, Counts] = {}
    for name in names:
        systems = inspected(
            Benchmark(arguments.data / name), specs, arguments.cache, arguments.jobs
        )
        by_system[name] = {system.name: signal_counts([system]) for system in systems}
        counts[name] = signal_counts(systems)
    tasks = [(name, way) for name in names for way in ways]
    found = Parallel(n_jobs=arguments.jobs)(
        delayed(measured)(name, way, arguments.data, arguments.cache) for name, way in tasks
    )
    results: dict[str, dict[Way, Judged]] = {}
    for (name, way), result in zip(tasks, found, strict=True):
        results.setdefault(name, {})[way] = result
    arguments.out.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = [
        {"benchmark": name, **vars(way), **result.to_json()}
        for name, of in results.items()
        for way, result in of.items()
    ]
    (arguments.out / "results.json").write_text(json.dumps(rows, indent=1) + "\n")
    write_csv(arguments.out / "signals.csv", by_system)
    parts = [
        "# Results\n\nExecutable queries only, 95 % intervals, leave-one-database-out. One query a "
        "case; only for candidate_disagreement in the tables of signals the other systems' queries "
        "were given, and it is graded: it fires at any disagreement.\n"
    ]
    for name in names:
        table = detection_table(results[name])
        parts.append(f"## {name}, as table {TABLE.get(name, '-')} of SQLens\n\n{table}")
    parts.append("![AUC of every system](detection.png)\n")
    for name in names:
        nine, every = nine_table(by_system[name]), signals_table(counts[name])
        parts.append(
            f"## {name}, as table 5 of SQLens: truly wrong of fired\n\n{nine}\n"
            f"All signals, all systems:\n\n{every}"
        )
    parts.append("![Precision of every signal](signals.png)\n")
    (arguments.out / "results.md").write_text("\n".join(parts))
    write_plots(results, counts, arguments.out)


if __name__ == "__main__":
    main()
