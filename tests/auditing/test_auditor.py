"""Findings become categories, categories a rank; what cannot be checked is said."""

from __future__ import annotations

import math

import pytest
from jsonschema import Draft202012Validator

from clausewise.auditing import CATEGORIES, FaultSide, audit
from clausewise.auditing.question_side import misspelt_words
from clausewise.auditing.ranking import BASE_RATE, lift, score_of, suspicion_of
from clausewise.auditing.typology import known_findings, meaning_of
from clausewise.reporting import load_schema
from clausewise.signals import SIGNALS, load_signals
from clausewise.workers import IN_PROCESS
from tests.auditing.models import finding

SQL = "SELECT name FROM person WHERE id > 2"


def one(databases, record):
    (case,) = audit([record], databases, isolation=IN_PROCESS)
    Draft202012Validator(load_schema("audit")).validate(case.to_dict())
    return case


def test_every_signal_has_a_meaning_and_every_reason_in_the_table_exists():
    load_signals()
    specs = [SIGNALS[spec] if isinstance(spec, str) else spec for spec in SIGNALS]
    reasons = {spec.name: set(spec.reasons) for spec in specs}
    known = known_findings()
    built_in = {name for name, _ in known}
    assert built_in <= set(reasons)
    assert {name for name in reasons if (name, None) not in known} == set()
    unknown = {(s, r) for s, r in known if r is not None and r not in reasons[s]}
    assert not unknown


def test_every_category_has_a_side():
    assert {category.side for category in CATEGORIES.values()} == set(FaultSide)
    assert meaning_of("of_a_plugin", "any").category.name == "wrong_condition"


def test_a_finding_becomes_a_category_with_its_evidence(databases, scored):
    found = finding(
        "comparison_mismatch", "bound", SQL, "id > 2",
        message="the question says 'at least'", evidence={"said": "at least 2"},
        suggestion="write >=",
    )  # fmt: skip
    case = one(databases, scored(SQL, "Who has an id of at least 2?", findings=[found]))
    category = case.categories[0]
    assert (category.name, category.side, category.typology) == (
        "wrong_condition", FaultSide.SQL, "A2.3",
    )  # fmt: skip
    assert category.clause is not None
    assert category.clause.text == "id > 2"
    assert category.evidence == {"said": "at least 2"}
    assert category.source == "comparison_mismatch.bound"
    assert category.suggestion == "write >="
    assert case.status.value == "flagged"
    assert case.p_correct == 0.9


def test_an_empty_result_alone_flags_no_annotation(databases, scored):
    found = [
        finding("abnormal_result", "emptied_by_one_condition", SQL, "id > 2", score=0.98),
        finding("empty_predicate", "empties_its_clause", SQL, "id > 2", score=0.98),
    ]
    case = one(databases, scored(SQL, findings=found, p_correct=0.015, verdict="incorrect"))
    assert case.status.value == "noted"
    assert {category.name for category in case.categories} == {
        "nothing_to_show",
        "value_not_in_data",
    }


def test_a_value_misspelt_in_the_question_is_the_questions_fault(databases, scored):
    sql = "SELECT id FROM person WHERE name = 'Anne'"
    found = finding("near_miss_value", "few_edits", sql, "'Anne'", evidence={"value": "Anne"})
    said = one(databases, scored(sql, "What is the id of Anne?", findings=[found]))
    unsaid = one(databases, scored(sql, "What is the id of Ann?", findings=[found]))
    assert said.categories[0].name == "misspelled"
    assert unsaid.categories[0].name == "wrong_value"


def test_several_categories_come_strongest_first_and_once_each(databases, scored):
    found = [
        finding("incomplete_top_k", "some_tie", SQL, "id > 2", score=0.3),
        finding("comparison_mismatch", "bound", SQL, "id > 2", score=0.66),
        finding("comparison_mismatch", "opposite", SQL, "id > 2", score=0.9),
    ]
    case = one(databases, scored(SQL, findings=found))
    assert [category.name for category in case.categories] == ["wrong_condition", "ties_cut_off"]
    assert case.categories[0].more == 1
    assert case.categories[0].score >= case.categories[1].score


def test_a_query_that_does_not_run_is_flagged_and_its_data_unchecked(databases, scored):
    record = scored(
        "SELECT nme FROM person", p_correct=0.0, verdict="incorrect", status="not_executable",
        reason="no such column: nme",
    )  # fmt: skip
    notice = finding("not_executable", "", record["predicted_sql"], "nme")
    case = one(databases, record | {"findings": [notice]})
    assert [category.name for category in case.categories] == ["does_not_run"]
    assert case.categories[0].clause is not None
    assert case.categories[0].clause.text == "nme"
    assert case.status.value == "flagged"
    assert case.unchecked == {"data": "the query does not run"}


def test_a_defect_in_one_case_leaves_the_others(databases, scored, monkeypatch):
    def fails(question, *_):
        if question == "broken":
            raise ZeroDivisionError("a mistake")
        return iter(())

    monkeypatch.setattr("clausewise.auditing.auditor.suspects_of_question", fails)
    records = [scored(SQL, "broken"), scored(SQL, "whole", question_id="q2")]
    first, second = audit(records, databases, isolation=IN_PROCESS)
    Draft202012Validator(load_schema("audit")).validate(first.to_dict())
    assert first.status.value == "unchecked"
    assert first.suspicion is None
    assert first.reason == "a defect in the audit: ZeroDivisionError: a mistake"
    assert second.status.value == "clean"


def test_an_unchecked_case_has_no_suspicion(databases, scored):
    record = scored(
        SQL, p_correct=None, verdict="unchecked", status="unchecked", reason="there is no database"
    )
    case = one(databases, record)
    assert case.suspicion is None
    assert case.status.value == "unchecked"
    assert case.categories == ()


def test_a_missing_database_and_a_failed_signal_are_said(databases, scored):
    record = scored(
        SQL, db_id="nowhere", signals={"fan_out": "fault", "bare_column": "not_applicable"},
        signal_reasons={"fan_out": "took too long", "bare_column": "no aggregate"},
    )  # fmt: skip
    case = one(databases, record)
    assert case.suggested_sql is None
    assert case.unchecked["fan_out"] == "took too long"
    assert "there is no database 'nowhere'" in case.unchecked["database"]
    assert "bare_column" not in case.unchecked


def test_another_language_is_said(databases, scored):
    case = one(databases, scored(SQL, "Wie viele Kunden gibt es in jeder Stadt?"))
    assert [category.name for category in case.categories] == ["language"]
    assert "German" in case.categories[0].message


def test_a_question_about_other_things_is_said(databases, scored):
    sql = "SELECT COUNT(*) FROM city"
    case = one(databases, scored(sql, "What are the country and the phone of each person?"))
    assert [category.name for category in case.categories] == ["different_subject"]
    same = one(databases, scored("SELECT country, phone FROM person", "Country and phone?"))
    assert same.categories == ()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the avarage age?", [("avarage", "average")]),
        ("List all custmers.", [("custmers", "customers")]),
        ("List all 'custmers' of Lisbonn.", []),
        ("What is the average age of all customers?", []),
    ],
)
def test_misspelt_words(question, expected):
    assert misspelt_words(question) == expected


def test_names_of_the_schema_are_no_misspellings():
    assert misspelt_words("Show every custmer.", frozenset({"custmer"})) == []


def test_suspicion_starts_from_the_base_rate_and_grows_with_each_category():
    assert math.isclose(suspicion_of([]), BASE_RATE)
    one, two = suspicion_of([lift(0.9)]), suspicion_of([lift(0.9), lift(0.4)])
    assert BASE_RATE < one < two < 1
    assert two == suspicion_of([lift(0.4), lift(0.9)])
    assert lift(0.0) == 0
    assert score_of(0.0) == pytest.approx(BASE_RATE)


def test_a_repair_rule_suggests_another_query(databases, scored):
    from clausewise.models import packaged_detector
    from clausewise.types import Case

    sql = "SELECT name FROM person WHERE country = 'Frence'"
    case = Case(question_id=1, db_id="clean", question="Who is from France?", predicted_sql=sql)
    detector = packaged_detector()
    detector.isolation = IN_PROCESS
    (found,) = audit(detector.score([case], databases), databases, isolation=IN_PROCESS)
    assert found.categories[0].name == "wrong_value"
    assert found.suggested_sql == "SELECT name FROM person WHERE country = 'France'"
    assert found.suggested_because
