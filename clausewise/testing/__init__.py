"""Public help for testing signals and databases, clausewise's own and those of plug-ins.

- `load_fixtures` and `check_fixture` run a signal's YAML fixtures on small databases;
- `check_metadata` and `check_behavior` check the contract that all signals keep;
- `check_database` checks a backend, and `DATABASE_CHECKS` one thing at a time, on a database that
  holds the tables of `contract_script`;
- `ScriptedEndpoint` plays a language model's server on the loopback, well or badly behaved.
"""

from clausewise.testing.contract import STRESS_QUERIES, check_behavior, check_metadata
from clausewise.testing.database_contents import contract_script
from clausewise.testing.database_contract import DATABASE_CHECKS, check_database
from clausewise.testing.endpoint import Reply, ScriptedEndpoint, fitting
from clausewise.testing.fixtures import (
    ExpectedFinding,
    SignalFixture,
    check_fixture,
    load_fixtures,
    run_fixture,
)

__all__ = [
    "DATABASE_CHECKS",
    "STRESS_QUERIES",
    "ExpectedFinding",
    "Reply",
    "ScriptedEndpoint",
    "SignalFixture",
    "check_behavior",
    "check_database",
    "check_fixture",
    "check_metadata",
    "contract_script",
    "fitting",
    "load_fixtures",
    "run_fixture",
]
