"""`check`, `fit` and `score` with a language model behind a real endpoint on the loopback."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from clausewise.testing.endpoint import Reply, ScriptedEndpoint

Run = Callable[..., Any]

DOUBT = {
    "links": [
        {
            "phrase": "books",
            "fragment": "COUNT(*)",
            "clause": "select",
            "sure": False,
            "confidence": 0.9,
            "reason": "it may count copies",
        }
    ],
    "alternatives": [],
    "evidence_violation": None,
    "insufficient_evidence": {
        "reason": "all is there", "sufficient": True, "confidence": 0.9, "missing": "",
    },
    "self_check": {"reason": "not so", "correct": False, "confidence": 0.9, "fragment": "COUNT(*)"},
    "probability": 0.2,
}  # fmt: skip
ANSWERS: Mapping[str, Any] = {
    "Combined": DOUBT,
    "Description": {"steps": [{"fragment": "", "meaning": "counts"}], "summary": "counts"},
    "Comparison": {"reason": "", "same": True, "confidence": 0.9, "step": 0},
    "ResultReview": {
        "reason": "", "columns_right": True, "rows_right": True, "confidence": 0.9, "fragment": "",
    },
}  # fmt: skip
SIGNALS = 8


def answer(request: Mapping[str, Any]) -> Reply:
    """Answer each kind of question by the name of the schema that it asks for."""
    name = request.get("response_format", {}).get("json_schema", {}).get("name", "")
    found = [text for kind, text in ANSWERS.items() if kind.lower() in name.lower()]
    return Reply(json.dumps(found[0]) if found else "{}")


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(answer) as opened:
        yield opened


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUSEWISE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def asking(endpoint: ScriptedEndpoint, *more: object) -> tuple[object, ...]:
    return ("--llm", "scripted", "--llm-base-url", endpoint.url, "--llm-combined", *more)


@pytest.fixture
def cases(sample: Path, tmp_path: Path) -> Path:
    """The first cases of the sample."""
    lines = (sample / "cases.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(lines[:12]), encoding="utf-8")
    return path


def scores(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_check_shows_what_the_model_found_and_what_it_cost(run, sample, endpoint):
    done = run(
        "check", "--db", sample / "databases" / "bookshop" / "bookshop.sqlite",
        "-q", "How many books are there?", "-s", "SELECT COUNT(*) FROM books", "-f", "json",
        *asking(endpoint),
    )  # fmt: skip
    record = json.loads(done.out)
    said = {finding["signal"]: finding for finding in record["findings"]}
    assert said["self_check_bool"]["clause"]["text"] == "COUNT(*)"
    assert said["self_check_bool"]["contribution"] > 0
    assert record["signals"]["back_translation"] == "silent"
    assert record["cost"]["calls"] == endpoint.count == 4
    assert "4 calls" in done.err


def test_score_asks_about_every_case_that_runs(run, sample, cases, endpoint, tmp_path):
    out = tmp_path / "scores.jsonl"
    run("score", cases, "--databases", sample / "databases", "--out", out, *asking(endpoint))
    records = scores(out)
    assert [r["question_id"] for r in records] == [r["question_id"] for r in scores(cases)]
    for record in records:
        asked = record["signals"]["self_check_bool"] != "not_applicable"
        assert asked == (record["status"] == "ok")


def test_the_same_run_again_asks_nothing_and_writes_the_same_bytes(
    run, sample, cases, endpoint, tmp_path
):
    written = []
    for name in ("first", "second"):
        out = tmp_path / name
        run("score", cases, "--databases", sample / "databases", "--out", out, *asking(endpoint))
        written.append(out.read_bytes())
    asked = endpoint.count
    assert written[0] == written[1]
    out = tmp_path / "offline"
    offline = asking(endpoint, "--llm-offline")
    run("score", cases, "--databases", sample / "databases", "--out", out, *offline)
    assert out.read_bytes() == written[0]
    assert endpoint.count == asked


def test_more_processes_change_no_byte(run, sample, cases, endpoint, tmp_path):
    written = []
    for jobs in (1, 2):
        out = tmp_path / f"jobs{jobs}"
        folder = sample / "databases"
        options = asking(endpoint, "--jobs", jobs)
        run("score", cases, "--databases", folder, "--out", out, *options)
        written.append(out.read_bytes())
    assert written[0] == written[1]


def test_only_the_doubtful_are_asked_about_within_the_budget(
    run, sample, cases, endpoint, tmp_path
):
    out = tmp_path / "scores.jsonl"
    done = run(
        "score", cases, "--databases", sample / "databases", "--out", out,
        *asking(endpoint, "--llm-when", "doubtful", "--llm-budget", "calls=13"),
    )  # fmt: skip
    asked = [r for r in scores(out) if r["signals"]["self_check_bool"] != "not_applicable"]
    assert len(asked) == 3
    assert endpoint.count <= 13
    assert "asking about 3 of" in done.err
    assert [r["cost"] is not None for r in scores(out)].count(True) == 3


def test_an_endpoint_that_is_not_there_is_a_fault_not_an_end(run, sample, cases, tmp_path):
    out = tmp_path / "scores.jsonl"
    with ScriptedEndpoint([Reply(status=401, error="no")]) as refusing:
        url = refusing.url
        run("score", cases, "--databases", sample / "databases", "--out", out, *asking(refusing))
    assert url
    for record in scores(out):
        if record["status"] == "ok":
            assert record["signals"]["self_check_bool"] == "fault"
            assert record["p_correct"] is not None


def test_fit_learns_what_the_model_is_worth_and_score_uses_it(run, sample, endpoint, tmp_path):
    detector = tmp_path / "detector"
    done = run(
        "fit", sample / "cases.jsonl", "--databases", sample / "databases", "--out", detector,
        "--classifier", "additive", "--label-model", "majority", *asking(endpoint),
    )  # fmt: skip
    assert done.code == 0, done.err
    # the scripted judge says the same of every query: no information, so it counts nothing
    learned = json.loads((detector / "classifier" / "start.json").read_text(encoding="utf-8"))
    assert learned["start"]["weights"]["score.self_check_bool"] == 0.0


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--llm-offline",), "--llm-offline"),
        (("--llm-when", "doubtful"), "--llm-when"),
        (("--llm-share", "0.5"), "--llm-share"),
        (("--llm", "m", "--llm-price", "1"), "--llm-price"),
        (("--llm", "m", "--llm-budget", "calls=x"), "budget"),
        (("--llm", "m", "--llm-prepare", "magic"), "magic"),
    ],
)
def test_options_without_meaning_are_usage_errors(run, sample, cases, options, complaint):
    done = run("score", cases, "--databases", sample / "databases", *options)
    assert done.code == 2
    assert complaint in done.err


def test_signals_that_ask_need_a_model(run, sample, cases, tmp_path):
    done = run(
        "fit", cases, "--databases", sample / "databases", "--out", tmp_path / "detector",
        "--signals", "sqlens-reference", "--classifier", "none", "--label-model", "majority",
    )  # fmt: skip
    assert done.code == 2
    assert "name one with --llm" in done.err


@pytest.fixture
def nowhere() -> str:
    """The address of an endpoint that was there and is closed."""
    with ScriptedEndpoint(answer) as opened:
        return opened.url


def test_a_model_that_cannot_be_reached_is_reported(run, sample, cases, nowhere, tmp_path):
    llm = ("--llm", "scripted", "--llm-base-url", nowhere, "--llm-combined", "--llm-timeout", 0.5)
    common = ("--databases", sample / "databases", *llm)
    scored = run("score", cases, *common, "--out", tmp_path / "s.jsonl")
    (line,) = [line for line in scored.err.splitlines() if "lack an answer" in line]
    assert line.startswith(f"language model scripted at {nowhere}: 12 of 12 cases lack an answer: ")
    assert scored.code == 3
    assert len(scores(tmp_path / "s.jsonl")) == 12
    quiet = run("score", cases, *common, "--out", tmp_path / "s.jsonl", "--quiet")
    assert "lack an answer" in quiet.err
    assert quiet.code == 3
    checked = run(
        "check", "--db", sample / "databases" / "bookshop" / "bookshop.sqlite",
        "-q", "How many books are there?", "-s", "SELECT COUNT(*) FROM books", *llm,
    )  # fmt: skip
    assert "1 of 1 cases lack an answer" in checked.err
    assert checked.code == 3
    fitted = run(
        "fit", cases, *common, "--out", tmp_path / "d", "--label-model", "weighted",
        "--classifier", "additive",
    )  # fmt: skip
    assert "12 of 12 cases lack an answer" in fitted.err
    assert fitted.code == 3


def test_a_model_that_answers_is_not_complained_of(run, sample, cases, endpoint, tmp_path):
    done = run(
        "score", cases, "--databases", sample / "databases", "--out", tmp_path / "s.jsonl",
        *asking(endpoint),
    )  # fmt: skip
    assert "lack an answer" not in done.err
    assert done.code in (0, 1)


def executed(request: Mapping[str, Any]) -> Reply:
    """Say that there are no books, and nothing else."""
    name = request.get("response_format", {}).get("json_schema", {}).get("name", "")
    if name == "ExecutedQuestion":
        return Reply(json.dumps({"steps": ["none"], "columns": ["n"], "rows": [[0]]}))
    return answer(request)


@pytest.mark.parametrize(
    ("signals", "calls"), [("all,-llm,execution_consistency", 3), ("CONS03", 3), (None, 4)]
)
def test_a_question_is_executed_only_where_it_is_asked_for(run, sample, signals, calls):
    with ScriptedEndpoint(executed) as endpoint:
        done = run(
            "check", "--db", sample / "databases" / "bookshop" / "bookshop.sqlite",
            "-q", "How many books have no number?", "-s", "SELECT COUNT(*) FROM books",
            "--candidate", "SELECT COUNT(*) FROM books WHERE book_id IS NULL", "-f", "json",
            *asking(endpoint), *([] if signals is None else ["--signals", signals]),
        )  # fmt: skip
        assert endpoint.count == calls
    record = json.loads(done.out)
    found = [one for one in record["findings"] if one["signal"] == "execution_consistency"]
    assert bool(found) == (signals is not None)
    for finding in found:
        evidence = finding["evidence"]
        assert evidence["counterexample"]["result_b"]["rows"] == [[0]]
        assert evidence["rival_sql"] == "SELECT COUNT(*) FROM books WHERE book_id IS NULL"
        assert finding["score"] == 1.0


def test_a_question_is_executed_in_score_beside_worker_processes(run, sample, tmp_path):
    cases = tmp_path / "cases.jsonl"
    record = {
        "question_id": 1, "db_id": "bookshop", "question": "How many books have no number?",
        "predicted_sql": "SELECT COUNT(*) FROM books",
        "candidates": ["SELECT COUNT(*) FROM books WHERE book_id IS NULL"],
    }  # fmt: skip
    cases.write_text(json.dumps(record), encoding="utf-8")
    out = tmp_path / "scores.jsonl"
    with ScriptedEndpoint(executed) as endpoint:
        run(
            "score", cases, "--databases", sample / "databases", "--out", out, "--jobs", 2,
            "--signals", "execution_consistency,candidate_disagreement", *asking(endpoint),
        )  # fmt: skip
    (scored,) = scores(out)
    assert scored["signals"]["execution_consistency"] == "fired"
    assert scored["cost"]["calls"] == 3
