"""Every command, its output and its exit code."""

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clausewise import __version__
from clausewise.reporting import load_schema

Run = Callable[..., Any]


def _bookshop(sample: Path) -> Path:
    return sample / "databases" / "bookshop" / "bookshop.sqlite"


def test_version(run: Run) -> None:
    assert run("--version").out.strip() == f"clausewise {__version__}"


def test_no_command_is_a_usage_error(run: Run) -> None:
    done = run("chekc")
    assert done.code == 2
    assert "no such command" in done.err


def test_check_finds_nothing_in_a_right_query(run: Run, sample: Path) -> None:
    done = run(
        "check", "--db", _bookshop(sample), "--question", "How many books are there?",
        "--sql", "SELECT COUNT(*) FROM books", "--format", "json",
    )  # fmt: skip
    record = json.loads(done.out)
    assert done.code == 0, done.err
    assert record["verdict"] == "correct"
    assert record["status"] == "ok"


def test_check_marks_the_clause_of_a_wrong_query(run: Run, sample: Path) -> None:
    sql = "SELECT name FROM customers WHERE city = 'dublin town'"
    done = run(
        "check", "--db", f"sqlite:///{_bookshop(sample)}", "-q", "Who lives in Dublin?",
        "-s", sql, "-f", "json",
    )  # fmt: skip
    findings = json.loads(done.out)["findings"]
    named = [finding for finding in findings if finding["signal"] == "empty_predicate"]
    assert named[0]["clause"]["text"] == "city = 'dublin town'"
    for finding in findings:
        clause = finding["clause"]
        assert sql[clause["start"] : clause["end"]] == clause["text"]


@pytest.mark.parametrize("form", ["text", "json", "markdown", "html", "sarif"])
def test_check_in_every_format(run: Run, sample: Path, form: str) -> None:
    done = run(
        "check", "--db", _bookshop(sample), "-q", "Who?", "-s", "SELECT name FROM nowhere",
        "--format", form,
    )  # fmt: skip
    assert done.code == 1
    assert "nowhere" in done.out


def test_check_of_a_missing_database(run: Run, tmp_path: Path) -> None:
    done = run("check", "--db", tmp_path / "no.sqlite", "-q", "Who?", "-s", "SELECT 1")
    assert done.code == 2
    assert "no.sqlite" in done.err


def test_fit_score_report_evaluate(run: Run, sample: Path, tmp_path: Path) -> None:
    databases = sample / "databases"
    fitted = run(
        "fit", sample / "cases.jsonl", "--databases", databases, "--out", tmp_path / "detector",
        "--label-model", "weighted", "--classifier", "logistic", "--signals", "sqlens",
    )  # fmt: skip
    assert fitted.code == 0, fitted.err
    assert "learned_accuracy" in fitted.out
    scores = tmp_path / "scores.jsonl"
    scored = run(
        "score", sample / "cases.jsonl", "--databases", databases, "--out", scores,
        "--detector", tmp_path / "detector",
    )  # fmt: skip
    assert scored.code == 1, scored.err
    records = [json.loads(line) for line in scores.read_text(encoding="utf-8").splitlines()]
    inputs = [json.loads(line) for line in (sample / "cases.jsonl").read_text().splitlines()]
    assert [record["question_id"] for record in records] == [i["question_id"] for i in inputs]
    for record, given in zip(records, inputs, strict=True):
        assert {key: record[key] for key in given} == given
    reported = run("report", scores, "--out", tmp_path / "report.json", "--format", "json")
    assert reported.code == 1
    report = json.loads((tmp_path / "report.json").read_text())
    _valid(report, "report")
    _valid(records[0], "scores")
    _reports_choose(run, scores, tmp_path)
    measured = run(
        "evaluate", scores, "--labels", sample / "labels.jsonl", "--gold", sample / "gold.jsonl",
        "--json", "--bootstrap", "20",
    )  # fmt: skip
    figures = json.loads(measured.out)
    assert measured.code == 0
    assert figures["n"] == len(inputs)
    assert 0.5 < figures["auc"] <= 1
    assert {"length", "vote_count"} == set(figures["baselines"])
    assert figures["localization"]["n"] > 0
    assert "AUC" in run("evaluate", scores, "--labels", sample / "labels.jsonl").out


def _reports_choose(run: Run, scores: Path, tmp_path: Path) -> None:
    made = run("report", scores, "--out", tmp_path / "r.csv", "--only", "incorrect", "--top", "3")
    assert made.code == 1
    rows = list(csv.DictReader((tmp_path / "r.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["verdict"] for row in rows] == ["incorrect"] * 3
    assert [row["p_correct"] for row in rows] == sorted(row["p_correct"] for row in rows)
    text = run("report", scores, "--format", "text", "--sort", "db", "--only", "unchecked").out
    assert "shown: 0 of" in text
    assert "By database" in text
    assert len(run("report", scores, "--details").out) > len(run("report", scores).out)


def _valid(record: object, schema: str) -> None:
    import jsonschema

    jsonschema.validate(record, load_schema(schema))


def test_fit_with_labels_reports_what_signals_are_worth(
    run: Run, sample: Path, tmp_path: Path
) -> None:
    done = run(
        "fit", sample / "cases.jsonl", "--databases", sample / "databases",
        "--out", tmp_path / "d", "--labels", sample / "labels.jsonl",
        "--label-model", "majority", "--classifier", "logistic",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "empirical_accuracy" in done.out
    assert "(labels)" in done.out


def test_the_class_balance_can_be_given(run: Run, sample: Path, tmp_path: Path) -> None:
    done = run(
        "fit", sample / "cases.jsonl", "--databases", sample / "databases",
        "--out", tmp_path / "d", "--class-balance", "0.25",
        "--label-model", "weighted", "--classifier", "none",
    )  # fmt: skip
    assert "0.250 (given)" in done.out, done.err


@pytest.mark.parametrize(("conventions", "expected"), [("relaxed", "estimated"), ("strict", "own")])
def test_the_share_is_estimated_by_default_under_relaxed_conventions_only(
    run: Run, sample: Path, tmp_path: Path, conventions: str, expected: str
) -> None:
    def scored(name: str, *options: object) -> str:
        done = run(
            "score", sample / "cases.jsonl", "--databases", sample / "databases",
            "--conventions", conventions, "--out", tmp_path / name, *options,
        )  # fmt: skip
        assert done.code == 1, done.err
        return (tmp_path / name).read_text(encoding="utf-8")

    scores = {
        "own": scored("own", "--class-balance", 0.25),
        "estimated": scored("estimated", "--class-balance", "estimate"),
    }
    assert scores["own"] != scores["estimated"]
    assert scored("default") == scores[expected]


def test_votes_from_outside_are_a_function_of_their_own(
    run: Run, sample: Path, tmp_path: Path
) -> None:
    cases = [json.loads(line) for line in (sample / "cases.jsonl").read_text().splitlines()]
    votes = tmp_path / "votes.jsonl"
    votes.write_text(
        "".join(
            json.dumps({"question_id": case["question_id"], "signal": "reviewer",
                        "vote": "incorrect" if number % 3 else "correct"}) + "\n"
            for number, case in enumerate(cases)
        )
    )  # fmt: skip
    done = run(
        "fit", sample / "cases.jsonl", "--databases", sample / "databases",
        "--out", tmp_path / "d", "--votes", votes, "--label-model", "weighted",
        "--classifier", "logistic",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "reviewer" in done.out


def test_signals_lists_and_describes(run: Run) -> None:
    header, *rows = run("signals").out.splitlines()
    assert header.split("\t") == ["code", "name", "group", "family", "cost", "points at"]
    # Nothing is cut in a pipe, however narrow the terminal is taken to be.
    assert "incorrect_filter_in_subquery" in [row.split("\t")[1] for row in rows]
    described = run("signals", "empty_predicate")
    assert "Why it points to an error" in described.out
    codes = [record["code"] for record in json.loads(run("signals", "sqlens", "--json").out)]
    assert len(codes) == 9
    unknown = run("signals", "empty_predicat")
    assert (unknown.code, "did you mean 'empty_predicate'" in unknown.err) == (2, True)


def test_index_builds_once(run: Run, sample: Path, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLAUSEWISE_CACHE_DIR", str(tmp_path / "cache"))
    first = run("index", "--databases", sample / "databases")
    again = run("index", "--databases", sample / "databases")
    assert first.code == again.code == 0
    assert first.out.count("built in") == 3
    assert again.out.count("already there") == 3


def test_scores_on_standard_output_are_json_lines_only(
    run: Run, sample: Path, few_cases: Path, detector: Path
) -> None:
    done = run("score", few_cases, "--databases", sample / "databases", "--detector", detector)
    assert len(done.lines()) == 6
    assert "6 cases" in done.err


def test_jobs_do_not_change_a_byte(run: Run, sample: Path, detector: Path, tmp_path: Path) -> None:
    cases, databases = sample / "cases.jsonl", sample / "databases"
    for jobs in (1, 2):
        out = tmp_path / f"{jobs}.jsonl"
        run("score", cases, "--databases", databases, "--detector", detector, "--out", out,
            "--jobs", jobs)  # fmt: skip
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()


def test_a_pipe_shows_no_progress_bar(sample: Path, few_cases: Path) -> None:
    command = Path(sys.executable).with_name("clausewise")
    done = subprocess.run(
        [command, "score", few_cases, "--databases", sample / "databases"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "\x1b" not in done.stdout + done.stderr
    assert "━" not in done.stderr
    assert len(done.stdout.splitlines()) == 6


def test_feedback_goes_on_from_the_detector_of_the_conventions(run: Run, tmp_path: Path) -> None:
    judgments = tmp_path / "feedback.jsonl"
    judgments.write_text(
        json.dumps(
            {
                "question_id": "q1",
                "signal": "empty_predicate",
                "reason": "empties_its_clause",
                "finding": "dismissed",
            }
        )
    )
    for conventions in ("relaxed", "strict"):
        folder = tmp_path / conventions
        done = run("feedback", judgments, "--out", folder, "--conventions", conventions)
        assert done.code == 0, done.err
        manifest = json.loads((folder / "manifest.json").read_text())
        assert manifest["settings"]["conventions"] == conventions
