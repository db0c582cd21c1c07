"""What agreement among candidates adds to the log-odds."""

from __future__ import annotations

import numpy as np
import pytest

from clausewise.models.agreement import (
    FEWEST_CASES,
    LEARNED,
    added,
    domain_factor,
    evidence,
    kept,
)
from clausewise.models.probability import sigmoid

SHARES = np.linspace(0.0, 1.0, 21)


@pytest.mark.parametrize("voices", [1.0, 1.2, 3.0, 10.0])
def test_more_disagreement_never_says_less(voices: float) -> None:
    said = evidence(SHARES, np.full(21, voices))
    assert (np.diff(said) > 0).all()
    assert said[0] < 0.0 < said[-1]


def test_one_voice_says_little_and_many_say_much() -> None:
    ranges = [
        float(np.ptp(evidence(np.array([0.0, 1.0]), np.full(2, voices))))
        for voices in (0.1, 1.0, 3.0, 10.0)
    ]
    assert ranges == sorted(ranges)
    assert ranges[0] < 0.3
    assert ranges[1] < 0.5 * ranges[3]


def test_agreement_of_one_models_samples_is_no_proof() -> None:
    # seven samples that all agree count as little more than one voice
    one, many = evidence(np.zeros(2), np.array([1.1, 10.0]))
    assert -1.5 < one < 0.0
    assert many < -2.5


def test_without_candidates_nothing_is_added() -> None:
    none = np.zeros(3)
    assert (evidence(SHARES[:3], none) == 0.0).all()
    assert (kept(none) == 1.0).all()
    assert (added(np.array([-2.0, 0.0, 2.0]), SHARES[:3], none) == 0.0).all()


def test_what_is_added_leaves_a_share_of_the_rest() -> None:
    rest = np.array([-3.0, 3.0])
    disagreement, voices = np.full(2, 0.5), np.full(2, 4.0)
    total = rest + added(rest, disagreement, voices)
    assert total[1] - total[0] == pytest.approx(6.0 / (1.0 + 4.0 * LEARNED.overlap))
    assert (added(rest, disagreement, voices, factor=0.0) == 0.0).all()


def _domain(generator: np.random.Generator, worth: bool, n: int = 1_000):
    log_odds = generator.normal(-1.0, 1.5, n)
    incorrect = generator.random(n) < sigmoid(log_odds)
    voices = np.full(n, 5.0)
    seen = incorrect if worth else generator.permutation(incorrect)
    return log_odds, np.where(seen, generator.beta(4, 2, n), generator.beta(1, 5, n)), voices


def test_a_domain_where_agreement_proves_something_keeps_its_weight() -> None:
    assert domain_factor(*_domain(np.random.default_rng(0), worth=True)) == 1.0


def test_a_domain_where_agreement_goes_with_nothing_loses_most_of_it() -> None:
    factors = [
        domain_factor(*_domain(np.random.default_rng(seed), worth=False)) for seed in range(10)
    ]
    assert max(factors) < 0.6
    assert float(np.mean(factors)) < 0.3


def test_few_cases_or_equal_ones_leave_the_weight_as_it_is() -> None:
    log_odds, disagreement, voices = _domain(np.random.default_rng(0), worth=False)
    few = slice(0, FEWEST_CASES - 1)
    assert domain_factor(log_odds[few], disagreement[few], voices[few]) == 1.0
    assert domain_factor(log_odds, disagreement, np.zeros_like(voices)) == 1.0
    assert domain_factor(np.zeros_like(log_odds), disagreement, voices) == 1.0
