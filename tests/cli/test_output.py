"""Where results go: never over an input, and in the format that is asked for."""

import csv
import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
COMMAND = Path(sys.executable).with_name("clausewise")


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
    clinic = sample / "databases" / "clinic" / "clinic.sqlite"
    described = next(clinic.parent.glob("database_description/*.csv"))
    beside = tmp_path / "c.jsonl.partial"
    beside.write_bytes(few_cases.read_bytes())
    inside = detector / "scores.jsonl"
    for arguments, out, option in [
        (_score(sample, few_cases, "--votes", votes), votes, "--votes"),
        (_score(sample, few_cases), database, "--databases"),
        (_score(sample, few_cases), described, "--databases"),
        (("score", few_cases, "--db", clinic), described, "--db"),
        (("score", few_cases, "--db", database), Path(f"{database}-wal"), "--db"),
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


def test_what_cannot_be_written_is_noticed_before_the_work(run, sample, few_cases, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "text").touch()
    for out, message in [
        (notes, "is a folder"),
        (notes / "missing" / "s.jsonl", "there is no folder"),
        (notes / "text" / "s.jsonl", "cannot be written"),
    ]:
        done = run(*_score(sample, few_cases, "--out", out, "--detector", "/nowhere"))
        assert done.code == 2
        assert message in done.err
        assert str(out) in done.err
    for out in (notes, notes / "text", notes / "text" / "deeper", Path("/dev/null")):
        done = run("fit", few_cases, "--db", "/nowhere", "--out", out)
        assert done.code == 2
        assert str(out) in done.err
    assert sorted(path.name for path in notes.iterdir()) == ["text"]


def test_devices_and_pipes_get_the_lines_as_they_come(sample, few_cases, scores, tmp_path) -> None:
    def score(*more: object) -> subprocess.CompletedProcess:
        command = [COMMAND, *_score(sample, few_cases, *more)]
        return subprocess.run(
            list(map(str, command)), capture_output=True, text=True, check=False, timeout=300
        )

    assert score("--out", "/dev/stdout").stdout == scores.read_text()
    assert score("--out", "/dev/null").stdout == ""
    with (tmp_path / "sample" / "table.csv").open("w") as file:
        command = [COMMAND, *_score(sample, few_cases, "--out", "/dev/stdout", "-f", "csv")]
        subprocess.run(list(map(str, command)), stdout=file, check=False, timeout=300)
    table = (tmp_path / "sample" / "table.csv").read_text()
    assert table.startswith("question_id,")
    assert len(list(csv.DictReader(table.splitlines()))) == 6
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    done = score("--out", pipe)
    reader.join()
    assert done.returncode in (0, 1)
    assert read == [scores.read_text()]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pipe", "sample"]
    assert not list(Path("/dev").glob("*.partial*"))


def test_only_files_are_resumed(run: Run, sample, few_cases, tmp_path) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    for more, message in [
        (["--out", "/dev/null"], "only a file can be resumed"),
        (["--out", pipe], "only a file can be resumed"),
        ([], "needs --out"),
        (["--out", tmp_path / "s.jsonl", "--votes", pipe], "--votes is a pipe"),
    ]:
        done = run(*_score(sample, few_cases, "--resume", *more))
        assert done.code == 2
        assert message in done.err
        assert "--resume" in done.err
    assert list(tmp_path.glob("s.*")) == []


def test_a_link_is_followed(run: Run, sample, few_cases, scores, tmp_path) -> None:
    (tmp_path / "far").mkdir()
    link, target = tmp_path / "s.jsonl", tmp_path / "far" / "real.jsonl"
    link.symlink_to(target)
    run(*_score(sample, few_cases, "--out", link))
    assert link.is_symlink()
    assert target.read_bytes() == scores.read_bytes()
    assert [path.name for path in target.parent.iterdir()] == ["real.jsonl"]


@pytest.mark.parametrize("name", ["pipe", "pipe.jsonl", "/dev/stdin"])
@pytest.mark.parametrize("to_file", [True, False])
def test_cases_from_a_pipe_are_read_once(sample, few_cases, scores, tmp_path, name, to_file):
    pipe, out = tmp_path / name, tmp_path / "s.jsonl"
    more = ("--out", out) if to_file else ()
    if name != "/dev/stdin":
        os.mkfifo(pipe)
        writer = threading.Thread(target=lambda: pipe.write_bytes(few_cases.read_bytes()))
        writer.start()
    done = subprocess.run(
        list(map(str, [COMMAND, *_score(sample, pipe, *more)])),
        input=few_cases.read_text(),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode in (0, 1), done.stderr
    assert (out.read_text() if to_file else done.stdout) == scores.read_text()


def test_votes_questions_and_labels_may_be_pipes(sample, few_cases, scores, tmp_path) -> None:
    votes = "".join(
        json.dumps({"question_id": json.loads(line)["question_id"], "correct": True}) + "\n"
        for line in few_cases.read_text().splitlines()
    )
    for command in (
        ["evaluate", scores, "--labels", "/dev/stdin", "--bootstrap", "2"],
        ["report", "/dev/stdin", "--out", tmp_path / "r.json"],
    ):
        done = subprocess.run(
            list(map(str, [COMMAND, *command])),
            input=votes if "evaluate" in command else scores.read_text(),
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode in (0, 1), done.stderr
