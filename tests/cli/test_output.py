"""Where results go: never over an input, and in the format that is asked for."""

import csv
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def _score(sample: Path, cases: Path, *more: object) -> tuple[object, ...]:
    return ("score", cases, "--databases", sample / "databases", *more)


@pytest.fixture
def scores(run: Run, sample: Path, few_cases: Path) -> Path:
    path = sample / "scores.jsonl"
    assert run(*_score(sample, few_cases, "--out", path)).code in (0, 1)
    return path


def _spellings(path: Path, folder: Path) -> list[Path]:
    """Return other names of one file: relative, a symbolic link, a hard link."""
    (folder / "symbolic.jsonl").symlink_to(path)
    (folder / "hard.jsonl").hardlink_to(path)
    relative = Path(os.path.relpath(path))
    return [path, relative, folder / "symbolic.jsonl", folder / "hard.jsonl"]


def test_score_does_not_overwrite_its_cases(run: Run, sample, few_cases, tmp_path) -> None:
    before = few_cases.read_bytes()
    for out in _spellings(few_cases, tmp_path):
        done = run(*_score(sample, few_cases, "--out", out))
        assert done.code == 2, out
        assert "--out" in done.err
        assert "CASES" in done.err
        assert few_cases.read_bytes() == before
        assert not list(tmp_path.glob("*.partial*"))


def test_score_does_not_overwrite_any_other_input(run: Run, sample, few_cases, detector, tmp_path):
    votes = tmp_path / "votes.jsonl"
    votes.write_text('{"question_id": 1, "signal": "review", "vote": "correct"}\n')
    database = sample / "databases" / "bookshop" / "bookshop.sqlite"
    beside = tmp_path / "c.jsonl.partial"
    beside.write_bytes(few_cases.read_bytes())
    inside = detector / "scores.jsonl"
    for arguments, out, option in [
        (_score(sample, few_cases, "--votes", votes), votes, "--votes"),
        (_score(sample, few_cases), database, "--databases"),
        (("score", few_cases, "--db", database), database, "--db"),
        (("score", few_cases, "--db", f"sqlite:///{database}"), database, "--db"),
        (_score(sample, few_cases, "--detector", detector), inside, "--detector"),
        (_score(sample, beside), tmp_path / "c.jsonl", "CASES"),
    ]:
        before = {path: path.read_bytes() for path in (votes, database, beside, few_cases)}
        done = run(*arguments, "--out", out, "--format", "jsonl")
        assert done.code == 2, option
        assert f"the input {option} " in done.err
        assert {path: path.read_bytes() for path in before} == before
    assert not inside.exists()


def test_report_does_not_overwrite_its_scores(run: Run, scores: Path) -> None:
    before = scores.read_bytes()
    done = run("report", scores, "--out", scores, "--format", "html")
    assert done.code == 2
    assert "SCORES" in done.err
    assert scores.read_bytes() == before


def test_fit_does_not_replace_a_folder_that_holds_an_input(run: Run, sample, detector) -> None:
    light = ("--label-model", "weighted", "--classifier", "logistic")
    common = ("fit", sample / "cases.jsonl", "--databases", sample / "databases", *light)
    for out in (sample, sample / "databases", sample / "cases.jsonl"):
        done = run(*common, "--out", out)
        assert done.code == 2
        assert "would overwrite" in done.err
    done = run(*common, "--start", detector, "--out", detector)
    assert "--start" in done.err
    assert (sample / "cases.jsonl").exists()


def test_a_new_file_beside_the_inputs_is_fine(run: Run, sample: Path, few_cases: Path) -> None:
    for out in (sample / "s.jsonl", sample / "databases" / "s.jsonl"):
        assert run(*_score(sample, few_cases, "--out", out)).code in (0, 1)
        # The results of an earlier run are no input, so they may be replaced.
        assert run(*_score(sample, few_cases, "--out", out)).code in (0, 1)


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("r.html", "<!doctype html>"), ("r.md", "#"), ("r.json", "{"), ("r.sarif", "{"),
        ("R.HTM", "<!doctype html>"), ("report", "#"),
    ],
)  # fmt: skip
def test_the_suffix_decides_the_format_of_a_report(run, scores, tmp_path, name, begins) -> None:
    def begin() -> str:
        return (tmp_path / name).read_text(encoding="utf-8").lstrip().lower()[: len(begins)]

    run("report", scores, "--out", tmp_path / name)
    assert begin() == begins
    run("report", scores, "--out", tmp_path / name, "--format", "sarif")
    assert begin()[0] == "{"


def test_an_unknown_suffix_is_an_error(run: Run, sample, few_cases, scores, tmp_path) -> None:
    for command in (_score(sample, few_cases), ("report", scores)):
        done = run(*command, "--out", tmp_path / "out.xlsx")
        assert done.code == 2
        assert "'.xlsx'" in done.err
        assert "--format" in done.err
    assert run(*_score(sample, few_cases, "--out", tmp_path / "o.x", "-f", "jsonl")).code < 2
    assert json.loads((tmp_path / "o.x").read_text().splitlines()[0])["schema_version"]


@pytest.mark.parametrize(("name", "delimiter"), [("s.csv", ","), ("s.tsv", "\t")])
def test_scores_as_a_table(run, sample, few_cases, scores, tmp_path, name, delimiter) -> None:
    records = [json.loads(line) for line in scores.read_text().splitlines()]
    run(*_score(sample, few_cases, "--out", tmp_path / name))
    with (tmp_path / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=delimiter))
    assert [row["question_id"] for row in rows] == [str(r["question_id"]) for r in records]
    assert [float(row["p_correct"]) for row in rows] == [r["p_correct"] for r in records]
    assert [json.loads(row["findings"]) for row in rows] == [r["findings"] for r in records]
    assert [json.loads(row["abstained"]) for row in rows] == [r["abstained"] for r in records]
    assert sorted(path.name for path in tmp_path.glob("s.*")) == [name]


def test_scores_as_parquet(run: Run, sample, few_cases, scores, tmp_path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    records = [json.loads(line) for line in scores.read_text().splitlines()]
    run(*_score(sample, few_cases, "--out", tmp_path / "s.parquet"))
    with parquet.ParquetFile(tmp_path / "s.parquet") as file:
        rows = file.read().to_pylist()
    assert [row["p_correct"] for row in rows] == [r["p_correct"] for r in records]
    assert [json.loads(row["signals"]) for row in rows] == [r["signals"] for r in records]


def test_a_table_needs_a_file(run: Run, sample: Path, few_cases: Path) -> None:
    done = run(*_score(sample, few_cases, "--format", "csv"))
    assert done.code == 2
    assert "--out" in done.err
