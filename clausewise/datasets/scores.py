"""Scores: a line of a scores file, or a dictionary like one, read into a scored case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from clausewise.datasets._records import Record
from clausewise.datasets._strict import collected
from clausewise.datasets._validation import EXPECTED, missing, show
from clausewise.errors import CaseError
from clausewise.types import SCHEMA_VERSION, CaseStatus, Json, ScoredCase

_FIELDS = frozenset(field.name for field in fields(ScoredCase)) - {"carried"}
_RULE = "Input should be "


def read_scores(path: str | Path) -> list[ScoredCase]:
    """Read the lines of a scores file, in file order.

    `p_correct` lies in [0, 1], high = likely correct, and is None exactly where `status` is
    unchecked. Fields that the contract does not name are in `carried`.

    Raises InputError where the file or any line of it cannot be used, or was written with
    another major version of the format.
    """

    def line(record: Record) -> tuple[int, ScoredCase]:
        if record.problem:
            raise record.problem
        return record.line, _scored_case(record.fields, record.line, Path(path))

    return [case for _, case in collected(Path(path), line, container="jsonl")]


def as_scored_cases(scores: Iterable[ScoredCase | Mapping[str, Json]]) -> list[ScoredCase]:
    """Return scored cases as they are, and dictionaries like a line of a scores file as such.

    Raises CaseError, naming the place in the input (from 1) and the field, where one is neither.
    """
    return [
        item if isinstance(item, ScoredCase) else _scored_case(item, place, "scores")
        for place, item in enumerate(scores, start=1)
    ]


@cache
def _adapter() -> TypeAdapter[ScoredCase]:
    return TypeAdapter(ScoredCase)


def _scored_case(record: Mapping[str, Any], line: int, path: str | Path) -> ScoredCase:
    version = record.get("schema_version", SCHEMA_VERSION)
    if str(version).partition(".")[0] != SCHEMA_VERSION.partition(".")[0]:
        message = f"is {show(version)}, this version reads {SCHEMA_VERSION!r}"
        raise CaseError(message, path=path, line=line, field="schema_version")
    if isinstance(record.get("question_id"), bool):  # True is an integer to Python
        raise _wrong("question_id", "must be text or a whole number", True, line, path)
    named = {key: value for key, value in record.items() if key in _FIELDS}
    carried = {key: value for key, value in record.items() if key not in _FIELDS}
    try:
        case = _adapter().validate_python({**named, "carried": carried})
    except ValidationError as error:
        raise _first_problem(error, record, line, path) from None
    for number, finding in enumerate(case.findings):
        if not finding.signal:
            field = f"findings.{number}.signal"
            raise CaseError("missing", path=path, line=line, field=field)
    if (case.status is CaseStatus.UNCHECKED) != (case.p_correct is None):
        held = "null" if case.p_correct is None else "a number"
        message = f"is {held} while status is '{case.status.value}'"
        raise CaseError(message, path=path, line=line, field="p_correct")
    return case


def _first_problem(
    error: ValidationError, record: Mapping[str, Any], line: int, path: str | Path
) -> CaseError:
    first = error.errors(include_url=False, include_context=False)[0]
    if first["type"] == "missing":
        *above, name = first["loc"]
        field = ".".join(map(str, first["loc"]))
        return CaseError(missing(str(name), _at(record, above)), path=path, line=line, field=field)
    place = [first["loc"][0]]
    for part in first["loc"][1:]:
        if not _has(_at(record, place), part):
            break  # the name of a union's member, which is no place in the record
        place.append(part)
    value = _at(record, place)
    expected = EXPECTED.get(str(place[0])) if len(place) == 1 else None
    rule = first["msg"].removeprefix(_RULE)
    return _wrong(".".join(map(str, place)), f"must be {expected or rule}", value, line, path)


def _at(record: Any, place: Iterable[Any]) -> Any:
    """Return the value at a place of nested JSON."""
    for part in place:
        record = record[part]
    return record


def _has(value: Any, part: Any) -> bool:
    return part in value if isinstance(value, Mapping) else isinstance(value, list | tuple)


def _wrong(name: str, rule: str, value: Any, line: int, path: str | Path) -> CaseError:
    return CaseError(f"{rule}, is {show(value)}", path=path, line=line, field=name)
