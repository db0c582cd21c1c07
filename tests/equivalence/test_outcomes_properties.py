"""A reported difference is never false, and a difference of determinate queries is reported."""

from __future__ import annotations

import itertools
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clausewise.databases import Cell, Database, create_database
from clausewise.databases.instances import Instance, InstanceTable
from clausewise.equivalence import Conventions, DifferenceKind, OrderRule
from clausewise.equivalence.outcomes import InstanceRunner, QueryOutcome, difference
from clausewise.equivalence.plan import make_plan

SCRIPT = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, code TEXT, people INTEGER);
CREATE TABLE person (pid INTEGER PRIMARY KEY, city INTEGER, age INTEGER, nick TEXT);
"""
COLUMNS = {"city": ("id", "name", "code", "people"), "person": ("pid", "city", "age", "nick")}

SAME_UP_TO_TIES = [
    ("SELECT name FROM city ORDER BY people LIMIT 1",
     "SELECT name FROM city ORDER BY people, id LIMIT 1"),
    ("SELECT name FROM city ORDER BY people LIMIT 1",
     "SELECT name FROM city ORDER BY people, id DESC LIMIT 1"),
    ("SELECT name FROM city ORDER BY people, name LIMIT 2",
     "SELECT name FROM city ORDER BY people LIMIT 2"),
    ("SELECT name FROM city ORDER BY people LIMIT 2 OFFSET 1",
     "SELECT name FROM city ORDER BY people, name DESC LIMIT 2 OFFSET 1"),
    ("SELECT name FROM city LIMIT 1", "SELECT name FROM city ORDER BY people LIMIT 1"),
    ("SELECT name FROM city ORDER BY people", "SELECT name FROM city ORDER BY people, code"),
    ("SELECT name FROM city ORDER BY people, name", "SELECT name FROM city ORDER BY people"),
    ("SELECT name FROM city GROUP BY name ORDER BY count(*) DESC LIMIT 1",
     "SELECT name FROM city GROUP BY name ORDER BY count(*) DESC, name DESC LIMIT 1"),
    ("SELECT name, count(*) FROM city GROUP BY name ORDER BY 2 DESC LIMIT 1",
     "SELECT name, count(id) AS n FROM city GROUP BY 1 ORDER BY n DESC, max(people) LIMIT 1"),
    ("SELECT name FROM city GROUP BY id", "SELECT name FROM city"),
    ("SELECT c.name FROM city c JOIN person p ON p.city = c.id GROUP BY c.id "
     "ORDER BY count(*) LIMIT 1",
     "SELECT c.name FROM person p JOIN city c ON p.city = c.id GROUP BY c.id, c.name "
     "ORDER BY count(*), c.id DESC LIMIT 1"),
    ("SELECT name FROM city WHERE id IN (SELECT city FROM person)",
     "SELECT name FROM city WHERE EXISTS (SELECT 1 FROM person WHERE city = id LIMIT 1)"),
    ("SELECT name FROM city WHERE id IN (SELECT city FROM person ORDER BY age LIMIT 2)",
     "SELECT name FROM city WHERE id IN (SELECT city FROM person ORDER BY age, pid DESC LIMIT 2)"),
    ("SELECT name FROM city WHERE id NOT IN (SELECT city FROM person LIMIT 1)",
     "SELECT name FROM city WHERE id NOT IN (SELECT city FROM person ORDER BY pid DESC LIMIT 1)"),
    ("SELECT name, max(people) FROM city HAVING count(*) > 0",
     "SELECT name, people FROM city WHERE people IS (SELECT max(people) FROM city) LIMIT 1"),
    ("SELECT code, name FROM city GROUP BY code", "SELECT code, max(name) FROM city GROUP BY code"),
    ("SELECT code, name FROM city GROUP BY code", "SELECT code, min(name) FROM city GROUP BY code"),
    ("SELECT code, name, people FROM city GROUP BY code",
     "SELECT code, name, people FROM (SELECT * FROM city ORDER BY id DESC) GROUP BY code"),
    ("SELECT name FROM city WHERE people = (SELECT age FROM person)",
     "SELECT name FROM city WHERE people = (SELECT age FROM person ORDER BY pid DESC LIMIT 1)"),
    ("SELECT (SELECT nick FROM person WHERE city = id) FROM city",
     "SELECT (SELECT nick FROM person WHERE city = id ORDER BY pid DESC LIMIT 1) FROM city"),
    ("SELECT id, row_number() OVER (ORDER BY people) FROM city",
     "SELECT id, row_number() OVER (ORDER BY people, id DESC) FROM city"),
    ("SELECT id, lag(name) OVER (ORDER BY people) FROM city",
     "SELECT id, lag(name) OVER (ORDER BY people, id DESC) FROM city"),
    ("SELECT name FROM (SELECT name, row_number() OVER (PARTITION BY code ORDER BY people) AS r "
     "FROM city) WHERE r = 1",
     "SELECT name FROM (SELECT name, row_number() OVER (PARTITION BY code "
     "ORDER BY people, id DESC) AS r FROM city) WHERE r = 1"),
    ("SELECT group_concat(name) FROM city",
     "SELECT group_concat(name) FROM (SELECT name FROM city ORDER BY id DESC)"),
    ("SELECT DISTINCT name FROM city ORDER BY people LIMIT 1",
     "SELECT name FROM city GROUP BY name ORDER BY max(people) LIMIT 1"),
    ("WITH x AS (SELECT code FROM city GROUP BY code ORDER BY count(*) DESC LIMIT 1) "
     "SELECT name FROM city JOIN x ON x.code = city.code",
     "SELECT name FROM city WHERE code = "
     "(SELECT code FROM city GROUP BY code ORDER BY count(*) DESC, code DESC LIMIT 1)"),
    ("SELECT avg(people) FROM city", "SELECT sum(people) * 1.0 / count(people) FROM city"),
    ("SELECT name FROM city UNION ALL SELECT nick FROM person LIMIT 2",
     "SELECT nick FROM person UNION ALL SELECT name FROM city LIMIT 2"),
]  # fmt: skip
"""Pairs for which some choice of SQL's open points gives the same result on every instance."""

DETERMINATE = [
    "SELECT name FROM city",
    "SELECT name, code FROM city WHERE people > 1",
    "SELECT DISTINCT name FROM city",
    "SELECT count(*) FROM city WHERE people IS NULL",
    "SELECT c.name FROM city c JOIN person p ON p.city = c.id",
    "SELECT c.name FROM city c LEFT JOIN person p ON p.city = c.id",
    "SELECT code, count(*) FROM city GROUP BY code",
    "SELECT code, sum(people) FROM city GROUP BY code HAVING count(*) > 1",
    "SELECT name FROM city WHERE id NOT IN (SELECT city FROM person)",
    "SELECT name FROM city EXCEPT SELECT nick FROM person",
]

texts = st.sampled_from(["a", "b", "A", None])
numbers = st.sampled_from([1, 2, 3, None])


@st.composite
def instances(draw: st.DrawFn) -> Instance:
    keys = [draw(st.permutations(range(1, 6))) for _ in range(2)]
    cities = draw(st.lists(st.tuples(texts, texts, numbers), max_size=5))
    persons = draw(st.lists(st.tuples(numbers, numbers, texts), max_size=5))
    tables = {
        "city": tuple((key, *row) for key, row in zip(keys[0], cities, strict=False)),
        "person": tuple((key, *row) for key, row in zip(keys[1], persons, strict=False)),
    }
    return Instance.of([InstanceTable(name, COLUMNS[name], rows) for name, rows in tables.items()])


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InstanceRunner]:
    """All queries of this module on both tables, those of a pair next to one another."""
    folder = tmp_path_factory.mktemp("properties")
    database = Database(create_database(folder / "d.sqlite", SCRIPT), cache_dir=folder)
    queries = [*itertools.chain.from_iterable(SAME_UP_TO_TIES), *DETERMINATE]
    with closing(InstanceRunner(make_plan(queries, database))) as made:
        yield made
    database.close()


conventions = st.builds(
    Conventions, st.sampled_from(OrderRule), st.booleans(), st.booleans(), st.sampled_from([3, 6])
)
often = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


@given(instances(), conventions)
@often
def test_queries_that_are_the_same_up_to_ties_never_differ(
    runner: InstanceRunner, instance: Instance, rules: Conventions
) -> None:
    outcomes = runner.outcomes(instance)
    for number, pair in enumerate(SAME_UP_TO_TIES):
        a, b = outcomes[2 * number : 2 * number + 2]
        assert not a.failure
        assert not b.failure
        assert difference(a, b, rules) is None, pair
        assert difference(b, a, rules) is None, pair


@given(instances(), st.randoms(use_true_random=False))
@often
def test_what_the_database_gives_in_another_way_is_possible(
    runner: InstanceRunner, instance: Instance, dice: object
) -> None:
    """Rows in other orders, with indexes and scanned backwards, give a result that was foreseen."""
    outcomes = runner.outcomes(instance)
    for engine in _engines(instance, dice):
        with closing(engine):
            for query, outcome in zip(runner.plan.queries, outcomes, strict=True):
                if not outcome.indeterminate:
                    _check_possible(outcome, engine.execute(query.text).fetchall())


@given(instances())
@often
def test_determinate_queries_differ_where_their_rows_do(
    runner: InstanceRunner, instance: Instance
) -> None:
    outcomes = runner.outcomes(instance)[-len(DETERMINATE) :]
    for a, b in itertools.combinations(outcomes, 2):
        assert not a.indeterminate
        expected = DifferenceKind.ROWS
        if len(a.result.columns) != len(b.result.columns):
            expected = DifferenceKind.COLUMNS
        same = Counter(a.result.rows) == Counter(b.result.rows)
        is_different = expected is DifferenceKind.COLUMNS or not same
        assert difference(a, b, Conventions()) is (expected if is_different else None)


def _engines(instance: Instance, dice: object) -> Iterator[sqlite3.Connection]:
    for number in range(3):
        connection = sqlite3.connect(":memory:")
        connection.executescript(SCRIPT)
        if number == 1:
            connection.execute("PRAGMA reverse_unordered_selects = ON")
        for table in instance.tables:
            if number == 2:
                for column in table.columns[1:]:
                    connection.execute(
                        f"CREATE INDEX {table.name}_{column} ON {table.name}({column})"
                    )
            rows: list[tuple[Cell, ...]] = list(table.rows)
            dice.shuffle(rows)  # type: ignore[attr-defined]
            connection.executemany(f"INSERT INTO {table.name} VALUES (?, ?, ?, ?)", rows)
        yield connection


def _check_possible(outcome: QueryOutcome, rows: list[tuple[Cell, ...]]) -> None:
    given_rows = Counter(rows)
    if outcome.pool is None:
        assert given_rows == Counter(outcome.result.rows)
        return
    sure = Counter(outcome.pool.sure)
    assert sure <= given_rows <= sure + Counter(outcome.pool.choice)
    assert len(rows) == len(outcome.result.rows)
