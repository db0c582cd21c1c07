"""What is said of a wrong command line, of missing libraries, and of warnings."""

import importlib.util
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clausewise.errors import install_command

Run = Callable[..., Any]


def test_a_missing_option_is_named(run: Run) -> None:
    done = run("check", "--question", "Who?", "--sql", "SELECT 1")
    assert done.code == 2
    assert "missing option '--db'" in done.err
    assert "see clausewise check --help" in done.err


def test_a_missing_argument_is_named(run: Run) -> None:
    done = run("report")
    assert done.code == 2
    assert "missing argument 'scores'" in done.err


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("score", "x.jsonl", "--jobs", 0), "--jobs"),
        (("score", "x.jsonl", "--threshold", 1.5), "--threshold"),
        (("check", "--db", "x", "-q", "?", "-s", "1", "--max-risk", -1), "--max-risk"),
        (("score", "x.jsonl", "--jobs", "many"), "--jobs"),
    ],
)
def test_a_value_out_of_range_names_its_option(run: Run, arguments: tuple, named: str) -> None:
    done = run(*arguments)
    assert done.code == 2
    assert f"'{named}'" in done.err


def test_a_misspelled_option_gets_a_suggestion(run: Run) -> None:
    done = run("score", "x.jsonl", "--treshold", 0.5)
    assert done.code == 2
    assert "no such option: --treshold; did you mean --threshold?" in done.err


def test_no_command_shows_the_help(run: Run) -> None:
    done = run()
    assert "Usage:" in done.out + done.err
    assert "error" not in done.err


def test_everything_missing_is_named_at_once(run: Run, sample: Path, tmp_path, monkeypatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "clausewise.models.registries.importlib.util.find_spec",
        lambda name: None if name in ("snorkel", "autogluon") else found(name),
    )
    done = run(
        "fit", sample / "cases.jsonl", "--databases", sample / "databases", "--out", tmp_path / "d",
        "--label-model", "snorkel", "--classifier", "autogluon",
    )  # fmt: skip
    assert done.code == 2
    assert "snorkel" in done.err
    assert "autogluon" in done.err
    assert done.err.count("pip install") == 1
    assert install_command("learn") in done.err
    assert "--label-model weighted --classifier additive" in done.err


def test_a_warning_is_one_line_without_the_place_in_the_code(run: Run, sample: Path, tmp_path):
    votes = tmp_path / "votes.jsonl"
    votes.write_text('{"question_id": "nobody", "signal": "review", "vote": "correct"}\n')
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        done = run(
            "score", sample / "cases.jsonl", "--databases", sample / "databases",
            "--votes", votes, "--out", tmp_path / "out.jsonl",
        )  # fmt: skip
    (line,) = [line for line in done.err.splitlines() if "nobody" in line]
    assert line.startswith("warning: ")
    assert ".py" not in done.err


def test_a_defect_ends_with_the_code_of_its_own(run: Run, monkeypatch) -> None:
    def broken(*_arguments: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr("clausewise.signals.load_signals", broken)
    done = run("signals")
    assert done.code == 4
    assert "RuntimeError: a defect" in done.err
    assert "defect in clausewise" in done.err


def test_a_statement_that_does_not_read_is_named_without_an_article(run: Run, sample: Path) -> None:
    done = run(
        "check", "--db", sample / "databases" / "bookshop" / "bookshop.sqlite", "-q", "Who?",
        "-s", "INSERT INTO books DEFAULT VALUES", "-f", "json",
    )  # fmt: skip
    assert "INSERT is not a query that reads" in done.out


def test_an_unreadable_line_is_named_once(run: Run, sample: Path, tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text('{"question_id": 1}\n')
    done = run("score", cases, "--databases", sample / "databases")
    (record,) = done.lines()
    assert done.code == 3
    assert record["reason"].startswith(f"{cases}:1: ")
    assert "line 1" not in record["reason"]


@pytest.mark.parametrize("name", ["sql", "query", "prediction", "pred_sql", "SQL", "text"])
def test_a_field_of_another_name_gets_a_hint(run: Run, sample: Path, tmp_path, name: str) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text(
        f'{{"question_id": 1, "db_id": "bookshop", "question": "Who?", "{name}": "SELECT 1"}}\n'
    )
    done = run("score", cases, "--databases", sample / "databases")
    assert f"rename '{name}' to 'predicted_sql'" in done.lines()[0]["reason"]
    table = tmp_path / "cases.csv"
    table.write_text(f"question_id,db_id,question,{name}\n1,bookshop,Who?,SELECT 1\n")
    done = run("score", table, "--databases", sample / "databases")
    assert done.code == 2
    assert f"rename '{name}' to 'predicted_sql'" in done.err


def test_quiet_leaves_errors_only(run: Run, sample: Path, tmp_path: Path) -> None:
    common = ("score", sample / "cases.jsonl", "--databases", sample / "databases", "--out")
    assert "written to" in run(*common, tmp_path / "loud.jsonl").err
    assert run(*common, tmp_path / "quiet.jsonl", "--quiet").err == ""
    assert (tmp_path / "quiet.jsonl").read_bytes() == (tmp_path / "loud.jsonl").read_bytes()
    assert "no such file" in run("score", tmp_path / "none.jsonl", "--db", "x", "--quiet").err
    # It is for one command, not for the process.
    assert "written to" in run(*common, tmp_path / "again.jsonl").err
