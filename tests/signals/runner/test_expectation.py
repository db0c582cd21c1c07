"""What a question leads one to expect is in a case's inspection, and never ends it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from clausewise.databases import BaseDatabase, Databases, create_database, open_database
from clausewise.expectation import ATTRIBUTES
from clausewise.signals import inspect_case, inspect_cases, select_signals
from clausewise.signals.linking import expected
from clausewise.types import Case, CaseStatus, Inspection, OutcomeStatus
from clausewise.workers import IN_PROCESS


@pytest.fixture
def database(tmp_path: Path) -> BaseDatabase:
    folder = tmp_path / "databases" / "town"
    folder.mkdir(parents=True)
    script = "CREATE TABLE city (id INTEGER, name TEXT); INSERT INTO city VALUES (1, 'Cork');"
    return open_database(create_database(folder / "town.sqlite", script))


def _inspected(
    database: BaseDatabase, question: str, sql: str = "SELECT name FROM city"
) -> Inspection:
    case = Case(question_id=1, db_id="town", question=question, predicted_sql=sql)
    return inspect_case(case, database, select_signals("unexpected_shape"))


def test_an_inspection_says_how_much_each_attribute_surprises(database: BaseDatabase) -> None:
    wrong = _inspected(database, "How many cities are there?")
    right = _inspected(database, "How many cities are there?", "SELECT COUNT(*) FROM city")
    assert set(ATTRIBUTES) <= set(wrong.expectation)
    assert wrong.expectation["aggregate"] > 3.0
    assert right.expectation["aggregate"] == 0.0


def test_a_worker_sends_back_what_surprises(database: BaseDatabase) -> None:
    question = "How many cities are there?"
    case = Case(question_id=1, db_id="town", question=question, predicted_sql="SELECT 1 FROM city")
    specs = select_signals("unexpected_shape")
    with closing(Databases(database)) as databases:
        isolated = inspect_cases([case], databases, specs)[0]
        here = inspect_cases([case], databases, specs, isolation=IN_PROCESS)[0]
    assert isinstance(isolated, Inspection)
    assert isinstance(here, Inspection)
    assert isolated.expectation == here.expectation != {}


def test_nothing_is_expected_after_a_question_in_another_language(database: BaseDatabase) -> None:
    found = _inspected(database, "Wie viele Menschen wohnen in der Stadt?")
    assert found.status is CaseStatus.OK
    assert not set(ATTRIBUTES) & set(found.expectation)
    assert found.outcomes["unexpected_shape"].status is OutcomeStatus.NOT_APPLICABLE


def test_a_defect_in_what_is_expected_does_not_end_the_case(
    database: BaseDatabase, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(context: object) -> dict[str, str]:
        raise ZeroDivisionError

    monkeypatch.setattr(expected, "observed_shape", broken)
    found = inspect_case(
        Case(question_id=1, db_id="town", question="How many?", predicted_sql="SELECT 1 FROM city"),
        database,
        select_signals("unexpected_shape"),
    )
    assert found.status is CaseStatus.OK
    assert not set(ATTRIBUTES) & set(found.expectation)
    assert "nothing is expected of case 1" in caplog.text
