"""Fixed, broken, net and execution accuracy of trials, with intervals.

Intervals: 95 %, over resampled questions (those with one gold query together): predictions of many
systems for one question are no independent cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from experiments.common.results import Cell, Row, interval, interval_columns, number
from experiments.common.tables import interval_text, markdown_table
from experiments.correction.trials import Corrected

RESAMPLES = 1_000
ALL = "all"
HEADER = (
    "cases", "changed", "fixed", "broken", "net", "EX before", "EX after", "gain",
    "calls", "tokens",
)  # fmt: skip


def figures(rows: Sequence[Corrected], resamples: int = RESAMPLES) -> dict[str, Cell]:
    """Return the figures of some predictions.

    `fixed` counts wrong queries that became right, `broken` right ones that became wrong, `net` is
    their difference; `ex_before`, `ex_after` and `gain` (their difference) are shares in [0, 1],
    or [-1, 1], with their intervals. `calls` and `tokens` are sums over all cases, answers from a
    cache included.
    """
    before = np.array([row.right_before for row in rows], dtype=float)
    after = np.array([row.right_after for row in rows], dtype=float)
    columns: dict[str, Cell] = {
        "cases": len(rows),
        "changed": sum(row.result.changed for row in rows),
        "failed": sum(row.result.status.value == "failed" for row in rows),
        "right_before": int(before.sum()),
        "fixed": int(((after == 1) & (before == 0)).sum()),
        "broken": int(((after == 0) & (before == 1)).sum()),
    }
    columns["net"] = int(after.sum() - before.sum())
    weights = question_weights([row.question for row in rows], resamples)
    measured = {"ex_before": before, "ex_after": after, "gain": after - before}
    for name, values in measured.items():
        of_all = (weights * values).sum(1) / np.maximum(weights.sum(1), 1)
        low, high = np.percentile(of_all[1:], [2.5, 97.5]) if len(rows) else (0.0, 0.0)
        columns |= interval_columns(name, [float(of_all[0]), float(low), float(high)])
    columns["calls"] = _cost(rows, "calls")
    columns["tokens"] = _cost(rows, "prompt_tokens") + _cost(rows, "completion_tokens")
    return columns


def figures_by(
    rows: Sequence[Corrected], *keys: Callable[[Corrected], str]
) -> list[tuple[tuple[str, ...], dict[str, Cell]]]:
    """Return the figures of each group of predictions, in order of first appearance."""
    groups: dict[tuple[str, ...], list[Corrected]] = {}
    for row in rows:
        groups.setdefault(tuple(key(row) for key in keys), []).append(row)
    return [(key, figures(of)) for key, of in groups.items()]


def figures_by_signal(rows: Iterable[Corrected]) -> dict[str, dict[str, Cell]]:
    """Return the figures of the predictions on which each signal fired, by its name."""
    groups: dict[str, list[Corrected]] = {}
    for row in rows:
        for signal in row.signals:
            groups.setdefault(signal, []).append(row)
    return {signal: figures(groups[signal]) for signal in sorted(groups)}


def system_rows(rows: Sequence[Corrected], **key: Cell) -> list[dict[str, Cell]]:
    """Return the lines of a CSV file: each benchmark as a whole, then each system."""
    found: list[dict[str, Cell]] = []
    for (benchmark,), of in figures_by(rows, lambda row: row.benchmark):
        found.append({**key, "benchmark": benchmark, "system": ALL, **of})
    for (benchmark, system), of in figures_by(
        rows, lambda row: row.benchmark, lambda row: row.system
    ):
        found.append({**key, "benchmark": benchmark, "system": system, **of})
    return found


def table(rows: Sequence[Row], keys: Sequence[str]) -> str:
    """Return lines of a CSV file as a Markdown table, `keys` first."""
    return markdown_table(
        [*keys, *HEADER], [[*(row[key] for key in keys), *cells(row)] for row in rows]
    )


def cells(row: Row) -> list[str]:
    """Return what stands under `HEADER`, of a line of a CSV file."""
    counts = [f"{number(row, name):.0f}" for name in ("cases", "changed", "fixed", "broken")]
    shares = [interval_text(interval(row, name)) for name in ("ex_before", "ex_after")]
    return [
        *counts,
        f"{number(row, 'net'):+.0f}",
        *shares,
        interval_text(interval(row, "gain"), signed=True),
        *(f"{number(row, name):.0f}" for name in ("calls", "tokens")),
    ]


def question_weights(
    questions: Sequence[str], resamples: int
) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return `[1 + resamples, n]`: how often each case is in each sample, first in all cases."""
    place = {text: number for number, text in enumerate(dict.fromkeys(questions))}
    count = max(len(place), 1)
    drawn = np.random.default_rng(0).multinomial(count, [1 / count] * count, resamples)
    weights = np.vstack([np.ones(count, np.int64), drawn])
    return weights[:, [place[text] for text in questions]]


def _cost(rows: Iterable[Corrected], name: str) -> int:
    return sum(int(str((row.result.cost or {}).get(name) or 0)) for row in rows)
