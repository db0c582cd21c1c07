"""Standard streams of other encodings, closed ones, and text that would steer a terminal."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
COMMAND = (sys.executable, "-m", "clausewise")
HOSTILE = "a\x1b[31mred\x1b]0;title\x07 [red]x[/red] :warning: \x9b2J\nerror: forged \u202egnp"
QUESTION = "Wie viele Bücher kosten ≥ 3 € und gefallen 😀?"

ENCODINGS = {
    "latin-1": {"PYTHONIOENCODING": "latin-1"},
    "latin-1, strict": {"PYTHONIOENCODING": "latin-1:strict"},
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "C as it comes": {"LC_ALL": "C"},
}


def _ended(environment: dict[str, str], *command: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *map(str, command)],
        env={**os.environ, **environment}, stdin=subprocess.DEVNULL, capture_output=True,
        check=False,
    )  # fmt: skip


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """Cases with characters of three, two and no encodings."""
    path = tmp_path / "cases.jsonl"
    sqls = ("SELECT COUNT(*) FROM books", "SELECT 'ü€😀' FROM nowhere", "SELECT 1 '\ud800'")
    lines = (
        {"question_id": f"ü{number}", "db_id": "bookshop", "question": QUESTION,
         "predicted_sql": sql}
        for number, sql in enumerate(sqls)
    )  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_json_stays_json_in_every_encoding(cases: Path, sample: Path, encoding: str) -> None:
    done = _ended(ENCODINGS[encoding], "score", cases, "--databases", sample / "databases")
    assert done.returncode in (0, 1, 3)
    assert b"Traceback" not in done.stderr
    records = [json.loads(line.decode("utf-8")) for line in done.stdout.splitlines()]
    assert [record["question_id"] for record in records] == ["ü0", "ü1", "ü2"]
    assert {record["question"] for record in records} == {QUESTION}


@pytest.mark.parametrize("encoding", ["latin-1", "C"])
def test_every_view_can_be_printed_in_every_encoding(
    run: Run, cases: Path, sample: Path, tmp_path: Path, encoding: str
) -> None:
    scores = tmp_path / "scores.jsonl"
    run("score", cases, "--databases", sample / "databases", "--out", scores)
    for form in ("text", "json", "html"):
        done = _ended(ENCODINGS[encoding], "report", scores, "--format", form, "--details")
        assert done.returncode in (0, 1, 3), (form, done.stderr)
        if form == "json":
            json.loads(done.stdout.decode("utf-8"))
        if form == "html":
            assert "Bücher" in done.stdout.decode("utf-8") or b"B&#252;cher" in done.stdout


def test_a_message_can_be_printed_in_every_encoding(tmp_path: Path) -> None:
    for environment in ENCODINGS.values():
        done = _ended(environment, "report", tmp_path / "ü€😀.jsonl")
        assert done.returncode == 2
        assert b"error: " in done.stderr
        assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("closed", "jobs"), [(">&-", 1), ("2>&-", 1), ("<&-", 1), ("<&- >&- 2>&-", 1), (">&-", 2)]
)
def test_closed_streams_reach_no_file(
    run: Run, few_cases: Path, sample: Path, tmp_path: Path, closed: str, jobs: int
) -> None:
    database = sample / "databases" / "bookshop" / "bookshop.sqlite"
    before = database.read_bytes()

    def scored(how: str, *more: object) -> subprocess.CompletedProcess[bytes]:
        command = ("score", few_cases, "--databases", sample / "databases", "--jobs", jobs, *more)
        return subprocess.run(
            ["sh", "-c", f'exec "$@" {how}', "sh", *COMMAND, *map(str, command)],
            capture_output=True, check=False,
        )  # fmt: skip

    plain, out = tmp_path / "plain.jsonl", tmp_path / "out.jsonl"
    expected = run("score", few_cases, "--databases", sample / "databases", "--out", plain)
    done = scored(closed, "--out", out)
    assert done.returncode == expected.code
    assert out.read_bytes() == plain.read_bytes()
    printed = scored(closed)
    assert printed.returncode == expected.code
    assert printed.stdout == (b"" if ">&-" in closed.replace("2>", "") else plain.read_bytes())
    assert b"Traceback" not in done.stderr + printed.stderr
    assert database.read_bytes() == before


def _harmless(text: str) -> bool:
    return not set(text) & {"\x1b", "\x07", "\x9b", "\u202e"}


def test_hostile_names_do_not_steer_the_terminal(run: Run, sample: Path, tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    line = {
        "question_id": HOSTILE, "db_id": HOSTILE, "question": f"Who? {HOSTILE}",
        "evidence": HOSTILE, "predicted_sql": f"SELECT '{HOSTILE}' FROM \"{HOSTILE}\"",
    }  # fmt: skip
    here = line | {"db_id": "bookshop", "question_id": f"2 {HOSTILE}"}
    cases.write_text(json.dumps(line) + "\n" + json.dumps(here) + "\n{\x1b[31m\n")
    scores = tmp_path / "scores.jsonl"
    done = run("score", cases, "--databases", sample / "databases", "--out", scores)
    assert _harmless(done.err)
    for form in ("text", "markdown"):
        shown = run("report", scores, "--format", form, "--details")
        assert _harmless(shown.out + shown.err)
        assert "[red]x" in shown.out.replace("\\", "")
    folder = tmp_path / HOSTILE.replace("/", "|")
    for command in (
        ("score", cases, "--databases", folder),
        ("report", folder),
        ("signals", HOSTILE),
        ("check", "--db", folder, "-q", "Who?", "-s", "SELECT 1"),
        ("evaluate", scores, "--labels", cases),
        ("fit", cases, "--databases", sample / "databases", "--out", tmp_path / "made",
         "--label-model", HOSTILE),
        ("nothing", f"--{HOSTILE}"),
        (HOSTILE,),
    ):  # fmt: skip
        done = run(*command)
        assert done.code in (2, 3), command
        assert _harmless(done.out + done.err), command
        assert not [line for line in done.err.splitlines() if line.startswith("error: forged")]
        if command[0] in ("score", "report", "signals", HOSTILE):
            assert "[red]x" in done.err
            assert ":warning:" in done.err


def test_hostile_text_in_the_log_does_not_steer_the_terminal(run: Run, caplog, capsys) -> None:
    import logging

    from clausewise.cli.common import _VisibleFormatter

    record = logging.LogRecord("x", logging.WARNING, "p", 1, "case %s", (HOSTILE,), None)
    assert _harmless(_VisibleFormatter("%(message)s").format(record))
    assert "\n" not in _VisibleFormatter("%(message)s").format(record)


def test_a_hostile_signal_name_of_outside_votes(run: Run, sample: Path, tmp_path: Path) -> None:
    votes = tmp_path / "votes.jsonl"
    lines = (sample / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    votes.write_text(
        "".join(
            json.dumps({"question_id": json.loads(line)["question_id"], "signal": HOSTILE,
                        "vote": "correct"}) + "\n"
            for line in lines
        )
    )  # fmt: skip
    done = run(
        "fit", sample / "cases.jsonl", "--databases", sample / "databases", "--votes", votes,
        "--label-model", "weighted", "--classifier", "logistic", "--out", tmp_path / "made",
    )  # fmt: skip
    assert _harmless(done.out + done.err)
