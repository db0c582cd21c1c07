"""When a query returns what the gold query returns, by the rule of each benchmark."""

from __future__ import annotations

from pathlib import Path

import pytest

from clausewise.corrected_case import RowMatch
from clausewise.databases import BaseDatabase, create_database, open_database
from clausewise.evaluation import execution_match
from clausewise.evaluation.execution_match import asks_for_order

NAMES = "SELECT name, age FROM people"


@pytest.fixture
def database(tmp_path: Path) -> BaseDatabase:
    create_database(
        tmp_path / "people.sqlite",
        """
        CREATE TABLE people (name TEXT, age INTEGER, height REAL);
        INSERT INTO people VALUES ('Ann', 30, 1.5), ('Bob', 20, 1.7), ('Bob', 20, 1.7);
        """,
    )
    return open_database(tmp_path / "people.sqlite")


@pytest.mark.parametrize(
    ("sql", "gold", "spider", "bird"),
    [
        (NAMES, NAMES, True, True),
        ("SELECT age, name FROM people", NAMES, True, False),
        ("SELECT DISTINCT name, age FROM people", NAMES, False, True),
        ("SELECT name FROM people", NAMES, False, False),
        (f"{NAMES} ORDER BY age", NAMES, True, True),
        (f"{NAMES} ORDER BY age", f"{NAMES} ORDER BY age DESC", False, True),
        ("SELECT age, name FROM people ORDER BY age", f"{NAMES} ORDER BY age", True, False),
        ("SELECT height + 1e-12 FROM people", "SELECT height FROM people", True, True),
        ("SELECT name FROM nobody", NAMES, False, False),
        (f"{NAMES} WHERE age > 99", "SELECT name FROM people WHERE age > 98", True, True),
        (f"{NAMES} WHERE age > 99", NAMES, False, False),
        ("DROP TABLE people", NAMES, False, False),
    ],
)
def test_results_are_compared_by_the_rule_of_the_benchmark(
    database: BaseDatabase, sql: str, gold: str, spider: bool, bird: bool
) -> None:
    found = [execution_match(sql, gold, database, match) for match in RowMatch]
    assert found == [spider, bird]


def test_a_gold_query_that_does_not_run_says_nothing(database: BaseDatabase) -> None:
    assert execution_match(NAMES, "SELECT name FROM nobody", database, RowMatch.BIRD) is None


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT a FROM t ORDER BY a", True),
        ("SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 1)", False),
        ("SELECT a FROM t", False),
        ("no query", False),
    ],
)
def test_only_an_order_at_the_outermost_level_counts(sql: str, expected: bool) -> None:
    assert asks_for_order(sql) is expected
