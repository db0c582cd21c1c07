from __future__ import annotations

import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clausewise.databases import Database, create_database
from clausewise.databases.instances import Constraints, Instance
from clausewise.equivalence.generation import MOST_ROWS, instances
from clausewise.equivalence.plan import Plan, make_plan

SCRIPT = """
CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, region TEXT);
CREATE TABLE person (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER, born DATE, salary REAL,
    country TEXT REFERENCES country (code), boss INTEGER REFERENCES person (id),
    password TEXT
);
CREATE TABLE club (
    id INTEGER PRIMARY KEY, title TEXT, head INTEGER NOT NULL REFERENCES person (id)
);
CREATE TABLE member (
    person INTEGER REFERENCES person (id), club INTEGER REFERENCES club (id), since INTEGER,
    PRIMARY KEY (person, club)
);
CREATE TABLE fee (
    person INTEGER NOT NULL, club INTEGER NOT NULL, amount REAL,
    FOREIGN KEY (person, club) REFERENCES member (person, club)
);
CREATE TABLE chicken (id INTEGER PRIMARY KEY, egg INTEGER NOT NULL REFERENCES egg (id));
CREATE TABLE egg (id INTEGER PRIMARY KEY, chicken INTEGER NOT NULL REFERENCES chicken (id));
INSERT INTO country VALUES ('FR', 'France', 'Europe'), ('JP', 'Japan', 'Asia');
INSERT INTO person VALUES (1, 'Ada', 36, '1815-12-10', 9.5, 'FR', NULL, 'hunter2');
"""
QUERIES = (
    "SELECT name FROM person WHERE age > 30",
    "SELECT name FROM person WHERE age BETWEEN 20 AND 40 AND country = 'FR' ORDER BY name LIMIT 3",
    "SELECT count(*) FROM person WHERE strftime('%Y', born) = '1999'",
    "SELECT p.name FROM person p JOIN country c ON p.country = c.code WHERE c.region LIKE 'Eu%'",
    "SELECT club, count(*) FROM member GROUP BY club HAVING count(*) > 6",
    "SELECT title FROM club WHERE id NOT IN (SELECT club FROM member WHERE since < 2000)",
    "SELECT avg(amount) FROM fee JOIN member USING (person, club) WHERE since >= 2010",
    "SELECT a.name FROM person a JOIN person b ON a.boss = b.id WHERE b.salary - a.salary > 5",
    "SELECT name FROM country EXCEPT SELECT name FROM person",
    "SELECT egg FROM chicken JOIN egg ON chicken.egg = egg.id",
    "SELECT name FROM person WHERE lower(name) = 'ada' OR age IS NULL",
    "SELECT * FROM person ORDER BY age DESC LIMIT 2 OFFSET 2",
    "SELECT password FROM person",
)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    return Database(create_database(tmp_path_factory.mktemp("made") / "clubs.sqlite", SCRIPT))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    queries=st.lists(st.sampled_from(QUERIES), min_size=1, max_size=3),
    seed=st.integers(0, 2**32),
)
def test_every_instance_obeys_the_constraints(
    database: Database, queries: list[str], seed: int
) -> None:
    plan = make_plan(queries, database)
    constraints = Constraints(database)
    for instance in islice(instances(plan, seed), 25):
        assert constraints.violations(instance) == []


@pytest.mark.parametrize("query", QUERIES)
def test_tables_that_need_no_more_rows_have_few(database: Database, query: str) -> None:
    plan = make_plan([query], database)
    for instance in islice(instances(plan, 1), 40):
        assert instance.most_rows <= MOST_ROWS or "count" in query or "LIMIT" in query


def _first(database: Database, query: str, seed: int = 0, count: int = 40) -> list[Instance]:
    return list(islice(instances(make_plan([query], database), seed), count))


def _column(found: list[Instance], table: str, column: str) -> list[object]:
    return [
        row[one.table(table).columns.index(column)]
        for one in found
        for row in one.table(table).rows
    ]


def test_values_stand_around_a_constant(database: Database) -> None:
    ages = _column(_first(database, "SELECT name FROM person WHERE age > 30"), "person", "age")
    assert {29, 30, 31, None} <= set(ages)


def test_dates_meet_a_condition_on_their_year(database: Database) -> None:
    query = "SELECT name FROM person WHERE strftime('%Y', born) = '1999'"
    born = _column(_first(database, query), "person", "born")
    assert any(str(day).startswith("1999-") for day in born)
    assert any(str(day).startswith("2000-") for day in born)


def test_patterns_are_realized_with_and_without_a_match(database: Database) -> None:
    query = "SELECT code FROM country WHERE region LIKE '%uro_e%'"
    regions = [str(region) for region in _column(_first(database, query), "country", "region")]
    assert any("uroae" in region for region in regions)
    assert any("uroae" not in region for region in regions)


def test_rows_grow_where_a_count_asks_for_them(database: Database) -> None:
    query = "SELECT club FROM member GROUP BY club HAVING count(*) > 6"
    sizes = {len(one.table("member").rows) for one in _first(database, query)}
    assert {6, 7} <= sizes
    assert max(len(one.table("club").rows) for one in _first(database, query)) <= MOST_ROWS + 3


def test_a_table_that_is_not_read_appears_only_where_a_key_needs_it(database: Database) -> None:
    plan = make_plan(["SELECT title FROM club"], database)
    assert [table.name for table in plan.tables] == ["club", "person"]
    plan = make_plan(["SELECT name FROM person"], database)
    assert [table.name for table in plan.tables] == ["person"]
    assert {row for one in _first(database, "SELECT name FROM person") for row in one.tables}
    assert set(_column(_first(database, "SELECT name FROM person"), "person", "country")) == {None}


def test_secrets_of_the_database_do_not_appear(database: Database) -> None:
    shown = _column(_first(database, "SELECT password FROM person"), "person", "password")
    assert shown
    assert "hunter2" not in shown


def test_values_come_from_the_database_unless_they_must_not(database: Database) -> None:
    plan = make_plan(["SELECT name, region FROM country"], database)
    real = _column(list(islice(instances(plan, 0), 20)), "country", "region")
    assert "Europe" in real
    made = list(islice(instances(plan, 0, real_values=False), 20))
    assert "Japan" not in _column(made, "country", "code")


def test_columns_of_a_row_have_different_values(database: Database) -> None:
    found = _first(database, "SELECT name, code FROM country")
    rows = [row for one in found for row in one.table("country").rows]
    assert sum(len(set(row)) == len(row) for row in rows) > len(rows) / 2


_PRINTED = """
import json, sys
from itertools import islice
from clausewise.databases import Database
from clausewise.equivalence.generation import instances
from clausewise.equivalence.plan import make_plan
plan = make_plan(json.loads(sys.argv[2]), Database(sys.argv[1]))
print(json.dumps([one.to_dict() for one in islice(instances(plan, 5), 30)]))
"""


def test_another_process_makes_the_same_instances(database: Database, tmp_path: Path) -> None:
    texts = '["SELECT name FROM person WHERE age > 30", "SELECT a.name FROM person a, club c"]'
    outputs = [
        subprocess.run(
            [sys.executable, "-c", _PRINTED, str(database.path), texts],
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    assert len(outputs[0]) > 1_000


def test_the_seed_decides(database: Database) -> None:
    query = "SELECT name FROM person WHERE age > 30"
    assert _first(database, query, 3) == _first(database, query, 3)
    assert _first(database, query, 3) != _first(database, query, 4)


def test_a_plan_knows_the_columns_that_are_mentioned(database: Database) -> None:
    plan: Plan = make_plan(["SELECT name FROM person WHERE age > 3"], database)
    assert list(plan.used) == [("person", "name"), ("person", "age")]


def test_a_table_of_few_possible_contents_ends_the_instances(tmp_path: Path) -> None:
    script = "CREATE TABLE flag (value BOOLEAN PRIMARY KEY CHECK (value = 1)); "
    small = Database(create_database(tmp_path / "flag.sqlite", script))
    plan = make_plan(["SELECT value FROM flag WHERE value = 1"], small)
    assert len(list(islice(instances(plan, 0), 5_000))) < 5_000
