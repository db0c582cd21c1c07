"""Files of which every line must be right: one bad line is an error of the whole file.

A label or a vote that is left out without a word would change results. Up to 20 bad lines are
named in one message.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import Field

from clausewise.datasets._containers import read_records
from clausewise.datasets._records import Record
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
    bad = BadLines(path)
    for record in read_records(path, container):
        try:
            key, value = convert(record)
            earlier = lines.setdefault(key, record.line)
            if earlier != record.line:
                message = f"{record.fields['question_id']!r} is already used on line {earlier}"
                raise CaseError(message, path=path, line=record.line, field="question_id")
            values.append((key, value))
        except CaseError as error:
            bad.add(error)
    bad.check()
    return values


class BadLines:
    """The bad lines of one file: the first are kept for the message, the others counted."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._first: list[CaseError] = []
        self._number = 0

    def add(self, problem: CaseError) -> None:
        """Note one bad line."""
        self._number += 1
        if self._number <= MOST_PROBLEMS:
            self._first.append(problem)

    def check(self) -> None:
        """Raise InputError that names them, where there are any; for a single one, its own."""
        if self._number == 1:
            raise self._first[0]
        if self._number:
            shown = [f"{self._number} lines cannot be used", *map(str, self._first)]
            if self._number > MOST_PROBLEMS:
                shown.append(f"and {self._number - MOST_PROBLEMS} more")
            raise InputError("\n  ".join(shown), path=self._path)
