"""Which cases a report shows, and in which order."""

from __future__ import annotations

import json

import pytest

from clausewise.errors import InputError
from clausewise.reporting import render, select_cases
from clausewise.types import CaseStatus, ScoredCase, Verdict


def scored(question_id, p_correct, db_id="shop", abstained=False):
    verdict = Verdict.CORRECT if p_correct is not None and p_correct > 0.5 else Verdict.INCORRECT
    unchecked = p_correct is None
    return ScoredCase(
        question_id=question_id,
        db_id=db_id,
        predicted_sql="SELECT 1",
        p_correct=p_correct,
        verdict=Verdict.UNCHECKED if unchecked else verdict,
        abstained=abstained,
        status=CaseStatus.UNCHECKED if unchecked else CaseStatus.OK,
        reason="no such database" if unchecked else None,
        findings=(),
        signals={},
    )


CASES = [
    scored("b", 0.9, "zoo"),
    scored(10, 0.2),
    scored(9, None, None),
    scored("a", 0.6, "bar", abstained=True),
    scored(2, 0.1, "zoo"),
]


def ids(**how):
    return [case.question_id for case in select_cases(CASES, **how)]


def test_all_cases_in_their_order_where_nothing_is_chosen():
    assert ids() == ["b", 10, 9, "a", 2]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("p", [2, 10, "a", "b", 9]),
        ("db", ["a", 10, 2, "b", 9]),
        ("id", [2, 9, 10, "a", "b"]),
    ],
)
def test_orders(sort, expected):
    assert ids(sort=sort) == expected


def test_only_some_verdicts_and_the_abstained():
    assert ids(only=["incorrect"]) == [10, 2]
    assert ids(only=["abstained"]) == ["a"]
    assert ids(only=["unchecked", "abstained"]) == [9, "a"]


def test_the_top_are_the_likeliest_wrong_unless_sorted_otherwise():
    assert ids(top=2) == [2, 10]
    assert ids(top=2, sort="id") == [2, 9]
    assert ids(top=9, only=["correct"]) == ["a", "b"]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"only": ["wrong"]}, "field 'only': 'wrong' is none of correct, incorrect, unchecked"),
        ({"sort": "size"}, "field 'sort': 'size' is none of p, db, id"),
        ({"top": 0}, "field 'top': must be 1 or more, is 0"),
    ],
)
def test_an_unknown_choice_is_named(how, message):
    with pytest.raises(InputError, match=message):
        select_cases(CASES, **how)


def test_the_summary_counts_all_cases_and_says_which_are_shown():
    report = json.loads(render(CASES, "json", signals={}, only=["incorrect"], top=1))
    assert [case["question_id"] for case in report["cases"]] == [2]
    assert (report["summary"]["cases"], report["summary"]["shown"]) == (5, 1)
    assert report["summary"]["verdicts"] == {"correct": 2, "incorrect": 2, "unchecked": 1}
    text = render(CASES, signals={}, only=["incorrect"], top=1)
    assert "shown: 1 of 5 (only incorrect, the first 1, lowest p(correct) first)" in text
