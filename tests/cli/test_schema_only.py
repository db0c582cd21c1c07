"""The commands where only a schema is given."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from clausewise.reporting import load_schema
from tests.cli.conftest import Done

Run = Callable[..., Done]
DDL = "CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, price REAL);"
QUESTION = "What are the titles of all books?"


@pytest.fixture
def schemas(run: Run, sample: Path, tmp_path: Path) -> Path:
    path = tmp_path / "schemas.json"
    done = run("index", "--databases", sample / "databases", "--schema-out", path)
    assert done.code == 0
    assert f"3 schemas written to {path}" in done.err
    return path


@pytest.fixture
def ddl(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sql"
    path.write_text(DDL, encoding="utf-8")
    return path


def test_the_file_of_schemas_is_as_its_schema_says(schemas: Path) -> None:
    written = json.loads(schemas.read_text(encoding="utf-8"))
    Draft202012Validator(load_schema("schema-file")).validate(written)


def test_score_says_of_every_case_that_it_was_not_run(
    run: Run, sample: Path, schemas: Path, tmp_path: Path
) -> None:
    out = tmp_path / "scores.jsonl"
    done = run("score", sample / "cases.jsonl", "--schema", schemas, "--out", out)
    assert done.code == 1
    assert "no query was run and no value looked up: only the schema was given" in done.err
    assert "warning" not in done.err
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    validator = Draft202012Validator(load_schema("scores"))
    for line in lines:
        validator.validate(line)
        notices = [one for one in line["findings"] if one["code"] == "CASE04"]
        assert len(notices) == (line["status"] == "ok")
        assert line["signals"]["abnormal_result"] == "not_applicable"
    not_run = sum(line["status"] == "ok" for line in lines)
    for name in ("report.md", "report.html"):
        run("report", out, "--out", tmp_path / name)
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert f"{not_run} of {len(lines)} not run, and no value looked up" in text


def test_the_same_bytes_with_several_processes(
    run: Run, few_cases: Path, schemas: Path, tmp_path: Path
) -> None:
    outs = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for jobs, out in enumerate(outs, start=1):
        run("score", few_cases, "--schema", schemas, "--jobs", jobs, "--out", out)
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_check_on_statements(run: Run, ddl: Path) -> None:
    done = run("check", "--schema", ddl, "-q", QUESTION, "-s", "SELECT title FROM books")
    assert done.code == 0
    assert "CASE04 not_run" in done.out
    assert "the query was not run: only the schema was given" in done.out


def test_a_name_that_the_schema_does_not_have_is_certain(run: Run, ddl: Path) -> None:
    sql = "SELECT titel FROM books"
    done = run("check", "--schema", ddl, "-q", QUESTION, "-s", sql, "--format", "json")
    found = json.loads(done.out)
    assert (done.code, found["status"], found["p_correct"]) == (1, "not_executable", 0)
    assert found["reason"] == "there is no titel in the schema, so the query would not run"


def test_names_are_not_certain_where_the_schema_is_not_whole(
    run: Run, ddl: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ddl.write_text(f"{DDL} CREATE VIEW v AS SELECT * FROM books;", encoding="utf-8")
    sql = "SELECT v.title FROM v JOIN books ON v.id = books.id"
    done = run("check", "--schema", ddl, "-q", QUESTION, "-s", sql, "--format", "json")
    assert json.loads(done.out)["status"] == "ok"
    assert "left out v" in caplog.text


def test_which_of_several_schemas(run: Run, schemas: Path) -> None:
    asked = ("check", "--schema", schemas, "-q", QUESTION, "-s", "SELECT title FROM books")
    done = run(*asked)
    assert done.code == 2
    assert "holds 3 schemas, such as bookshop: say which one" in done.err
    assert run(*asked, "--db-id", "bookshop").code in (0, 1)
    done = run(*asked, "--db-id", "bookshopp")
    assert done.code == 2
    assert "did you mean 'bookshop'?" in done.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--db", "x.sqlite", "--schema", "y.sql"), "either --db or --schema, not both"),
        (("--db", "x.sqlite", "--dialect", "mysql"), "'--dialect': goes with --schema only"),
        (("--schema", "gone.sql"), "gone.sql: cannot be read"),
        ((), "missing option '--db' or '--schema'"),
    ],
)
def test_what_check_refuses(run: Run, options: tuple[str, ...], message: str) -> None:
    done = run("check", *options, "-q", QUESTION, "-s", "SELECT 1")
    assert done.code == 2
    assert message in done.err


@pytest.mark.parametrize("command", ["score", "fit"])
def test_one_source_of_schemas(run: Run, sample: Path, ddl: Path, command: str) -> None:
    given = ("--schema", ddl, "--databases", sample / "databases")
    done = run(command, sample / "cases.jsonl", *given, "--out", sample / "out")
    assert done.code == 2
    assert "give either --databases DIR, --db URL or --schema FILE" in done.err


def test_a_detector_fitted_with_data_is_not_calibrated_here(
    run: Run, few_cases: Path, schemas: Path, detector: Path, tmp_path: Path
) -> None:
    out = tmp_path / "scores.jsonl"
    done = run("score", few_cases, "--schema", schemas, "--detector", detector, "--out", out)
    assert "fitted with data, and only the schema is given" in done.err
    assert "not calibrated for this view" in done.err


def test_fit_without_data(run: Run, sample: Path, schemas: Path, tmp_path: Path) -> None:
    folder = tmp_path / "detector"
    light = ("--label-model", "weighted", "--classifier", "additive")
    cases = sample / "cases.jsonl"
    done = run("fit", cases, "--schema", schemas, "--out", folder, *light)
    assert done.code == 0
    assert "Checked on: the schemas alone" in (folder / "card.md").read_text(encoding="utf-8")
    out = tmp_path / "scores.jsonl"
    done = run("score", cases, "--schema", schemas, "--detector", folder, "--out", out)
    assert "not calibrated" not in done.err
    done = run(
        "score", cases, "--databases", sample / "databases", "--detector", folder, "--out", out
    )
    assert "fitted without data: the probability is not calibrated for this view" in done.err
