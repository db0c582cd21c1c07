"""`report --databases`: the schemas in the JSON report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from clausewise.reporting import load_schema

Run = Callable[..., Any]


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    record = {
        "question_id": 1, "predicted_sql": "SELECT 1", "p_correct": 0.4, "verdict": "incorrect",
        "status": "ok", "findings": [], "signals": {},
    }  # fmt: skip
    gone = {"status": "unchecked", "verdict": "unchecked", "p_correct": None, "reason": "gone"}
    records = [{**record, "db_id": "bookshop"}, {**record, **gone, "db_id": "gone"}]
    path = tmp_path / "scores.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    return path


def test_schemas_are_added_where_databases_are_given(run: Run, sample: Path, scores: Path) -> None:
    done = run("report", scores, "-f", "json", "--databases", sample / "databases")
    report = json.loads(done.out)
    Draft202012Validator(load_schema("report")).validate(report)
    assert list(report["schemas"]) == ["bookshop"]
    assert "TABLE authors" in report["schemas"]["bookshop"]
    assert [case["db_id"] for case in report["cases"]] == ["bookshop", "gone"]
    one = run("report", scores, "-f", "json", "--db", sample / "databases/bookshop/bookshop.sqlite")
    assert json.loads(one.out)["schemas"]["bookshop"] == report["schemas"]["bookshop"]


def test_without_databases_there_are_none(run: Run, scores: Path) -> None:
    report = json.loads(run("report", scores, "-f", "json").out)
    Draft202012Validator(load_schema("report")).validate(report)
    assert report["schemas"] == {}


def test_other_formats_have_no_place_for_them(run: Run, sample: Path, scores: Path) -> None:
    done = run("report", scores, "-f", "html", "--databases", sample / "databases")
    assert done.code == 2
    assert "in the format json only" in done.err
