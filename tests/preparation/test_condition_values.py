"""Stored values of the columns in conditions."""

from __future__ import annotations

from pathlib import Path

import pytest

from clausewise.databases import BaseDatabase, create_database, open_database
from clausewise.preparation.condition_values import MOST_COLUMNS, condition_values
from clausewise.preparation.value_matching import ColumnTexts
from clausewise.sql import parse

SCHEMA = """
CREATE TABLE patient (id INTEGER PRIMARY KEY, sex TEXT, "home town" TEXT, age INTEGER, born TEXT);
INSERT INTO patient VALUES (1, 'F', 'Old York', 3, NULL), (2, 'M', 'Nome', 97, '2001'),
  (3, 'F', 'Kyoto', NULL, NULL);
CREATE TABLE staff (gender TEXT, town TEXT);
INSERT INTO staff VALUES ('female', 'New York'), ('male', 'York');
"""


@pytest.fixture
def database(tmp_path: Path) -> BaseDatabase:
    return open_database(
        create_database(tmp_path / "clinic.sqlite", SCHEMA), cache_dir=tmp_path / "cache"
    )


def _shown(database: BaseDatabase, condition: str, text: str = "", most: int = 5) -> list[str]:
    sql = f"SELECT id FROM patient WHERE {condition}"
    query = parse(sql, tables=database.schema.names())
    return condition_values(database, query, text, most).splitlines()


def test_values_like_the_constant_come_first(database: BaseDatabase) -> None:
    assert _shown(database, "\"home town\" = 'New York'") == [
        "patient.\"home town\": 'Old York', 'Nome', 'Kyoto'",
        "'New York' is not in patient.\"home town\" but in staff.town",
    ]


def test_what_the_question_says_comes_before(database: BaseDatabase) -> None:
    found = _shown(database, "\"home town\" = 'York'", "Who lives in Kyoto?", most=2)
    assert found[0] == "patient.\"home town\": 'Kyoto', 'Old York'"


def test_numbers_have_a_range_and_null_is_counted(database: BaseDatabase) -> None:
    assert _shown(database, "age > 120 AND born IS NULL") == [
        "patient.age: 3, 97; from 3 to 97; NULL in 1 of 3 rows",
        "patient.born: '2001'; NULL in 2 of 3 rows",
    ]


def test_constants_of_other_columns_are_named(database: BaseDatabase) -> None:
    assert "'female' is not in patient.sex but in staff.gender" in _shown(
        database, "sex = 'female'"
    )


def test_nothing_is_shown_where_nothing_is_compared(database: BaseDatabase) -> None:
    assert _shown(database, "1") == []
    assert _shown(database, "nowhere = 'F'") == []


def test_columns_are_bounded(database: BaseDatabase) -> None:
    many = " OR ".join(f"id IN (SELECT id FROM patient WHERE age = {at})" for at in range(99))
    assert len(_shown(database, many)) == 1
    assert MOST_COLUMNS < 20


def test_the_nearest_are_found_without_a_bound_of_similarity() -> None:
    texts = ColumnTexts(["apple", "pear", "peach"])
    assert texts.nearest(["pears"], 2) == ["pear", "peach"]
    assert texts.nearest([], 2) == []
