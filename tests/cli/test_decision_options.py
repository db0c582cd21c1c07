"""Thresholds, costs, abstention and risk on the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clausewise.cli.decision_options import decision
from clausewise.cli.exit_options import Results
from clausewise.models.lines import ScoredLine
from clausewise.reporting import load_schema

Run = Callable[..., Any]


@pytest.fixture
def score(run: Run, sample: Path, detector: Path, tmp_path: Path):
    """Score the sample with options; returns the lines of the file."""

    def made(*options: object, name: str = "scores.jsonl") -> list[str]:
        out = tmp_path / name
        done = run(
            "score", sample / "cases.jsonl", "--databases", sample / "databases",
            "--detector", detector, "--out", out, *options,
        )  # fmt: skip
        assert done.code in (0, 1), done.err
        return out.read_text(encoding="utf-8").splitlines()

    return made


def records(lines: list[str]) -> list[dict]:
    return [json.loads(line) for line in lines]


def says_why(record: dict) -> bool:
    return any((finding["contribution"] or 0.0) >= 0.1 for finding in record["findings"])


def test_a_dearer_miss_calls_more_queries_incorrect(score) -> None:
    counts = []
    for miss in (2, 6, 18):
        scored = records(score("--cost-miss", miss, "--cost-false-alarm", 2))
        running = [record for record in scored if record["status"] == "ok"]
        threshold = 2 / (2 + miss)
        for record in running:
            incorrect = 1 - record["p_correct"]
            if abs(incorrect - threshold) > 1e-5:
                called = incorrect > threshold and says_why(record)
                assert (record["verdict"] == "incorrect") == called
        counts.append(sum(record["verdict"] == "incorrect" for record in running))
    assert counts[0] < counts[1] < counts[2]


def test_one_cost_alone_is_set_against_one(score) -> None:
    assert score("--cost-miss", 3) == score("--cost-miss", 6, "--cost-false-alarm", 2)


def test_more_alarms_call_more_queries_and_say_where_the_verdict_stands(score) -> None:
    called, thresholds = [], []
    for share in (0.01, 0.05, 0.25):
        scored = records(score("--alarms", share))
        running = [record for record in scored if record["status"] == "ok"]
        (threshold,) = {record["threshold"] for record in running}
        for record in running:
            incorrect = 1 - record["p_correct"]
            if abs(incorrect - threshold) > 1e-5:
                verdict = "incorrect" if incorrect > threshold and says_why(record) else "correct"
                assert record["verdict"] == verdict
        called.append(sum(record["verdict"] == "incorrect" for record in running))
        thresholds.append(threshold)
    assert thresholds == sorted(thresholds, reverse=True)
    assert called[0] < called[2]
    assert thresholds[1] == records(score())[0]["threshold"]


def test_a_run_goes_on_with_the_same_alarms_only() -> None:
    def settings(alarms: float | None) -> str:
        return decision(None, None, None, None, None, alarms).text

    assert settings(0.1) == settings(0.1)
    assert len({settings(None), settings(0.1), settings(0.2)}) == 3


@pytest.mark.parametrize("command", ["check", "score"])
def test_conventions_choose_the_packaged_detector(
    run: Run, sample: Path, tmp_path: Path, command: str
) -> None:
    database = sample / "databases" / "bookshop" / "bookshop.sqlite"
    question = "Which is the most expensive book?"
    sql = "SELECT title, price FROM books ORDER BY price DESC LIMIT 1"
    case = tmp_path / "case.jsonl"
    fields = {"question_id": 1, "db_id": "bookshop", "question": question, "predicted_sql": sql}
    case.write_text(json.dumps(fields) + "\n")
    by_check = ("check", "--db", database, "-q", question, "-s", sql, "-f", "json")
    arguments = by_check if command == "check" else ("score", case, "--db", database)

    def finding(*options: object) -> tuple[str, dict]:
        done = run(*arguments, *options)
        record = json.loads(done.out)
        return done.out, next(x for x in record["findings"] if x["reason"] == "ranking_shown")

    usual, relaxed = finding(), finding("--conventions", "relaxed")
    strict = finding("--conventions", "strict")
    assert usual == relaxed
    assert (relaxed[1]["level"], relaxed[1]["contribution"]) == ("info", 0.0)
    assert strict[1]["contribution"] > 0.1
    assert run(*arguments, "--fail-on", "warning").code == 0
    assert run(*arguments, "--fail-on", "warning", "--conventions", "strict").code == 1


@pytest.mark.parametrize("command", ["score", "audit", "correct"])
def test_a_detector_of_other_conventions_is_refused(
    run: Run, sample: Path, few_cases: Path, detector: Path, tmp_path: Path, command: str
) -> None:
    out = tmp_path / "out.jsonl"
    cases = few_cases
    if command == "audit":
        cases = sample / "gold.jsonl"
    if command == "correct":
        cases = tmp_path / "scores.jsonl"
        assert run("score", few_cases, "--databases", sample / "databases", "--out", cases).code < 2
    done = run(
        command, cases, "--databases", sample / "databases", "--detector", detector,
        "--conventions", "strict", "--out", out,
    )  # fmt: skip
    assert done.code == 2
    assert "fitted for relaxed conventions" in done.err
    assert "--conventions strict" in done.err
    assert not out.exists()


def test_a_risk_that_no_label_bears_out_is_said_to_be_expected(
    run: Run, sample: Path, few_cases: Path, detector: Path
) -> None:
    common = ("score", few_cases, "--databases", sample / "databases", "--max-risk", 0.2)
    assert "no label of these databases was seen" in run(*common).err
    assert "no label" not in run(*common, "--detector", detector).err


def test_fit_takes_costs(run: Run, sample: Path, tmp_path: Path) -> None:
    done = run(
        "fit", sample / "cases.jsonl", "--databases", sample / "databases", "--out",
        tmp_path / "d", "--label-model", "weighted", "--classifier", "logistic",
        "--signals", "sqlens", "--cost-miss", 4,
    )  # fmt: skip
    assert "p_incorrect = 0.200 on" in done.out, done.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--threshold", "0.3", "--cost-miss", "2"), "not both"),
        (("--abstain", "0.4:0.6", "--max-risk", "0.1"), "not both"),
        (("--abstain", "0.6:0.4"), "LOW:HIGH"),
        (("--cost-miss", "0"), "above 0"),
        (("--alarms", "0.1", "--threshold", "0.3"), "not several"),
        (("--alarms", "0.1", "--cost-miss", "2"), "not several"),
        (("--alarms", "0.5"), "between 0.01 and 0.3"),
        (("--alarms", "0"), "between 0 and 1"),
        (("--alarms", "nan"), "between 0 and 1"),
        (("--conventions", "loose"), "loose"),
        (("--threshold", "1"), "probability"),
        (("--max-risk", "2"), "less than or equal to 1"),
    ],
)
def test_options_that_make_no_decision_are_usage_errors(
    run: Run, sample: Path, few_cases: Path, detector: Path, options, said
) -> None:
    where = ("--databases", sample / "databases", "--detector", detector)
    done = run("score", few_cases, *where, *options)
    assert (done.code, said in done.err) == (2, True), done.err


def test_a_threshold_and_costs_are_a_usage_error_at_fit(run: Run, sample: Path, tmp_path) -> None:
    done = run(
        "fit", sample / "cases.jsonl", "--databases", sample / "databases",
        "--out", tmp_path / "d", "--threshold", "0.3", "--cost-false-alarm", "2",
        "--label-model", "weighted", "--classifier", "logistic",
    )  # fmt: skip
    assert (done.code, "not both" in done.err) == (2, True)


def test_a_band_marks_cases_and_changes_nothing_else(score) -> None:
    plain, marked = records(score()), records(score("--abstain", "0.5:0.9"))
    assert {record["abstained"] for record in marked} == {True, False}
    for before, after in zip(plain, marked, strict=True):
        inside = after["status"] == "ok" and 0.5 <= after["p_correct"] <= 0.9
        assert after == {**before, "abstained": inside}


def test_a_risk_is_kept_by_giving_up_cases(score) -> None:
    plain = score()
    assert score("--max-risk", 1) == plain
    covered = []
    for risk in (0.3, 0.2, 0.1):
        marked = records(score("--max-risk", risk))
        chances = [
            record["p_correct"] if record["verdict"] == "incorrect" else 1 - record["p_correct"]
            for record in marked
            if record["status"] == "ok" and not record["abstained"]
        ]
        assert not chances or np.mean(chances) <= risk + 1e-9
        covered.append(len(chances))
    assert covered[0] > covered[2]


def test_standard_output_and_a_resumed_run_have_the_same_marks(
    run: Run, score, sample: Path, detector: Path, tmp_path: Path, monkeypatch
) -> None:
    lines = score("--max-risk", 0.05)
    assert any(record["abstained"] for record in records(lines))
    command = (
        "score", sample / "cases.jsonl", "--databases", sample / "databases",
        "--detector", detector, "--max-risk", 0.05,
    )  # fmt: skip
    assert run(*command).out.splitlines() == lines
    written: list[ScoredLine] = []

    def interrupted(_results: Results, line: ScoredLine) -> None:
        written.append(line)
        if len(written) == 40:
            raise KeyboardInterrupt

    out = tmp_path / "broken.jsonl"
    with monkeypatch.context() as patched:
        patched.setattr(Results, "add_line", interrupted)
        assert run(*command, "--out", out).code == 130
    assert not out.exists()
    other = run(*command[:-1], 0.2, "--out", out, "--resume")
    assert (other.code, "something else as setting decision" in other.err) == (2, True)
    assert "resuming after 40 cases" in run(*command, "--out", out, "--resume").err
    assert out.read_text(encoding="utf-8").splitlines() == lines


@pytest.mark.parametrize("form", ["text", "json", "markdown", "html", "sarif"])
def test_every_view_shows_an_abstained_case(
    run: Run, sample: Path, detector: Path, form: str
) -> None:
    import jsonschema

    database = sample / "databases" / "bookshop" / "bookshop.sqlite"
    common = (
        "check", "--db", database, "-q", "How many books are there?",
        "-s", "SELECT COUNT(*) FROM books", "--detector", detector, "--format", form,
    )  # fmt: skip
    plain = run(*common)
    band = run(*common, "--abstain", "0:1")
    risk = run(*common, "--max-risk", "0")
    assert band.out == risk.out != plain.out
    assert "abstained" in band.out
    if form == "json":
        assert json.loads(band.out)["abstained"] is True
        jsonschema.validate(json.loads(band.out), load_schema("scores"))
