"""The Wilson interval against SciPy's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from clausewise.evaluation.intervals import wilson_interval


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_interval_agrees_with_scipy(counts):
    hits, trials = counts
    reference = binomtest(hits, trials).proportion_ci(method="wilson")
    assert wilson_interval(hits, trials) == pytest.approx(
        (reference.low, reference.high), abs=1e-15
    )
    low, high = wilson_interval(hits, trials) or (-1.0, -1.0)
    assert 0 <= low <= hits / trials <= high <= 1


def test_no_trial_has_no_interval():
    assert wilson_interval(0, 0) is None
