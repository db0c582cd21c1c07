"""Plots have the same bytes for the same figures, and other bytes for others."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

from experiments.common import plots


def test_intervals_repeat_themselves(tmp_path: Path) -> None:
    panels = {
        "one": {"a": {"x": (0.5, 0.4, 0.6), "y": (0.7, 0.6, 0.8)}},
        "two": {"b": {"y": (0.5, 0.4, 0.6)}},
    }
    for name in ("first.png", "second.png"):
        plots.intervals(tmp_path / name, panels, "AUC", reference=0.5)
    first, second = ((tmp_path / name).read_bytes() for name in ("first.png", "second.png"))
    assert first == second
    panels["two"]["b"]["y"] = (0.55, 0.4, 0.6)
    plots.intervals(tmp_path / "third.png", panels, "AUC", reference=0.5)
    assert (tmp_path / "third.png").read_bytes() != first


def test_a_signal_that_never_fired_is_left_out(tmp_path: Path) -> None:
    rows: dict[str, tuple[int, int, tuple[float, float, float] | None]] = {
        "fires": (10, 9, (0.9, 0.6, 0.98)),
        "never": (0, 0, None),
        "base rate": (100, 20, (0.2, 0.13, 0.29)),
    }
    plots.precisions(tmp_path / "with.png", {"some": rows}, "base rate")
    del rows["never"]
    plots.precisions(tmp_path / "without.png", {"some": rows}, "base rate")
    assert (tmp_path / "with.png").read_bytes() == (tmp_path / "without.png").read_bytes()
