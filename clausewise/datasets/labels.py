"""Files that go with the cases: labels, golds, votes from outside and candidates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from clausewise.datasets._containers import read_records
from clausewise.datasets._records import Record
from clausewise.datasets._strict import BadLines, QuestionId, UnitInterval, collected, keyed
from clausewise.datasets._validation import show, validate, wrong_value
from clausewise.errors import CaseError
from clausewise.types import CaseJudgment, FindingJudgment, OutsideVote, Vote

_NO_FILE = Path("feedback")
VOTES = {"incorrect": Vote.INCORRECT, "correct": Vote.CORRECT, "abstain": Vote.ABSTAIN}


class _LabelLine(BaseModel):
    question_id: QuestionId
    correct: bool


class _Gold(BaseModel):
    question_id: QuestionId
    gold_sql: str


class _CorrectedLine(BaseModel):
    question_id: QuestionId
    corrected_sql: str | None


class _VoteLine(BaseModel):
    question_id: QuestionId
    signal: str
    vote: str
    score: UnitInterval | None = None
    message: str | None = None


class _FeedbackLine(BaseModel):
    question_id: QuestionId
    signal: str | None = None
    reason: str | None = None
    finding: Literal["confirmed", "dismissed"] | None = None
    correct: bool | None = None


class _Candidates(BaseModel):
    question_id: QuestionId
    candidates: list[Any]


def read_labels(path: str | Path) -> dict[QuestionId, bool]:
    """Read true labels: `question_id` to whether the predicted SQL is correct.

    JSONL of `question_id`, `correct`; also JSON, CSV, Parquet by the suffix. Other fields are
    ignored.

    Raises InputError where the file or any line of it cannot be used, or an id comes twice.
    """

    def label(record: Record) -> tuple[QuestionId, bool]:
        line = validate(_LabelLine, record, Path(path))
        return line.question_id, line.correct

    return keyed(Path(path), label)


def read_gold(path: str | Path) -> dict[QuestionId, str]:
    """Read gold queries: `question_id` to `gold_sql`; files and errors as in `read_labels`."""

    def gold(record: Record) -> tuple[QuestionId, str]:
        line = validate(_Gold, record, Path(path))
        return line.question_id, line.gold_sql

    return keyed(Path(path), gold)


def read_corrected(path: str | Path) -> dict[QuestionId, str | None]:
    """Read queries that were corrected elsewhere: `question_id` to `corrected_sql`, or null.

    Files and errors are as in `read_labels`.
    """

    def corrected(record: Record) -> tuple[QuestionId, str | None]:
        line = validate(_CorrectedLine, record, Path(path))
        return line.question_id, line.corrected_sql

    return keyed(Path(path), corrected)


def read_candidates(path: str | Path) -> dict[QuestionId, list[tuple[str | None, str]]]:
    """Read several systems' queries: `question_id` to pairs of system (None: unnamed) and SQL.

    Every line has `question_id` and `candidates`, a list of SQL strings or of objects with `sql`
    and, where known, `system`. Files and errors are as in `read_labels`.
    """

    def candidates(record: Record) -> tuple[QuestionId, list[tuple[str | None, str]]]:
        line = validate(_Candidates, record, Path(path))
        return line.question_id, [
            _candidate(item, index, record.line, Path(path))
            for index, item in enumerate(line.candidates)
        ]

    return keyed(Path(path), candidates)


def read_votes(path: str | Path) -> list[OutsideVote]:
    """Read votes that clausewise did not make, in file order.

    Every line has `question_id`, `signal` and `vote` (`incorrect`, `correct` or `abstain`), and
    may have `score` in [0, 1], high = likely wrong, and `message`.

    Raises InputError where the file or any line of it cannot be used, or a signal votes twice on
    one question.
    """

    def vote(record: Record) -> tuple[tuple[str, str], OutsideVote]:
        line = validate(_VoteLine, record, Path(path))
        if line.vote not in VOTES:
            raise wrong_value("vote", line.vote, record.line, Path(path))
        made = OutsideVote(
            line.question_id, line.signal, VOTES[line.vote], line.score, line.message
        )
        return (str(line.question_id), line.signal), made

    return [made for _, made in collected(Path(path), vote)]


def read_feedback(path: str | Path) -> list[FindingJudgment | CaseJudgment]:
    """Read what a team says of findings and of queries.

    A line has `question_id`, and either `signal`, `reason` and `finding` (`confirmed` or
    `dismissed`), or `correct`. Other fields are ignored. Of several judgments of one finding or
    query the last one counts: people change their minds, and a service only adds lines.

    Raises InputError where the file or any line of it cannot be used.
    """
    found: dict[tuple[str, ...], FindingJudgment | CaseJudgment] = {}
    bad = BadLines(Path(path))
    for record in read_records(Path(path)):
        try:
            made = _judgment(record, Path(path))
        except CaseError as error:
            bad.add(error)
            continue
        what = (made.signal, made.reason) if isinstance(made, FindingJudgment) else ()
        found[(str(made.question_id), *what)] = made
    bad.check()
    return list(found.values())


def as_judgment(fields: Mapping[str, Any]) -> FindingJudgment | CaseJudgment:
    """Return the judgment of a line of feedback; CaseError where it is none."""
    return _judgment(Record(1, dict(fields)), _NO_FILE)


def _judgment(record: Record, path: Path) -> FindingJudgment | CaseJudgment:
    line = validate(_FeedbackLine, record, path)
    if line.correct is not None:
        return CaseJudgment(line.question_id, line.correct)
    if line.finding is None:
        message = "missing: neither a finding nor a query is judged (correct)"
        raise CaseError(message, path=path, line=record.line, field="finding")
    if line.signal is None or line.reason is None:
        missing = "signal" if line.signal is None else "reason"
        message = "missing: a finding is named by its signal and its reason"
        raise CaseError(message, path=path, line=record.line, field=missing)
    return FindingJudgment(line.question_id, line.signal, line.reason, line.finding)


def _candidate(item: Any, index: int, line: int, path: Path) -> tuple[str | None, str]:
    system, sql = (item.get("system"), item.get("sql")) if isinstance(item, dict) else (None, item)
    if not isinstance(sql, str) or not isinstance(system, str | None):
        message = f"must be SQL text, or an object with 'system' and 'sql', is {show(item)}"
        raise CaseError(message, path=path, line=line, field=f"candidates[{index}]")
    return system, sql
