"""`report` between its files: what it reads may be a pipe, what it writes is whole."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
FORMATS = ("text", "json", "markdown", "html", "csv", "sarif")
LIMIT = 2_048
"""Bytes that a file may have in the child process, in place of a full disk."""


def _record(number: int, **fields: object) -> dict[str, object]:
    return {
        "question_id": number,
        "db_id": "shop",
        "predicted_sql": "SELECT name FROM customers",
        "p_correct": number % 10 / 10,
        "verdict": "correct" if number % 10 > 5 else "incorrect",
        "status": "ok",
        "findings": [],
        "signals": {"empty_predicate": "silent"},
        **fields,
    }


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """Scores of 100 cases, of which every report is longer than `LIMIT`."""
    path = tmp_path / "scores.jsonl"
    path.write_text("".join(json.dumps(_record(number)) + "\n" for number in range(100)))
    return path


def _limit_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))


@pytest.mark.parametrize("file_format", FORMATS)
def test_a_full_disk_leaves_the_earlier_report(scores: Path, file_format: str) -> None:
    out = scores.with_name("report")
    out.write_text("earlier")
    done = subprocess.run(
        [sys.executable, "-m", "clausewise", "report", scores, "-f", file_format, "--out", out],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=_limit_files,
    )
    assert done.returncode == 2
    assert done.stderr == f"error: {out}: cannot be written: File too large\n"
    assert out.read_text() == "earlier"
    assert sorted(path.name for path in out.parent.iterdir()) == ["report", "scores.jsonl"]


def test_a_folder_as_output_is_noticed_before_the_scores_are_read(run: Run, tmp_path: Path) -> None:
    done = run("report", tmp_path / "no scores.jsonl", "--out", tmp_path)
    assert done.code == 2
    assert "is a folder" in done.err
    assert "no scores" not in done.err


def test_an_unknown_format_is_refused_before_the_scores_are_read(run: Run, tmp_path: Path) -> None:
    done = run("report", tmp_path / "no scores.jsonl", "--format", "pdf")
    assert done.code == 2
    assert "unknown report format 'pdf'" in done.err


@pytest.mark.parametrize("file_format", FORMATS)
def test_a_pipe_gives_the_same_report(run: Run, scores: Path, file_format: str) -> None:
    pipe = scores.with_name("pipe")
    os.mkfifo(pipe)
    how = ("--format", file_format, "--sort", "p", "--details")
    expected = run("report", scores, *how)
    writer = threading.Thread(target=lambda: pipe.write_bytes(scores.read_bytes()))
    writer.start()
    read = run("report", pipe, *how)
    writer.join()
    assert (read.code, read.out) == (1, expected.out)


def test_what_is_printed_is_what_is_written(run: Run, scores: Path) -> None:
    for file_format in FORMATS:
        out = scores.with_name(file_format)
        printed = run("report", scores, "--format", file_format)
        written = run("report", scores, "--format", file_format, "--out", out)
        assert printed.out == out.read_text(encoding="utf-8")
        assert written.err == f"report of 100 cases written to {out}\n"


@pytest.mark.parametrize("command", ["report", "evaluate"])
def test_bad_lines_are_named_and_nothing_is_written(run: Run, scores: Path, command: str) -> None:
    out, labels = scores.with_name("report.md"), scores.with_name("labels.jsonl")
    labels.write_text('{"question_id": 1, "correct": true}\n')
    with scores.open("a") as file:
        file.write(
            f"{json.dumps(_record(101, verdict=1))}\n{json.dumps(_record(102, p_correct=2))}\n"
        )
    more = {"report": ("--out", out), "evaluate": ("--labels", labels)}[command]
    done = run(command, scores, *more)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {scores}: 2 lines cannot be used")
    assert f"{scores}:101: field 'verdict'" in done.err
    assert f"{scores}:102: field 'p_correct'" in done.err
    assert not out.exists()


@pytest.mark.parametrize("file_format", FORMATS)
def test_a_deep_field_stops_no_report(run: Run, scores: Path, file_format: str) -> None:
    deep = json.dumps(_record(101))[:-1] + f', "deep": {"[" * 5_000}{"]" * 5_000}}}'
    with scores.open("a") as file:
        file.write(f"{deep}\n")
    assert run("report", scores, "--format", file_format, "--details").code == 1


def test_evidence_too_deep_for_a_format_is_named_and_the_earlier_report_kept(
    run: Run, scores: Path
) -> None:
    out = scores.with_name("report.json")
    out.write_text("earlier")
    deep: object = 1
    for _ in range(900):
        deep = [deep]
    clause = {"kind": "select", "text": "SELECT name", "start": 0, "end": 11}
    finding = {"signal": "x", "clause": clause, "evidence": {"deep": deep}}
    with scores.open("a") as file:
        file.write(json.dumps(_record(101, findings=[finding])) + "\n")
    done = run("report", scores, "--out", out)
    assert done.code == 2
    assert f"{scores}:101: " in done.err
    assert "nested too deeply" in done.err
    assert out.read_text() == "earlier"
