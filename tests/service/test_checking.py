"""Checking one case over HTTP, with the server in a process of its own."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clausewise import check
from clausewise.datasets import dump_line, sample_dir
from clausewise.models import DecisionRule
from tests.service.running import CASE, Served, serving

NODE = shutil.which("node")
SCRIPT = Path(__file__).parents[2] / "examples" / "check.mjs"
WRONG = {
    "db_id": "bookshop",
    "question": "Which books cost less than 10?",
    "predicted_sql": "SELECT title FROM books WHERE price < 10 AND genre = 'Poetri'",
}


@pytest.mark.parametrize("case", [CASE, WRONG], ids=["right", "wrong"])
def test_a_case_has_the_same_answer_as_in_process(service: Served, case: dict[str, str]) -> None:
    reply = service.ask("POST", "/v1/check", case)
    database = sample_dir() / "databases" / case["db_id"] / f"{case['db_id']}.sqlite"
    expected = check(case["question"], case["predicted_sql"], database).to_dict()
    assert reply.status == 200
    assert reply.headers["content-type"] == "application/json"
    assert set(reply.json()) == set(expected) - {"evidence", "candidates"}
    assert reply.json() == {
        name: value
        for name, value in json.loads(dump_line(expected)).items()
        if name not in ("evidence", "candidates")
    }


def test_the_service_decides_as_it_is_started(tmp_path: Path) -> None:
    folder = sample_dir() / "databases"
    case = {
        "db_id": "bookshop",
        "question": "Which is the most expensive book?",
        "predicted_sql": "SELECT title, price FROM books ORDER BY price DESC LIMIT 1",
    }
    options = ("--databases", folder, "--conventions", "strict", "--alarms", 0.2)
    with serving(tmp_path / "log", *options) as strict:
        answer = strict.check(**case).json()
    expected = check(
        case["question"],
        case["predicted_sql"],
        folder / "bookshop" / "bookshop.sqlite",
        rule=DecisionRule(alarms=0.2),
        conventions="strict",
    ).to_dict()
    for name in ("p_correct", "verdict", "threshold"):
        assert answer[name] == expected[name]
    assert answer["findings"][0]["level"] != "info"


def test_fields_of_the_case_are_carried_through(service: Served) -> None:
    found = service.check(question_id=7, tag={"a": [1, None]}).json()
    assert (found["question_id"], found["tag"]) == (7, {"a": [1, None]})


def test_an_unknown_database_is_not_found_and_near_names_are_given(service: Served) -> None:
    reply = service.check(db_id="bookshpo")
    assert reply.status == 404
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["detail"] == "there is no database 'bookshpo'; did you mean 'bookshop'?"


@pytest.mark.parametrize("name", ["../bookshop", "/etc/passwd", "sqlite:///x.db", ""])
def test_a_path_is_no_name_of_a_database(service: Served, name: str) -> None:
    reply = service.check(db_id=name)
    assert reply.status == 404
    assert "there is no database" in reply.json()["detail"]


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        (lambda case: case.pop("question"), "question", "missing"),
        (lambda case: case.update(question=5), "question", "must be text, is 5"),
        (lambda case: case.update(candidates=[1]), "candidates[0]", "is 1"),
        (lambda case: case.update(question_id=True), "question_id", "is true"),
        (
            lambda case: case.update(sql=case.pop("predicted_sql")),
            "predicted_sql",
            "rename 'sql' to 'predicted_sql'",
        ),
    ],
)
def test_a_wrong_field_is_named(
    service: Served, change: Callable[[dict[str, Any]], object], field: str, said: str
) -> None:
    case = {**CASE}
    change(case)
    reply = service.ask("POST", "/v1/check", case)
    assert reply.status == 422
    (error,) = reply.json()["errors"]
    assert error["field"] == field
    assert said in error["message"]
    assert reply.json()["detail"] == f"field '{field}': {error['message']}"


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"", 400, "the body is no JSON"),
        (b"{", 400, "line 1, column 2"),
        (b"[]", 422, "the body must be one JSON object"),
        (b'"\xff"', 400, "the body is not UTF-8 text: byte 1"),
    ],
)
def test_a_body_that_is_no_case(service: Served, body: bytes, status: int, said: str) -> None:
    reply = service.ask("POST", "/v1/check", body)
    assert reply.status == status
    assert said in reply.json()["detail"]


def test_the_operation_of_the_service(service: Served) -> None:
    assert service.ask("GET", "/health").json()["status"] == "ok"
    assert service.ask("GET", "/ready").json() == {"status": "ready", "not_prepared": []}
    names = [one["name"] for one in service.ask("GET", "/v1/databases").json()["databases"]]
    assert names == ["bookshop", "clinic", "cycling"]


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/nothing", 404), ("GET", "/v1/check", 405)]
)
def test_what_is_not_answered_is_a_problem_too(
    service: Served, method: str, path: str, status: int
) -> None:
    reply = service.ask(method, path)
    assert reply.status == status
    assert reply.json()["status"] == status


@pytest.mark.skipif(NODE is None, reason="node is not installed: examples/check.mjs is not run")
def test_the_example_in_javascript(service: Served) -> None:
    def ran(database: str) -> subprocess.CompletedProcess[str]:
        place = f"http://{service.host}:{service.port}"
        asked = [place, database, WRONG["question"], WRONG["predicted_sql"]]
        command = [str(NODE), str(SCRIPT), *asked]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    done = ran("bookshop")
    assert done.stdout.startswith("incorrect, p(correct) 0.0")
    assert "where `'Poetri'`" in done.stdout
    done = ran("bookshpo")
    assert done.returncode == 2
    assert done.stderr.startswith("404 Not Found: there is no database 'bookshpo'")
