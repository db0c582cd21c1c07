"""`prove`: for every rewrite pairs that are proved, and near misses that must not be."""

from pathlib import Path

import pytest

from clausewise.databases import Schema, create_database, open_database
from clausewise.equivalence import Conventions, OrderRule
from clausewise.equivalence.proof import prove

DDL = """
CREATE TABLE singer (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER, country TEXT, code TEXT UNIQUE,
  height REAL);
CREATE TABLE song (
  id INTEGER PRIMARY KEY, singer_id INTEGER NOT NULL REFERENCES singer (id), title TEXT,
  sales REAL, year INTEGER, guest_id INTEGER REFERENCES singer (id), label TEXT);
CREATE TABLE stadium (id INT PRIMARY KEY, name TEXT, capacity INTEGER);
"""


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Schema:
    path: Path = tmp_path_factory.mktemp("proof") / "music.sqlite"
    create_database(path, DDL)
    return open_database(path).schema


PROVED = {
    "aliases": ("SELECT name FROM singer", "SELECT T1.name AS n FROM singer AS T1"),
    "comma join": (
        "SELECT s.name FROM singer s JOIN song g ON s.id = g.singer_id",
        "SELECT singer.name FROM song, singer WHERE song.singer_id = singer.id",
    ),
    "NOT pushed in": (
        "SELECT name FROM singer WHERE NOT (age > 5 OR country = 'x')",
        "SELECT name FROM singer WHERE country <> 'x' AND age <= 5",
    ),
    "literal as text": (
        "SELECT name FROM singer WHERE age = '5'",
        "SELECT name FROM singer WHERE 5 = age",
    ),
    "NOT IN and NOT EXISTS": (
        "SELECT name FROM singer WHERE id NOT IN (SELECT singer_id FROM song)",
        "SELECT name FROM singer s WHERE NOT EXISTS (SELECT 1 FROM song WHERE singer_id = s.id)",
    ),
}
NOT_PROVED = {
    "COUNT of a column with NULLs": (
        "SELECT COUNT(*) FROM singer",
        "SELECT COUNT(age) FROM singer",
    ),
    "a first row is one row, all with the maximum may be several": (
        "SELECT name FROM singer ORDER BY age DESC LIMIT 1",
        "SELECT name FROM singer WHERE age = (SELECT MAX(age) FROM singer)",
    ),
    "the order under a LIMIT chooses rows": (
        "SELECT name FROM singer ORDER BY age LIMIT 1",
        "SELECT name FROM singer ORDER BY height LIMIT 1",
    ),
    "a NULL guest lets NOT IN keep nothing": (
        "SELECT name FROM singer WHERE id NOT IN (SELECT guest_id FROM song)",
        "SELECT name FROM singer s WHERE NOT EXISTS (SELECT 1 FROM song WHERE guest_id = s.id)",
    ),
}


@pytest.mark.parametrize("pair", PROVED.values(), ids=PROVED)
def test_pairs_that_are_proved(pair: tuple[str, str], schema: Schema) -> None:
    proof = prove(*pair, schema)
    assert proof is not None
    assert all(step.endswith(".") for step in proof.steps)
    assert prove(pair[1], pair[0], schema) is not None


@pytest.mark.parametrize("pair", NOT_PROVED.values(), ids=NOT_PROVED)
def test_near_misses_are_not_proved(pair: tuple[str, str], schema: Schema) -> None:
    assert prove(*pair, schema) is None
    assert prove(pair[1], pair[0], schema) is None


def test_order_counts_as_the_conventions_say(schema: Schema) -> None:
    plain, ordered = "SELECT name FROM singer", "SELECT name FROM singer ORDER BY age"
    assert prove(plain, ordered, schema) is None
    assert prove(plain, ordered, schema, conventions=Conventions(order=OrderRule.NEVER))
    assert prove(plain, ordered, schema, conventions=Conventions(order=OrderRule.FIRST))
    assert prove(ordered, plain, schema, conventions=Conventions(order=OrderRule.FIRST)) is None


def test_another_dialect_is_not_modelled(schema: Schema) -> None:
    assert prove("SELECT name FROM singer", "SELECT name FROM singer s", schema, "duckdb") is None
