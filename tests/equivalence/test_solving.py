from __future__ import annotations

import pytest

from clausewise.databases import Database, create_database
from clausewise.databases.instances import Constraints, Instance
from clausewise.equivalence import EquivalenceVerdict, Stage, compare, comparing
from clausewise.equivalence.generation import InstanceGenerator
from clausewise.equivalence.plan import make_plan
from clausewise.equivalence.solving import solved

SCRIPT = """
CREATE TABLE item (
    id INTEGER PRIMARY KEY, name TEXT, price INTEGER, cost INTEGER, sold INTEGER,
    maker INTEGER REFERENCES maker (id)
);
CREATE TABLE maker (id INTEGER PRIMARY KEY, name TEXT NOT NULL, founded INTEGER);
"""
SHARP = (
    "SELECT id FROM item WHERE price * 3 - cost * 7 = 1 AND price > 40 AND cost - sold = 13",
    "SELECT id FROM item WHERE price * 3 - cost * 7 = 1 AND price > 40 AND cost - sold > 13",
)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    return Database(create_database(tmp_path_factory.mktemp("made") / "items.sqlite", SCRIPT))


def _solved(database: Database, *queries: str) -> list[Instance]:
    plan = make_plan(queries, database)
    return list(solved(plan, InstanceGenerator(plan, 0)))


def test_rows_meet_equations_that_chance_would_not(database: Database) -> None:
    pytest.importorskip("z3")
    rows = [row for one in _solved(database, SHARP[0]) for row in one.table("item").rows]
    found = [(int(row[2] or 0), int(row[3] or 0), int(row[4] or 0)) for row in rows]
    assert any(p * 3 - c * 7 == 1 and p > 40 and c - s == 13 for p, c, s in found)
    assert any(p * 3 - c * 7 == 1 and p > 40 and c - s != 13 for p, c, s in found)
    assert all(0 <= number <= 100 for row in found for number in row)


def test_solved_instances_are_valid_and_always_the_same(database: Database) -> None:
    pytest.importorskip("z3")
    query = (
        "SELECT i.name FROM item i JOIN maker m ON i.maker = m.id"
        " WHERE i.price - i.cost > m.founded AND m.name LIKE 'Ab%c_'"
    )
    found = _solved(database, query)
    assert found == _solved(database, query)
    constraints = Constraints(database)
    assert all(constraints.violations(one) == [] for one in found)
    names = [str(row[1]) for one in found for row in one.table("maker").rows]
    assert any(name.startswith("Ab") and name[-2] == "c" for name in names)


def test_what_chance_misses_is_told_apart(database: Database) -> None:
    pytest.importorskip("z3")
    result = compare(*SHARP, database)
    assert result.verdict is EquivalenceVerdict.NOT_EQUIVALENT
    assert result.attempts[-1].stage is Stage.SOLVED
    assert result.counterexample is not None
    assert result.counterexample.instance is not None
    assert result.counterexample.instance.most_rows == 1


def test_without_the_solver_the_attempt_says_so(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "is_available", lambda: False)
    result = compare(*SHARP, database, instances_tried=80)
    assert result.verdict is EquivalenceVerdict.UNKNOWN
    attempts = [one for one in result.attempts if one.stage is Stage.SOLVED]
    assert [one.outcome for one in attempts] == ["z3 is not installed"]
