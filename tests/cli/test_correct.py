"""`clausewise correct`: lines in order, exit codes, messages, a model behind a real endpoint."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from clausewise.reporting import load_schema
from clausewise.testing.endpoint import Reply, ScriptedEndpoint

Run = Callable[..., Any]
CONTRACT = [
    "question_id", "predicted_sql", "corrected_sql", "changed", "reason", "strategy", "p_before",
    "p_after", "steps", "cost",
]  # fmt: skip
NO_BOOKS = Reply(json.dumps({"steps": [], "columns": ["n"], "rows": [[0]]}))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUSEWISE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def scores(run: Run, sample: Path, tmp_path: Path) -> Path:
    """Scores of the first cases of the sample, and of a line that is no case."""
    lines = (sample / "cases.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "cases.jsonl").write_text("".join(lines[:8]), encoding="utf-8")
    out = tmp_path / "scores.jsonl"
    options = ("--databases", sample / "databases", "--conventions", "strict", "--out", out)
    run("score", tmp_path / "cases.jsonl", *options)
    return out


def books(path: Path, **more: object) -> Path:
    record = {
        "question_id": 7, "db_id": "bookshop", "question": "How many books have no number?",
        "predicted_sql": "SELECT COUNT(*) FROM books", "p_correct": 0.5, "verdict": "incorrect",
        "status": "ok", "findings": [], "signals": {},
        "candidates": ["SELECT COUNT(*) FROM books WHERE book_id IS NULL"],
    }  # fmt: skip
    path.write_text(json.dumps(record | more) + "\n", encoding="utf-8")
    return path


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_case_is_written_in_order(run, sample, scores, tmp_path):
    out = tmp_path / "fixed.jsonl"
    done = run("correct", scores, "--databases", sample / "databases", "--out", out)
    assert done.code == 0
    assert done.out == ""
    assert f"written to {out}" in done.err
    fixed, given = records(out), records(scores)
    assert [one["question_id"] for one in fixed] == [one["question_id"] for one in given]
    schema = Draft202012Validator(load_schema("corrections"))
    for one, case in zip(fixed, given, strict=True):
        assert [name for name in CONTRACT if name not in one] == []
        schema.validate(one)
        assert one["predicted_sql"] == case["predicted_sql"]
        assert one["changed"] == (one["corrected_sql"] != one["predicted_sql"])
        assert one["strategy"] == "sqldriller"
        assert one["p_before"] == pytest.approx(case["p_correct"], abs=1e-6)
    assert {one["changed"] for one in fixed} == {True, False}
    assert f"8 cases: {sum(one['changed'] for one in fixed)} changed" in done.err
    again = run("correct", scores, "--databases", sample / "databases", "--quiet")
    assert again.out == out.read_text(encoding="utf-8")
    assert again.err == ""


def test_a_case_that_cannot_be_processed_is_written_and_counted(run, sample, tmp_path):
    path = books(tmp_path / "scores.jsonl", db_id="nowhere")
    done = run("correct", path, "--databases", sample / "databases")
    (record,) = done.lines()
    assert done.code == 3
    assert (record["status"], record["changed"]) == ("failed", False)
    assert "there is no database 'nowhere'" in record["reason"]
    assert "1 case: 1 failed" in done.err


def test_a_model_executes_the_question(run, sample, tmp_path):
    path = books(tmp_path / "scores.jsonl")
    db = sample / "databases" / "bookshop" / "bookshop.sqlite"
    with ScriptedEndpoint([NO_BOOKS]) as endpoint:
        done = run(
            "correct", path, "--db", db, "--strategy", "sqldriller", "--llm", "scripted",
            "--llm-base-url", endpoint.url, "--llm-samples", 3,
        )  # fmt: skip
        assert endpoint.count == 2
    (record,) = done.lines()
    assert done.code == 0
    assert record["corrected_sql"] == "SELECT COUNT(*) FROM books WHERE book_id IS NULL"
    assert record["cost"]["calls"] == 2
    assert "scripted: 2 calls" in done.err


def test_a_model_that_fails_is_reported(run, sample, tmp_path):
    path = books(tmp_path / "scores.jsonl")
    with ScriptedEndpoint([Reply(status=401, error="no such key")]) as endpoint:
        done = run(
            "correct", path, "--databases", sample / "databases", "--llm", "scripted",
            "--llm-base-url", endpoint.url,
        )  # fmt: skip
    (record,) = done.lines()
    assert done.code == 3
    assert record["reason"].startswith("LLMRefused: ")
    assert record["corrected_sql"] == record["predicted_sql"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--strategy", "sqldrill"], "unknown strategy 'sqldrill'; did you mean 'sqldriller'?"),
        (["--margin", "2"], "--margin"),
        (["--db", "x.sqlite"], "give either --databases DIR or --db URL"),
        (["--llm-samples", "3"], "has no meaning without --llm MODEL"),
        (["--detector", "nowhere"], "nowhere"),
    ],
)
def test_wrong_options_are_refused(run, sample, tmp_path, options, message):
    path = books(tmp_path / "scores.jsonl")
    done = run("correct", path, "--databases", sample / "databases", *options)
    assert done.code == 2
    assert message in done.err
    assert done.out == ""


def test_bad_files_are_refused_and_nothing_is_written(run, sample, tmp_path):
    path, out = tmp_path / "scores.jsonl", tmp_path / "fixed.jsonl"
    path.write_text('{"question_id": 1}\n', encoding="utf-8")
    done = run("correct", path, "--databases", sample / "databases", "--out", out)
    assert done.code == 2
    assert "missing" in done.err
    assert not out.exists()
    good = books(path)
    done = run("correct", good, "--databases", sample / "databases", "--out", good)
    assert done.code == 2
    assert "would overwrite the input" in done.err


def test_rows_are_not_sent_where_none_may(run, sample, tmp_path):
    path = books(tmp_path / "scores.jsonl")
    with ScriptedEndpoint([NO_BOOKS]) as endpoint:
        done = run(
            "correct", path, "--databases", sample / "databases", "--llm", "scripted",
            "--llm-base-url", endpoint.url, "--llm-no-values",
        )  # fmt: skip
        assert endpoint.count == 0
    assert done.code == 2
    assert "hold rows, and no cell may be sent" in done.err
