"""The contract that all signals keep, run over the whole registry."""

from pathlib import Path

import pytest

from clausewise.signals import SIGNALS, SignalSpec, load_signals
from clausewise.signals.reasons import strengths
from clausewise.testing import check_behavior, check_metadata

load_signals()
SPECS = sorted(SIGNALS.values(), key=lambda spec: spec.code)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_metadata(spec: SignalSpec) -> None:
    check_metadata(spec)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_behavior_on_awkward_queries(spec: SignalSpec, tmp_path: Path) -> None:
    check_behavior(spec, tmp_path)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_one_signal_one_file(spec: SignalSpec) -> None:
    module = spec.function.__module__.rsplit(".", 1)[1]
    assert module == f"{spec.code.lower()}_{spec.name}"


def test_the_strengths_are_those_of_the_declared_reasons() -> None:
    declared = {spec.name: list(spec.reasons) for spec in SPECS}
    assert {name: list(reasons) for name, reasons in strengths().items()} == declared
    for name, reasons in strengths().items():
        for reason, fields in reasons.items():
            assert 0 <= fields["strength"] <= 1, (name, reason)
            assert fields["strength"] > 0 or "at_most" in fields, (name, reason)
            known = {"grade", "strength", "at_most", "level", "precision", "spread", "populations"}
            assert known - {"at_most"} <= set(fields) <= known, (name, reason)
