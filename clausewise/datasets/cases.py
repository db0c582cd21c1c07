"""Cases from a file: one bad line never harms the others."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from clausewise.datasets import _benchmarks
from clausewise.datasets._containers import container_of, read_records
from clausewise.datasets._first_places import FirstPlaces
from clausewise.datasets._json import decode, to_json, to_json_object
from clausewise.datasets._records import Record
from clausewise.datasets._text import check_is_file
from clausewise.datasets._validation import near_field, show, validate, wrong_value
from clausewise.errors import CaseError, InputError
from clausewise.registry import Registry
from clausewise.text import compact
from clausewise.types import Case, RawJson, UncheckedCase

FORMATS = Registry[str]("format")
"""Names that `read_cases` takes as `format`, each with a few words on what it is."""

FORMATS.add("jsonl", "one JSON object a line")
FORMATS.add("json", "a JSON array of objects")
FORMATS.add("csv", "a table with a header, UTF-8, with commas, semicolons, tabs or |")
FORMATS.add("tsv", "a table with a header, UTF-8, with tabs")
FORMATS.add("parquet", "a Parquet table")
FORMATS.add("spider", "Spider's questions, with the gold as 'query'")
FORMATS.add("bird", "BIRD's questions, with the gold as 'SQL'")

TABLES = frozenset({"csv", "tsv", "parquet"})
REQUIRED = ("question_id", "db_id", "question", "predicted_sql")


def read_cases(
    path: str | Path, format: str | None = None, *, questions: str | Path | None = None
) -> list[Case | UncheckedCase]:
    """Read cases, in file order; what cannot be read is an UncheckedCase in its place.

    Parameters
    ----------
    path
        A file of cases: `.jsonl` (`.ndjson`), `.json` (an array), `.csv`, `.tsv`, `.parquet`,
        or the questions of Spider or BIRD (`dev.json`), whose gold query then is the predicted
        one. With `questions`, a predictions file of either benchmark.
    format
        One of `FORMATS`; by default the suffix decides, and for JSON the fields of the records.
    questions
        Spider's or BIRD's questions that the predictions in `path` belong to.

    Returns
    -------
    list of Case or UncheckedCase
        One for every record, blank lines left out. The `reason` of an UncheckedCase starts with
        the file and the line (in Parquet the row), both counted from 1, and names the field.
        Of two cases with one `question_id` the second is unchecked; 5 and "5" are one id.

    Raises
    ------
    InputError
        The file as a whole cannot be used: missing, a folder, empty, not UTF-8, of an unknown
        kind, a table without a needed column, predictions that do not match the questions.
    RegistryError
        `format` is not one of `FORMATS`.
    MissingExtraError
        The file is Parquet and pyarrow is not installed.
    """
    path = Path(path)
    if format is not None:
        FORMATS[format]  # an unknown name is an error that suggests the nearest
    benchmark = format if format in _benchmarks.GOLD_FIELDS else None
    container = None if format is None or benchmark else format
    if questions is not None:
        if container:
            raise InputError(f"predictions of the format '{container}' take no questions file")
        return _to_cases(_benchmarks.pair(Path(questions), path, benchmark), Path(questions))
    check_is_file(path)
    if not container and path.suffix.lower() in _benchmarks.TEXT_SUFFIXES:
        raise _questions_needed(path)
    container = container or container_of(path)
    records = read_records(path, container)
    if container in TABLES:
        check_columns(dict.fromkeys(name for record in records for name in record.fields), path)
    if container == "json" and not benchmark:
        benchmark = _sniff(records, path)
    if benchmark:
        records = _benchmarks.gold_as_predicted(records, benchmark, path)
    return _to_cases(records, path)


def read_gold_cases(path: str | Path) -> list[Case | UncheckedCase]:
    """Read annotated questions as cases, with the annotated ("gold") query as the predicted one.

    Parameters
    ----------
    path
        What `read_cases` takes, but for predictions. The query stands in `gold_sql`, `query`
        (Spider), `SQL` (BIRD) or `predicted_sql`, of several in the first of these. Where there
        is no `question_id`, the record's number from 0 is one.

    Returns
    -------
    list of Case or UncheckedCase
        As `read_cases` returns.

    Raises
    ------
    InputError, MissingExtraError
        As `read_cases` does.
    """
    path = Path(path)
    check_is_file(path)
    return _to_cases(_benchmarks.annotated(read_records(path), path), path)


def _questions_needed(path: Path) -> InputError:
    message = "predictions without questions; name the questions file too (dev.json)"
    return InputError(message, path=path)


def check_columns(columns: Collection[str], path: Path) -> None:
    """Raise InputError where a needed column is not among those that have a value."""
    for name in REQUIRED:
        if name not in columns:
            hint = near_field(name, columns)
            message = f"no row has a value for it{hint}; columns are {', '.join(columns)}"
            raise InputError(message, path=path, field=name)


def _sniff(records: Sequence[Record], path: Path) -> str | None:
    first = next((record.fields for record in records if record.fields), {})
    if len(records) == 1 and first and not any(name in first for name in REQUIRED):
        raise _questions_needed(path)
    return _benchmarks.benchmark_of(first)


def _to_cases(records: Iterable[Record], path: Path) -> list[Case | UncheckedCase]:
    return list(iter_as_cases(records, path))


def iter_as_cases(records: Iterable[Record], path: Path) -> Iterator[Case | UncheckedCase]:
    """Yield records as cases; what is none, or has the id of an earlier one, is unchecked."""
    with FirstPlaces() as first_lines:
        for record in records:
            try:
                case = validate(Case, with_plain_candidates(record, path), path)
                earlier = first_lines.add(str(case.question_id), record.line)
                if earlier != record.line:
                    message = f"{case.question_id!r} is already used on line {earlier}"
                    raise CaseError(message, path=path, line=record.line, field="question_id")
            except CaseError as error:
                raw = to_json_object(record.fields)
                yield UncheckedCase(reason=str(error), line=error.line, raw=raw)
            else:
                yield case


def with_plain_candidates(record: Record, path: Path) -> Record:
    """Return the record with its candidates as SQL strings, however they were given.

    Where some were objects with a `system`, the systems are kept in `candidate_systems`.
    """
    value = record.fields.get("candidates")
    if record.problem or value is None or isinstance(value, RawJson):
        return record
    listed = _from_json_list(value)
    if not isinstance(listed, list):
        raise wrong_value("candidates", value, record.line, path)
    if "candidate_systems" in record.fields:
        systems = _from_json_list(record.fields["candidate_systems"])
        record = replace(record, fields={**record.fields, "candidate_systems": systems})
    if all(isinstance(item, str) for item in listed) and listed is value:
        return record
    plain = [
        _candidate_sql(item, f"candidates[{index}]", record.line, path)
        for index, item in enumerate(listed)
    ]
    fields = {**record.fields, "candidates": plain}
    of_candidates = [item.get("system") if isinstance(item, dict) else None for item in listed]
    if any(system is not None for system in of_candidates):
        fields["candidate_systems"] = [
            system if system is None or isinstance(system, str) else compact(system)
            for system in of_candidates
        ]
    return replace(record, fields=fields)


def _from_json_list(value: Any) -> Any:
    """Return what a CSV cell holds as JSON; any other value, or none at all, as it is."""
    if not isinstance(value, str):
        return value
    try:
        return to_json(decode(value))
    except json.JSONDecodeError:
        return value


def _candidate_sql(item: Any, name: str, line: int, path: Path) -> str:
    sql = item.get("sql") if isinstance(item, dict) else item
    if not isinstance(sql, str):
        message = f"must be SQL text, or an object with SQL text as 'sql', is {show(item)}"
        raise CaseError(message, path=path, line=line, field=name)
    return sql
