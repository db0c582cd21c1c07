"""Bodies of requests: one JSON object, or many as a JSON list or as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from clausewise.datasets import load_line
from clausewise.service.problems import ProblemError, ProblemPart
from clausewise.types import UncheckedCase


def read_object(body: bytes) -> Mapping[str, Any]:
    """Return the fields of the one object in a body; ProblemError where there is none."""
    value = _decoded(_text(body))
    if not isinstance(value, Mapping):
        raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "the body must be one JSON object")
    return value


def read_rows(body: bytes, most: int) -> list[Any]:
    """Return the elements of a JSON list, or the value of each line that is not blank.

    A line that is no JSON is an `UncheckedCase` with the reason. Raises ProblemError where a list
    is no JSON, where there are no rows, or more than `most`.
    """
    text = _text(body)
    if text.lstrip()[:1] == "[":
        rows = list(_decoded(text))
    else:
        lines = enumerate(text.split("\n"), start=1)
        rows = [_row(line, number) for number, line in lines if line.strip()]
    if not rows:
        raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "the body holds no cases")
    if len(rows) > most:
        detail = f"{len(rows)} cases are more than the {most} that one request may have"
        raise ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail)
    return rows


def _row(line: str, number: int) -> Any:
    try:
        value = load_line(line)
    except json.JSONDecodeError as error:
        return UncheckedCase(f"line {number}: no JSON: {error.msg}, column {error.colno}", number)
    if not isinstance(value, Mapping):
        return UncheckedCase(f"line {number}: no JSON object", number)
    return value


def _text(body: bytes) -> str:
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        detail = f"the body is not UTF-8 text: byte {error.start}"
        raise ProblemError(HTTPStatus.BAD_REQUEST, detail) from None


def _decoded(text: str) -> Any:
    try:
        return load_line(text)
    except json.JSONDecodeError as error:
        detail = f"the body is no JSON: {error.msg}, line {error.lineno}, column {error.colno}"
        part = ProblemPart(message=error.msg, line=error.lineno)
        raise ProblemError(HTTPStatus.BAD_REQUEST, detail, [part]) from None
