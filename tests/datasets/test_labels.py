from __future__ import annotations

from typing import Any

import pytest

from clausewise.datasets import (
    as_scored_cases,
    read_candidates,
    read_gold,
    read_labels,
    read_scores,
    read_votes,
)
from clausewise.errors import CaseError, InputError
from clausewise.types import Clause, ClauseSpan, OutcomeStatus, OutsideVote, Vote

FINDING = {
    "signal": "empty_predicate",
    "code": "PRED01",
    "clause": {"kind": "select", "text": "1", "start": 7, "end": 8},
    "score": 0.5,
    "message": "keeps no row",
    "evidence": {"rows": 0},
    "suggestion": None,
    "level": "warning",
    "contribution": None,
    "reason": "",
    "measure": None,
}
SCORE: dict[str, Any] = {
    "question_id": 1,
    "db_id": "shop",
    "predicted_sql": "SELECT 1",
    "p_correct": 0.25,
    "verdict": "incorrect",
    "threshold": 0.4,
    "status": "ok",
    "reason": None,
    "findings": [FINDING],
    "more_findings": {},
    "signals": {"empty_predicate": "fired"},
    "signal_reasons": {},
    "abstained": False,
    "cost": None,
    "explanation": {
        "prior": -1.1,
        "silence": -0.6,
        "shape": 0.2,
        "expectation": 2.5,
        "answers": 0.0,
    },
    "schema_version": "1.0",
    "question": "Q",
}


def test_labels_in_every_container(write):
    lines: list[dict[str, Any]] = [{"question_id": 1, "correct": True, "executable": True}]
    lines.append({"question_id": "b", "correct": False})
    expected = {1: True, "b": False}
    assert read_labels(write("labels.jsonl", lines)) == expected
    assert read_labels(write("labels.json", lines)) == expected
    assert read_labels(write("labels.csv", "question_id,correct\n1,True\nb,0\n")) == expected


def test_gold(write):
    lines = [{"question_id": "a", "gold_sql": "SELECT 1"}, {"question_id": 2, "gold_sql": ""}]
    assert read_gold(write("gold.jsonl", lines)) == {"a": "SELECT 1", 2: ""}


def test_candidates_keep_the_system(write):
    lines = [
        {"question_id": 1, "candidates": [{"system": "x", "sql": "A"}, {"sql": "B"}, "C"]},
        {"question_id": 2, "candidates": []},
    ]
    expected = {1: [("x", "A"), (None, "B"), (None, "C")], 2: []}
    assert read_candidates(write("candidates.jsonl", lines)) == expected


def test_votes(write):
    lines = [
        {"question_id": 1, "signal": "judge", "vote": "incorrect", "score": 1, "message": "No."},
        {"question_id": 1, "signal": "review", "vote": "correct"},
        {"question_id": 2, "signal": "judge", "vote": "abstain", "score": None},
    ]
    assert read_votes(write("votes.jsonl", lines)) == [
        OutsideVote(1, "judge", Vote.INCORRECT, 1.0, "No."),
        OutsideVote(1, "review", Vote.CORRECT, None, None),
        OutsideVote(2, "judge", Vote.ABSTAIN, None, None),
    ]


def test_scores_come_back_as_written(write):
    unchecked = {**SCORE, "question_id": None, "p_correct": None, "verdict": "unchecked"}
    lines = [SCORE, {**unchecked, "status": "unchecked", "db_id": None, "predicted_sql": None}]
    read = read_scores(write("scores.jsonl", lines))
    assert [case.to_dict() for case in read] == lines
    assert read[0].findings[0].clause == ClauseSpan(Clause.SELECT, "1", 7, 8)
    assert read[0].signals == {"empty_predicate": OutcomeStatus.FIRED}
    assert read[0].carried == {"question": "Q"}


def test_scores_written_by_earlier_versions_are_read(write):
    later = ("signal_reasons", "abstained", "cost", "reason", "more_findings")
    old = {key: value for key, value in SCORE.items() if key not in later}
    assert read_scores(write("scores.jsonl", [old])) == as_scored_cases([SCORE])
    (unexplained,) = read_scores(write("scores.jsonl", [{**SCORE, "explanation": None}]))
    del old["explanation"]
    assert read_scores(write("scores.jsonl", [old])) == [unexplained]
    assert unexplained.explanation is None


@pytest.mark.parametrize(
    ("change", "field"),
    [({"prior": "high"}, "explanation.prior"), ({"luck": 1.0}, "explanation.luck")],
)
def test_a_wrong_explanation_is_named(write, change, field):
    wrong = {**SCORE, "explanation": SCORE["explanation"] | change}
    with pytest.raises(CaseError) as caught:
        read_scores(write("scores.jsonl", [SCORE, wrong]))
    assert (caught.value.line, caught.value.field) == (2, field)


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"score": 2}, "findings.1.score", "must be less than or equal to 1, is 2"),
        (
            {"level": "fatal"},
            "findings.1.level",
            "must be 'info', 'warning' or 'error'",
        ),
        ({"clause": None}, "findings.1.clause", "is null"),
        ({"evidence": "none"}, "findings.1.evidence", "is 'none'"),
        ({"signal": ""}, "findings.1.signal", "missing"),
        ({"clause": {"kind": "on"}}, "findings.1.clause.kind", "is 'on'"),
        ({"contribution": "0.5"}, "findings.1.contribution", "must be a valid number, is '0.5'"),
    ],
)
def test_a_wrong_finding_is_named_by_line_and_place(write, change, field, message):
    lines = [SCORE, {**SCORE, "findings": [FINDING, FINDING | change]}]
    with pytest.raises(CaseError) as caught:
        read_scores(write("scores.jsonl", lines))
    assert (caught.value.line, caught.value.field) == (2, field)
    assert message in str(caught.value)


def test_dictionaries_and_scored_cases_are_scores_too():
    (case,) = as_scored_cases([SCORE])
    assert as_scored_cases([case]) == [case]
    with pytest.raises(CaseError, match=r"scores:2: field 'p_correct': must be a number from 0"):
        as_scored_cases([SCORE, {**SCORE, "p_correct": 1.5}])


def test_scores_may_have_any_suffix(write):
    path = write("scores.jsonl", [SCORE])
    assert read_scores(path.rename(path.with_name("scores.out"))) == as_scored_cases([SCORE])


@pytest.mark.parametrize(
    ("read", "line", "message"),
    [
        (read_labels, {"question_id": 1}, "field 'correct': missing; present are question_id"),
        (read_labels, {"question_id": 1, "correct": None}, "'correct': must be true or false"),
        (read_labels, {"question_id": True, "correct": True}, "'question_id': must be text or"),
        (read_labels, [1, True], "not a JSON object"),
        (read_gold, {"question_id": 1, "gold_sql": 5}, "field 'gold_sql': must be text, is 5"),
        (
            read_candidates,
            {"question_id": 1, "candidates": ["A", {"system": "x"}]},
            r"field 'candidates\[1\]': must be SQL text, or an object with 'system' and 'sql'",
        ),
        (read_candidates, {"question_id": 1, "candidates": "A"}, "must be a list of SQL strings"),
        (
            read_votes,
            {"question_id": 1, "signal": "j", "vote": "wrong"},
            "field 'vote': must be one of incorrect, correct, abstain, is 'wrong'",
        ),
        (
            read_votes,
            {"question_id": 1, "signal": "j", "vote": "correct", "score": 1.5},
            "field 'score': must be a number from 0 to 1, is 1.5",
        ),
        (read_votes, {"question_id": 1, "vote": "correct"}, "field 'signal': missing"),
        (read_scores, {**SCORE, "p_correct": 2}, "'p_correct': must be a number from 0 to 1"),
        (read_scores, {**SCORE, "p_correct": None}, "'p_correct': is null while status is 'ok'"),
        (
            read_scores,
            {**SCORE, "status": "unchecked"},
            "'p_correct': is a number while status is 'unchecked'",
        ),
        (read_scores, {**SCORE, "status": "done"}, "field 'status': must be one of ok, unparsable"),
        (read_scores, {**SCORE, "verdict": "maybe"}, "field 'verdict': must be one of correct"),
        (read_scores, {**SCORE, "findings": None}, "field 'findings': must be a list of objects"),
        (read_scores, {**SCORE, "question_id": [1]}, "'question_id': must be text or a whole numb"),
        (read_scores, {**SCORE, "schema_version": "2.0"}, "'schema_version': is '2.0', this"),
    ],
)
def test_a_bad_line_is_an_error_that_names_line_and_field(write, read, line, message):
    path = write("lines.jsonl", [line])
    with pytest.raises(CaseError, match=message) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}:1: ")


def test_all_bad_lines_are_named_in_one_message(write):
    lines = [{"question_id": 1, "correct": "maybe"}, {"question_id": 2, "correct": True}]
    lines += [{"question_id": "2", "correct": False}, {"question_id": 4}]
    path = write("labels.jsonl", lines)
    with pytest.raises(InputError) as caught:
        read_labels(path)
    assert str(caught.value).split("\n  ") == [
        f"{path}: 3 lines cannot be used",
        f"{path}:1: field 'correct': must be true or false, is 'maybe'",
        f"{path}:3: field 'question_id': '2' is already used on line 2",
        f"{path}:4: field 'correct': missing; present are question_id",
    ]


def test_after_twenty_bad_lines_the_rest_is_counted(write):
    path = write("labels.jsonl", [{"question_id": number} for number in range(25)])
    with pytest.raises(InputError) as caught:
        read_labels(path)
    message = str(caught.value).split("\n  ")
    assert len(message) == 22
    assert message[-1] == "and 5 more"


def test_a_signal_votes_once_on_a_question(write):
    vote = {"question_id": 1, "signal": "judge", "vote": "correct"}
    path = write("votes.jsonl", [vote, {**vote, "signal": "other"}, {**vote, "question_id": "1"}])
    with pytest.raises(CaseError, match=r":3: .*already used on line 1"):
        read_votes(path)


@pytest.mark.parametrize("read", [read_labels, read_gold, read_votes, read_candidates, read_scores])
def test_files_that_cannot_be_used(write, read, tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match="the file holds no records"):
        read(write("empty.jsonl", ""))
    with pytest.raises(InputError, match="byte 0 is 0xff"):
        read(write("latin.jsonl", b"\xff"))
