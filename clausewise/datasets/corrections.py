"""Files of corrections: what `clausewise correct` writes, or another program in its form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from clausewise.corrected_case import CorrectedCase
from clausewise.datasets._records import Record, RecordParser
from clausewise.datasets._strict import QuestionId, collected
from clausewise.datasets._validation import validate
from clausewise.errors import CaseError, InputError
from clausewise.types import Json, ModelCost

PATH = Path("corrections")
"""What messages name where the corrections are no file."""


class Correction(BaseModel):
    """What an evaluation reads of a corrected case; other fields are left unread.

    `question_id` is None where the input line was no case; `db_id` where the line does not name the
    database; `status` where it does not say what became of the case; `cost` where no language model
    was asked.
    """

    model_config = ConfigDict(frozen=True)

    question_id: QuestionId | None
    predicted_sql: str | None
    corrected_sql: str | None
    changed: bool
    strategy: str
    db_id: str | None = None
    status: str | None = None
    cost: ModelCost | None = None


def holds_corrections(path: str | Path) -> bool:
    """Return whether a file holds corrections: its first line has a corrected query, and no score.

    What cannot be read twice, such as a named pipe, is taken for scores.
    """
    path = Path(path)
    if not path.is_file():
        return False
    try:
        first = _first_line(path)
    except (InputError, OSError):
        return False
    return "corrected_sql" in first and "p_correct" not in first


def read_corrections(path: str | Path) -> list[Correction]:
    """Read the lines of a corrections file, in file order.

    A question may come once for each strategy.

    Raises InputError where the file or any line of it cannot be used, or a question comes twice
    with one strategy.
    """
    path = Path(path)

    def correction(record: Record) -> tuple[tuple[str, str | int], Correction]:
        found = _checked(record, path)
        # Lines of no question are not the same one: they are told apart by their number.
        question = record.line if found.question_id is None else str(found.question_id)
        return (found.strategy, question), found

    return [found for _, found in collected(path, correction)]


def as_corrections(
    corrections: Iterable[Correction | CorrectedCase | Mapping[str, Json]],
) -> list[Correction]:
    """Return corrected cases, or dictionaries like a line of a corrections file, as corrections.

    Raises CaseError, naming the place in the input (from 1) and the field, where one is neither.
    """
    return [_correction(item, place) for place, item in enumerate(corrections, start=1)]


def _correction(item: Correction | CorrectedCase | Mapping[str, Json], place: int) -> Correction:
    if isinstance(item, Correction):
        return item
    fields: Mapping[str, Any] = item.to_dict() if isinstance(item, CorrectedCase) else item
    return _checked(Record(place, dict(fields)), PATH)


def _checked(record: Record, path: Path) -> Correction:
    found = validate(Correction, record, path)
    if found.changed and found.corrected_sql is None:
        message = "is null, and the query is changed"
        raise CaseError(message, path=path, line=record.line, field="corrected_sql")
    return found


def _first_line(path: Path) -> Mapping[str, Any]:
    """Return the fields of the first line that is not blank."""
    parser = RecordParser(path)
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            record = parser.line(line.rstrip("\n"), number)
            if record is not None:
                return {} if record.problem else record.fields
    return {}
