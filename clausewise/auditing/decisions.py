"""A person's decisions on audited cases: read from a marked file, and made into labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from clausewise.datasets import read_table
from clausewise.errors import CaseError, InputError
from clausewise.types import Case, Json, UncheckedCase


class AuditDecision(StrEnum):
    """What a person says of an annotated query."""

    WRONG = "wrong"
    RIGHT = "right"
    AMBIGUOUS = "ambiguous"
    """The question allows of more than one answer: neither right nor wrong."""
    SKIP = "skip"
    """Not to be decided, and not to be shown again."""


DECISIONS = tuple(decision.value for decision in AuditDecision)
DECISION_COLUMNS = ("decision", "note")


@dataclass(frozen=True, slots=True)
class MarkedDecision:
    """One decision, with the note that was written beside it."""

    question_id: str | int
    decision: AuditDecision
    note: str = ""


def read_decisions(path: str | Path) -> dict[str, MarkedDecision]:
    """Read the decisions of a marked file: question id as text to the decision.

    Parameters
    ----------
    path
        The CSV of an audit with the column `decision` filled in (also JSONL or Parquet with the
        fields `question_id` and `decision`, and `note` where there is one). A row without a
        decision is left out; capitals and blanks around it do not count.

    Raises
    ------
    InputError
        Where the file or any row of it cannot be used; it names file, line and field.
    """
    path = Path(path)
    found: dict[str, MarkedDecision] = {}
    problems: list[CaseError] = []
    for line, fields in read_table(path):
        if isinstance(fields, CaseError):
            problems.append(fields)
            continue
        try:
            decided = _decided(fields, line, path)
            if decided is not None and str(decided.question_id) in found:
                message = f"{decided.question_id!r} is decided twice"
                raise CaseError(message, path=path, line=line, field="question_id")
        except CaseError as error:
            problems.append(error)
            continue
        if decided is not None:
            found[str(decided.question_id)] = decided
    if problems:
        raise _all(problems, path)
    return found


_MOST_PROBLEMS = 20


def _all(problems: list[CaseError], path: Path) -> InputError:
    """Return one error that names the first bad rows; of a single one its own."""
    if len(problems) == 1:
        return problems[0]
    listed = "\n".join(str(problem) for problem in problems[:_MOST_PROBLEMS])
    return InputError(f"{len(problems)} rows cannot be used:\n{listed}", path=path)


def _decided(fields: Mapping[str, Json], line: int, path: Path) -> MarkedDecision | None:
    value = fields.get("decision")
    if value is None and "decision" not in fields:
        message = "missing; a marked file has this column"
        raise CaseError(message, path=path, line=line, field="decision")
    written = str(value or "").strip().casefold()
    if not written:
        return None
    if written not in DECISIONS:
        message = f"must be one of {', '.join(DECISIONS)}, or empty; is {value!r}"
        raise CaseError(message, path=path, line=line, field="decision")
    question_id = fields.get("question_id")
    if isinstance(question_id, bool) or not isinstance(question_id, str | int):
        message = "missing" if question_id is None else "must be text or a whole number"
        raise CaseError(message, path=path, line=line, field="question_id")
    return MarkedDecision(question_id, AuditDecision(written), str(fields.get("note") or ""))


def undecided(
    cases: Iterable[Case | UncheckedCase], decided: Mapping[str, MarkedDecision]
) -> list[Case | UncheckedCase]:
    """Return the cases on which there is no decision, in order."""
    return [case for case in cases if str(case.question_id) not in decided]


def labels_of(decided: Iterable[MarkedDecision]) -> Iterator[dict[str, Json]]:
    """Yield a line of a labels file for each query that was called wrong or right.

    `fit --labels` and `evaluate --labels` read them; other decisions are no labels.
    """
    for one in decided:
        if one.decision in (AuditDecision.WRONG, AuditDecision.RIGHT):
            line: dict[str, Json] = {
                "question_id": one.question_id,
                "correct": one.decision is AuditDecision.RIGHT,
            }
            yield line | ({"note": one.note} if one.note else {})
