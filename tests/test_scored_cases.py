"""Scored cases in a data frame and in a notebook."""

from __future__ import annotations

import math
import re

import pytest

from clausewise.scored_cases import SUMMARY_COLUMNS, ScoredCases
from clausewise.types import (
    CaseStatus,
    Clause,
    ClauseSpan,
    Finding,
    OutcomeStatus,
    ScoredCase,
    Verdict,
)

SQL = "SELECT name FROM shop WHERE city = '<b>'"


def finding(text: str, score: float) -> Finding:
    start = SQL.index(text)
    span = ClauseSpan(Clause.WHERE, text, start, start + len(text))
    return Finding(span, score, f"{text} is odd", signal="odd", code="ODD01")


@pytest.fixture
def cases() -> ScoredCases:
    checked = ScoredCase(
        question_id=7,
        db_id="shop",
        predicted_sql=SQL,
        p_correct=0.25,
        verdict=Verdict.INCORRECT,
        status=CaseStatus.OK,
        findings=(finding("city", 0.3), finding("city = '<b>'", 0.9), finding(SQL, 0.1)),
        more_findings={"odd": 4},
        signals={"odd": OutcomeStatus.FIRED},
        carried={"question_id": 7, "question": "Which?", "correct": False},
    )
    unchecked = ScoredCase(
        question_id="x",
        db_id=None,
        predicted_sql=None,
        p_correct=None,
        verdict=Verdict.UNCHECKED,
        status=CaseStatus.UNCHECKED,
        reason="no such database",
        findings=(),
        signals={},
    )
    return ScoredCases([checked, unchecked])


def test_the_frame_has_a_row_a_case_with_its_strongest_finding_and_its_input(
    cases: ScoredCases,
) -> None:
    frame = cases.to_frame()
    assert list(frame.columns) == [*SUMMARY_COLUMNS, "predicted_sql", "question", "correct"]
    first = frame.iloc[0]
    assert (first["question_id"], first["p_correct"], first["verdict"]) == (7, 0.25, "incorrect")
    assert (first["findings"], first["clause"]) == (7, "where")
    assert first["message"] == "city = '<b>' is odd"
    assert (first["question"], first["correct"]) == ("Which?", False)
    assert math.isnan(frame.iloc[1]["p_correct"])
    assert frame.iloc[1]["reason"] == "no such database"


def test_no_case_is_a_frame_too() -> None:
    frame = ScoredCases().to_frame()
    assert list(frame.columns) == [*SUMMARY_COLUMNS, "predicted_sql"]
    assert len(frame) == 0


def test_it_is_a_list_whose_parts_are_of_its_kind(cases: ScoredCases) -> None:
    assert repr(cases) == "ScoredCases(2 cases: 1 incorrect, 1 unchecked)"
    assert isinstance(cases[:1], ScoredCases)
    assert cases[0].question_id == 7
    assert cases == list(cases)


def test_a_notebook_shows_counts_and_a_table(cases: ScoredCases) -> None:
    shown = ScoredCases([*cases] * 15)._repr_html_()
    assert "30 cases: 15 incorrect, 15 unchecked" in shown
    assert shown.count("<tr>") == 21
    assert "and 10 more; .to_frame() has all" in shown
    assert "<b>" not in shown


def test_a_notebook_shows_a_case_with_its_clauses_marked(cases: ScoredCases) -> None:
    shown = cases[0]._repr_html_()
    assert "p(correct) = 0.250" in shown
    assert "<mark>city = &#x27;&lt;b&gt;&#x27;</mark>" in shown
    assert re.findall("<li><b>(.*?)</b>", shown) == ["odd", "odd", "odd"]
    assert "and 2 more findings" in shown
    assert "no such database" in cases[1]._repr_html_()
