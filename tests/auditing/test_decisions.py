"""Decisions come back from the marked file as they were written, or with an error that helps."""

from __future__ import annotations

import csv

import pytest

from clausewise.auditing.decisions import (
    DECISIONS,
    AuditDecision,
    labels_of,
    read_decisions,
    undecided,
)
from clausewise.errors import CaseError, InputError
from clausewise.types import Case, UncheckedCase


def marked(path, *rows, header=("question_id", "decision", "note")):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def test_decisions_are_read_and_empty_ones_left_out(tmp_path):
    path = marked(
        tmp_path / "m.csv",
        (1, "wrong", "should be >=, not >"),
        ("q2", " Right ", ""),
        ("007", "AMBIGUOUS", "zwei Lösungen"),
        (4, "", "perhaps"),
        (5, "skip", ""),
    )
    found = read_decisions(path)
    assert {key: one.decision for key, one in found.items()} == {
        "1": AuditDecision.WRONG,
        "q2": AuditDecision.RIGHT,
        "007": AuditDecision.AMBIGUOUS,
        "5": AuditDecision.SKIP,
    }
    assert found["007"].note == "zwei Lösungen"


def test_only_wrong_and_right_are_labels(tmp_path):
    rows = [(number, decision, "why") for number, decision in enumerate(DECISIONS)]
    found = read_decisions(marked(tmp_path / "m.csv", *rows))
    assert list(labels_of(found.values())) == [
        {"question_id": 0, "correct": False, "note": "why"},
        {"question_id": 1, "correct": True, "note": "why"},
    ]


def test_decided_cases_are_left_out(tmp_path):
    cases: list[Case | UncheckedCase] = [
        Case(question_id=1, db_id="d", question="?", predicted_sql="SELECT 1"),
        Case(question_id="2", db_id="d", question="?", predicted_sql="SELECT 1"),
        UncheckedCase("bad line", 3, {"question_id": 3}),
    ]
    found = read_decisions(marked(tmp_path / "m.csv", ("2", "right", ""), (3, "skip", "")))
    assert undecided(cases, found) == cases[:1]


def test_another_decision_names_file_line_and_field(tmp_path):
    path = marked(tmp_path / "m.csv", (1, "wrong", ""), (2, "maybe", ""))
    with pytest.raises(CaseError) as raised:
        read_decisions(path)
    assert (raised.value.line, raised.value.field) == (3, "decision")
    assert str(path) in str(raised.value)
    assert "must be one of wrong, right, ambiguous, skip, or empty; is 'maybe'" in str(raised.value)


def test_several_bad_rows_are_named_together(tmp_path):
    path = marked(tmp_path / "m.csv", (1, "no", ""), (2, "yes", ""), (3, "wrong", ""))
    with pytest.raises(InputError, match="2 rows cannot be used") as raised:
        read_decisions(path)
    assert ":2" in str(raised.value)
    assert ":3" in str(raised.value)


@pytest.mark.parametrize(
    ("header", "row", "problem"),
    [
        (("question_id", "note"), (1, "x"), "missing; a marked file has this column"),
        (("question_id", "decision"), ("", "wrong"), "question_id"),
    ],
)
def test_missing_columns_are_named(tmp_path, header, row, problem):
    path = marked(tmp_path / "m.csv", row, header=header)
    with pytest.raises(InputError, match=problem):
        read_decisions(path)


def test_one_case_is_decided_once(tmp_path):
    path = marked(tmp_path / "m.csv", (1, "wrong", ""), (1, "right", ""))
    with pytest.raises(CaseError, match="decided twice"):
        read_decisions(path)


def test_semicolons_are_read_as_spreadsheets_write_them(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("question_id;decision;note\n1;wrong;\n", encoding="utf-8-sig")
    assert read_decisions(path)["1"].decision is AuditDecision.WRONG
