"""Records into models, with one short sentence about the first field that is wrong."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from clausewise.datasets._records import Record
from clausewise.errors import CaseError
from clausewise.types import RawJson

Model = TypeVar("Model", bound=BaseModel)

EXPECTED: Mapping[str, str] = {
    "question_id": "text or a whole number",
    "candidates": "a list of SQL strings",
    "candidate_systems": "a list of one system, or null, for each candidate",
    "correct": "true or false",
    "vote": "one of incorrect, correct, abstain",
    "score": "a number from 0 to 1",
    "p_correct": "a number from 0 to 1, or null",
    "verdict": "one of correct, incorrect, unchecked",
    "status": "one of ok, unparsable, not_executable, unchecked",
    "findings": "a list of objects",
    "signals": "an object of names and outcomes",
}
"""What is said of a field that holds the wrong thing; every other field must be text."""

CASE_FIELDS = frozenset(
    ("question_id", "db_id", "question", "predicted_sql", "evidence", "gold_sql", "message")
)
"""Fields that mean what they say, and are never another field by a wrong name."""

OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "question_id": ("id", "qid", "case_id", "instance_id", "idx", "index"),
    "db_id": ("db", "db_name", "database", "database_id", "schema"),
    "question": ("text", "utterance", "nl", "nl_question", "prompt", "input", "instruction"),
    "predicted_sql": (
        *("sql", "query", "prediction", "pred_sql", "pred", "predicted", "predicted_query"),
        *("generated_sql", "sql_query", "output", "completion", "answer", "response", "text"),
    ),
    "gold_sql": ("gold", "sql", "query"),
    "correct": ("label", "is_correct", "ex", "execution_accuracy"),
    "vote": ("label",),
    "signal": ("source", "name"),
}
"""Field to the names, in lower case, that other programs give it, the likeliest first."""

_LONGEST_SHOWN = 40
_MOST_NAMED = 8
_MOST_BITS = 1000
"""Python does not write integers of any length as text."""


def validate(model: type[Model], record: Record, path: Path) -> Model:
    """Return the record as `model`; CaseError with file, line and field where it is none."""
    if record.problem:
        raise record.problem
    fields = record.fields
    # True is an integer to Python and would become the id 1.
    if isinstance(fields.get("question_id"), bool):
        raise wrong_value("question_id", fields["question_id"], record.line, path)
    if RawJson in map(type, fields.values()):  # a `str` to pydantic
        for name in model.model_fields:
            if isinstance(fields.get(name), RawJson):
                raise wrong_value(name, fields[name], record.line, path)
    try:
        # The id 1.0 becomes 1: pandas makes floats of integers as soon as one of them is missing.
        found = model.model_validate(fields)
    except ValidationError as error:
        raise _first_problem(error, record, path) from None
    # A set of its own for each of many cases would take most of their memory.
    object.__setattr__(found, "__pydantic_fields_set__", _shared(frozenset(fields)))
    return found


@lru_cache(maxsize=1000)
def _shared(names: frozenset[str]) -> set[str]:
    return set(names)


def wrong_value(name: str, value: Any, line: int | None, path: Path) -> CaseError:
    """Return the error for a field with a value of the wrong kind."""
    expected = EXPECTED.get(name, "text")
    return CaseError(f"must be {expected}, is {show(value)}", path=path, line=line, field=name)


def _first_problem(error: ValidationError, record: Record, path: Path) -> CaseError:
    first = error.errors(include_url=False, include_context=False)[0]
    name = str(first["loc"][0])
    if first["type"] == "missing":
        message = missing(name, record.fields)
        return CaseError(message, path=path, line=record.line, field=name)
    index = first["loc"][1] if len(first["loc"]) > 1 else None
    if isinstance(index, int):
        return wrong_value(f"{name}[{index}]", first["input"], record.line, path)
    return wrong_value(name, record.fields.get(name), record.line, path)


def missing(name: str, present: Collection[str]) -> str:
    """Return what is said of a field that is not among the fields present."""
    names = list(present)[:_MOST_NAMED]
    more = ", ..." if len(present) > _MOST_NAMED else ""
    listed = f"; present are {', '.join(names)}{more}" if names else ""
    return f"missing{near_field(name, present)}{listed}"


def near_field(name: str, present: Collection[str]) -> str:
    """Return a hint at a field of another name that may be meant, empty where there is none.

    >>> near_field("predicted_sql", ["question", "sql"])
    "; rename 'sql' to 'predicted_sql' if that is it"
    """
    free = [other for other in present if other not in EXPECTED and other not in CASE_FIELDS]
    lowered = {other.lower(): other for other in reversed(free)}
    near = [lowered[word] for word in (name, *OTHER_NAMES.get(name, ())) if word in lowered]
    if not near:
        found = difflib.get_close_matches(name, list(lowered), n=1, cutoff=0.8)
        near = [lowered[word] for word in found]
    return f"; rename '{near[0]}' to '{name}' if that is it" if near else ""


def show(value: Any) -> str:
    """Return a few words that say what a value is; of what is no JSON, its type.

    >>> show(None), show([1, 2]), show("abc")
    ('null', 'a list', "'abc'")
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, Mapping | list | tuple):
        return "an object" if isinstance(value, Mapping) else "a list"
    if isinstance(value, RawJson):
        kinds = {"{": "an object", "[": "a list"}
        return kinds.get(value[0], f"a number of {len(value)} characters")
    text = f"a value of type {type(value).__name__}"
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        text = f"a number of {value.bit_length()} bits"
    elif isinstance(value, str | int | float):
        text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 4] + "..." + text[-1]
