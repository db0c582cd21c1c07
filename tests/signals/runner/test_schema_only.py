"""What becomes of a case where only the schema is known."""

from __future__ import annotations

import logging

import pytest

from clausewise import check
from clausewise.databases import Column, Schema, SchemaDatabase, Table
from clausewise.models import Detector, DetectorWarning, packaged_detector
from clausewise.signals import inspect_case, select_signals
from clausewise.types import Case, CaseStatus, Inspection, OutcomeStatus
from clausewise.workers import IN_PROCESS

BOOKS = Table("books", (Column("id", "INTEGER", primary_key=1), Column("title", "TEXT")), ("id",))
SHOP = SchemaDatabase(Schema((BOOKS,)), "shop")


def inspected(sql: str, question: str = "Which title has the book 'Dune'?") -> Inspection:
    case = Case(question_id=1, db_id="shop", question=question, predicted_sql=sql)
    return inspect_case(case, SHOP, select_signals())


@pytest.mark.parametrize(
    ("sql", "status", "code"),
    [
        ("SELECT title FROM books", CaseStatus.OK, "CASE04"),
        ("SELECT title FROM boks", CaseStatus.NOT_EXECUTABLE, "CASE02"),
        ("SELECT FROM WHERE", CaseStatus.UNPARSABLE, "CASE01"),
        ("DROP TABLE books", CaseStatus.NOT_EXECUTABLE, "CASE02"),
    ],
)
def test_status_and_notice(sql: str, status: CaseStatus, code: str) -> None:
    found = inspected(sql)
    assert found.status is status
    assert [notice.code for notice in found.notices] == [code]


def test_signals_that_need_data_do_not_apply_and_say_so() -> None:
    found = inspected("SELECT title FROM books WHERE title = 'Emma'")
    for name in ("abnormal_result", "empty_predicate", "near_miss_value"):
        assert found.outcomes[name].status is OutcomeStatus.NOT_APPLICABLE
        assert found.outcomes[name].reason == "only the schema was given, no data"
    assert not any(one.status is OutcomeStatus.FAULT for one in found.outcomes.values())


def test_signals_say_what_the_question_alone_tells() -> None:
    found = inspected("SELECT title FROM books WHERE title = 'Emma'")
    (literal,) = found.outcomes["ungrounded_literal"].findings
    assert (literal.reason, literal.evidence["in_database"]) == ("unsaid", None)
    missing = found.outcomes["missing_value"]
    assert [finding.reason for finding in missing.findings] == ["unknown_quoted"]
    assert "only quoted texts were looked for" in str(missing.reason)


def test_the_expectation_copes(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        found = inspected("SELECT title FROM books WHERE title = 'Dune'")
    assert not caplog.records
    assert any(name.startswith("column") for name in found.expectation) or found.expectation


def test_the_packaged_detector_of_that_view_is_chosen(recwarn: pytest.WarningsRecorder) -> None:
    scored = check("How many books are there?", "SELECT COUNT(*) FROM books", SHOP)
    assert scored.status is CaseStatus.OK
    assert scored.p_correct is not None
    assert not recwarn.list
    own = packaged_detector(has_data=False)
    assert own.learned_.view == "schema"
    own.isolation = IN_PROCESS
    again = check("How many books are there?", "SELECT COUNT(*) FROM books", SHOP, detector=own)
    assert again.p_correct == scored.p_correct


def test_another_detector_is_warned_of() -> None:
    detector = packaged_detector()
    with pytest.warns(DetectorWarning, match="not calibrated for this view"):
        check("How many?", "SELECT COUNT(*) FROM books", SHOP, detector=detector)
    with pytest.warns(DetectorWarning, match="fitted with data, and only the schema is given"):
        detector.score([{"question": "How many?", "predicted_sql": "SELECT 1"}], {"shop": SHOP})


def test_a_detector_learns_which_view_it_saw() -> None:
    cases = [
        Case(
            question_id=number,
            db_id="shop",
            question=f"Which title has the book {number}?",
            predicted_sql=f"SELECT title FROM books WHERE id = {number % 4}",
        )
        for number in range(12)
    ]
    made = Detector(
        label_model="weighted",
        classifier="additive",
        start="packaged-schema",
        isolation=IN_PROCESS,
    )
    made.fit(cases, SHOP)
    assert made.learned_.view == "schema"
