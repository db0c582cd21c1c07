"""Plots of the experiments: small PNG files, the same bytes for the same figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

matplotlib.use("Agg")

from matplotlib import pyplot as plt

DPI = 110
COLORS = ("#1b6ca8", "#d1495b", "#2e8b57", "#e2a72e", "#6c5b7b", "#4d4d4d")
Interval = Sequence[float]
"""A figure, the lower and the upper end of its interval."""

plt.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False})


def save(figure: Any, path: Path) -> None:
    """Write a figure without the date and the version that would make its bytes differ."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=DPI, bbox_inches="tight", metadata={"Software": None})
    plt.close(figure)


def intervals(
    path: Path,
    panels: Mapping[str, Mapping[str, Mapping[str, Interval]]],
    axis: str,
    reference: float | None = None,
) -> None:
    """Draw points with their intervals: panel title to row label to series name to interval."""
    series = list(dict.fromkeys(s for rows in panels.values() for of in rows.values() for s in of))
    longest = max(len(rows) for rows in panels.values())
    figure, axes = plt.subplots(
        1,
        len(panels),
        figsize=(1.8 + 3.6 * len(panels), 0.9 + longest * (0.18 + 0.09 * len(series))),
        squeeze=False,
        sharey=len({tuple(rows) for rows in panels.values()}) == 1,
        layout="constrained",
    )
    for area, (title, rows) in zip(axes[0], panels.items(), strict=True):
        for number, name in enumerate(series):
            shown = [
                (place + _offset(list(of).index(name), len(of)), of[name])
                for place, of in enumerate(rows.values())
                if name in of
            ]
            if not shown:
                continue
            middle = np.array([interval[0] for _, interval in shown])
            ends = np.array([interval[1:] for _, interval in shown])
            area.errorbar(
                middle,
                [place for place, _ in shown],
                xerr=np.abs(ends.T - middle),
                fmt="o",
                markersize=3.5,
                linewidth=1.2,
                color=COLORS[number % len(COLORS)],
                label=name,
            )
        if reference is not None:
            area.axvline(reference, color="#999999", linewidth=0.8, linestyle="--")
        area.set_yticks(range(len(rows)), list(rows))
        area.set_ylim(len(rows) - 0.5, -0.5)
        area.set_xlabel(axis)
        area.locator_params(axis="x", nbins=5)
        area.set_title(title)
        area.grid(axis="x", color="#e5e5e5", linewidth=0.6)
    if len(series) > 1:
        drawn = {
            label: handle
            for area in axes[0]
            for handle, label in zip(*area.get_legend_handles_labels(), strict=True)
        }
        figure.legend(
            drawn.values(), drawn.keys(), loc="outside lower center", ncols=3, frameon=False
        )
    save(figure, path)


def _offset(place: int, number: int) -> float:
    """Return where the series of one row lie, from -0.25 to 0.25 around it."""
    return (place - (number - 1) / 2) * 0.5 / max(number - 1, 1)


def precisions(
    path: Path, panels: Mapping[str, Mapping[str, tuple[int, int, Interval | None]]], base: str
) -> None:
    """Draw each signal's precision with its interval beside how often it fired.

    `panels` gives title to signal to (fired, truly wrong, precision with interval or None); the
    entry named `base` is drawn as a line.
    """
    ranked = {
        title: sorted(
            ((name, row) for name, row in rows.items() if name != base and row[2]),
            key=lambda pair: (-(pair[1][2] or (0.0,))[0], pair[0]),
        )
        for title, rows in panels.items()
    }
    longest = max(len(signals) for signals in ranked.values())
    figure, axes = plt.subplots(
        1,
        len(panels),
        figsize=(1.6 + 4.4 * len(panels), 0.9 + 0.2 * longest),
        squeeze=False,
        layout="constrained",
    )
    for area, (title, signals) in zip(axes[0], ranked.items(), strict=True):
        for place, (_, (fired, _, interval)) in enumerate(signals):
            value, low, high = interval or (0.0, 0.0, 0.0)
            area.errorbar(
                value,
                place,
                xerr=[[value - low], [high - value]],
                fmt="o",
                markersize=2.5 + 1.1 * np.log10(fired),
                linewidth=1.0,
                color=COLORS[0],
            )
        share = panels[title][base][2]
        if share:
            area.axvline(share[0], color=COLORS[1], linewidth=1.0, linestyle="--")
        area.set_yticks(range(len(signals)), [f"{name} ({row[0]})" for name, row in signals])
        area.set_ylim(len(signals) - 0.5, -0.5)
        area.set_xlim(-0.02, 1.02)
        area.set_xlabel("share truly wrong of those that fired (dashed: base rate)")
        area.set_title(title)
        area.tick_params(axis="y", labelsize=7)
        area.grid(axis="x", color="#e5e5e5", linewidth=0.6)
    save(figure, path)
