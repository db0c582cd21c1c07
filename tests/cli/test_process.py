"""How the process ends: its exit code, what it says, and what a closed pipe does to it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
COMMAND = (sys.executable, "-m", "clausewise")

FAILING = """
import sys
import clausewise.signals
from clausewise.cli import main

def broken():
    raise {error}

clausewise.signals.load_signals = broken
main()
"""


def _ended(*command: object, **options: Any) -> subprocess.CompletedProcess[str]:
    given: dict[str, Any] = {"stdin": subprocess.DEVNULL, "encoding": "utf-8"}
    if "stdout" not in options and "stderr" not in options:
        given["capture_output"] = True
    given |= options
    return subprocess.run([str(part) for part in command], check=False, **given)


@pytest.mark.parametrize(
    "error",
    [
        "ValueError('no\\n\\x1b[31mway')",
        "RecursionError('too deep')",
        "UnicodeEncodeError('ascii', 'é\\ud800', 0, 1, 'no')",
        "MemoryError()",
        "ImportError('half an installation')",
        "EOFError()",
        "SystemExit(1)",
        "SystemExit('a message')",
        "BaseException('none of the usual')",
        "BrokenPipeError(32, 'of a worker')",
        "type('Unspeakable', (Exception,), {'__str__': lambda self: 1 / 0})()",
    ],
)
def test_an_unexpected_error_has_a_code_of_its_own(tmp_path: Path, error: str) -> None:
    script = FAILING.replace("{error}", error)
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = _ended(sys.executable, "-c", script, "signals", env=environment)
    assert done.returncode == (2 if "BrokenPipe" in error else 4)
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: ")
    assert "\x1b" not in line
    kept = list(tmp_path.glob("clausewise-error-*.txt"))
    if "defect in clausewise" in line:
        (traceback,) = kept
        assert f"traceback in {traceback}" in line
        assert "in broken" in traceback.read_text(encoding="utf-8")
        assert traceback.stat().st_mode & 0o077 == 0


def test_the_traceback_is_shown_where_it_is_asked_for(tmp_path: Path) -> None:
    script = FAILING.replace("{error}", "ValueError('\x1b[31mred')")
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = _ended(sys.executable, "-c", script, "-v", "signals", env=environment)
    assert done.returncode == 4
    assert "Traceback (most recent call last)" in done.stderr
    assert "\x1b" not in done.stderr
    assert not list(tmp_path.glob("clausewise-error-*"))


def test_a_library_that_cannot_be_imported_is_no_finding(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise ImportError('broken')")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "TMPDIR": str(tmp_path)}
    done = _ended(*COMMAND, "signals", env=environment)
    assert done.returncode == 4
    assert done.stderr.startswith("error: ImportError: broken; ")
    assert len(done.stderr.splitlines()) == 1


def test_the_module_is_the_command() -> None:
    done = _ended(*COMMAND, "--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("clausewise ")


def _commands(sample: Path, cases: Path, tmp_path: Path) -> dict[str, tuple[object, ...]]:
    databases = ("--databases", sample / "databases")
    light = ("--label-model", "weighted", "--classifier", "logistic")
    scores = tmp_path / "scores.jsonl"
    database = sample / "databases" / "bookshop" / "bookshop.sqlite"
    question = ("-q", "How many books are there?", "-s", "SELECT COUNT(*) FROM books")
    labels = sample / "labels.jsonl"
    return {
        "help": ("--help",),
        "version": ("--version",),
        "signals": ("signals",),
        "one signal": ("signals", "empty_predicate"),
        "check": ("check", "--db", database, *question),
        "score": ("score", cases, *databases),
        "score with jobs": ("score", cases, *databases, "--jobs", 2),
        "score, marked": ("score", cases, *databases, "--max-risk", 0.1),
        "fit": ("fit", sample / "cases.jsonl", *databases, "--out", tmp_path / "made", *light),
        "report": ("report", scores),
        "evaluate": ("evaluate", scores, "--labels", labels, "--bootstrap", 5),
        "index": ("index", *databases),
    }


NAMES = (
    "help", "version", "signals", "one signal", "check", "score", "score with jobs",
    "score, marked", "fit", "report", "evaluate", "index",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_reader_who_leaves_ends_every_command_quietly(
    run: Run, sample: Path, few_cases: Path, tmp_path: Path, name: str
) -> None:
    if name in ("report", "evaluate"):
        databases = ("--databases", sample / "databases")
        run("score", sample / "cases.jsonl", *databases, "--out", tmp_path / "scores.jsonl")
    command = _commands(sample, few_cases, tmp_path)[name]
    for stream in ("stdout", "stderr") if name == "score" else ("stdout",):
        reading, writing = os.pipe()
        os.close(reading)
        other: dict[str, Any] = (
            {"stderr": subprocess.PIPE} if stream == "stdout" else {"stdout": subprocess.PIPE}
        )
        done = _ended(*COMMAND, *command, **other, **{stream: writing})
        os.close(writing)
        assert done.returncode == 141
        assert "Traceback" not in (done.stderr or "")
        assert "Exception ignored" not in (done.stderr or "")
        assert "error" not in (done.stderr or "")


def test_a_reader_who_leaves_in_the_middle(sample: Path, tmp_path: Path) -> None:
    lines = (sample / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = tmp_path / "many.jsonl"
    cases.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    command = ("score", cases, "--databases", sample / "databases", "--jobs", 2)
    with subprocess.Popen(
        [*COMMAND, *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"{")
        process.stdout.close()
        said = process.stderr.read().decode()
        assert process.wait() == 141
    assert said == ""
