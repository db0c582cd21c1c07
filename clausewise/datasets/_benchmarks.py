"""The files of Spider and BIRD as their authors ship them, into records of the contract.

Both give the questions with their gold query as one JSON array (`dev.json`), and name the gold
`query` (Spider) or `SQL` (BIRD). Predictions are a file of their own: for Spider text with one
query a line, in the order of the questions, with or without a tab and the database's name behind
it; for BIRD a JSON object of the question's number to the query, a separator and the database's
name. Either kind of predictions is accepted with either kind of questions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clausewise.datasets._containers import read_records
from clausewise.datasets._json import decode, to_json
from clausewise.datasets._records import Record
from clausewise.datasets._text import read_text
from clausewise.datasets._validation import show
from clausewise.errors import CaseError, InputError
from clausewise.types import RawJson

GOLD_FIELDS = {"spider": "query", "bird": "SQL"}
"""Format name to the field that holds the gold query."""

TEXT_SUFFIXES = frozenset({".sql", ".txt"})

BIRD_SEPARATOR = "\t----- bird -----\t"


@dataclass(frozen=True, slots=True)
class _Prediction:
    """The SQL for one question; `db_id` where its file says for which database it was written."""

    sql: str
    db_id: str | None = None
    line: int | None = None
    problem: CaseError | None = None


def benchmark_of(fields: Mapping[str, Any]) -> str | None:
    """Return the format that a record of a JSON file is in; None where it is neither's.

    A record with a `predicted_sql` is a case whatever else it holds.
    """
    if "predicted_sql" in fields:
        return None
    return next((name for name, gold in GOLD_FIELDS.items() if gold in fields), None)


def gold_as_predicted(records: Sequence[Record], benchmark: str, path: Path) -> list[Record]:
    """Return a case record for every question, with its gold query as the predicted one."""
    gold_field = GOLD_FIELDS[benchmark]
    cases = []
    for position, record in enumerate(records):
        question = _question_fields(record, position, gold_field)
        problem = record.problem
        if "gold_sql" in question:
            question = _with_sql(question, question["gold_sql"])
        elif not problem:
            problem = CaseError("missing", path=path, line=record.line, field=gold_field)
        cases.append(Record(record.line, question, problem))
    return cases


def annotated(records: Sequence[Record], path: Path) -> list[Record]:
    """Return a case record for every annotated question, whatever the gold query's field is called.

    A record that has none of the names keeps its predicted query; without one it has a problem.
    """
    cases = []
    for position, record in enumerate(records):
        names = ("gold_sql", *GOLD_FIELDS.values())
        name = next((name for name in names if record.fields.get(name) is not None), None)
        question = _question_fields(record, position, name or "gold_sql")
        problem = record.problem
        if name is not None:
            question = _with_sql(question, question["gold_sql"])
        elif not problem and "predicted_sql" not in question:
            problem = CaseError("missing", path=path, line=record.line, field="gold_sql")
        cases.append(Record(record.line, question, problem))
    return cases


def pair(questions: Path, predictions: Path, benchmark: str | None = None) -> list[Record]:
    """Return a case record for every question, with the query of the predictions file.

    A question without a prediction, and a prediction without a question, is a record with a
    problem. Raises InputError where the predictions cannot be matched to the questions at all.
    """
    asked = read_records(questions)
    gold_field = GOLD_FIELDS[benchmark] if benchmark else _gold_field(asked)
    fields = [_question_fields(record, at, gold_field) for at, record in enumerate(asked)]
    if predictions.suffix.lower() in TEXT_SUFFIXES:
        answers = _text_predictions(predictions, [item.get("db_id") for item in fields], questions)
        return [_answered(*item, predictions) for item in zip(asked, fields, answers, strict=True)]
    if predictions.suffix.lower() == ".json":
        return _pair_by_key(asked, fields, predictions)
    message = f"predictions come as .json, .sql or .txt, not as '{predictions.suffix}'"
    raise InputError(message, path=predictions)


def _gold_field(records: Sequence[Record]) -> str:
    found = (benchmark_of(record.fields) for record in records)
    return GOLD_FIELDS[next((name for name in found if name), "spider")]


def _question_fields(record: Record, position: int, gold_field: str) -> dict[str, Any]:
    """Return the fields by the contract's names, without token lists and Spider's parse tree."""
    fields: dict[str, Any] = {"question_id": position}
    for name, value in record.fields.items():
        if name == gold_field:
            fields["gold_sql"] = value
        elif name == "evidence":
            # BIRD's first release wrote False where a question has no evidence.
            fields["evidence"] = None if value in (False, "False") else value
        elif name != "sql" and not name.endswith(("_toks", "_toks_no_value")):
            fields[name] = value
    return fields


def _with_sql(question: Mapping[str, Any], sql: Any) -> dict[str, Any]:
    first = {
        name: question[name] for name in ("question_id", "db_id", "question") if name in question
    }
    rest = {name: value for name, value in question.items() if name != "predicted_sql"}
    return {**first, "predicted_sql": sql, **rest}


def _answered(
    record: Record, question: dict[str, Any], answer: _Prediction, predictions: Path
) -> Record:
    fields = _with_sql(question, answer.sql)
    problem = record.problem or answer.problem
    if not problem and answer.db_id not in (None, question.get("db_id")):
        message = (
            f"the prediction for question {question['question_id']} is for database "
            f"'{answer.db_id}', the question is for '{question.get('db_id')}'"
        )
        problem = CaseError(message, path=predictions, line=answer.line)
    return Record(record.line, fields, problem)


def _text_predictions(path: Path, databases: Sequence[Any], questions: Path) -> list[_Prediction]:
    lines = [line.strip() for line in read_text(path).split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise InputError("the file holds no records", path=path)
    numbered = list(enumerate(lines, start=1))
    filled = [(number, line) for number, line in numbered if line]
    # Spider's own evaluation skips blank lines; where that does not fit, a blank is an answer.
    chosen = next((some for some in (filled, numbered) if len(some) == len(databases)), None)
    if chosen is None:
        message = (
            f"{len(filled)} predictions for the {len(databases)} questions of {questions}; "
            "one a line, in the order of the questions, is needed"
        )
        raise InputError(message, path=path)
    known = {name for name in databases if isinstance(name, str)}
    return [_split_tab(line, number, known) for number, line in chosen]


def _split_tab(line: str, number: int, known: set[str]) -> _Prediction:
    sql, _, tail = line.rpartition("\t")
    # A tab may be part of the query.
    if sql and tail in known:
        return _Prediction(sql.rstrip(), tail, number)
    return _Prediction(line, line=number)


def _pair_by_key(
    asked: Sequence[Record], questions: Sequence[dict[str, Any]], path: Path
) -> list[Record]:
    predictions = _read_object(path)
    ids = [str(question["question_id"]) for question in questions]
    # Subsets keep the question ids of the whole in some files and count anew in others.
    keys = ids if set(predictions) <= set(ids) else [str(at) for at in range(len(questions))]
    records = []
    for record, question, key in zip(asked, questions, keys, strict=True):
        if key in predictions:
            answer = _split_separator(predictions[key], key, path)
        else:
            problem = CaseError(f"no prediction for question {key}", path=path)
            answer = _Prediction("", problem=problem)
        records.append(_answered(record, question, answer, path))
    known = set(keys)
    for key, value in predictions.items():
        if key not in known:
            problem = CaseError("no question has this number", path=path, field=key)
            fields = {"question_id": key, "predicted_sql": value}
            records.append(Record(1, fields, problem))
    return records


def _read_object(path: Path) -> dict[str, Any]:
    text = read_text(path)
    if not text.strip():
        raise InputError("the file holds no records", path=path)
    try:
        value = decode(text)
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg} at column {error.colno}"
        raise InputError(message, path=path, line=error.lineno) from None
    if not isinstance(value, dict):
        message = f"an object of question number to SQL is needed, the file holds {show(value)}"
        raise InputError(message, path=path)
    return value


def _split_separator(value: Any, key: str, path: Path) -> _Prediction:
    # BIRD's own scripts write the number 0 where a model gave no answer.
    if value is None or value == 0:
        return _Prediction("")
    if not isinstance(value, str) or isinstance(value, RawJson):
        problem = CaseError(f"must be SQL text, is {show(value)}", path=path, field=key)
        return _Prediction("", problem=problem)
    if to_json(value) != value:
        problem = CaseError("holds half of a surrogate pair", path=path, field=key)
        return _Prediction("", problem=problem)
    sql, separator, db_id = value.rpartition(BIRD_SEPARATOR)
    return _Prediction(sql, db_id.strip()) if separator else _Prediction(value)
