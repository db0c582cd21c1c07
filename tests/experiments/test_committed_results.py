"""What is committed of the experiments: Markdown that says what the CSV files say, small files."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
REPORTS = (
    "ablation.run",
    "aggregation.run",
    "audit.run",
    "auditor.run",
    "best_signal.run",
    "calibration.run",
    "candidates.run",
    "candidates_as_teacher.run",
    "cascade.run",
    "correction.recorded_run",
    "counterexample_signal.run",
    "counterexamples.run",
    "dart.run",
    "embeddings.run",
    "equivalent_pairs.run",
    "evidence_reading.run",
    "expectation.report",
    "gbv.run",
    "independent.run",
    "llm.faults.run",
    "llm.tokens.run",
    "naming.report",
    "packaged_detector.evaluate",
    "redsql.run",
    "replayed_judge.run",
    "robustness.run",
    "rules.run",
    "schema_only.evaluate",
    "select.run",
    "selection.run",
    "share.run",
    "sqldriller.run",
    "sqlens.run",
    "test_suite_labels.run",
    "verifier.report",
    "world.run",
)
MOST_BYTES = 300_000
NOT_IN_A_TABLE = {"embeddings": {"0.001", "0.003"}}
"""Conditions and differences of two rows."""


@pytest.mark.parametrize("name", REPORTS)
def test_the_markdown_is_made_of_the_csv_files(name: str) -> None:
    module = importlib.import_module(f"experiments.{name}")
    folder = EXPERIMENTS.joinpath(*name.split(".")[:-1], "results")
    assert module.report(folder) == (folder / "results.md").read_text(encoding="utf-8")


def test_every_folder_of_results_is_checked() -> None:
    found = {path.parent.relative_to(EXPERIMENTS) for path in EXPERIMENTS.rglob("results")}
    assert found == {Path(*name.split(".")[:-1]) for name in REPORTS}


def test_results_are_small_and_no_json() -> None:
    files = [path for path in EXPERIMENTS.rglob("results/*") if path.is_file()]
    assert len(files) > len(REPORTS)
    for path in files:
        assert path.suffix in {".csv", ".md", ".png"}, path
        assert path.stat().st_size <= MOST_BYTES, path


@pytest.mark.parametrize("name", REPORTS)
def test_figures_of_three_digits_in_a_readme_are_in_its_results(name: str) -> None:
    folder = EXPERIMENTS.joinpath(*name.split(".")[:-1])
    readme = (folder / "README.md").read_text(encoding="utf-8")
    quoted = set(re.findall(r"(?<![\d.])0\.\d{3}(?!\d)", readme))
    results = (folder / "results" / "results.md").read_text(encoding="utf-8")
    known = set(re.findall(r"0\.\d{3}(?!\d)", results)) | NOT_IN_A_TABLE.get(folder.name, set())
    assert quoted <= known
