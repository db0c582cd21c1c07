"""Bad input: a clear message, the other cases unharmed, nothing lost, the right exit code."""

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
COMMAND = Path(sys.executable).with_name("clausewise")


def _case(**fields: object) -> dict[str, object]:
    return {
        "question_id": 1, "db_id": "bookshop", "question": "How many books?",
        "predicted_sql": "SELECT COUNT(*) FROM books", **fields,
    }  # fmt: skip


def _write(path: Path, *lines: object) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def test_bad_lines_cost_themselves_only(
    run: Run, sample: Path, detector: Path, tmp_path: Path
) -> None:
    cases = _write(
        tmp_path / "cases.jsonl",
        _case(question_id="good"),
        "{not json",
        {"question_id": "no-question", "db_id": "bookshop", "predicted_sql": "SELECT 1"},
        _case(question_id="good"),
        _case(question_id="elsewhere", db_id="nowhere"),
        _case(question_id="empty", predicted_sql=""),
        _case(question_id="two", predicted_sql="SELECT 1; SELECT 2"),
        _case(question_id="drop", predicted_sql="DROP TABLE books"),
        _case(question_id="last"),
    )
    done = run("score", cases, "--databases", sample / "databases", "--detector", detector)
    records = done.lines()
    assert done.code == 3
    assert len(records) == 9
    status = [record["status"] for record in records]
    assert status == ["ok", "unchecked", "unchecked", "unchecked", "unchecked", "unparsable",
                      "unparsable", "not_executable", "ok"]  # fmt: skip
    assert records[0]["p_correct"] == records[8]["p_correct"]
    for number in (1, 2, 3, 4):
        assert records[number]["p_correct"] is None
        assert records[number]["verdict"] == "unchecked"
    assert "cases.jsonl:2" in records[1]["reason"]
    assert "cases.jsonl:3" in records[2]["reason"]
    assert "question" in records[2]["reason"]
    assert "line 1" in records[3]["reason"]
    assert "nowhere" in records[4]["reason"]
    for number in (5, 6, 7):
        assert records[number]["p_correct"] == 0
        assert records[number]["findings"][0]["message"]
    assert "DROP" in records[7]["reason"]


@pytest.mark.parametrize(
    ("content", "message"),
    [("", "no records"), (None, "cases.jsonl"), (b"\xff\xfe\x00{", "cases.jsonl")],
)
def test_a_file_that_cannot_be_used(
    run: Run, sample: Path, tmp_path: Path, content: str | bytes | None, message: str
) -> None:
    path = tmp_path / "cases.jsonl"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        path.write_text(content)
    done = run("score", path, "--databases", sample / "databases")
    assert done.code == 2
    assert message in done.err
    assert done.out == ""


def test_no_databases_are_named(run: Run, few_cases: Path) -> None:
    done = run("score", few_cases)
    assert done.code == 2
    assert "--databases" in done.err


def test_an_absent_folder_of_databases(run: Run, few_cases: Path, tmp_path: Path) -> None:
    done = run("score", few_cases, "--databases", tmp_path / "none")
    assert (done.code, "no such folder" in done.err) == (2, True)


def test_a_corrupt_database_costs_its_own_cases(
    run: Run, sample: Path, detector: Path, tmp_path: Path
) -> None:
    broken = sample / "databases" / "clinic" / "clinic.sqlite"
    broken.write_bytes(b"not a database, whatever its name says" * 100)
    cases = _write(tmp_path / "c.jsonl", _case(), _case(question_id=2, db_id="clinic"))
    done = run("score", cases, "--databases", sample / "databases", "--detector", detector)
    records = done.lines()
    assert done.code == 3
    assert [record["status"] for record in records] == ["ok", "unchecked"]
    assert "clinic.sqlite" in records[1]["reason"]


def test_a_damaged_detector(run: Run, sample: Path, few_cases: Path, detector, tmp_path) -> None:
    copy = Path(shutil.copytree(detector, tmp_path / "copy"))
    (copy / "label_model.json").write_text("{}")
    done = run("score", few_cases, "--databases", sample / "databases", "--detector", copy)
    assert (done.code, "label_model.json" in done.err) == (2, True)


def test_a_detector_of_another_version(
    run: Run, sample: Path, few_cases: Path, detector: Path, tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(detector, tmp_path / "copy"))
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["format_version"] = 999
    (copy / "manifest.json").write_text(json.dumps(manifest))
    done = run("score", few_cases, "--databases", sample / "databases", "--detector", copy)
    assert (done.code, "version" in done.err) == (2, True)


def test_no_detector_there(run: Run, sample: Path, few_cases: Path, tmp_path: Path) -> None:
    done = run(
        "score", few_cases, "--databases", sample / "databases", "--detector", tmp_path / "none"
    )
    assert (done.code, "none" in done.err) == (2, True)


def test_cases_of_which_none_can_be_learned(run: Run, sample: Path, tmp_path: Path) -> None:
    cases = _write(tmp_path / "c.jsonl", _case(predicted_sql="SELECT"))
    done = run(
        "fit", cases, "--databases", sample / "databases", "--out", tmp_path / "d",
        "--label-model", "weighted", "--classifier", "logistic",
    )  # fmt: skip
    assert done.code == 2
    assert "none of the 1 cases" in done.err
    assert not (tmp_path / "d").exists()


def test_all_votes_abstain(run: Run, sample: Path, tmp_path: Path) -> None:
    cases = _write(tmp_path / "c.jsonl", *[_case(question_id=number) for number in range(5)])
    done = run(
        "fit", cases, "--databases", sample / "databases", "--out", tmp_path / "d",
        "--signals", "AGG01,SUBQ01,SUBQ02", "--label-model", "weighted", "--classifier", "logistic",
    )  # fmt: skip
    assert done.code == 2
    assert "abstain" in done.err or "vote" in done.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_reported(sample: Path, few_cases: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [COMMAND, "score", few_cases, "--databases", sample / "databases"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


STOPPED = """
import os, signal, sys
from clausewise.cli import main
from clausewise.cli.exit_options import Results

number, lines, add_line = int(sys.argv.pop(1)), 0, Results.add_line

def counted(results, line):
    global lines
    lines += 1
    if lines == 300:
        os.kill(os.getpid(), number)
    add_line(results, line)

Results.add_line = counted
# What runs in the background of a shell begins with interrupts ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
main()
"""
"""Runs the command line and sends itself a signal in the middle of writing."""


def _many(sample: Path, path: Path, size: int = 400) -> Path:
    lines = (sample / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    with path.open("w", encoding="utf-8") as file:
        for number in range(size):
            case = json.loads(lines[number % len(lines)])
            case["question_id"] = number
            file.write(json.dumps(case) + "\n")
    return path


def _score(
    cases: Path, sample: Path, out: Path, *more: str, command: Sequence[str | Path] = (COMMAND,)
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command, "score", cases, "--databases", sample / "databases", "--out", out, *more],
        stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["killed", "ctrl-c"])
def test_a_stopped_run_goes_on_to_the_same_bytes(
    sample: Path, tmp_path: Path, how: signal.Signals
) -> None:
    cases = _many(sample, tmp_path / "many.jsonl")
    whole, out = tmp_path / "whole.jsonl", tmp_path / "broken.jsonl"
    assert _score(cases, sample, whole).returncode in (0, 1, 3)
    stopped = [sys.executable, "-c", STOPPED, str(int(how))]
    broken = _score(cases, sample, out, command=stopped)
    assert broken.returncode == (130 if how is signal.SIGINT else -how)
    assert not out.exists()
    if how is signal.SIGINT:
        assert "--resume" in broken.stderr
        assert "Traceback" not in broken.stderr
    with (tmp_path / "broken.jsonl.partial").open("a") as file:
        file.write('{"question_id": 1, "half a li')
    resumed = _score(cases, sample, out, "--resume")
    assert "resuming after" in resumed.stderr
    assert out.read_bytes() == whole.read_bytes()
    assert not list(tmp_path.glob("*.partial*"))


def test_other_cases_are_not_gone_on_with(run: Run, sample: Path, few_cases, tmp_path) -> None:
    out = tmp_path / "out.jsonl"
    (tmp_path / "out.jsonl.partial").write_text('{"verdict": "correct"}\n')
    (tmp_path / "out.jsonl.partial.run").write_text("something else")
    done = run("score", few_cases, "--databases", sample / "databases", "--out", out, "--resume")
    assert done.code == 2
    assert "without --resume" in done.err


def test_hostile_queries_leave_the_file_as_it_was(
    run: Run, sample: Path, detector: Path, tmp_path: Path
) -> None:
    import hashlib

    file = sample / "databases" / "bookshop" / "bookshop.sqlite"
    before = hashlib.sha256(file.read_bytes()).hexdigest()
    beside = sorted(file.parent.iterdir())
    hostile = [
        "DROP TABLE books", "DELETE FROM books", "INSERT INTO books DEFAULT VALUES",
        "ATTACH DATABASE 'x.sqlite' AS x", "PRAGMA user_version = 5", "VACUUM INTO 'y.sqlite'",
        "CREATE TABLE z (a)", "SELECT 1; DROP TABLE books", "SELECT load_extension('x')",
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) SELECT COUNT(*) FROM n",
        "SELECT zeroblob(2000000000)", "SELECT " + "(" * 5000 + "1" + ")" * 5000,
        "SELECT '" + "x" * 100_000 + "'",
    ]  # fmt: skip
    cases = _write(
        tmp_path / "c.jsonl",
        *[_case(question_id=number, predicted_sql=sql) for number, sql in enumerate(hostile)],
    )
    done = run("score", cases, "--databases", sample / "databases", "--detector", detector)
    assert len(done.lines()) == len(hostile)
    assert hashlib.sha256(file.read_bytes()).hexdigest() == before
    assert sorted(file.parent.iterdir()) == beside
