from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from clausewise.databases import Database, create_database
from clausewise.databases.instances import Constraints, Instance
from clausewise.equivalence.generation import InstanceGenerator
from clausewise.equivalence.plan import make_plan
from clausewise.equivalence.shrinking import shrunk

SCRIPT = """
CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE player (
    id INTEGER PRIMARY KEY, name TEXT, goals INTEGER, team INTEGER NOT NULL REFERENCES team (id)
);
"""
QUERY = "SELECT t.name, p.name FROM player p JOIN team t ON t.id = p.team WHERE p.goals > 5"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    return Database(create_database(tmp_path_factory.mktemp("made") / "teams.sqlite", SCRIPT))


def _without(instance: Instance, table: str, number: int) -> Instance:
    rows = instance.table(table).rows
    return instance.with_rows({table: [*rows[:number], *rows[number + 1 :]]})


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32), skip=st.integers(0, 40), wanted=st.integers(1, 4))
def test_no_single_row_can_be_taken_from_what_is_left(
    database: Database, seed: int, skip: int, wanted: int
) -> None:
    plan = make_plan([QUERY], database)
    generator = InstanceGenerator(plan, seed)
    constraints = Constraints(database)

    def tells(instance: Instance) -> bool:
        goals = [row[2] for row in instance.table("player").rows]
        return sum(goal is not None and int(goal) >= 5 for goal in goals) >= wanted

    found = next((i for i in islice(generator.instances(), skip, 200) if tells(i)), None)
    assume(found is not None)
    assert found is not None
    small = shrunk(found, tells, plan, generator.pools)
    assert tells(small)
    assert constraints.violations(small) == []
    assert len(small.table("player").rows) == wanted
    for table in small.tables:
        for number in range(len(table.rows)):
            fewer = _without(small, table.name, number)
            assert not tells(fewer) or constraints.violations(fewer)


def test_null_and_odd_spellings_become_ordinary_values(database: Database) -> None:
    plan = make_plan(["SELECT name FROM team WHERE city = 'Oslo'"], database)
    generator = InstanceGenerator(plan, 0)
    columns = ("id", "name", "city")
    odd = next(iter(generator.instances())).with_rows({"team": [(1, None, " Oslo")]})
    assert odd.table("team").columns == columns
    small = shrunk(odd, lambda instance: instance.row_count == 1, plan, generator.pools)
    ((_, name, city),) = small.table("team").rows
    assert name is not None
    assert city == "Oslo"


def test_the_number_of_tries_is_limited(database: Database) -> None:
    plan = make_plan([QUERY], database)
    generator = InstanceGenerator(plan, 0)
    large = max(islice(generator.instances(), 60), key=lambda instance: instance.row_count)
    asked: list[Instance] = []

    def tells(instance: Instance) -> bool:
        asked.append(instance)
        return False

    assert shrunk(large, tells, plan, generator.pools, most_tries=3) == large
    assert len(asked) == 3
