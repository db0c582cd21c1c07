"""What a command ends with, and what it says of its results."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clausewise.cli.exit_options import FailOn, Results

Run = Callable[..., Any]

RIGHT = "SELECT COUNT(*) FROM books"
BROKEN = "SELECT nothing FROM books"
EMPTY = "SELECT name FROM customers WHERE city = 'dublin town'"


def _check(sample: Path, sql: str, *more: object) -> tuple[object, ...]:
    database = sample / "databases" / "bookshop" / "bookshop.sqlite"
    return ("check", "--db", database, "-q", "How many books are there?", "-s", sql, *more)


def _line(verdict: str, status: str = "ok", *levels: str) -> dict:
    return {"verdict": verdict, "status": status, "findings": [{"level": x} for x in levels]}


@pytest.mark.parametrize(
    ("lines", "options", "code"),
    [
        ([_line("correct")], {}, 0),
        ([_line("correct"), _line("incorrect")], {}, 1),
        ([_line("incorrect"), _line("unchecked", "unchecked")], {}, 3),
        ([_line("incorrect"), _line("unchecked", "unchecked")], {"exit_zero": True}, 0),
        ([_line("correct")], {"unanswered": True}, 3),
        ([_line("incorrect")], {"unanswered": True}, 3),
        ([_line("correct", "ok", "warning")], {}, 0),
        ([_line("correct", "ok", "warning")], {"fail_on": FailOn.WARNING}, 1),
        ([_line("correct", "ok", "error")], {"fail_on": FailOn.WARNING}, 1),
        ([_line("correct", "ok", "warning")], {"fail_on": FailOn.ERROR}, 0),
        ([_line("correct", "ok", "info")], {"fail_on": FailOn.WARNING}, 0),
        ([_line("incorrect", "ok", "info")], {"fail_on": FailOn.WARNING}, 0),
        ([_line("incorrect", "not_executable")], {"fail_on": FailOn.ERROR}, 1),
    ],
)
def test_the_exit_code_follows_from_all_cases(lines: list[dict], options: dict, code: int) -> None:
    results = Results()
    for line in lines:
        results.add(line)
    assert results.exit_code(**options) == code


def test_check_ends_as_the_options_say(run: Run, sample: Path) -> None:
    assert run(*_check(sample, RIGHT)).code == 0
    assert run(*_check(sample, BROKEN)).code == 1
    assert run(*_check(sample, BROKEN, "--exit-zero")).code == 0
    assert run(*_check(sample, BROKEN, "--fail-on", "error")).code == 1
    assert run(*_check(sample, RIGHT, "--fail-on", "warning")).code == 0
    silent = run(*_check(sample, RIGHT, "--threshold", 0.001))
    assert silent.code == 0
    assert "but no finding says why" in silent.out
    assert run(*_check(sample, EMPTY, "--threshold", 0.001)).code == 1
    spared = run(*_check(sample, EMPTY, "--threshold", 0.999999))
    assert spared.code == 0
    assert ", error" not in spared.out
    assert run(*_check(sample, EMPTY, "--threshold", 0.999999, "--fail-on", "error")).code == 0
    assert run(*_check(sample, EMPTY, "--threshold", 0.999999, "--fail-on", "warning")).code == 1
    both = run(*_check(sample, RIGHT, "--fail-on", "error", "--exit-zero"))
    assert both.code == 2
    assert "--fail-on" in both.err
    assert run(*_check(sample, RIGHT, "--fail-on", "info")).code == 2


def test_check_refuses_an_empty_question(run: Run, sample: Path) -> None:
    database = sample / "databases" / "bookshop" / "bookshop.sqlite"
    for question in ("", "  "):
        done = run("check", "--db", database, "-q", question, "-s", RIGHT)
        assert done.code == 2
        assert "--question" in done.err


def test_check_compares_with_candidates(run: Run, sample: Path, tmp_path: Path) -> None:
    tables = ("books", "books", "customers", "authors")
    others = [f"SELECT COUNT(*) FROM {table} WHERE 1" for table in tables]
    as_options = [part for sql in others for part in ("--candidate", sql)]
    lines = tmp_path / "candidates.jsonl"
    lines.write_text("\n".join(json.dumps({"sql": sql}) for sql in others))
    of_systems = tmp_path / "systems.jsonl"
    of_systems.write_text("\n".join(json.dumps({"sql": sql, "system": "x"}) for sql in others))
    listed = tmp_path / "candidates.json"
    listed.write_text(json.dumps(others))
    alone = json.loads(run(*_check(sample, RIGHT, "-f", "json")).out)
    assert alone["signals"]["candidate_disagreement"] == "not_applicable"
    shown = [
        json.loads(run(*_check(sample, RIGHT, "-f", "json", *more)).out)
        for more in (as_options, ("--candidates", lines), ("--candidates", listed))
    ]
    assert shown[0]["candidates"] == others
    assert shown[0]["signals"]["candidate_disagreement"] != "not_applicable"
    assert shown[0] == shown[1] == shown[2]
    of_one = json.loads(run(*_check(sample, RIGHT, "-f", "json", "--candidates", of_systems)).out)
    assert of_one["candidate_systems"] == ["x"] * 4
    voices = [case["findings"][0]["evidence"]["independent"] for case in (of_one, shown[0])]
    assert 1.0 <= voices[0] < 1.1 < voices[1]


DEEP = "[" * 200_000


@pytest.mark.parametrize(
    "content",
    ['{"system": "x"}', "[1]", "SELECT 1", '"a"\nb', DEEP, f'"a"\n{DEEP}'],
    ids=["no sql", "number", "no json", "second line", "deep", "deep line"],
)
def test_a_file_of_candidates_that_cannot_be_used(run, sample, tmp_path, content) -> None:
    path = tmp_path / "candidates.json"
    path.write_text(content)
    done = run(*_check(sample, RIGHT, "--candidates", path))
    assert done.code == 2
    assert "--candidates" in done.err
    assert run(*_check(sample, RIGHT, "--candidates", tmp_path / "none")).code == 2


def test_the_summary_counts_verdicts_and_statuses(run: Run, sample: Path, tmp_path: Path) -> None:
    def case(number: int, sql: str, question: str = "How many books are there?") -> dict:
        return {
            "question_id": number, "db_id": "bookshop", "question": question, "predicted_sql": sql
        }  # fmt: skip

    cases = tmp_path / "cases.jsonl"
    lines = [case(1, RIGHT), case(2, BROKEN), case(3, "SELECT FROM"), case(4, RIGHT, " ")]
    cases.write_text("".join(json.dumps(line) + "\n" for line in lines))
    common = ("score", cases, "--databases", sample / "databases")
    done = run(*common)
    assert done.code == 3
    assert "4 cases: 1 correct, 2 incorrect, 1 unchecked" in done.err
    assert "(1 ok, 1 unparsable, 1 not executable, 1 unchecked)" in done.err
    assert [line["question_id"] for line in done.lines()] == [1, 2, 3, 4]
    assert run(*common, "--exit-zero").code == 0
    assert run(*common, "--out", tmp_path / "s.jsonl", "--exit-zero").code == 0


def test_only_some_signals_are_run(run: Run, sample: Path, tmp_path: Path) -> None:
    done = run(*_check(sample, EMPTY, "--signals", "empty_predicate", "-f", "json"))
    record = json.loads(done.out)
    whole = json.loads(run(*_check(sample, EMPTY, "-f", "json")).out)
    assert record["signals"]["empty_predicate"] == whole["signals"]["empty_predicate"] == "fired"
    others = {name: status for name, status in record["signals"].items() if "empty_p" not in name}
    assert set(others.values()) == {"not_applicable"}
    assert set(record["signals"]) == set(whole["signals"])
    assert {record["signal_reasons"][name] for name in others} == {"not selected"}
    assert {finding["signal"] for finding in record["findings"]} == {"empty_predicate"}
    assert "not calibrated" in done.err
    assert run(*_check(sample, EMPTY, "--signals", "no_such_signal")).code == 2
    scored = run(
        "score", sample / "cases.jsonl", "--databases", sample / "databases",
        "--signals", "sqlens", "--out", tmp_path / "s.jsonl",
    )  # fmt: skip
    assert "not calibrated" in scored.err
    line = json.loads((tmp_path / "s.jsonl").read_text().splitlines()[0])
    assert line["signal_reasons"]["missing_value"] == "not selected"
