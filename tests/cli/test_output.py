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

from clausewise import runs
from clausewise.cli.exit_options import Results
from clausewise.models.lines import ScoredLine

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


def _reading(pipe: Path) -> tuple[threading.Thread, list[str]]:
    """Make a pipe and read it in a thread."""
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    return reader, read


def _feeding(pipe: Path, content: str) -> Path:
    """Make a pipe, and write to it in a thread once it is read."""
    os.mkfifo(pipe)
    threading.Thread(target=lambda: pipe.write_text(content), daemon=True).start()
    return pipe


@pytest.mark.parametrize("file_format", ["jsonl", "csv"])
def test_devices_and_pipes_get_the_lines(run, sample, few_cases, scores, tmp_path, file_format):
    run(*_score(sample, few_cases, "--out", tmp_path / f"s.{file_format}"))
    expected = (tmp_path / f"s.{file_format}").read_text()
    folder = tmp_path / "folder"
    folder.mkdir()
    reader, read = _reading(folder / "pipe")
    done = run(*_score(sample, few_cases, "--out", folder / "pipe", "-f", file_format))
    reader.join()
    assert (done.code, done.out, read) == (1, "", [expected])
    assert stat.S_ISFIFO((folder / "pipe").stat().st_mode)
    assert run(*_score(sample, few_cases, "--out", "/dev/null", "-f", file_format)).code == 1
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    assert [path.name for path in folder.iterdir()] == ["pipe"]
    assert not list(Path("/dev").glob("*.partial*"))


def test_the_standard_output_is_written_to_under_its_other_name(sample, few_cases, scores) -> None:
    command = [COMMAND, *_score(sample, few_cases, "--out", "/dev/stdout")]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.stdout == scores.read_text()


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


@pytest.mark.parametrize("name", ["pipe", "pipe.jsonl"])
def test_cases_from_a_pipe_are_read_once(run, sample, few_cases, scores, tmp_path, name) -> None:
    out = tmp_path / "s.jsonl"
    for number, more in enumerate([("--out", out), ()]):
        pipe = _feeding(tmp_path / f"{number}{name}", few_cases.read_text())
        done = run(*_score(sample, pipe, *more))
        assert done.code == 1
        assert (out.read_text() if more else done.out) == scores.read_text()


def test_cases_from_the_standard_input_are_read_once(sample, few_cases, scores, tmp_path) -> None:
    command = [COMMAND, *_score(sample, Path("/dev/stdin"), "--out", tmp_path / "s.jsonl")]
    subprocess.run(list(map(str, command)), input=few_cases.read_bytes(), check=False)
    assert (tmp_path / "s.jsonl").read_text() == scores.read_text()


def test_what_goes_with_the_cases_may_be_pipes(run, sample, few_cases, scores, tmp_path) -> None:
    ids = [json.loads(line)["question_id"] for line in few_cases.read_text().splitlines()]

    def pipe(name: str, **fields: object) -> Path:
        lines = [json.dumps({"question_id": number, **fields}) for number in ids]
        return _feeding(tmp_path / name, "\n".join(lines))

    copy = _feeding(tmp_path / "scores", scores.read_text())
    measured = run(
        "evaluate", copy, "--labels", pipe("labels", correct=True),
        "--gold", pipe("gold", gold_sql="SELECT 1"), "--bootstrap", 2,
    )  # fmt: skip
    assert measured.code == 0, measured.err
    votes = pipe("votes", signal="review", vote="correct")
    questions = [
        {**json.loads(line), "query": json.loads(line)["predicted_sql"]}
        for line in few_cases.read_text().splitlines()
    ]
    asked = _feeding(tmp_path / "questions.json", json.dumps(questions))
    predicted = _feeding(
        tmp_path / "predicted.sql", "".join(one["query"] + "\n" for one in questions)
    )
    out = tmp_path / "s.jsonl"
    done = run(*_score(sample, predicted, "--questions", asked, "--votes", votes, "--out", out))
    assert done.code in (0, 1), done.err
    assert len(out.read_text().splitlines()) == 6


def test_a_second_run_with_one_out_is_refused(run: Run, sample, few_cases, tmp_path) -> None:
    out = tmp_path / "s.jsonl"
    with runs.Run(out, "{}") as first:
        first.open()
        first.write([{"first": "line"}])
        for more in ([], ["--resume"]):
            done = run(*_score(sample, few_cases, "--out", out, *more))
            assert done.code == 2
            assert "another run is writing this file" in done.err
        first.write([{"second": "line"}])
        first.finish()
    assert out.read_text() == '{"first": "line"}\n{"second": "line"}\n'


@pytest.mark.parametrize("change", ["reordered", "changed", "longer"])
def test_other_cases_are_not_resumed(
    run: Run, sample, few_cases, tmp_path, monkeypatch, change: str
) -> None:
    out = tmp_path / "s.jsonl"
    written: list[ScoredLine] = []

    def interrupted(_results: Results, line: ScoredLine) -> None:
        written.append(line)
        if len(written) == 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Results, "add_line", interrupted)
        assert run(*_score(sample, few_cases, "--out", out)).code == 130
    lines = few_cases.read_text().splitlines()
    other = {
        "reordered": lines[::-1],
        "changed": [*lines[:-1], lines[-1].replace("SELECT", "SELECT ")],
        "longer": [*lines, lines[0].replace('"question_id"', '"question_id": "new", "old"')],
    }[change]
    few_cases.write_text("\n".join(other) + "\n")
    done = run(*_score(sample, few_cases, "--out", out, "--resume"))
    assert done.code == 2
    assert "something else as input CASES" in done.err
    few_cases.write_text("\n".join(lines) + "\n")
    assert "resuming after 3 cases" in run(*_score(sample, few_cases, "--out", out, "--resume")).err
