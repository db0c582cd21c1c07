"""SQLens's table 5: how often what a signal fires on is truly wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from clausewise.evaluation.intervals import wilson_interval
from clausewise.signals import select_signals
from clausewise.types import OutcomeStatus
from experiments.common import plots
from experiments.common.data import System
from experiments.common.results import Cell, Row, grouped, read_csv
from experiments.common.tables import markdown_table

FILE = "signals.csv"
NINE = "sqlens"
"""The selector of SQLens's nine signals that ask no model."""
BASE_RATE = "base rate"
Counts = dict[str, tuple[int, int]]
"""Signal to on how many queries it fired, and how many of these are truly wrong."""


def nine_signals() -> list[str]:
    """Return the names of the nine signals."""
    return [spec.name for spec in select_signals(NINE)]


def signal_counts(systems: Sequence[System]) -> Counts:
    """Return, for each signal, on how many labeled executable queries it fired, and truly wrong.

    The entry `BASE_RATE` counts all these queries, and the incorrect ones.
    """
    counts: dict[str, list[int]] = {}
    base = [0, 0]
    for system in systems:
        for item in system.labeled():
            incorrect = system.is_incorrect(item)
            base[0] += 1
            base[1] += incorrect
            for name, outcome in item.outcomes.items():
                fired = outcome.status is OutcomeStatus.FIRED
                count = counts.setdefault(name, [0, 0])
                count[0] += fired
                count[1] += fired and incorrect
    found = {name: (fired, wrong) for name, (fired, wrong) in counts.items()}
    return {**found, BASE_RATE: (base[0], base[1])}


def measured(systems: Sequence[System]) -> list[dict[str, Cell]]:
    """Return a row for every system and signal."""
    return [
        {
            "benchmark": system.benchmark,
            "system": system.name,
            "signal": name,
            "fired": fired,
            "truly_wrong": wrong,
        }
        for system in systems
        for name, (fired, wrong) in signal_counts([system]).items()
    ]


def precision(fired: int, wrong: int) -> list[float] | None:
    """Return the precision with its Wilson interval, None where nothing fired."""
    interval = wilson_interval(wrong, fired)
    return [round(value, 4) for value in (wrong / fired, *interval)] if interval else None


def report(folder: Path) -> list[str]:
    """Return table 5 of every benchmark: the nine signals by system, all signals over systems."""
    parts = []
    for (name,), rows in grouped(read_csv(folder / FILE), "benchmark").items():
        systems = {system: _counts(of) for (system,), of in grouped(rows, "system").items()}
        total = _total(systems.values())
        nine = {signal: total[signal] for signal in (*nine_signals(), BASE_RATE)}
        parts.append(
            f"## {name}, as table 5 of SQLens: truly wrong of fired\n\n{_nine_table(systems)}\n"
            f"The nine signals, all systems:\n\n{_short_table(nine)}\n"
            f"All signals, all systems:\n\n{_table(total)}"
        )
    return parts


def plot(folder: Path) -> None:
    """Draw each signal's precision."""
    panels = {}
    for (name,), rows in grouped(read_csv(folder / FILE), "benchmark").items():
        total = _total(_counts(of) for of in grouped(rows, "system").values())
        panels[name] = {signal: (*pair, precision(*pair)) for signal, pair in total.items()}
    plots.precisions(folder / "signals.png", panels, BASE_RATE)


def _counts(rows: Sequence[Row]) -> Counts:
    return {row["signal"]: (int(row["fired"]), int(row["truly_wrong"])) for row in rows}


def _total(systems: Iterable[Counts]) -> Counts:
    total: Counts = {}
    for counts in systems:
        for name, (fired, wrong) in counts.items():
            before = total.get(name, (0, 0))
            total[name] = (before[0] + fired, before[1] + wrong)
    return total


def _nine_table(systems: Mapping[str, Counts]) -> str:
    rows = []
    for name in (*nine_signals(), BASE_RATE):
        shown = []
        for counts in systems.values():
            fired, wrong = counts.get(name, (0, 0))
            shown.append(f"{wrong}/{fired} ({100 * wrong / fired:.0f} %)" if fired else "0/0")
        rows.append([name, *shown])
    return markdown_table(["signal", *systems], rows)


def _short_table(counts: Counts) -> str:
    rows = [
        [
            f"*{name}*" if name == BASE_RATE else name,
            str(fired),
            str(wrong),
            f"{wrong / fired:.3f}" if fired else "-",
        ]
        for name, (fired, wrong) in counts.items()
    ]
    return markdown_table(["signal", "fired", "truly wrong", "precision"], rows)


def _table(counts: Counts) -> str:
    total, incorrect = counts[BASE_RATE]
    base = incorrect / total
    rows = []
    for name, (fired, wrong) in counts.items():
        share = precision(fired, wrong)
        shown = "-" if share is None else f"{share[0]:.3f} ({share[1]:.2f} to {share[2]:.2f})"
        lift = "-" if share is None else f"{share[0] / base:.2f}"
        rows.append([name, str(fired), str(wrong), shown, lift])
    return markdown_table(["signal", "fired", "truly wrong", "precision", "lift"], rows)
