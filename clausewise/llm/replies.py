"""Structured replies: the schema that is asked for, and the reading of what really comes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

R = TypeVar("R", bound=BaseModel)

LONGEST = 65_536
"""Characters of a reply that are read; no answer that is asked for comes near it."""

_MOST_OBJECTS = 64
"""Places in a reply that are tried as the beginning of an object."""

_QUOTED = 2_000
"""Characters of a malformed reply that are shown to the model again."""

_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHTS_END = re.compile(r"\A.*</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(r"```[A-Za-z]*[ \t]*\n(.*?)```", re.DOTALL)


class Malformed(Exception):
    """A reply that is not what was asked for; the message is a complaint for the model."""


def reply_schema(reply: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema in the strict form that servers ask for.

    Every field is required and no other is allowed: a default would let a model leave out the
    very answer.
    """
    schema = reply.model_json_schema()
    _make_strict(schema)
    return schema


def _make_strict(node: object) -> None:
    if isinstance(node, list):
        for item in node:
            _make_strict(item)
    elif isinstance(node, dict):
        properties = node.get("properties")
        if node.get("type") == "object" and isinstance(properties, dict):
            node["additionalProperties"] = False
            node["required"] = list(properties)
            for item in properties.values():
                _make_strict(item)
        node.pop("default", None)
        for key, item in node.items():
            if key != "properties":
                _make_strict(item)


def schema_instruction(schema: dict[str, Any]) -> str:
    """Say in words what servers that know schemas get as a parameter."""
    text = json.dumps(schema, ensure_ascii=False)
    return f"Answer with one JSON object and nothing else. It follows this JSON schema:\n{text}"


def complaint_message(complaint: str, schema: dict[str, Any]) -> str:
    """Ask once more after a malformed reply."""
    return f"This reply cannot be used: {complaint}\n{schema_instruction(schema)}"


def quoted(text: str) -> str:
    """Cut a malformed reply to what is worth showing again."""
    return text[:_QUOTED]


def strip_thoughts(text: str) -> str:
    """Drop what reasoning models think aloud before they answer.

    >>> strip_thoughts("<think>Is it?</think> Yes.")
    'Yes.'
    """
    return _THOUGHTS_END.sub("", _THOUGHTS.sub("", text)).strip()


def parse_reply(text: str, reply: type[R]) -> R:
    """Read a reply, also out of prose or code fences; of several that fit the last one counts.

    Raises Malformed with a complaint that quotes nothing of the reply.
    """
    if len(text) > LONGEST:
        raise Malformed(f"it is longer than {LONGEST:,} characters")
    text = strip_thoughts(text)
    if not text:
        raise Malformed("it is empty")
    complaint = "it holds no JSON object"
    found: R | None = None
    for record in _objects(text):
        try:
            found = reply.model_validate(record)
        except ValidationError as error:
            complaint = _complaint(error)
    if found is None:
        raise Malformed(complaint)
    return found


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in a text, those of code fences alone where they hold any."""
    whole = _decoded(text)
    if isinstance(whole, dict):
        yield whole
        return
    fenced = [record for block in _FENCED.findall(text) for record in _scan(block)]
    yield from fenced or _scan(text)


def _scan(text: str) -> list[dict[str, Any]]:
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    objects = []
    at = -1
    for _ in range(_MOST_OBJECTS):
        at = text.find("{", at + 1)
        if at < 0:
            break
        try:
            record, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        objects.append(record)
        at = end - 1
    return objects


def _decoded(text: str) -> object:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _complaint(error: ValidationError) -> str:
    """Say what is wrong without quoting the reply: it may hold what is not to be written down."""
    details = error.errors(include_url=False, include_context=False, include_input=False)
    parts = []
    for detail in details[:5]:
        place = ".".join(str(step) for step in detail["loc"])
        parts.append(f"field '{place}': {detail['msg']}" if place else detail["msg"])
    return "; ".join(parts)
