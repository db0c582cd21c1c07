"""The report's dictionary: four parts for each signal, and nothing lost."""

from __future__ import annotations

from clausewise._version import __version__
from clausewise.reporting import build_report, report_dict
from clausewise.reporting.case_view import case_view
from clausewise.reporting.summary_view import summary_lines
from clausewise.types import (
    CaseStatus,
    Clause,
    ClauseSpan,
    Finding,
    OutcomeStatus,
    ScoredCase,
    Verdict,
)


def test_every_signal_that_found_something_has_the_four_parts(records, signal_notes):
    (case, *_) = report_dict(records, signals=signal_notes)["cases"]
    assert [entry["signal"] for entry in case["error_report"]] == [
        "empty_predicate",
        "abnormal_result",
        "colleague",
    ]
    entry = case["error_report"][0]
    assert entry["signal_description"] == "A comparison keeps no row of its table."
    assert entry["example"] == "SELECT * FROM customers WHERE city = 'berlin'"
    assert entry["correction_instruction"] == "Use the value as the database spells it."
    (clause,) = entry["problematic_clauses"]
    assert case["predicted_sql"][clause["start"] : clause["end"]] == clause["text"]
    assert clause["suggestion"] == "the column holds 'Berlin'"
    assert clause["evidence"]["rows"] == 0


def test_a_missing_example_is_null(records, signal_notes):
    (case, *_) = report_dict(records, signals=signal_notes)["cases"]
    assert case["error_report"][1]["example"] is None


def test_a_signal_from_outside_is_said_to_be_one(records, signal_notes):
    (case, *_) = report_dict(records, signals=signal_notes)["cases"]
    assert "from outside" in case["error_report"][2]["signal_description"]


def test_the_parser_s_and_the_database_s_notices_are_explained(records, signal_notes):
    case = report_dict(records, signals=signal_notes)["cases"][2]
    assert "refuses" in case["error_report"][0]["signal_description"]


def test_a_vote_without_a_finding_is_reported_without_clauses(records, signal_notes):
    record = records[1] | {"signals": {"judge": "fired", "other": "silent"}}
    (case,) = report_dict([record], signals=signal_notes)["cases"]
    (entry,) = case["error_report"]
    assert (entry["signal"], entry["problematic_clauses"]) == ("judge", [])


def test_the_records_are_carried_whole_and_left_as_they_were(records, signal_notes):
    record = records[1] | {"note": {"by": ["me"]}, "error_report": "stale"}
    before = dict(record)
    (case,) = report_dict([record], signals=signal_notes)["cases"]
    assert {key: case[key] for key in record if key != "error_report"} == {
        key: value for key, value in before.items() if key != "error_report"
    }
    assert case["error_report"] == []
    assert record == before


def test_the_summary_counts_every_verdict_and_status(records, signal_notes):
    report = report_dict(records, {"threshold": 0.5}, signals=signal_notes)
    assert report["summary"] == {
        "cases": 4,
        "shown": 4,
        "abstained": 0,
        "not_run": 0,
        "verdicts": {"correct": 1, "incorrect": 2, "unchecked": 1},
        "statuses": {"ok": 2, "unparsable": 0, "not_executable": 1, "unchecked": 1},
        "databases": {
            "": {"cases": 1, "incorrect": 0, "unchecked": 1, "abstained": 0},
            "shop": {"cases": 3, "incorrect": 2, "unchecked": 0, "abstained": 0},
        },
        "signals": {
            "abnormal_result": {"fired": 1, "incorrect": 1, "faults": 0},
            "colleague": {"fired": 1, "incorrect": 1, "faults": 0},
            "empty_predicate": {"fired": 1, "incorrect": 1, "faults": 0},
            "table_similarity": {"fired": 0, "incorrect": 0, "faults": 1},
        },
        "cost": None,
    }
    assert report["settings"] == {"threshold": 0.5}
    assert report["generator"] == {"name": "clausewise", "version": __version__}


def test_a_scored_case_is_the_same_as_its_record(signal_notes):
    span = ClauseSpan(Clause.WHERE, "WHERE 0", 9, 16)
    finding = Finding(span, 0.5, "keeps nothing", signal="empty_predicate", code="PRED01")
    scored = ScoredCase(
        question_id=1,
        db_id="shop",
        predicted_sql="SELECT 1 WHERE 0",
        p_correct=0.25,
        verdict=Verdict.INCORRECT,
        status=CaseStatus.OK,
        reason=None,
        findings=(finding,),
        signals={"empty_predicate": OutcomeStatus.FIRED},
        carried={"question": "?"},
    )
    assert report_dict([scored], signals=signal_notes) == report_dict(
        [scored.to_dict()], signals=signal_notes
    )


def test_installed_signals_are_described_where_none_are_given(records):
    (case, *_) = report_dict(records[:1])["cases"]
    entry = case["error_report"][0]
    assert entry["signal"] == "empty_predicate"
    assert "from outside" not in entry["signal_description"]
    assert entry["correction_instruction"]


def test_what_a_language_model_cost_is_given_by_case_and_in_total(records, signal_notes):
    priced = {"calls": 3, "prompt_tokens": 900, "completion_tokens": 60, "usd": 0.0012}
    unpriced = {"calls": 1, "prompt_tokens": 100, "completion_tokens": 10, "usd": None}
    first, second, *rest = records
    report = build_report(
        [first | {"cost": priced}, second | {"cost": unpriced}, *rest], signals=signal_notes
    )
    total = {"calls": 4, "prompt_tokens": 1000, "completion_tokens": 70, "usd": 0.0012}
    assert report.summary.cost == total
    of_case = case_view(report.cases[0]).coverage
    assert of_case.endswith("3 calls, 960 tokens, 0.0012 US dollars.")
    assert summary_lines(report)[-1].endswith("4 calls, 1070 tokens, 0.0012 US dollars.")
