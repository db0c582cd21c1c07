"""Cases with more of something than is looked at: no signal fails, and each says what it left."""

from collections.abc import Mapping
from typing import Any

import pytest

from clausewise.databases import BaseDatabase, create_database, open_database
from clausewise.question.bounds import LONGEST_EVIDENCE, LONGEST_QUESTION
from clausewise.signals import SIGNALS, inspect_case, load_signals
from clausewise.signals.context import Context
from clausewise.sql import parse
from clausewise.types import Case, CaseStatus, Cost, Inspection, Need, OutcomeStatus

load_signals()
SPECS = [spec for spec in SIGNALS.values() if spec.cost is not Cost.MODEL]
TEXT_SIGNALS = [spec.name for spec in SPECS if spec.needs & {Need.QUESTION, Need.EVIDENCE}]
NINES = "9" * 400
MANY = 20_000
SQL = "SELECT COUNT(*) FROM pet WHERE kind = 'cat'"


def listed(values: object, separator: str = ", ") -> str:
    return separator.join(map(str, values))  # type: ignore[call-overload]


def quoted(count: int) -> list[str]:
    return [f"'v {at}'" for at in range(count)]


ASKED = (
    "What percentage, in hours, is the age minus the id of pets that are both cats and dogs, "
    "neither old nor young, before 2020, on average and in total for each kind, the ratio of "
    "cats to dogs?"
)
"""Asks for all that signals of a question's words look for."""

CASES: Mapping[str, Mapping[str, Any]] = {
    "VALUES": {"predicted_sql": "VALUES (1),(2)"},
    "an offset behind the end": {"predicted_sql": "SELECT * FROM pet LIMIT -1 OFFSET 99999"},
    "LIMIT 1e308 in a sub-query": {
        "predicted_sql": "SELECT name FROM pet WHERE id IN (SELECT id FROM pet LIMIT 1e308)"
    },
    "400 digits in the question": {
        "question": f"How many of the {NINES} cats are over {NINES}% or 0.{NINES} of {NINES}-1?"
    },
    "400 digits in the evidence": {"evidence": f"old refers to age > {NINES}; x = 0.{NINES}"},
    "infinite values": {"predicted_sql": "SELECT 9e999, -9e999, id FROM pet WHERE id < 9e999"},
    "infinite candidates": {"candidates": ["SELECT 9e999", "SELECT -9e999", "SELECT 1e308 * 10"]},
    "20,000 numbers in IN": {
        "predicted_sql": f"SELECT name FROM pet WHERE id IN ({listed(range(MANY))})"
    },
    "20,000 texts in IN": {
        "predicted_sql": f"SELECT id FROM pet WHERE kind IN ({listed(quoted(MANY))})"
    },
    "60,000 numbers": {"question": f"How many cats have {listed(range(60_000))} kittens?"},
    "20,000 quoted values": {"question": f"How many cats are {listed(quoted(MANY))}?"},
    "a question of a megabyte": {"question": "How many cats? " * 70_000},
    "one word of a megabyte": {"question": "x" * 1_000_000},
    "a megabyte of blanks": {"question": "Cats" + " " * 1_000_000},
    "a megabyte of open quotations": {"question": "\u201ccat " * 200_000},
    "evidence of a megabyte": {"evidence": "cat refers to kind = 'cat'; " * 40_000},
    "one statement of a megabyte": {"evidence": "a = max(" * 125_000},
    "a formula of a thousand terms": {"evidence": "x = " + "age + " * 1_000 + "age"},
    "brackets in the evidence": {"evidence": "x refers to " + "(" * 900 + "age" + ")" * 900},
    "5,000 candidates": {"candidates": [f"SELECT {at} FROM pet" for at in range(5_000)]},
    "60 joins": {
        "predicted_sql": "SELECT COUNT(*) FROM pet AS t0 "
        + listed((f"JOIN pet AS t{at} ON t{at}.id = t{at - 1}.id" for at in range(1, 60)), " ")
    },
    "500 columns": {"predicted_sql": f"SELECT {listed(['name', 'age'] * 250)} FROM pet"},
    "500 sums of nothing": {
        "predicted_sql": f"SELECT {listed(f'SUM(age > {at})' for at in range(900, 1400))} FROM pet"
    },
    "900 conditions": {
        "predicted_sql": "SELECT id FROM pet WHERE "
        + listed((f"name LIKE '%x{at}%'" for at in range(900)), " AND ")
    },
    "900 divisions": {"predicted_sql": f"SELECT {listed(['age'] * 900, ' / ')} FROM pet"},
    "900 differences": {
        "question": ASKED,
        "predicted_sql": f"SELECT {listed(['age'] * 900, ' - ')} FROM pet",
    },
    "900 alternatives": {
        "question": ASKED,
        "predicted_sql": "SELECT name FROM pet WHERE "
        + listed((f"kind = 'x{at}' OR kind IS NULL" for at in range(900)), " OR "),
    },
    "900 averages": {
        "question": ASKED,
        "predicted_sql": "SELECT "
        + listed(f"AVG(CASE WHEN age > {at} THEN id ELSE 1 END) / COUNT(*)" for at in range(900))
        + " FROM pet WHERE id > 3 GROUP BY kind",
    },
    "900 spans of days": {
        "question": ASKED,
        "predicted_sql": "SELECT "
        + "julianday(" * 150
        + "name"
        + ")" * 150
        + listed(("- julianday(name)" for _ in range(900)), " ")
        + " FROM pet",
    },
    "thousands of bounds in words": {
        "question": "Pets before 2020, age minus id, " * 600,
        "evidence": "late: ageAt after bornAt, not ageAt; " * 1_300,
        "predicted_sql": f"SELECT {listed(['age - id'] * 300)} FROM pet WHERE age > 2020",
    },
    "a long name": {"predicted_sql": f"SELECT name AS {'x' * 60_000} FROM pet"},
    "NUL": {"question": "How many \0 'a\0b'?", "evidence": "cat\0 refers to kind = '\0'"},
    "lone surrogates": {
        "question": "How many \ud800 '\udfff'?",
        "evidence": "cat\ud800 refers to kind = '\ud800'",
        "candidates": ["SELECT '\ud800'", SQL, "SELECT 1"],
    },
    "right to left": {"question": "How many \u202e5\u2066 cats?"},
    "odd digits": {
        "question": "Cats of \u00b2 or '\u00b2' or \u0663 or \u2167?",
        "evidence": "two refers to age = '\u00b2'",
        "predicted_sql": "SELECT id FROM pet WHERE kind = '\u00b2' AND age = '\u0663'",
    },
    "nothing": {"question": "", "evidence": "", "candidates": ["", ";", "\0"]},
}


PAIRED = {
    "question": f"Which of the cats {listed(quoted(60))} or 'Tom'?",
    "predicted_sql": "SELECT name FROM pet WHERE "
    + listed((f"id = {at}" for at in range(1_000, 1_060)), " OR "),
}
"""Each value that is named, with each comparison, may be one that a statement must tell."""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> BaseDatabase:
    folder = tmp_path_factory.mktemp("large")
    file = create_database(
        folder / "pets.sqlite",
        "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, kind TEXT, age INTEGER);"
        "INSERT INTO pet VALUES (1, 'Tom', 'cat', 3), (2, 'Rex', 'dog', 5), (3, 'Kim', 'cat', 7);",
    )
    return open_database(file, cache_dir=folder / "cache")


def inspected(database: BaseDatabase, **fields: Any) -> Inspection:
    given = {"question_id": 1, "db_id": "pets", "question": "How many cats?", "predicted_sql": SQL}
    return inspect_case(Case.model_validate(given | fields), database, SPECS)


@pytest.mark.parametrize("fields", CASES.values(), ids=CASES)
def test_no_signal_fails(fields: Mapping[str, Any], database: BaseDatabase) -> None:
    inspection = inspected(database, **fields)
    faults = {
        name: outcome.reason
        for name, outcome in inspection.outcomes.items()
        if outcome.status is OutcomeStatus.FAULT
    }
    assert not faults
    assert len(inspection.outcomes) == len(SPECS)


@pytest.mark.parametrize(
    "fields",
    [
        {"question": "How many cats? " * (LONGEST_QUESTION // 10)},
        {"question": "How many cats?", "evidence": "cat: kind = 'cat'; " * LONGEST_EVIDENCE},
    ],
    ids=["question", "evidence"],
)
def test_what_is_not_read_is_said(fields: dict[str, str], database: BaseDatabase) -> None:
    inspection = inspected(database, **fields)
    assert inspection.status is CaseStatus.OK
    assert inspection.case.question == fields["question"]
    for name in TEXT_SIGNALS:
        outcome = inspection.outcomes[name]
        if outcome.reason != "the case has no evidence":
            assert "characters of the" in (outcome.reason or ""), name
    others = {spec.name for spec in SPECS} - {*TEXT_SIGNALS}
    assert not any(
        "characters of the" in (inspection.outcomes[name].reason or "") for name in others
    )


def test_the_context_holds_what_is_read(database: BaseDatabase) -> None:
    query = parse(SQL, tables=database.schema.names())
    question = "How many cats? " * LONGEST_QUESTION
    fields = {"question_id": 1, "db_id": "pets", "question": question, "predicted_sql": SQL}
    case = Case.model_validate(fields | {"note": "kept"})
    context = Context(case, query, database, None)
    assert LONGEST_QUESTION - 100 < len(context.case.question) <= LONGEST_QUESTION
    assert context.case.model_extra == {"note": "kept"}
    read = len(context.case.question)
    assert context.unread == f"only {read:,} of the 300,000 characters of the question are read"
    short = Case(question_id=1, db_id="pets", question="How many cats?", predicted_sql=SQL)
    context = Context(short, query, database, None)
    assert context.case is short
    assert context.unread == ""


@pytest.mark.parametrize(
    ("signal", "fields", "reason"),
    [
        ("missing_number", {"question": f"Cats of {listed(range(5, 900))}?"}, "unchecked"),
        (
            "missing_value",
            {"question": f"Cats of {listed(quoted(900))}?"},
            "unchecked",
        ),
        ("evidence_unused", {"evidence": "a = max(" * 2_000}, "too long"),
        (
            "evidence_unused",
            {"evidence": "; ".join(f"cats: kind = 'v{at}'" for at in range(900))},
            "unchecked",
        ),
        ("projection_mismatch", {"question": "Show the name. " * 900}, "too many"),
        (
            "abnormal_result",
            {"predicted_sql": CASES["900 conditions"]["predicted_sql"]},
            "of 900 conditions only the first 50",
        ),
        ("candidate_disagreement", CASES["5,000 candidates"], "candidates"),
        ("missing_value", PAIRED, "only 50 conditions or values"),
        ("extra_number", PAIRED, "only 50 conditions or values"),
    ],
)
def test_what_is_left_is_said(
    signal: str, fields: Mapping[str, Any], reason: str, database: BaseDatabase
) -> None:
    outcome = inspected(database, **fields).outcomes[signal]
    assert outcome.status in (OutcomeStatus.FIRED, OutcomeStatus.SILENT)
    assert reason in (outcome.reason or "")
