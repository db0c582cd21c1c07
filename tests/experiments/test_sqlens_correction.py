"""SQLens's table 6: what is counted, and what the table says."""

from __future__ import annotations

from clausewise.corrected_case import CorrectedCase, CorrectionStatus
from clausewise.types import CaseStatus, Clause, ClauseSpan, Finding, ScoredCase, Verdict
from experiments.common.results import Cell, write_csv
from experiments.correction.trials import Corrected
from experiments.sqlens.correction import (
    BOTH,
    SCRIPTED,
    TOGETHER,
    counts,
    flagged,
    report,
    rows_of,
)

KEY: dict[str, Cell] = {"replies": "m", "benchmark": "bird", "limit": "all", "queries": 9}


def scored(question: int, *signals: str) -> ScoredCase:
    span = ClauseSpan(Clause.QUERY, "SELECT 1", 0, 8)
    return ScoredCase(
        question_id=question,
        db_id="db",
        predicted_sql="SELECT 1",
        p_correct=0.5,
        verdict=Verdict.INCORRECT,
        status=CaseStatus.OK,
        findings=tuple(Finding(span, 0.5, "odd", signal=signal) for signal in signals),
        signals={},
    )


def row(question: int, before: bool, after: bool, p_after: float = 0.9) -> Corrected:
    result = CorrectedCase(
        question_id=question,
        db_id="db",
        predicted_sql="SELECT 1",
        corrected_sql="SELECT 2",
        changed=True,
        status=CorrectionStatus.CHANGED,
        reason="",
        strategy="sqlens",
        p_before=0.5,
        p_after=p_after,
        cost={"calls": 2, "prompt_tokens": 10, "completion_tokens": 1, "usd": None},
    )
    return Corrected("bird", "s", f"gold {question}", scored(question), result, before, after)


def test_only_queries_that_a_signal_flags() -> None:
    cases = [scored(1, "a", "b"), scored(2, "b"), scored(3)]
    assert [case.question_id for case in flagged(cases, "b")] == [1, 2]
    assert flagged(cases, "c") == []


def test_fixed_broken_and_what_the_detector_lets_pass() -> None:
    rows = [row(1, False, True), row(2, False, True, 0.4), row(3, True, False), row(4, True, True)]
    plain = counts(rows, audited=False)
    assert [plain[name] for name in ("flagged", "wrong", "fix", "break", "net", "calls")] == [
        4, 2, 2, 1, 1, 8,
    ]  # fmt: skip
    audited = counts(rows, audited=True)
    assert [audited[name] for name in ("changed", "fix", "break", "net")] == [3, 1, 1, 0]


def test_over_several_signals_a_query_counts_once(tmp_path) -> None:
    found = {
        "empty_predicate": [row(1, False, True), row(2, True, False)],
        "suboptimal_join_tree": [row(1, False, True)],
        "near_miss_value": [row(1, False, False), row(3, False, True)],
    }
    lines = rows_of(found, KEY)
    nets = {line["signal"]: line["net"] for line in lines if line["audited"] == "no"}
    assert nets[TOGETHER["nine"]] == 0
    assert nets[TOGETHER["all"]] == 1
    write_csv(tmp_path / "correction.csv", lines)
    (text,) = report(tmp_path)
    assert text.index("suboptimal_join_tree") < text.index("empty_predicate")
    assert "9 queries (all cases)" in text
    assert "No model" not in text
    write_csv(tmp_path / "correction.csv", rows_of(found, KEY | {"replies": SCRIPTED + BOTH}))
    assert "No model was asked" in report(tmp_path)[0]


def test_without_results_there_is_no_table(tmp_path) -> None:
    assert report(tmp_path) == []
