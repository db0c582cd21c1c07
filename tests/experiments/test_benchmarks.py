"""The tables of the benchmarks, from figures that are written down."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.compare import rows
from benchmarks.measuring import process_seconds, startup_arguments
from clausewise.datasets import sample_dir


def test_checkouts_are_compared_by_ratios_within_a_round() -> None:
    before = [{"start, s": 1.0}, {"start, s": 4.0}, {"start, s": 2.0}]
    after = [{"start, s": 1.1}, {"start, s": 4.0}, {"start, s": 1.0}]
    assert rows(before, after) == [["start, s", "2", "1.1", "1.00", "0.50 to 1.10"]]


def test_each_timed_process_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLAUSEWISE_CACHE_DIR", str(tmp_path))
    database = sample_dir() / "databases" / "bookshop" / "bookshop.sqlite"
    for arguments in startup_arguments(database, "books").values():
        seconds, cpu = process_seconds(arguments)
        assert seconds > 0
        assert cpu > 0
    with pytest.raises(SystemExit, match="ended with 2"):
        process_seconds(["-c", "raise SystemExit(2)"])
