"""The shipped schemas accept what is written and refuse what is broken."""

from __future__ import annotations

import copy
import json
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from clausewise.errors import InputError
from clausewise.reporting import load_schema, render, report_dict
from clausewise.reporting.schemas import SCHEMAS, schemas
from clausewise.types import (
    CaseStatus,
    Clause,
    ClauseSpan,
    Finding,
    Level,
    OutcomeStatus,
    ScoredCase,
    Verdict,
)


def is_valid(name, value):
    return Draft202012Validator(load_schema(name)).is_valid(value)


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_schemas_are_schemas(name):
    Draft202012Validator.check_schema(load_schema(name))


def test_records_and_reports_are_valid(records, signal_notes):
    for record in records:
        Draft202012Validator(load_schema("scores")).validate(record)
    report = report_dict(records, signals=signal_notes)
    Draft202012Validator(load_schema("report")).validate(report)
    written = json.loads(render(records, "json", signals=signal_notes))
    Draft202012Validator(load_schema("report")).validate(written)


def test_the_vocabulary_of_the_schema_is_that_of_the_types():
    scores = load_schema("scores")
    properties, defs = scores["properties"], scores["$defs"]
    assert properties["verdict"] == {"$ref": "#/$defs/Verdict"}
    for enum in (Verdict, CaseStatus, OutcomeStatus, Clause, Level):
        assert defs[enum.__name__]["enum"] == [member.value for member in enum]


def test_the_shipped_schemas_are_generated_from_the_records():
    for name, text in schemas().items():
        shipped = files("clausewise.reporting") / "schema" / name
        assert shipped.read_text(encoding="utf-8") == text, "run: make docs"


def test_a_scored_case_writes_a_valid_record():
    span = ClauseSpan(Clause.WHERE, "1", 7, 8)
    finding = Finding(span, 0.5, "m", signal="s", code="S01", reason="a_reason")
    scored = ScoredCase(
        question_id=1,
        db_id="shop",
        predicted_sql="SELECT 1",
        p_correct=0.123456789,
        verdict=Verdict.INCORRECT,
        status=CaseStatus.OK,
        reason=None,
        findings=(finding,),
        signals={"s": OutcomeStatus.FIRED},
        carried={"question": "?"},
    )
    Draft202012Validator(load_schema("scores")).validate(scored.to_dict())
    record: Any = scored.to_dict()
    assert record["findings"][0]["reason"] == "a_reason"
    (case,) = report_dict([scored], signals={})["cases"]
    assert case["error_report"][0]["problematic_clauses"][0]["reason"] == "a_reason"


BREAKS = [
    (0, ["p_correct"], 1.2),
    (0, ["p_correct"], None),
    (0, ["p_correct"], "0.5"),
    (0, ["verdict"], "wrong"),
    (0, ["verdict"], "unchecked"),
    (0, ["status"], "failed"),
    (0, ["signals", "empty_predicate"], "abstain"),
    (0, ["signal_reasons", "table_similarity"], 5),
    (0, ["schema_version"], "2.0"),
    (0, ["findings", 0, "score"], -0.1),
    (0, ["findings", 0, "level"], "fatal"),
    (0, ["findings", 0, "evidence"], "none"),
    (0, ["findings", 0, "clause", "kind"], "on"),
    (0, ["findings", 0, "clause", "start"], -1),
    (0, ["findings", 0, "clause", "line"], 1),
    (0, ["explanation", "prior"], "high"),
    (0, ["explanation", "luck"], 0.5),
    (0, ["explanation"], 0.5),
    (2, ["p_correct"], 0.4),
    (2, ["verdict"], "correct"),
    (2, ["reason"], None),
    (3, ["p_correct"], 0.5),
    (3, ["verdict"], "correct"),
]


@pytest.mark.parametrize(("place", "path", "value"), BREAKS)
def test_a_broken_record_is_refused_alone_and_in_a_report(
    records, signal_notes, place, path, value
):
    report = report_dict(records, signals=signal_notes)
    for whole, target in ((records, records[place]), (report, report["cases"][place])):
        for key in path[:-1]:
            target = target[key]  # noqa: PLW2901
        target[path[-1]] = value
        name = "report" if whole is report else "scores"
        assert not is_valid(name, report if whole is report else records[place])


@pytest.mark.parametrize("field", load_schema("scores")["required"])
def test_a_missing_field_is_refused(records, field):
    del records[0][field]
    assert not is_valid("scores", records[0])


def test_a_report_without_one_of_the_four_parts_is_refused(records, signal_notes):
    report = report_dict(records, signals=signal_notes)
    for part in ("signal_description", "example", "correction_instruction", "problematic_clauses"):
        broken = copy.deepcopy(report)
        del broken["cases"][0]["error_report"][0][part]
        assert not is_valid("report", broken)


def test_an_unknown_schema_is_refused():
    with pytest.raises(InputError, match="known: scores, report, comparison"):
        load_schema("cases")
