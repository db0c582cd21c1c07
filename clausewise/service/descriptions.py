"""What OpenAPI says of each endpoint, made from the records' own models."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, Field, TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from clausewise.service.problems import MEDIA_TYPE, ProblemDetails
from clausewise.types import Case, ScoredCase

EXAMPLE: dict[str, Any] = {
    "db_id": "bookshop",
    "question": "How many books are there?",
    "predicted_sql": "SELECT COUNT(*) FROM books",
}


class NamedDatabase(BaseModel):
    """A database that requests may name."""

    name: str = Field(description="the `db_id` of a case")
    description: str


class NamedDatabases(BaseModel):
    """All databases that requests may name, by name."""

    databases: list[NamedDatabase]


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _answers(*statuses: int) -> dict[int | str, dict[str, Any]]:
    said = {
        400: "The body is no JSON, or no UTF-8.",
        401: "The token is missing or wrong.",
        404: "There is no such database; near names are given. Or no feedback is collected.",
        413: "The body, or the number of cases, is over its limit.",
        422: "A field is missing or wrong; it is named.",
        503: "Too much is asked, or nothing is ready; Retry-After says when to come again.",
        504: "The case took too long and was ended.",
        507: "The file of feedback is full.",
    }
    content = {MEDIA_TYPE: {"schema": _ref("ProblemDetails")}}
    return {each: {"description": said[each], "content": content} for each in statuses}


def _body(schema: dict[str, Any], examples: dict[str, Any], *, lines: bool) -> dict[str, Any]:
    content: dict[str, Any] = {"application/json": {"schema": schema, "examples": examples}}
    if lines:
        content["application/x-ndjson"] = {"schema": {"type": "string"}}
    return {"requestBody": {"required": True, "content": content}}


def _ok(description: str, media_type: str, schema: dict[str, Any]) -> dict[int | str, Any]:
    return {200: {"description": description, "content": {media_type: {"schema": schema}}}}


_ONE = {"a count": {"value": EXAMPLE}}
_MANY = {"two cases": {"value": [{"question_id": number, **EXAMPLE} for number in (1, 2)]}}
_BUSY = (400, 401, 413, 422, 503)

CHECK: dict[str, Any] = {
    "summary": "Check one query",
    "description": "One case in, its scored case out: the object of `clausewise check --format "
    "json`. `question_id` may be left out, and `db_id` where one database is served.",
    "responses": {
        **_ok("The scored case.", "application/json", _ref("ScoredCase")),
        **_answers(*_BUSY, 404, 504),
    },
    "openapi_extra": _body(_ref("CaseToCheck"), _ONE, lines=False),
}
SCORE: dict[str, Any] = {
    "summary": "Score many queries",
    "description": "A JSON list or JSON lines of cases in; one line for each, in their order, out, "
    "as soon as it is known. A case that cannot be read or checked is in the output, too, with "
    "`status` unchecked and the reason.",
    "responses": {
        **_ok("JSON lines of scored cases.", "application/x-ndjson", {"type": "string"}),
        **_answers(*_BUSY),
    },
    "openapi_extra": _body({"type": "array", "items": _ref("Case")}, _MANY, lines=True),
}
REPORT: dict[str, Any] = {
    "summary": "Report on scored queries",
    "description": "Scored cases, as `/v1/score` gives them, into a report, as `clausewise report` "
    "writes it: `format` is html, markdown, sarif or json.",
    "responses": {
        **_ok("The report.", "text/html", {"type": "string"}),
        **_answers(*_BUSY),
    },
    "openapi_extra": _body({"type": "array", "items": _ref("ScoredCase")}, {}, lines=True),
}
_SAID = {
    "a finding and a query": {
        "value": [
            {
                "question_id": "q017",
                "signal": "idle_predicate",
                "reason": "always_true",
                "finding": "dismissed",
            },
            {"question_id": "q018", "correct": False},
        ]
    }
}
FEEDBACK: dict[str, Any] = {
    "summary": "Say of findings whether they are right",
    "description": "A JSON list or JSON lines: `question_id`, `signal`, `reason` and `finding` "
    "(confirmed or dismissed), or `question_id` and `correct`. All are added to a file, or none; "
    "`clausewise feedback` learns from it. Of several judgments of one finding the last counts.",
    "responses": {
        **_ok("How many were added.", "application/json", {"type": "object"}),
        **_answers(*_BUSY, 404, 507),
    },
    "openapi_extra": _body({"type": "array", "items": {"type": "object"}}, _SAID, lines=True),
}
DATABASES: dict[str, Any] = {
    "summary": "Names of the databases",
    "responses": {
        **_ok("The names.", "application/json", _ref("NamedDatabases")),
        **_answers(401, 503),
    },
}
HEALTH: dict[str, Any] = {
    "summary": "Whether the process answers",
    "responses": _ok("It does.", "application/json", {"type": "object"}),
}
READY: dict[str, Any] = {
    "summary": "Whether cases can be checked at once",
    "responses": {**_ok("They can.", "application/json", {"type": "object"}), **_answers(503)},
}
METRICS: dict[str, Any] = {
    "summary": "Numbers for Prometheus",
    "responses": {**_ok("The numbers.", "text/plain", {"type": "string"}), **_answers(401)},
}


def describe(app: FastAPI, *, token: bool) -> None:
    """Let the application describe itself with the models of its records."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            found = get_openapi(
                title=app.title, version=app.version, summary=app.summary, routes=app.routes
            )
            components = found.setdefault("components", {})
            components["schemas"] = {**components.get("schemas", {}), **_schemas()}
            if token:
                components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
                found["security"] = [{"token": []}]
            app.openapi_schema = found
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _schemas() -> dict[str, Any]:
    records: list[tuple[type, JsonSchemaMode, TypeAdapter[Any]]] = [
        (Case, "validation", TypeAdapter(Case)),
        (ScoredCase, "serialization", TypeAdapter(ScoredCase)),
        (ProblemDetails, "serialization", TypeAdapter(ProblemDetails)),
        (NamedDatabases, "serialization", TypeAdapter(NamedDatabases)),
    ]
    template = "#/components/schemas/{model}"
    _, shared = TypeAdapter.json_schemas(records, ref_template=template)
    schemas: dict[str, Any] = shared["$defs"]
    case = schemas["Case"]
    optional = ("question_id", "db_id")
    required = [name for name in case["required"] if name not in optional]
    schemas["CaseToCheck"] = {**case, "title": "CaseToCheck", "required": required}
    return schemas
