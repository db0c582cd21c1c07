"""`clausewise compare`: its formats, options and exit codes."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from clausewise.databases import open_database
from clausewise.reporting import load_schema

Run = Callable[..., Any]
ALL = "SELECT city FROM customers"
DISTINCT = "SELECT DISTINCT city FROM customers"


@pytest.fixture
def bookshop(sample: Path) -> Path:
    return sample / "databases" / "bookshop" / "bookshop.sqlite"


def test_queries_that_differ(run: Run, bookshop: Path) -> None:
    done = run("compare", "--db", bookshop, ALL, DISTINCT)
    assert done.code == 1
    assert done.out.startswith("NOT EQUIVALENT\n")
    assert "The second query" in done.out


def test_queries_of_one_text(run: Run, bookshop: Path) -> None:
    done = run("compare", "--db", bookshop, ALL, ALL)
    assert done.code == 0
    assert done.out.startswith("EQUIVALENT\n")


def test_a_query_that_cannot_be_examined(run: Run, bookshop: Path) -> None:
    done = run("compare", "--db", bookshop, ALL, "SELECT city FROM nowhere")
    assert done.code == 3
    assert done.out.startswith("UNKNOWN\n")
    assert "nowhere" in done.out


@pytest.mark.parametrize("form", ["text", "json", "markdown", "html"])
def test_every_format(run: Run, bookshop: Path, form: str) -> None:
    done = run("compare", "--db", bookshop, ALL, DISTINCT, "--format", form)
    assert done.code == 1
    assert "customers" in done.out
    if form == "json":
        written = json.loads(done.out)
        Draft202012Validator(load_schema("comparison")).validate(written)
        assert written["verdict"] == "NOT_EQUIVALENT"


def test_the_same_seed_gives_the_same_bytes(run: Run, bookshop: Path) -> None:
    arguments = ("compare", "--db", bookshop, ALL, DISTINCT, "-f", "json", "--seed", "7")
    assert run(*arguments).out == run(*arguments).out


UP, ANY = "SELECT name FROM customers ORDER BY name", "SELECT name FROM customers"


def test_the_order_of_rows_counts_as_chosen(run: Run, bookshop: Path) -> None:
    strict = ("--conventions", "strict")
    assert run("compare", "--db", bookshop, UP + " DESC", UP, *strict).code == 1
    assert run("compare", "--db", bookshop, UP + " DESC", UP, "--order", "either").code == 1
    assert run("compare", "--db", bookshop, UP + " DESC", UP, *strict, "--order", "never").code == 0
    assert run("compare", "--db", bookshop, ANY, UP, "--order", "first").code != 1


@pytest.mark.parametrize(
    ("queries", "passing"),
    [
        ((UP + " DESC", UP), ["the order of rows"]),
        (("SELECT name, city FROM customers", "SELECT city, name FROM customers"),
         ["the order of columns"]),
        (("SELECT name, city FROM customers", "SELECT city, name FROM customers ORDER BY name"),
         ["the order of rows", "the order of columns"]),
        ((UP, "SELECT c.name FROM customers AS c ORDER BY c.name"), []),
        ((ALL, ALL), []),
    ],
)  # fmt: skip
def test_relaxed_conventions_say_what_they_let_pass(
    run: Run, bookshop: Path, queries: tuple[str, str], passing: list[str]
) -> None:
    common = ("compare", "--db", bookshop, *queries)
    written = json.loads(run(*common, "--format", "json").out)
    assert (written["verdict"], written["let_pass"]) == ("EQUIVALENT", passing)
    for form in ("text", "markdown", "html"):
        shown = " ".join(run(*common, "--format", form).out.split())
        assert ("which conventions let pass" in shown) == bool(passing)
        assert all(name in shown for name in passing)
    strict = json.loads(run(*common, "--format", "json", "--conventions", "strict").out)
    assert strict["verdict"] == ("NOT_EQUIVALENT" if passing else "EQUIVALENT")
    assert strict["let_pass"] == []


def test_a_column_more_is_a_difference_under_any_conventions(run: Run, bookshop: Path) -> None:
    wide = "SELECT name, city FROM customers"
    for conventions in ("relaxed", "strict"):
        assert run("compare", "--db", bookshop, ANY, wide, "--conventions", conventions).code == 1


def test_a_query_from_standard_input(
    run: Run, bookshop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(DISTINCT + "\n"))
    assert run("compare", "--db", bookshop, ALL, "-").code == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-", "-"), "only one of the queries"),
        ((ALL, "  "), "SQL_B"),
        ((ALL, DISTINCT, "--order", "maybe"), "maybe"),
        ((ALL, DISTINCT, "--dialect", "klingon"), "klingon"),
    ],
)
def test_usage_errors(run: Run, bookshop: Path, arguments: tuple[str, ...], message: str) -> None:
    done = run("compare", "--db", bookshop, *arguments)
    assert done.code == 2
    assert message in done.err


def test_a_missing_database(run: Run, tmp_path: Path) -> None:
    done = run("compare", "--db", tmp_path / "no.sqlite", ALL, DISTINCT)
    assert done.code == 2
    assert "no.sqlite" in done.err


def test_values_of_the_database_can_be_kept_out(run: Run, bookshop: Path) -> None:
    queries = ("SELECT name FROM customers", "SELECT DISTINCT name FROM customers")
    with open_database(bookshop) as database:
        real = {row[0] for row in database.run(queries[0]).rows}

    def names(*options: str) -> set[str]:
        done = run("compare", "--db", bookshop, *queries, "--format", "json", *options)
        tables = json.loads(done.out)["counterexample"]["tables"]
        return {row[1] for row in tables["customers"]["rows"]}

    assert names() & real
    assert not names("--no-values") & real
