"""`fit --gold`: a team's own questions with their right queries."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from clausewise.models import Detector


def _fit(run: Callable[..., Any], sample: Path, out: Path, gold: Path) -> Any:
    return run(
        "fit", sample / "cases.jsonl", "--databases", sample / "databases", "--out", out,
        "--signals", "unexpected_shape,empty_predicate,duplicate_rows", "--label-model", "weighted",
        "--classifier", "additive", "--gold", gold,
    )  # fmt: skip


def test_gold_pairs_are_learned_from(run: Callable[..., Any], sample: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    pair = {"question": "Which books are new?", "gold_sql": "SELECT title, price FROM books"}
    gold.write_text(json.dumps(pair) + "\n", encoding="utf-8")
    done = _fit(run, sample, tmp_path / "detector", gold)
    assert done.code == 0, done.err
    assert Detector.load(tmp_path / "detector").learned_.expectation is not None


def test_a_gold_file_that_cannot_be_used_ends_with_its_line(
    run: Callable[..., Any], sample: Path, tmp_path: Path
) -> None:
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"question": "Which?"}\n', encoding="utf-8")
    done = _fit(run, sample, tmp_path / "detector", gold)
    assert done.code == 2
    assert "gold.jsonl:1: field 'gold_sql'" in done.err
    assert not (tmp_path / "detector").exists()
