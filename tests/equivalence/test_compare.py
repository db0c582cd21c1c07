from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from clausewise.databases import Database, create_database
from clausewise.databases.instances import Constraints, Instance
from clausewise.equivalence import (
    Conventions,
    DifferenceKind,
    EquivalenceVerdict,
    OrderRule,
    Stage,
    compare,
)
from clausewise.errors import InputError

SCRIPT = """
CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT NOT NULL, region TEXT);
CREATE TABLE person (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER, born DATE, salary REAL,
    country TEXT REFERENCES country (code)
);
CREATE TABLE club (id INTEGER PRIMARY KEY, title TEXT NOT NULL);
CREATE TABLE member (
    person INTEGER NOT NULL REFERENCES person (id), club INTEGER NOT NULL REFERENCES club (id),
    since INTEGER, PRIMARY KEY (person, club)
);
INSERT INTO country VALUES ('FR', 'France', 'Europe'), ('JP', 'Japan', 'Asia');
INSERT INTO person VALUES
    (1, 'Ada', 36, '1815-12-10', 9.5, 'FR'), (2, 'Bo', 20, '1990-01-01', 7.0, 'JP');
INSERT INTO club VALUES (1, 'Chess');
INSERT INTO member VALUES (1, 1, 2001), (2, 1, 2005);
"""

DIFFERENT = {
    "bound": ("SELECT name FROM person WHERE age > 30", "SELECT name FROM person WHERE age >= 30"),
    "column": ("SELECT name FROM country", "SELECT code FROM country"),
    "number of columns": ("SELECT name FROM country", "SELECT name, code FROM country"),
    "inner and left join": (
        "SELECT p.name FROM person p JOIN country c ON p.country = c.code",
        "SELECT p.name FROM person p LEFT JOIN country c ON p.country = c.code",
    ),
    "distinct": ("SELECT DISTINCT region FROM country", "SELECT region FROM country"),
    "and, or": (
        "SELECT id FROM person WHERE age > 30 AND salary < 10",
        "SELECT id FROM person WHERE age > 30 OR salary < 10",
    ),
    "count of a column": ("SELECT count(*) FROM person", "SELECT count(age) FROM person"),
    "grouped by name": (
        "SELECT count(*) FROM person p JOIN member m ON m.person = p.id GROUP BY p.id",
        "SELECT count(*) FROM person p JOIN member m ON m.person = p.id GROUP BY p.name",
    ),
    "having": (
        "SELECT club FROM member GROUP BY club HAVING count(*) > 10",
        "SELECT club FROM member GROUP BY club HAVING count(*) >= 10",
    ),
    "limit for ties": (
        "SELECT name FROM person ORDER BY age DESC LIMIT 1",
        "SELECT name FROM person WHERE age = (SELECT max(age) FROM person)",
    ),
    "not in with nulls": (
        "SELECT code FROM country WHERE code NOT IN (SELECT country FROM person)",
        "SELECT code FROM country c"
        " WHERE NOT EXISTS (SELECT 1 FROM person p WHERE p.country = c.code)",
    ),
    "is null dropped": (
        "SELECT id FROM person WHERE age IS NULL AND salary > 5",
        "SELECT id FROM person WHERE salary > 5",
    ),
    "union all": (
        "SELECT region FROM country UNION SELECT name FROM country",
        "SELECT region FROM country UNION ALL SELECT name FROM country",
    ),
    "order": ("SELECT id FROM person ORDER BY age", "SELECT id FROM person ORDER BY age DESC"),
    "distinct over three tables": (
        "SELECT DISTINCT c.title FROM club c JOIN member m ON m.club = c.id"
        " JOIN person p ON p.id = m.person",
        "SELECT c.title FROM club c JOIN member m ON m.club = c.id"
        " JOIN person p ON p.id = m.person",
    ),
    "year": (
        "SELECT id FROM person WHERE strftime('%Y', born) > '1975'",
        "SELECT id FROM person WHERE strftime('%Y', born) >= '1975'",
    ),
    "case": (
        "SELECT id FROM person WHERE name = 'Ada'",
        "SELECT id FROM person WHERE lower(name) = 'ada'",
    ),
    "sum and count": ("SELECT sum(age) FROM person", "SELECT count(age) FROM person"),
    "limit": (
        "SELECT id FROM person ORDER BY id LIMIT 8",
        "SELECT id FROM person ORDER BY id LIMIT 9",
    ),
    "the largest group by name": (
        "SELECT p.name FROM person p JOIN member m ON m.person = p.id"
        " GROUP BY p.id ORDER BY count(*) DESC LIMIT 1",
        "SELECT p.name FROM person p JOIN member m ON m.person = p.id"
        " GROUP BY p.name ORDER BY count(*) DESC LIMIT 1",
    ),
    "length": (
        "SELECT id FROM person WHERE length(name) > 6",
        "SELECT id FROM person WHERE length(name) >= 6",
    ),
    "no rows": ("SELECT sum(age) FROM person", "SELECT total(age) FROM person"),
}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    return Database(create_database(tmp_path_factory.mktemp("made") / "clubs.sqlite", SCRIPT))


@pytest.mark.parametrize("name", DIFFERENT)
def test_a_small_valid_instance_tells_two_queries_apart(database: Database, name: str) -> None:
    result = compare(*DIFFERENT[name], database)
    assert result.verdict is EquivalenceVerdict.NOT_EQUIVALENT
    found = result.counterexample
    assert found is not None
    assert found.instance is not None
    assert Constraints(database).violations(found.instance) == []
    counts = {"having": 11, "limit": 9, "the largest group by name": 7}
    assert found.instance.most_rows <= counts.get(name, 2)
    assert found.result_a != found.result_b
    assert result.attempts[-1].outcome == "told apart"


def test_the_same_text_is_equivalent(database: Database) -> None:
    result = compare("SELECT name FROM person", "SELECT name FROM person;", database)
    assert result.verdict is EquivalenceVerdict.EQUIVALENT
    assert result.proof


def test_what_no_instance_tells_apart_is_never_called_different(database: Database) -> None:
    result = compare(
        "SELECT name FROM person WHERE age > 3 AND salary < 5",
        "SELECT name FROM person WHERE salary < 5 AND 3 < age",
        database,
        instances_tried=60,
    )
    assert result.verdict is not EquivalenceVerdict.NOT_EQUIVALENT
    assert result.counterexample is None


def test_ties_under_a_limit_are_no_difference(database: Database) -> None:
    result = compare(
        "SELECT age FROM person WHERE age = 5 ORDER BY age LIMIT 1",
        "SELECT age FROM person WHERE age = 5 ORDER BY salary LIMIT 1",
        database,
        instances_tried=40,
        conventions=Conventions(order=OrderRule.NEVER),
    )
    assert result.verdict is not EquivalenceVerdict.NOT_EQUIVALENT


def test_order_alone_is_told(database: Database) -> None:
    pair = DIFFERENT["order"]
    result = compare(*pair, database)
    assert result.counterexample is not None
    assert result.counterexample.kind is DifferenceKind.ORDER
    result = compare(
        *pair, database, conventions=Conventions(order=OrderRule.NEVER), instances_tried=30
    )
    assert result.verdict is not EquivalenceVerdict.NOT_EQUIVALENT


def test_different_numbers_of_columns_are_shown_with_rows(database: Database) -> None:
    found = compare(*DIFFERENT["number of columns"], database).counterexample
    assert found is not None
    assert found.kind is DifferenceKind.COLUMNS
    assert found.result_a.rows
    assert found.result_b.rows


def test_a_known_instance_comes_before_made_ones(database: Database) -> None:
    pair = DIFFERENT["bound"]
    first = compare(*pair, database).counterexample
    assert first is not None
    assert first.instance is not None
    known: list[Instance] = [first.instance]
    again = compare(*pair, database, known=known)
    assert [attempt.stage for attempt in again.attempts][-2:] == [Stage.DATABASE, Stage.KNOWN]
    assert again.counterexample is not None
    assert again.counterexample.instance == first.instance


def test_only_the_data_may_tell(database: Database) -> None:
    result = compare(*DIFFERENT["column"], database, instances_tried=0)
    assert result.verdict is EquivalenceVerdict.NOT_EQUIVALENT
    assert result.counterexample is not None
    assert result.counterexample.instance is None
    unknown = compare(*DIFFERENT["column"], database, instances_tried=0, use_data=False)
    assert unknown.verdict is EquivalenceVerdict.UNKNOWN
    assert unknown.reason


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT nothing FROM person", "no table or column 'nothing'"),
        ("DROP TABLE person", "DROP is not a query"),
        ("SELECT FROM WHERE", "cannot be parsed"),
    ],
)
def test_what_cannot_be_compared_is_unknown_with_the_reason(
    database: Database, query: str, reason: str
) -> None:
    result = compare(query, "SELECT name FROM person", database)
    assert result.verdict is EquivalenceVerdict.UNKNOWN
    assert reason in result.reason


def test_a_query_that_does_not_run_is_named(database: Database) -> None:
    result = compare("SELECT no_such(name) FROM person", "SELECT name FROM person", database)
    assert result.verdict is EquivalenceVerdict.UNKNOWN
    assert "no_such" in result.reason
    assert all(attempt.tried < 50 for attempt in result.attempts)


_COMPARED = """
import json, sys
from clausewise.equivalence import compare
for a, b in json.loads(sys.argv[2]):
    print(json.dumps(compare(a, b, sys.argv[1], seed=3).to_dict()))
"""


def test_another_process_finds_the_same(database: Database) -> None:
    pairs = json.dumps([DIFFERENT[name] for name in ("bound", "having", "year", "grouped by name")])
    outputs = [
        subprocess.run(
            [sys.executable, "-c", _COMPARED, str(database.path), pairs],
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0].count(b"NOT_EQUIVALENT") == 4


def test_a_check_constraint_is_obeyed(tmp_path: Path) -> None:
    script = """
    CREATE TABLE item (
        id INTEGER PRIMARY KEY, price REAL CHECK (price >= 500 AND price < 700),
        kind TEXT CHECK (kind IN ('new', 'used'))
    );
    """
    database = Database(create_database(tmp_path / "items.sqlite", script))
    result = compare(
        "SELECT id FROM item WHERE price > 600", "SELECT id FROM item WHERE kind = 'new'", database
    )
    assert result.counterexample is not None
    assert result.counterexample.instance is not None
    assert Constraints(database).violations(result.counterexample.instance) == []


def test_data_that_breaks_a_declared_key_overrules_a_proof(tmp_path: Path) -> None:
    script = """
    CREATE TABLE owner (id INTEGER PRIMARY KEY);
    CREATE TABLE pet (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL REFERENCES owner (id));
    INSERT INTO pet VALUES (1, 7);
    """
    pair = ("SELECT id FROM pet", "SELECT pet.id FROM pet JOIN owner ON owner.id = pet.owner")
    broken = compare(*pair, create_database(tmp_path / "broken.sqlite", script))
    assert broken.verdict is EquivalenceVerdict.NOT_EQUIVALENT
    assert broken.counterexample is not None
    assert broken.counterexample.instance is None
    obeyed = script + "INSERT INTO owner VALUES (7);"
    proved = compare(*pair, create_database(tmp_path / "obeyed.sqlite", obeyed))
    assert proved.verdict is EquivalenceVerdict.EQUIVALENT


@pytest.mark.parametrize("text", ["SELEC name FROM", "DROP TABLE person"])
def test_the_same_text_that_is_no_query_is_not_equivalent(text: str, tmp_path: Path) -> None:
    found = compare(text, text, create_database(tmp_path / "d.sqlite", SCRIPT))
    assert found.verdict is EquivalenceVerdict.UNKNOWN
    assert found.reason


def test_the_named_conventions() -> None:
    relaxed, strict = Conventions.named("relaxed"), Conventions.named("strict")
    assert strict == Conventions()
    assert (relaxed.order, relaxed.any_column_order) == (OrderRule.NEVER, True)
    assert [name for name, _ in strict.counting_one_more()] == []
    assert [name for name, _ in relaxed.counting_one_more()] == [
        "the order of rows",
        "the order of columns",
    ]
    with pytest.raises(InputError, match="relaxed or strict"):
        Conventions.named("loose")
