"""Every signal has a fixture file; every fixture comes out as it says."""

from pathlib import Path

import pytest

from clausewise.signals import SIGNALS, load_signals
from clausewise.testing import SignalFixture, check_fixture, load_fixtures, run_fixture
from clausewise.types import Group

FIXTURES = Path(__file__).parent / "fixtures"
ALL = [fixture for path in sorted(FIXTURES.glob("*.yaml")) for fixture in load_fixtures(path)]

load_signals()
MODEL_CASES = [
    fixture
    for fixture in ALL
    if fixture.expect == "fired" and SIGNALS[fixture.signal].group is Group.LLM
]


@pytest.mark.parametrize("fixture", ALL, ids=str)
def test_fixture(fixture: SignalFixture, tmp_path: Path) -> None:
    check_fixture(fixture, tmp_path)


@pytest.mark.parametrize("spec", SIGNALS.values(), ids=lambda spec: spec.name)
def test_every_signal_has_fixtures_for_its_outcomes(spec) -> None:
    path = FIXTURES / f"{spec.code}_{spec.name}.yaml"
    assert path.exists(), f"no fixture file {path.name}"
    outcomes = {fixture.expect for fixture in load_fixtures(path)}
    assert {"fired", "silent", "not_applicable"} <= outcomes


@pytest.mark.parametrize("fixture", MODEL_CASES, ids=str)
def test_the_score_is_what_the_model_stated(fixture: SignalFixture, tmp_path: Path) -> None:
    """Its confidence in the error, or one less the probability that the query is right."""
    outcome = run_fixture(fixture, tmp_path)
    for finding in outcome.findings:
        evidence = finding.evidence
        stated = evidence["confidence"] if "confidence" in evidence else 1 - evidence["probability"]
        assert finding.score == pytest.approx(stated, abs=0.001)
