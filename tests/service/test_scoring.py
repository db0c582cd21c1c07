"""Scoring a batch and reporting on it over HTTP."""

import json
from typing import Any

import jsonschema
import pytest

from clausewise import Detector
from clausewise.datasets import dump_line, read_cases, sample_dir
from clausewise.models import packaged_detector
from clausewise.reporting import load_schema
from tests.service.running import CASE, Reply, Served

SAMPLE = sample_dir() / "cases.jsonl"
FIRST = 40


def _rows(count: int = FIRST) -> list[dict[str, Any]]:
    return [json.loads(line) for line in SAMPLE.read_text().splitlines()[:count]]


def _lines(rows: list[Any]) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def _score(service: Served, body: Any) -> Reply:
    return service.ask("POST", "/v1/score", body)


@pytest.fixture(scope="module")
def expected() -> list[dict[str, Any]]:
    detector: Detector = packaged_detector()
    scored = detector.score(read_cases(SAMPLE)[:FIRST], sample_dir() / "databases")
    return [json.loads(dump_line(case.to_dict())) for case in scored]


def test_json_lines_and_a_json_list_give_the_lines_of_the_command(
    service: Served, expected: list[dict[str, Any]]
) -> None:
    lines = _score(service, _lines(_rows()))
    assert lines.status == 200
    assert lines.headers["content-type"] == "application/x-ndjson"
    assert lines.lines() == expected
    assert _score(service, _rows()).body == lines.body


def test_every_row_is_in_the_output_whatever_it_holds(service: Served) -> None:
    good = {"question_id": 1, **CASE}
    rows = [
        json.dumps(good),
        "{",
        "[1]",
        "",
        json.dumps({**good, "question_id": 2, "db_id": "bookshpo"}),
        json.dumps({"question_id": 3, "db_id": "bookshop", "question": "What?"}),
        json.dumps(good),
        json.dumps({**good, "question_id": 4, "predicted_sql": "DROP TABLE books"}),
    ]
    reply = _score(service, "\n".join(rows).encode())
    assert reply.status == 200
    found = reply.lines()
    assert [(line["question_id"], line["status"]) for line in found] == [
        (1, "ok"),
        (None, "unchecked"),
        (None, "unchecked"),
        (2, "unchecked"),
        (3, "unchecked"),
        (1, "unchecked"),
        (4, "not_executable"),
    ]
    reasons = [line["reason"] for line in found]
    assert reasons[1].startswith("line 2: no JSON: ")
    assert reasons[2] == "line 3: no JSON object"
    assert "did you mean 'bookshop'?" in reasons[3]
    assert reasons[4].startswith("row 5: field 'predicted_sql': missing")
    assert "already used" in reasons[5]
    for line in found:
        jsonschema.validate(line, load_schema("scores"))


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"", 422, "the body holds no cases"),
        (b"[]", 422, "the body holds no cases"),
        (b"[{]", 400, "the body is no JSON"),
        (b"\xfe", 400, "not UTF-8"),
    ],
)
def test_a_body_without_cases(service: Served, body: bytes, status: int, said: str) -> None:
    reply = _score(service, body)
    assert reply.status == status
    assert said in reply.json()["detail"]


@pytest.mark.parametrize(
    ("name", "media_type", "begins"),
    [
        ("html", "text/html; charset=utf-8", "<!doctype html>"),
        ("markdown", "text/markdown; charset=utf-8", "# Report"),
        ("sarif", "application/sarif+json", "{"),
        ("json", "application/json", "{"),
    ],
)
def test_a_report(
    service: Served, expected: list[dict[str, Any]], name: str, media_type: str, begins: str
) -> None:
    reply = service.ask("POST", f"/v1/report?format={name}", _lines(expected))
    assert reply.status == 200
    assert reply.headers["content-type"] == media_type
    assert reply.body.decode().lower().startswith(begins.lower())
    assert service.ask("POST", f"/v1/report?format={name}", expected).body == reply.body


@pytest.mark.parametrize(
    ("change", "line", "field"),
    [({"p_correct": 2}, 2, "p_correct"), ({"verdict": "maybe"}, 2, "verdict"), (None, 2, None)],
)
def test_a_wrong_score_is_named_by_line_and_field(
    service: Served, expected: list[dict[str, Any]], change: Any, line: int, field: str | None
) -> None:
    spoilt = 5 if change is None else {**expected[1], **change}
    reply = service.ask("POST", "/v1/report", [expected[0], spoilt])
    assert reply.status == 422
    (error,) = reply.json()["errors"]
    assert (error["line"], error.get("field")) == (line, field)


def test_an_unknown_format_of_a_report(service: Served) -> None:
    reply = service.ask("POST", "/v1/report?format=pdf", [{}])
    assert reply.status == 422
    (error,) = reply.json()["errors"]
    assert error == {
        "message": "is one of html, markdown, sarif, json, not 'pdf'",
        "field": "format",
    }
