"""Measure how often each signal fires on gold queries: its rate of false alarms, or of wrong gold.

    python -m experiments.gold_firing_rates.run DATA --out docs/signals/gold_firing_rates.csv

No labels, predictions or candidates are read. `docs/generate.py` puts the figures on the signals'
pages.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from clausewise.datasets import dump_line
from clausewise.evaluation import FiringRate, firing_rates
from clausewise.signals import inspect_cases, select_signals
from clausewise.types import Inspection, Level, OutcomeStatus
from experiments.common.data import Benchmark, Item
from experiments.common.results import Cell, interval_columns, write_csv
from experiments.common.tables import markdown_table

SOURCES = ("spider_train", "spider", "bird")
MOST = 10
"""How many of the signals that fire most are printed."""


def rate_rows(rates: dict[str, tuple[FiringRate, ...]]) -> list[dict[str, Cell]]:
    """Return a row for every signal and source; a signal that never could look is left out."""
    rows: list[dict[str, Cell]] = []
    for signal in sorted({rate.signal for found in rates.values() for rate in found}):
        for source, found in rates.items():
            for rate in found:
                if rate.signal == signal and rate.rate is not None and rate.interval is not None:
                    row: dict[str, Cell] = {"signal": signal, "source": source}
                    row |= {"fired": rate.fired, "answered": rate.answered}
                    rows.append(row | interval_columns("rate", (rate.rate, *rate.interval)))
    return rows


def firings(source: str, inspections: Sequence[Inspection]) -> list[str]:
    """Return a JSON line for each finding, to read by hand."""
    return [
        dump_line(
            {
                "source": source,
                "question_id": inspection.case.question_id,
                "db_id": inspection.case.db_id,
                "question": inspection.case.question,
                "evidence_given": inspection.case.evidence,
                "gold_sql": inspection.case.predicted_sql,
                **finding.to_dict(),
            }
        )
        for inspection in inspections
        for outcome in inspection.outcomes.values()
        for finding in outcome.findings
    ]


def summary(items: dict[str, list[Item]], rates: dict[str, tuple[FiringRate, ...]]) -> str:
    """Return a table of what became of the queries of each source."""
    rows: list[list[str]] = []
    for source, found in items.items():
        inspections = [item for item in found if isinstance(item, Inspection)]
        statuses = Counter(inspection.status.value for inspection in inspections)
        statuses["unchecked"] += len(found) - len(inspections)
        fired = sum(bool(_levels(inspection)) for inspection in inspections)
        graver = sum(bool(_levels(inspection) - {Level.INFO}) for inspection in inspections)
        rows.append(
            [
                source,
                str(len(found)),
                *(str(statuses[s]) for s in ("ok", "unparsable", "not_executable", "unchecked")),
                f"{fired / len(found):.3f}",
                f"{graver / len(found):.3f}",
                str(sum(rate.faults for rate in rates[source])),
            ]
        )
    header = ["gold queries of", "n", "ok", "unparsable", "not executable", "unchecked"]
    return markdown_table([*header, "any finding", "any above info", "faults"], rows)


def faults(source: str, inspections: Sequence[Inspection]) -> list[str]:
    """Return a line for each signal that ended in a fault."""
    return [
        f"{source} {inspection.case.question_id!r}: {outcome.signal}: {outcome.reason}"
        for inspection in inspections
        for outcome in inspection.outcomes.values()
        if outcome.status is OutcomeStatus.FAULT
    ]


def _levels(inspection: Inspection) -> set[Level]:
    return {f.level for outcome in inspection.outcomes.values() for f in outcome.findings}


def most_fired(items: dict[str, list[Item]], rates: dict[str, tuple[FiringRate, ...]]) -> str:
    """Return a table of the signals that fire most, over all sources; ties by name."""
    n = sum(len(found) for found in items.values())
    fired: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    for rate in (rate for found in rates.values() for rate in found):
        fired[rate.signal] += rate.fired
        answered[rate.signal] += rate.answered
    names = sorted(fired, key=lambda name: (-fired[name], name))[:MOST]
    rows = [
        [
            name,
            str(fired[name]),
            str(answered[name]),
            f"{fired[name] / answered[name]:.3f}",
            f"{fired[name] / n:.3f}",
        ]
        for name in names
        if answered[name]
    ]
    return markdown_table(["signal", "fired", "answered", "of answered", "of all"], rows)


def main() -> None:
    """Inspect the gold queries and write the rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--firings", type=Path, help="also write every finding, as JSONL")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    specs = select_signals("all")
    items: dict[str, list[Item]] = {}
    rates: dict[str, tuple[FiringRate, ...]] = {}
    findings: list[str] = []
    for source in SOURCES:
        benchmark = Benchmark(arguments.data / source)
        cases = benchmark.gold_cases()
        items[source] = inspect_cases(cases, benchmark.databases, specs, arguments.jobs)
        inspections = [item for item in items[source] if isinstance(item, Inspection)]
        rates[source] = firing_rates(inspections)
        findings += firings(source, inspections)
        for line in faults(source, inspections):
            print(line, file=sys.stderr)
    write_csv(arguments.out, rate_rows(rates))
    if arguments.firings:
        arguments.firings.write_text("\n".join(findings) + "\n", encoding="utf-8")
    print(summary(items, rates))
    print(most_fired(items, rates), end="")


if __name__ == "__main__":
    main()
