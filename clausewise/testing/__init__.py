"""Public help for testing signals, clausewise's own and those of plug-ins.

- `load_fixtures` and `check_fixture` run a signal's YAML fixtures on small databases;
- `check_metadata` and `check_behavior` check the contract that all signals keep;
- `ScriptedEndpoint` plays a language model's server on the loopback, well or badly behaved.
"""

from clausewise.testing.contract import STRESS_QUERIES, check_behavior, check_metadata
from clausewise.testing.endpoint import Reply, ScriptedEndpoint, fitting
from clausewise.testing.fixtures import (
    ExpectedFinding,
    SignalFixture,
    check_fixture,
    load_fixtures,
    run_fixture,
)

__all__ = [
    "STRESS_QUERIES",
    "ExpectedFinding",
    "Reply",
    "ScriptedEndpoint",
    "SignalFixture",
    "check_behavior",
    "check_fixture",
    "check_metadata",
    "fitting",
    "load_fixtures",
    "run_fixture",
]
