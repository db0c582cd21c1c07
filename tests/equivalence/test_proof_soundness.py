"""Queries that are proved equivalent never differ on an instance."""

import itertools
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clausewise.databases import BaseDatabase, create_database, open_database
from clausewise.equivalence import Conventions
from clausewise.equivalence.generation import InstanceGenerator
from clausewise.equivalence.outcomes import InstanceRunner, difference
from clausewise.equivalence.plan import make_plan
from clausewise.equivalence.proof import normal_form, prove

DDL = """
CREATE TABLE s (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER, code TEXT UNIQUE);
CREATE TABLE g (id INTEGER PRIMARY KEY, sid INTEGER NOT NULL REFERENCES s (id), year INTEGER,
  gid INTEGER REFERENCES s (id));
CREATE TABLE p (id INT PRIMARY KEY, name TEXT);
"""
SOURCES = (
    "s",
    "s",
    "s JOIN g ON g.gid = s.id",
    "g JOIN s ON s.id = g.sid",
    "s, g",
    "s LEFT JOIN p ON p.id = s.id",
    "s LEFT JOIN g ON g.gid = s.id",
    "g LEFT JOIN s ON s.id = g.sid",
    "s JOIN p ON s.name = p.name",
    "g LEFT JOIN s ON s.id = g.gid",
    "(SELECT * FROM s WHERE age > 1) AS s",
    "s LEFT JOIN g ON g.id = s.id",
    "(SELECT DISTINCT id, age, name, code FROM s) AS s",
    "s JOIN s AS t ON s.id = t.id",
    "s JOIN s AS t ON s.age = t.age",
    "(SELECT sid AS id, COUNT(*) AS age FROM g GROUP BY sid) AS s",
)
ATOMS = (
    "s.age > 1",
    "s.age <= 1",
    "s.age = 2",
    "s.age IS NULL",
    "NOT s.age > 1",
    "s.age IN (1, 2)",
    "s.age NOT IN (2)",
    "s.id = 1",
    "s.age >= 1 AND s.age <> 1",
    "s.age = s.age",
    "s.age > '1'",
    "s.id IN (SELECT sid FROM g)",
    "s.id IN (SELECT gid FROM g)",
    "s.id NOT IN (SELECT gid FROM g)",
    "s.id NOT IN (SELECT sid FROM g)",
    "EXISTS (SELECT 1 FROM g AS h WHERE h.gid = s.id)",
    "NOT EXISTS (SELECT 1 FROM g AS h WHERE h.gid = s.id)",
    "s.age = (SELECT MAX(age) FROM s AS h)",
    "NOT EXISTS (SELECT 1 FROM g AS h WHERE h.sid = s.id)",
    "s.age IN (SELECT MAX(age) FROM s AS h)",
    "EXISTS (SELECT 1 FROM s AS h WHERE h.id = s.id AND h.age > 1)",
    "s.id IN (SELECT id FROM p)",
    "s.age = (SELECT h.age FROM s AS h WHERE h.id = 2)",
    "s.age IN (SELECT year FROM g GROUP BY year)",
    "s.age = (SELECT age FROM s AS h ORDER BY age DESC LIMIT 1)",
    "s.id IN (SELECT sid FROM g GROUP BY sid HAVING COUNT(*) > 1)",
)
SELECTS = (
    "s.id",
    "s.age",
    "s.id, s.age",
    "DISTINCT s.id",
    "DISTINCT s.age",
    "DISTINCT s.id, s.age",
    "COUNT(*)",
    "COUNT(s.age)",
    "COUNT(s.id)",
    "COUNT(DISTINCT s.id)",
    "MAX(s.age)",
    "s.name, MAX(s.age)",
    "s.name",
    "DISTINCT s.name",
    "COUNT(*), MIN(s.age)",
    "COUNT(DISTINCT s.age)",
)
TAILS = (
    "",
    "",
    "",
    " GROUP BY s.id",
    " GROUP BY s.age",
    " GROUP BY s.id, s.age",
    " ORDER BY s.age",
    " ORDER BY s.id",
    " ORDER BY s.id, s.age",
    " GROUP BY s.name",
    " GROUP BY s.name, s.id ORDER BY COUNT(*), s.id",
    " ORDER BY s.age LIMIT 1",
    " ORDER BY s.id DESC LIMIT 2",
    " GROUP BY s.age HAVING s.age > 1",
    " GROUP BY s.age HAVING COUNT(*) > 1",
    " GROUP BY s.id HAVING COUNT(*) > 1",
)


def condition(dice: random.Random) -> str:
    text = dice.choice(ATOMS)
    for _ in range(dice.choice((0, 0, 1, 2))):
        text = f"({text}) {dice.choice(('AND', 'OR'))} ({dice.choice(ATOMS)})"
    return f"NOT ({text})" if dice.random() < 0.15 else text


def query(dice: random.Random) -> str:
    text = f"SELECT {dice.choice(SELECTS)} FROM {dice.choice(SOURCES)}"
    if dice.random() < 0.7:
        text += f" WHERE {condition(dice)}"
    text += dice.choice(TAILS)
    if dice.random() < 0.12 and "ORDER" not in text:
        other = f"SELECT {dice.choice(SELECTS[:2])} FROM s WHERE {condition(dice)}"
        text += f" {dice.choice(('UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT'))} {other}"
    return text


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> BaseDatabase:
    path: Path = tmp_path_factory.mktemp("soundness") / "small.sqlite"
    create_database(path, DDL)
    return open_database(path)


def differences(
    queries: Sequence[str], database: BaseDatabase, seed: int, instances: int
) -> Iterator[tuple[str, str]]:
    """Yield the queries that an instance tells from the first one."""
    for other in queries[1:]:
        plan = make_plan((queries[0], other), database)
        with closing(InstanceRunner(plan)) as runner:
            made = InstanceGenerator(plan, seed).instances()
            for instance in itertools.islice(made, instances):
                a, b = runner.outcomes(instance)
                if difference(a, b, Conventions()) is not None:
                    yield queries[0], other
                    break


def found_groups(database: BaseDatabase, seed: int, number: int) -> list[list[str]]:
    """Return random queries that have one normal form."""
    dice = random.Random(seed)
    groups = defaultdict(list)
    for text in dict.fromkeys(query(dice) for _ in range(number)):
        form = normal_form(text, database.schema)
        if form is not None:
            groups[form].append(text)
    return [group for group in groups.values() if len(group) > 1]


@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 1000))
def test_random_queries_of_one_normal_form_never_differ(database: BaseDatabase, seed: int) -> None:
    groups = found_groups(database, seed, 250)
    assert groups
    for group in groups:
        assert not list(differences(group, database, seed, 12)), group


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 1000))
def test_conditions_that_the_solver_finds_equal_keep_the_same_rows(
    database: BaseDatabase, seed: int
) -> None:
    dice = random.Random(seed)
    first = condition(dice)
    second = f"({first}) AND ({condition(dice)} OR {first})"
    one, two = (f"SELECT s.id FROM s WHERE {text}" for text in (first, second))
    if prove(one, two, database.schema) is not None:
        assert not list(differences([one, two], database, seed, 20)), (one, two)
