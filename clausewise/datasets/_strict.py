"""Files of which every line must be right: one bad line is an error of the whole file.

A label or a vote that is left out without a word would change results. Up to 20 bad lines are
named in one message.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import Field

from clausewise.datasets._records import Record, read_records
from clausewise.errors import CaseError, InputError

QuestionId = str | int
UnitInterval = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

MOST_PROBLEMS = 20
"""Bad lines that one message names; the rest are counted."""


def keyed(path: Path, convert: Callable[[Record], tuple[QuestionId, T]]) -> dict[QuestionId, T]:
    """Return the converted records by question id; 5 and "5" are one id, and come once."""
    ids: dict[str, QuestionId] = {}

    def by_text(record: Record) -> tuple[str, T]:
        question_id, value = convert(record)
        ids.setdefault(str(question_id), question_id)
        return str(question_id), value

    return {ids[key]: value for key, value in collected(path, by_text)}


def collected(
    path: Path,
    convert: Callable[[Record], tuple[K, T]],
    container: str | None = None,
) -> list[tuple[K, T]]:
    """Return key and value of every record; InputError that names all bad or repeated ones."""
    values: list[tuple[K, T]] = []
    lines: dict[K, int] = {}
    problems: list[CaseError] = []
    for record in read_records(path, container):
        try:
            key, value = convert(record)
            earlier = lines.setdefault(key, record.line)
            if earlier != record.line:
                message = f"{record.fields['question_id']!r} is already used on line {earlier}"
                raise CaseError(message, path=path, line=record.line, field="question_id")
            values.append((key, value))
        except CaseError as error:
            problems.append(error)
    if problems:
        raise _one_error(problems, path)
    return values


def _one_error(problems: list[CaseError], path: Path) -> InputError:
    if len(problems) == 1:
        return problems[0]
    shown = [str(problem) for problem in problems[:MOST_PROBLEMS]]
    if len(problems) > MOST_PROBLEMS:
        shown.append(f"and {len(problems) - MOST_PROBLEMS} more")
    return InputError("\n  ".join([f"{len(problems)} lines cannot be used", *shown]), path=path)
