"""How a probability comes about: what every format shows of it adds up."""

from __future__ import annotations

import json
import math
import re
import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausewise.databases import Databases
from clausewise.datasets import as_scored_cases, read_cases, read_scores, sample_dir
from clausewise.models import DetectorWarning, packaged_detector
from clausewise.question.language import unreadable_language
from clausewise.reporting import render, report_dict
from clausewise.reporting.explaining import amounts
from clausewise.types import CaseStatus

NUMBER = r"([+-]?\d+\.\d\d)"
SUM = re.compile(rf"in log-odds of an error: (.*?); sum {NUMBER}, p\(correct\) = (\d\.\d\d\d)")
PART = re.compile(rf"(?:^|, )(.+?) {NUMBER}(?=, |$)")
ALONE = rf"{NUMBER}, (?:raised|lowered) the odds of an error"
TOGETHER = rf"more like it, {NUMBER} together"
READABLE = ("text", "markdown", "html")


def plain(rendered: str) -> str:
    """Return a readable view as words on one line."""
    untagged = re.sub(r"(?s)<style>.*?</style>|<[^>]+>|\\", "", rendered)
    words = " ".join(untagged.split())
    return words.replace("log-odds of an error: ", "in log-odds of an error: ").replace(
        "in in log-odds", "in log-odds"
    )


def hundredths(text: str) -> int:
    return round(100 * float(text))


def shown_sum(rendered: str) -> tuple[dict[str, int], int, float]:
    """Return the parts and the sum in hundredths, and p(correct), as they are printed."""
    (found,) = SUM.findall(plain(rendered))
    parts = {label: hundredths(amount) for label, amount in PART.findall(found[0])}
    assert ", ".join(parts) == re.sub(rf" {NUMBER}", "", found[0])
    return parts, hundredths(found[1]), float(found[2])


def shown_findings(rendered: str) -> int:
    words = plain(rendered)
    found = [*re.findall(ALONE, words), *re.findall(TOGETHER, words)]
    return sum(map(hundredths, found))


def check_adds_up(rendered: str) -> dict[str, int]:
    parts, total, p_correct = shown_sum(rendered)
    assert sum(parts.values()) == total
    of_findings = [amount for label, amount in parts.items() if re.match(r"\d+ findings?$", label)]
    assert sum(of_findings) == shown_findings(rendered)
    assert 1 / (1 + math.exp(total / 100)) == pytest.approx(p_correct, abs=0.002)
    return parts


def with_findings(record: dict[str, Any], moved: list[float], more: int = 0) -> dict[str, Any]:
    """Return the record with findings that moved it so far; `more` like the first are left out."""
    first = record["findings"][1]
    findings = [first | {"contribution": amount} for amount in moved]
    total = math.fsum([*moved, more * min(moved), *record["explanation"].values()])
    return record | {
        "findings": findings,
        "more_findings": {first["signal"]: more} if more else {},
        "p_correct": round(1 / (1 + math.exp(total)), 6),
    }


@pytest.fixture(scope="module")
def sample_cases():
    cases = read_cases(sample_dir() / "cases.jsonl")[:24]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DetectorWarning)
        scored = packaged_detector().score(cases, Databases(sample_dir() / "databases"))
    return [case for case in scored if case.status is CaseStatus.OK]


@pytest.mark.parametrize("view", READABLE)
def test_the_parts_add_up_in_every_readable_view(records, signal_notes, view):
    first = check_adds_up(render(records[:1], view, signals=signal_notes))
    assert list(first) == [
        "prior (30% incorrect)",
        "silence of the other signals",
        "shape of the query",
        "fit with the question",
        "2 findings",
    ]
    second = check_adds_up(render(records[1:2], view, signals=signal_notes))
    assert list(second)[1:] == [
        "silence of the signals",
        "shape of the query",
        "fit with the question",
        "candidates and judges",
    ]
    for unjudged in records[2:]:
        assert "log-odds" not in render([unjudged], view, signals=signal_notes)


@pytest.mark.parametrize("view", READABLE)
def test_the_parts_of_real_cases_add_up(sample_cases, view):
    assert any(case.findings for case in sample_cases)
    for case in sample_cases:
        check_adds_up(render([case], view, only=[case.verdict.value]))
        check_adds_up(render([case], view, details=True))


@pytest.mark.parametrize("view", ["json", "sarif"])
def test_the_parts_of_real_cases_add_up_for_programs(sample_cases, view):
    for case in sample_cases:
        written = json.loads(render([case], view))
        if view == "json":
            (record,) = written["cases"]
            moved = record["findings"]
        else:
            (run,) = written["runs"]
            record = run["artifacts"][0]["properties"]
            moved = [result["properties"] for result in run["results"]]
        total = math.fsum(record["explanation"].values())
        total += math.fsum(finding["contribution"] or 0.0 for finding in moved)
        assert 1 / (1 + math.exp(total)) == pytest.approx(record["p_correct"], abs=1e-5)


LOG_ODDS = st.floats(-4, 4)


@given(st.lists(LOG_ODDS, min_size=1, max_size=8), st.lists(LOG_ODDS, min_size=5, max_size=5))
def test_rounded_parts_are_near_and_add_up(moved, rest):
    names = ("prior", "silence", "shape", "expectation", "answers")
    clause = {"kind": "select", "text": "1", "start": 7, "end": 8}
    findings = [
        {"signal": "s", "clause": clause, "score": 0.5, "contribution": amount} for amount in moved
    ]
    record: dict[str, Any] = {
        "question_id": 1,
        "db_id": "shop",
        "predicted_sql": "SELECT 1",
        "p_correct": 1 / (1 + math.exp(math.fsum([*moved, *rest]))),
        "verdict": "correct",
        "status": "ok",
        "findings": findings,
        "signals": {"s": "fired"},
        "explanation": dict(zip(names, rest, strict=True)),
    }
    (case,) = as_scored_cases([record])
    found = amounts(case, case.findings, {})
    for exact, shown in zip(moved, found.findings, strict=True):
        assert abs(100 * exact - shown) < 1 + 1e-9
    parts = {part.label: hundredths(part.amount) for part in found.summed.parts}
    assert sum(parts.values()) == hundredths(found.summed.total)
    assert abs(hundredths(found.summed.total) - 100 * math.fsum([*moved, *rest])) <= 0.5 + 1e-6
    assert "not explained" not in parts


def test_findings_that_are_only_counted_count_in_the_sum(records, signal_notes):
    many = with_findings(records[0], [0.123] * 6, more=4)
    for view in READABLE:
        parts = check_adds_up(render([many], view, signals=signal_notes))
        assert parts["10 findings"] == 123
    text = plain(render([many], signals=signal_notes))
    assert re.search(r"and 7 more like it, \+0\.8\d together", text)


def test_what_the_parts_leave_open_is_said(records, signal_notes):
    record = records[0] | {"p_correct": 0.5}
    for view in READABLE:
        parts = check_adds_up(render([record], view, signals=signal_notes))
        assert parts["not explained"] == -243


def test_numbers_that_are_no_log_odds_are_survived(records):
    finding = records[0]["findings"][0]
    odd = [finding | {"contribution": amount} for amount in (1e308, -1e308, float("nan"))]
    record = records[0] | {"findings": odd}
    for view in READABLE:
        assert "p(correct) = 0.081" in plain(render([record], view, signals={}))


def test_scores_of_earlier_versions_show_weights_and_no_sum(records, signal_notes, tmp_path):
    old = {key: value for key, value in records[0].items() if key != "explanation"}
    path = tmp_path / "scores.jsonl"
    path.write_text("\n".join(map(json.dumps, [old, *records])), encoding="utf-8")
    first, *others = read_scores(path)
    assert first.explanation is None
    kept = [record["explanation"] for record in records]
    assert [case.to_dict()["explanation"] for case in others] == kept
    text = render([first], signals=signal_notes)
    assert "+1.84, raised the odds of an error 6.3-fold" in text
    assert "log-odds of an error:" not in text


def test_a_question_that_cannot_be_read_is_said_plainly(records, signal_notes):
    question = "Wie viele Kunden gibt es in jeder Stadt?"
    reason = unreadable_language(question)
    assert reason
    names = ("candidate_disagreement", "counterexample_disagreement")
    record = records[0] | {
        "question": question,
        "signal_reasons": dict.fromkeys(names, reason) | {"table_similarity": "no answer"},
    }
    for view in READABLE:
        shown = plain(render([record], view, signals=signal_notes))
        assert f"{reason}: 2 signals could not compare it with the query" in shown
        assert "fit with the question (not read)" in shown
        assert reason not in plain(render(records[:1], view, signals=signal_notes))
    (case,) = report_dict([record], signals=signal_notes)["cases"]
    assert case["signal_reasons"]["candidate_disagreement"] == reason


def test_the_sum_takes_little_of_a_long_page(records, signal_notes):
    bare = records[0] | {"explanation": None}
    for view, most in (("text", 220), ("markdown", 280), ("html", 480)):
        extra = len(render(records[:1], view, signals=signal_notes))
        extra -= len(render([bare], view, signals=signal_notes))
        assert 0 < extra < most
