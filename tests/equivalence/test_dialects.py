"""Comparing queries of other dialects on instances in DuckDB."""

from __future__ import annotations

import importlib.util
import sys

import pytest

from clausewise.databases import create_database, open_database
from clausewise.databases.instances import Instance, InstanceTable
from clausewise.equivalence import EquivalenceVerdict, Stage, compare
from clausewise.equivalence.outcomes import InstanceRunner
from clausewise.equivalence.plan import make_plan
from clausewise.errors import InputError, MissingExtraError

needs_duckdb = pytest.mark.skipif(
    importlib.util.find_spec("duckdb") is None, reason="needs the extra clausewise[duckdb]"
)
SCRIPT = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE VIEW town AS SELECT name FROM city;
CREATE TABLE person (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  age INTEGER CHECK (age >= 0),
  score REAL,
  born DATE,
  city_id INTEGER REFERENCES city (id)
);
INSERT INTO city VALUES (1, 'Rome'), (2, 'Oslo');
INSERT INTO person VALUES
  (1, 'Ann', 30, 1.5, '1990-05-01', 1), (2, 'Bob', 41, 2.5, '1985-01-31', 2),
  (3, 'Cleo', NULL, NULL, NULL, NULL);
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    path = tmp_path_factory.mktemp("dialects") / "people.sqlite"
    create_database(path, SCRIPT)
    with_data = open_database(path)
    yield with_data
    with_data.close()


def verdict(a, b, database, dialect):
    return compare(a, b, database, dialect=dialect, seconds=60.0).verdict


APART = [
    ("postgres", "SELECT name FROM person", "SELECT DISTINCT name FROM person"),
    (
        "postgres",
        "SELECT name FROM person ORDER BY age LIMIT 1",
        "SELECT name FROM person ORDER BY age NULLS FIRST LIMIT 1",
    ),
    (
        "postgres",
        "SELECT p.name FROM person p JOIN city c ON p.city_id = c.id",
        "SELECT p.name FROM person p LEFT JOIN city c ON p.city_id = c.id",
    ),
    (
        "postgres",
        "SELECT id FROM person WHERE EXTRACT(YEAR FROM born) > 1990",
        "SELECT id FROM person WHERE EXTRACT(YEAR FROM born) >= 1990",
    ),
    (
        "mysql",
        "SELECT name FROM person WHERE age > 30",
        "SELECT name FROM person WHERE age >= 30",
    ),
    ("mysql", "SELECT SUM(age > 30) FROM person", "SELECT COUNT(*) FROM person WHERE age >= 30"),
    ("duckdb", "SELECT age // 2 FROM person", "SELECT age / 2 FROM person"),
]


@needs_duckdb
@pytest.mark.parametrize(("dialect", "a", "b"), APART)
def test_queries_that_differ(database, dialect, a, b):
    found = compare(a, b, database, dialect=dialect, seconds=60.0)
    assert found.verdict is EquivalenceVerdict.NOT_EQUIVALENT, found
    assert found.counterexample.instance is not None
    data = next(attempt for attempt in found.attempts if attempt.stage is Stage.DATABASE)
    assert (data.tried, data.outcome) == (0, "not run: it speaks another dialect")


SAME = [
    # Where NULL stands in the order is the dialect's: written out, nothing differs.
    (
        "postgres",
        "SELECT name FROM person ORDER BY age, id",
        "SELECT name FROM person ORDER BY age NULLS LAST, id",
    ),
    (
        "mysql",
        "SELECT name FROM person ORDER BY age, id",
        "SELECT name FROM person ORDER BY age IS NOT NULL, age, id",
    ),
    # A tie under LIMIT is no difference.
    (
        "postgres",
        "SELECT name FROM person ORDER BY age LIMIT 1",
        "SELECT name FROM person ORDER BY age, id LIMIT 1",
    ),
    # Texts that differ in case are equal by MySQL's default.
    (
        "mysql",
        "SELECT id FROM person WHERE name = 'Ann'",
        "SELECT id FROM person WHERE name = 'ann'",
    ),
    (
        "mysql",
        "SELECT id FROM person WHERE name LIKE 'A%'",
        "SELECT id FROM person WHERE name LIKE 'a%'",
    ),
]


@needs_duckdb
@pytest.mark.parametrize(("dialect", "a", "b"), SAME)
def test_what_the_dialect_makes_equal_is_never_told_apart(database, dialect, a, b):
    found = compare(a, b, database, dialect=dialect, instances_tried=60, seconds=60.0)
    assert found.verdict is EquivalenceVerdict.UNKNOWN
    assert any(a.stage is Stage.GENERATED and a.tried == 60 for a in found.attempts)


@needs_duckdb
def test_case_counts_in_postgres(database):
    a, b = (f"SELECT id FROM person WHERE name = '{name}'" for name in ("Ann", "ann"))
    assert verdict(a, b, database, "postgres") is EquivalenceVerdict.NOT_EQUIVALENT


@pytest.mark.parametrize(
    ("dialect", "text", "reason"),
    [
        ("postgres", "SELECT age / 2 FROM person", "cut off"),
        ("mysql", "SELECT AVG(age) FROM person", "AVG"),
        ("tsql", "SELECT age FROM person", "not examined"),
        ("postgres", "SELECT nope FROM person", "nope"),
        ("postgres", "SELECT name FROM town", "view"),
    ],
)
def test_what_is_not_known_to_mean_the_same_is_named(database, dialect, text, reason):
    found = compare(text, "SELECT id FROM person", database, dialect=dialect)
    assert found.verdict is EquivalenceVerdict.UNKNOWN
    assert reason in found.reason


def test_the_same_text_needs_no_engine(database):
    text = "SELECT age / 2 FROM person"
    assert verdict(text, f" {text}\n", database, "postgres") is EquivalenceVerdict.EQUIVALENT


def test_without_the_engine_the_error_says_what_to_install(database, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MissingExtraError, match="duckdb"):
        compare("SELECT id FROM person", "SELECT age FROM person", database, dialect="postgres")


def test_an_unknown_dialect_is_an_input_error(database):
    with pytest.raises(InputError, match="klingon"):
        compare("SELECT id FROM person", "SELECT 1", database, dialect="klingon")


def _people(*rows):
    columns = ("id", "name", "age", "score", "born", "city_id")
    return Instance.of([InstanceTable("person", columns, rows)])


@needs_duckdb
def test_an_instance_that_does_not_fit_the_types_says_nothing(database):
    queries = ("SELECT born FROM person", "SELECT DISTINCT born FROM person")
    runner = InstanceRunner(make_plan(queries, database, "postgres"))
    try:
        outcomes = runner.outcomes(_people((1, "Ann", 1, 1.0, "soon", None)))
        assert all("cannot store" in outcome.indeterminate for outcome in outcomes)
        (first, _) = runner.outcomes(_people((1, "Ann", 1, 1.0, "2020-02-29", None)))
        assert first.result.rows == (("2020-02-29",),)
    finally:
        runner.close()


@needs_duckdb
def test_texts_that_no_query_mentions_do_not_matter(database):
    queries = ("SELECT MAX(name) FROM city", "SELECT MIN(name) FROM city")
    runner = InstanceRunner(make_plan(queries, database, "postgres"))
    try:
        names = [InstanceTable("city", ("id", "name"), ((1, "Oslo"), (2, "oslo")))]
        outcomes = runner.outcomes(Instance.of(names))
        assert all("collation" in outcome.indeterminate for outcome in outcomes)
    finally:
        runner.close()
    queries = ("SELECT MAX(age) FROM person", "SELECT MIN(age) FROM person")
    runner = InstanceRunner(make_plan(queries, database, "postgres"))
    try:
        rows = ((1, "Ann", 1, 1.0, None, None), (2, "ann", 2, 1.0, None, None))
        assert [o.result.rows for o in runner.outcomes(_people(*rows))] == [((2,),), ((1,),)]
    finally:
        runner.close()
