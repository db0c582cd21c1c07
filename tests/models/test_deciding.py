import numpy as np
import pytest
from clausewise.models.deciding import decided

from clausewise.explanation import Explanation
from clausewise.signals import reasons
from clausewise.types import Clause, ClauseSpan, Finding, Level, Outcome, OutcomeStatus

REST = Explanation(prior=-1.0, silence=-1.0, shape=0.0, expectation=0.0, answers=0.0)
KNOWN = {
    "sure": {"always": {"level": "error", "count": 40, "precision": 0.97}},
    "rare": {"seen_twice": {"level": "error", "count": 2, "precision": 1.0}},
}


@pytest.fixture(autouse=True)
def _strengths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reasons, "strengths", lambda: KNOWN)


def outcomes(signal: str, reason: str) -> dict[str, Outcome]:
    place = ClauseSpan(Clause.QUERY, "SELECT 1", 0, 8)
    finding = Finding(
        place, 0.9, "odd", level=Level.ERROR, signal=signal, reason=reason, contribution=0.5
    )
    return {signal: Outcome(signal, OutcomeStatus.FIRED, (finding,))}


def log_odds(probability: float) -> float:
    return float(np.log(probability / (1.0 - probability)))


def test_an_error_that_was_nearly_always_right_decides() -> None:
    result = decided(0.3, outcomes("sure", "always"), REST)
    assert result.incorrect == pytest.approx(0.25 + 0.75 * 0.9)
    (finding,) = result.outcomes["sure"].findings
    raised = log_odds(result.incorrect) - log_odds(0.3)
    assert finding.contribution == pytest.approx(0.5 + raised, abs=1e-5)


def test_it_only_raises_and_moves_with_the_probabilities() -> None:
    assert decided(0.99, outcomes("sure", "always"), REST).incorrect == 0.99
    moved = decided(0.3, outcomes("sure", "always"), REST, moved=-1.0).incorrect
    assert log_odds(moved) == pytest.approx(log_odds(0.925) - 1.0)


@pytest.mark.parametrize(("signal", "reason"), [("rare", "seen_twice"), ("plugin", "own")])
def test_what_was_hardly_counted_decides_nothing(signal: str, reason: str) -> None:
    assert decided(0.3, outcomes(signal, reason), REST).incorrect == 0.3
