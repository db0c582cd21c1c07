"""`clausewise correct --jobs` and `--resume`: the same bytes, also after a kill in the middle."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clausewise.datasets import load_line
from clausewise.testing.endpoint import Reply, ScriptedEndpoint

Run = Callable[..., Any]
KEPT = 4
STOPPED = f"""
import os, signal, sys
from clausewise.cli import main
from clausewise.corrected_case import CorrectedCase

number, lines, to_dict = int(sys.argv.pop(1)), 0, CorrectedCase.to_dict

def counted(case):
    global lines
    lines += 1
    if lines == {KEPT} + 1:
        os.kill(os.getpid(), number)
    return to_dict(case)

CorrectedCase.to_dict = counted
# Every line is flushed at once, so that it is known how many a kill leaves.
import clausewise.runs
clausewise.runs.FLUSH_SECONDS = -1.0
# What runs in the background of a shell begins with interrupts ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
main()
"""
"""Runs the command line and sends itself a signal in the middle of writing."""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUSEWISE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def scores(sample: Path, tmp_path: Path) -> Path:
    """Lines of a scores file for some cases of all databases, and one of no database."""
    path = tmp_path / "scores.jsonl"
    given = (sample / "cases.jsonl").read_text(encoding="utf-8").splitlines()[3::18]
    with path.open("w", encoding="utf-8") as file:
        for number, line in enumerate(given):
            case: Any = load_line(line)
            if number == 1:
                case["db_id"] = "nowhere"
            judged = {"p_correct": 0.5, "verdict": "incorrect", "status": "ok"}
            file.write(json.dumps(case | judged | {"findings": [], "signals": {}}) + "\n")
    return path


def command(scores: Path, sample: Path, out: Path, *more: object) -> tuple[object, ...]:
    return ("correct", scores, "--databases", sample / "databases", "--out", out, *more)


def test_jobs_change_no_byte(run: Run, sample: Path, scores: Path, tmp_path: Path) -> None:
    outs = [tmp_path / f"jobs-{jobs}.jsonl" for jobs in (1, 2)]
    ended = [run(*command(scores, sample, out, "--jobs", n)) for n, out in enumerate(outs, 1)]
    assert [done.code for done in ended] == [3, 3]
    assert outs[0].read_bytes() == outs[1].read_bytes()
    assert b'"status": "changed"' in outs[0].read_bytes()


@pytest.mark.parametrize(
    ("how", "jobs"), [(signal.SIGKILL, 2), (signal.SIGINT, 1)], ids=["killed", "ctrl-c"]
)
def test_a_stopped_run_goes_on_to_the_same_bytes(
    run: Run, sample: Path, scores: Path, tmp_path: Path, how: signal.Signals, jobs: int
) -> None:
    whole, out = tmp_path / "whole.jsonl", tmp_path / "broken.jsonl"
    run(*command(scores, sample, whole))
    asked = map(str, command(scores, sample, out, "--jobs", jobs))
    stopped = [sys.executable, "-c", STOPPED, str(int(how)), *asked]
    broken = subprocess.run(stopped, stderr=subprocess.PIPE, text=True, check=False)
    assert broken.returncode == (130 if how is signal.SIGINT else -how), broken.stderr
    assert not out.exists()
    if how is signal.SIGINT:
        assert f"interrupted after {KEPT} of 10 cases; continue with --resume" in broken.stderr
    partial = tmp_path / "broken.jsonl.partial"
    assert whole.read_text().startswith(partial.read_text())
    with partial.open("a") as file:
        file.write('{"question_id": 1, "half a li')
    resumed = run(*command(scores, sample, out, "--resume"))
    assert f"resuming after {KEPT} cases" in resumed.err
    assert "10 cases: " in resumed.err
    assert resumed.code == 3  # the case that failed was written before the kill
    assert out.read_bytes() == whole.read_bytes()
    assert not list(tmp_path.glob("*.partial*"))


OTHERS: dict[str, list[object]] = {
    "setting seed;": ["--seed", 1],
    "setting rounds;": ["--rounds", 2],
    "setting margin;": ["--margin", 0.1],
    "setting language model;": ["--llm", "m", "--llm-offline"],
}


def test_a_run_with_other_settings_is_not_continued(
    run: Run, sample: Path, scores: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    asked = map(str, command(scores, sample, out))
    stopped = [sys.executable, "-c", STOPPED, str(int(signal.SIGKILL)), *asked]
    assert subprocess.run(stopped, check=False).returncode == -signal.SIGKILL
    for differing, options in OTHERS.items():
        done = run(*command(scores, sample, out, "--resume", *options))
        assert done.code == 2
        assert f"begun with something else as {differing} run again without" in done.err


def test_with_a_model_jobs_say_what_counts(
    run: Run, sample: Path, scores: Path, tmp_path: Path
) -> None:
    answer = Reply(json.dumps({"steps": [], "columns": ["n"], "rows": [[0]]}))
    with ScriptedEndpoint(lambda _: answer) as endpoint:
        model = ("--llm", "scripted", "--llm-base-url", endpoint.url, "--llm-samples", 1)
        outs = [tmp_path / f"jobs-{jobs}.jsonl" for jobs in (1, 2)]
        one, two = (
            run(*command(scores, sample, out, "--jobs", jobs, *model))
            for jobs, out in enumerate(outs, 1)
        )
    assert "--jobs" not in one.err
    assert "--jobs has no effect with --llm: --llm-concurrency says how many at once" in two.err
    assert outs[0].read_bytes() == outs[1].read_bytes()
