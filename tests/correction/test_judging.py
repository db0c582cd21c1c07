"""The rule of the auditor: how much more probable a proposal must be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausewise.correction.judging import least_probability, refusal
from clausewise.types import CaseStatus, ScoredCase, Verdict

unit = st.floats(0, 1)


def judged(p_correct: float | None, status: CaseStatus = CaseStatus.OK) -> ScoredCase:
    return ScoredCase(
        question_id=1,
        db_id="clinic",
        predicted_sql="SELECT 1",
        p_correct=p_correct,
        verdict=Verdict.CORRECT,
        status=status,
        reason="no such table",
        findings=(),
        signals={},
    )


def test_around_a_half_the_margin_is_a_difference() -> None:
    assert least_probability(0.4, 0.2) == pytest.approx(0.6)
    assert least_probability(0.31, 0.38) == pytest.approx(0.69)


def test_near_one_a_smaller_difference_is_as_much_evidence() -> None:
    assert least_probability(0.9, 0.2) == pytest.approx(0.953, abs=1e-3)
    assert least_probability(0.02, 0.2) == pytest.approx(0.044, abs=1e-3)


@given(unit, unit)
def test_it_lies_between_the_current_probability_and_one(p_correct: float, margin: float) -> None:
    assert p_correct <= least_probability(p_correct, margin) <= 1.0


@given(unit)
def test_the_ends_of_the_margin(p_correct: float) -> None:
    assert least_probability(p_correct, 0.0) == pytest.approx(p_correct, abs=1e-4)
    assert least_probability(p_correct, 1.0) == 1.0


@given(unit, unit, unit)
def test_a_larger_margin_lets_nothing_more_pass(p_correct: float, one: float, two: float) -> None:
    low, high = sorted((one, two))
    assert least_probability(p_correct, low) <= least_probability(p_correct, high) + 1e-12


def test_a_refusal_says_what_it_takes() -> None:
    assert "takes more than 0.600, margin 0.2" in refusal(judged(0.4), judged(0.55), 0.2)
    assert not refusal(judged(0.4), judged(0.61), 0.2)
    assert not refusal(judged(0.9), judged(0.1), None)
    assert "cannot judge" in refusal(judged(None), judged(0.9), 0.0)
    broken = judged(0.0, CaseStatus.NOT_EXECUTABLE)
    assert "does not run" in refusal(judged(0.4), broken, None)


def test_equal_probabilities_are_no_preference() -> None:
    assert refusal(judged(0.4), judged(0.4), 0.0)
    assert refusal(judged(1.0), judged(1.0), 0.0)
    assert not refusal(judged(0.0, CaseStatus.NOT_EXECUTABLE), judged(0.3), 0.38)
