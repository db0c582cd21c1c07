"""The JSON Schemas (draft 2020-12) of what clausewise writes, generated from its records."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from clausewise.errors import InputError

SCHEMAS = ("scores", "report", "comparison", "corrections", "audit", "schema-file")


def load_schema(name: str) -> dict[str, Any]:
    """Return a schema of `SCHEMAS`; it stands alone.

    `scores` describes one line of a scores file, `report` a report in the format json,
    `comparison` what `compare` writes in that format, `corrections` one line of what `correct`
    writes, `audit` one line of what `audit` writes as JSONL, `schema-file` what `index
    --schema-out` writes.

    Raises InputError for another name.
    """
    if name not in SCHEMAS:
        raise InputError(f"unknown schema '{name}'; known: {', '.join(SCHEMAS)}")
    path = files("clausewise.reporting") / "schema" / _file_name(name)
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return schema


def schemas() -> dict[str, str]:
    """Return the text of every schema file by its name, generated from the records."""
    made = {
        "scores": _scores_schema(),
        "report": _report_schema(),
        "comparison": _comparison_schema(),
        "corrections": _corrections_schema(),
        "audit": _audit_schema(),
        "schema-file": _schema_file_schema(),
    }
    return {
        _file_name(name): json.dumps(
            {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "$id": _file_name(name),
                **schema,
            },
            indent=2,
        )
        + "\n"
        for name, schema in made.items()
    }


def _file_name(name: str) -> str:
    return f"{name}.schema.json"


def _scores_schema() -> dict[str, Any]:
    from clausewise.types import ScoredCase

    return {
        **_generated(ScoredCase),
        "title": "One line of a clausewise scores file",
        "description": "A scored case: probability, verdict, findings. Every other field of the "
        "input case is carried through.",
        "allOf": _CONDITIONS,
    }


def _report_schema() -> dict[str, Any]:
    from clausewise.reporting.report import Report

    schema = _generated(Report)
    schema["$defs"]["ReportedCase"]["allOf"] = _CONDITIONS
    return schema


def _comparison_schema() -> dict[str, Any]:
    from clausewise.reporting.comparison_record import ComparisonRecord

    return _generated(ComparisonRecord)


def _corrections_schema() -> dict[str, Any]:
    from clausewise.corrected_case import CorrectedCase

    kept = {"properties": {"status": {"enum": ["kept", "failed"]}}}
    then = {"properties": {"changed": {"const": False}}}
    otherwise = {"properties": {"changed": {"const": True}, "corrected_sql": {"type": "string"}}}
    return {
        **_generated(CorrectedCase),
        "title": "One line of what clausewise correct writes",
        "description": "A case with the query that it had, the one that is better, and each step.",
        "allOf": [{"if": kept, "then": then, "else": otherwise}],
    }


def _audit_schema() -> dict[str, Any]:
    from clausewise.audited_case import AuditedCase

    unchecked = {"properties": {"status": {"const": "unchecked"}}}
    nothing = {"properties": {"suspicion": {"type": "null"}, "reason": {"type": "string"}}}
    return {
        **_generated(AuditedCase),
        "title": "One line of what clausewise audit writes",
        "description": "An annotated query with its suspicion and the categories of its faults.",
        "allOf": [{"if": unchecked, "then": nothing}],
    }


def _schema_file_schema() -> dict[str, Any]:
    from clausewise.databases.schema_only.document import SchemaDocument

    return {**_generated(SchemaDocument), "title": "A clausewise schema file"}


class _Generator(GenerateJsonSchema):
    """Leaves out titles, which only repeat the names of fields."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False


def _generated(record: type) -> dict[str, Any]:
    return TypeAdapter(record).json_schema(mode="serialization", schema_generator=_Generator)


def _where_status(is_: dict[str, Any], **then: dict[str, Any]) -> dict[str, Any]:
    """Return the condition on the fields of a case of that status."""
    return {"if": {"properties": {"status": is_}}, "then": {"properties": then}}


_CONDITIONS: list[dict[str, Any]] = [
    _where_status(
        {"const": "unchecked"}, verdict={"const": "unchecked"}, p_correct={"type": "null"}
    ),
    _where_status(
        {"enum": ["ok", "unparsable", "not_executable"]},
        verdict={"enum": ["correct", "incorrect"]},
        p_correct={"type": "number"},
    ),
    _where_status(
        {"enum": ["unparsable", "not_executable", "unchecked"]},
        reason={"type": "string"},
        abstained={"const": False},
    ),
    _where_status(
        {"enum": ["unparsable", "not_executable"]},
        verdict={"const": "incorrect"},
        p_correct={"const": 0},
    ),
]
"""What the types of the fields do not say: which of them go together."""
