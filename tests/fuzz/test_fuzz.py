"""Ten thousand mutated cases: whatever they hold, every one comes back whole."""

import pytest

from clausewise.databases import Database
from clausewise.datasets import sample_dir
from tests.fuzz.campaign import fuzzed, sample_cases, stepped
from tests.fuzz.mutations import mutated_cases

CASES = 10_000
PARTS = 20
MOST_TIMEOUTS = 0.001
"""Share of the cases. Steps of SQLite are counted, so that the number is always the same."""


@pytest.fixture(scope="module")
def databases() -> dict[str, Database]:
    return stepped(sample_dir() / "databases")


@pytest.mark.parametrize("part", range(PARTS))
def test_mutated_cases_come_back_whole(part: int, databases: dict[str, Database]) -> None:
    count = CASES // PARTS
    tally = fuzzed(sample_cases(), databases, count, seed=part)
    assert not tally.problems, "\n".join(tally.problems)
    assert tally.cases == count
    assert tally.timeouts <= MOST_TIMEOUTS * count
    # Mutations that no longer parse would show nothing of the signals.
    assert tally.statuses["ok"] >= count / 2


def test_the_same_seed_gives_the_same_cases() -> None:
    cases = sample_cases()
    first, again, other = (list(mutated_cases(cases, 50, seed)) for seed in (1, 1, 2))
    assert first == again != other
