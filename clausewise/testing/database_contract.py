"""What every database keeps, of whatever backend, checked on a few small tables.

The test of a backend loads `contract_script(dialect)` into an empty database and gives a function
that opens it, another object at each call:

    @pytest.mark.parametrize("check", DATABASE_CHECKS, ids=lambda check: check.__name__)
    def test_contract(check):
        check(open_mine)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from clausewise.testing.database_answers import ANSWER_CHECKS
from clausewise.testing.database_facts import FACT_CHECKS
from clausewise.testing.database_processes import PROCESS_CHECKS
from clausewise.testing.database_support import OpenDatabase

DatabaseCheck: TypeAlias = Callable[[OpenDatabase], None]

DATABASE_CHECKS: tuple[DatabaseCheck, ...] = (*ANSWER_CHECKS, *FACT_CHECKS, *PROCESS_CHECKS)
"""Functions that take what opens the database, and raise AssertionError saying what is wrong."""


def check_database(open_database: OpenDatabase) -> None:
    """Run all checks of the contract on a database that holds `contract_script`.

    Raises AssertionError with one line for each check that fails.
    """
    failed = []
    for check in DATABASE_CHECKS:
        try:
            check(open_database)
        except Exception as error:
            failed.append(f"{check.__name__}: {type(error).__name__}: {error}")
    assert not failed, "\n".join(failed)
