"""Which cases a language model is asked about."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausewise.errors import InputError
from clausewise.models.streaming import affordable, doubtful_cases
from clausewise.types import CaseStatus, ScoredCase, Verdict


def scored(p_correct: float | None, status: CaseStatus = CaseStatus.OK) -> ScoredCase:
    return ScoredCase(
        question_id=1,
        db_id="shop",
        predicted_sql="SELECT 1",
        p_correct=p_correct,
        verdict=Verdict.UNCHECKED if p_correct is None else Verdict.CORRECT,
        status=status,
        reason=None,
        findings=(),
        signals={},
        carried={},
    )


def test_the_cases_that_are_as_likely_right_as_wrong_are_chosen():
    clear = [scored(p) for p in (0.99, 0.01) for _ in range(300)]
    cases = [scored(p) for p in (0.99, 0.62, 0.2, 0.5, 0.05)]
    chosen = doubtful_cases([*cases, *clear], prior=0.5, at_most=2)
    assert chosen.positions == {1, 3}
    assert (chosen.low, chosen.high) == (0.5, 0.62)


def test_doubt_is_measured_at_the_share_of_errors_that_the_cases_have():
    rare = [scored(p) for p in (0.9, 0.5, 0.1)]
    among_right = [*rare, *(scored(0.95) for _ in range(200))]
    among_both = [*rare, *(scored(p) for p in (0.95, 0.05) for _ in range(100))]
    assert doubtful_cases(among_both, prior=0.5, at_most=1).positions == {1}
    # where nearly all are right, one that seemed as likely wrong as right is right, too
    assert doubtful_cases(among_right, prior=0.5, at_most=1).positions == {2}


def test_only_queries_that_run_are_asked_about():
    cases = [scored(0.0, CaseStatus.UNPARSABLE), scored(None, CaseStatus.UNCHECKED), scored(0.9)]
    chosen = doubtful_cases(cases, prior=0.5, at_most=3)
    assert chosen.positions == {2}
    assert chosen.candidates == 1


def test_with_nothing_to_choose_there_is_no_band():
    chosen = doubtful_cases([scored(0.5)], prior=0.5, at_most=0)
    assert chosen.positions == frozenset()
    assert math.isnan(chosen.low)


@given(st.lists(st.floats(0, 1), max_size=30), st.integers(0, 40), st.floats(0.05, 0.95))
def test_as_many_are_chosen_as_there_may_be(probabilities, at_most, prior):
    chosen = doubtful_cases([scored(p) for p in probabilities], prior, at_most)
    assert len(chosen.positions) == min(at_most, len(probabilities))
    if chosen.positions:
        assert chosen.low <= chosen.high


@pytest.mark.parametrize(
    ("calls", "share", "expected"),
    [
        (None, None, 25),
        (None, 0.5, 50),
        (90, None, 10),
        (90, 0.05, 5),
        (8, None, 0),
        (9000, 1, 100),
    ],
)
def test_the_budget_of_calls_and_the_share_both_bind(calls, share, expected):
    assert affordable(100, 9, calls, share) == expected


def test_a_share_outside_0_to_1_is_refused():
    with pytest.raises(InputError, match="share"):
        affordable(100, 9, None, 1.5)
