"""What a detector loses where schemas are named and questions are worded otherwise.

    python -m experiments.robustness.run DATA --out experiments/robustness/results

Predictions on so many questions of each benchmark (`--questions`, 0 for all) are scored as they
are, and under each perturbation; see the README. Only names and words change: what a query returns
is checked to be the same, so every label stays true.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path

from clausewise.models import Detector
from clausewise.models.registries import PACKAGED
from experiments.common.data import BENCHMARKS, Benchmark
from experiments.common.results import (
    Cell,
    Row,
    grouped,
    interval,
    number,
    read_csv,
    write_csv,
    write_report,
)
from experiments.common.tables import interval_text, markdown_table
from experiments.robustness.inputs import NAMES, perturbations, read_predictions
from experiments.robustness.measures import cost, examples, firings, scores

TARGET = 0.02
QUESTIONS = 120
LEAST_HARM = 3
"""Distinct queries, wrong ones lost and right ones gained, from which on a signal is shown."""
SHOWN = 10
EXAMPLES = 4
"""Queries shown of each signal, benchmark and perturbation with `--examples`."""
Firings = dict[str, Counter[tuple[str, bool, str]]]


def signal_rows(found: Firings) -> list[dict[str, Cell]]:
    """Return a row for each perturbation and signal that fired at all."""
    rows: list[dict[str, Cell]] = []
    for perturbation, counts in found.items():
        for signal in sorted({signal for signal, _, _ in counts}):
            row: dict[str, Cell] = {"perturbation": perturbation, "signal": signal}
            for right, kind in ((False, "wrong"), (True, "right")):
                row |= {
                    f"{kind}_{when}": counts[signal, right, when]
                    for when in ("cases", "before", "after")
                }
            if any(
                counts[signal, right, w] for right in (False, True) for w in ("before", "after")
            ):
                rows.append(row)
    return rows


def report(folder: Path) -> str:
    """Return the tables of a folder of results."""
    header = ["perturbation", "changed", "dropped", "AUC", "after", "fall of AUC", "recall"]
    header += ["after", "wrong, no finding", "after", "right called incorrect", "after"]
    text = f"The fall of AUC is to be at most {TARGET}; larger ones are marked with *."
    parts = [f"# Results\n\nMeans over systems, one query, no vacuous labels. {text}\n"]
    for (name,), rows in grouped(read_csv(folder / "results.csv"), "benchmark").items():
        lines = [_line(row) for row in rows]
        parts.append(f"## {name}\n\n{markdown_table(header, lines)}")
    header = ["signal", "fires on wrong queries", "after", "on right ones", "after"]
    for (name,), rows in grouped(read_csv(folder / "signals.csv"), "perturbation").items():
        columns = ("signal", "wrong_before", "wrong_after", "right_before", "right_after")
        lines = [
            [row[column] for column in columns]
            for row in sorted(rows, key=lambda row: (-_harm(row), row["signal"]))
            if _harm(row) >= LEAST_HARM
        ]
        of = f"{rows[0]['wrong_cases']} wrong and {rows[0]['right_cases']} right queries"
        title = f"## Signals that suffer most: {name}, {of}"
        shown = markdown_table(header, lines[:SHOWN]) if lines else "None.\n"
        parts.append(f"{title}\n\n{shown}")
    return "\n".join(parts)


def _harm(row: Row) -> float:
    """Return the wrong queries that a signal fires on no more, and the right ones it now does."""
    lost = number(row, "wrong_before") - number(row, "wrong_after")
    return lost + number(row, "right_after") - number(row, "right_before")


def _line(row: Row) -> list[str]:
    changed = number(row, "changed") / (number(row, "cases") or 1)
    figures = [f"{number(row, 'auc_before'):.3f}", f"{number(row, 'auc_after'):.3f}"]
    mark = " *" if number(row, "auc_fall") > TARGET else ""
    figures.append(interval_text(interval(row, "auc_fall"), signed=True) + mark)
    for name in ("recall", "silent", "false_alarms"):
        figures += [f"{number(row, f'{name}_{when}'):.3f}" for when in ("before", "after")]
    return [row["perturbation"], f"{changed:.0%}", row["dropped"], *figures]


def main() -> None:
    """Score, perturb, score again; write and print the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="folder of the benchmarks")
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument("--benchmarks", default=",".join(BENCHMARKS))
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="of each; 0: all")
    parser.add_argument("--only", default="", help="perturbations, by comma; default: all")
    parser.add_argument("--detector", type=Path, default=PACKAGED, help="folder of a detector")
    parser.add_argument("--examples", type=Path, help="file of queries on which signals do harm")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    arguments = parser.parse_args()
    detector = Detector.load(arguments.detector)
    only = [name for name in arguments.only.split(",") if name]
    rows: list[dict[str, Cell]] = []
    fired: Firings = {}
    shown: list[str] = []
    for name in arguments.benchmarks.split(","):
        benchmark = Benchmark(arguments.data / name)
        predictions = read_predictions(benchmark, arguments.questions, arguments.seed)
        before = scores(detector, predictions.cases, benchmark.databases, arguments.jobs)
        with tempfile.TemporaryDirectory() as folder:
            for found in perturbations(predictions, Path(folder), arguments.seed, only):
                same = found.unchanged(predictions) if found.of != NAMES else set()
                todo = {key: case for key, case in found.cases.items() if key not in same}
                after = {key: of for key, of in before.items() if key in same}
                after |= scores(detector, todo, found.databases, arguments.jobs)
                rows.append(cost(predictions, found, before, after))
                counts = fired.setdefault(found.name, Counter())
                counts.update(firings(predictions, before, after))
                shown += examples(predictions, found, before, after, EXAMPLES)
                row = rows[-1]
                print(
                    name, found.name, row["cases"], row["auc_before"], row["auc_after"], flush=True
                )
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_csv(arguments.out / "results.csv", rows)
    write_csv(arguments.out / "signals.csv", signal_rows(fired))
    if arguments.examples is not None:
        arguments.examples.write_text("\n".join(shown), "utf-8")
    print(write_report(arguments.out, report))


if __name__ == "__main__":
    main()
