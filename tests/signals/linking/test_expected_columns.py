"""The gaps between the columns that a question asks for and those that its query uses."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from clausewise.databases import Database
from clausewise.expectation.columns_gaps import GAPS
from clausewise.signals.context import Context
from clausewise.signals.linking.expected_columns import expected_column_gaps
from clausewise.sql import parse
from clausewise.types import Case


@pytest.fixture
def database(tmp_path: Path) -> Database:
    path = tmp_path / "wine.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            """CREATE TABLE wine (wine_id INTEGER PRIMARY KEY, label_nm TEXT,
            estate TEXT, prc REAL);
            INSERT INTO wine VALUES (1, 'Cuvee', 'Zenner', 9.5), (2, 'Brut', 'Kettmeir', 12);"""
        )
    return Database(path, cache_dir=tmp_path / "cache")


def _gaps(database: Database, question: str, sql: str) -> dict[str, float]:
    case = Case(question_id=1, db_id="wine", question=question, predicted_sql=sql)
    query = parse(sql, tables=database.schema.names())
    return expected_column_gaps(Context(case, query, database, None))


def test_all_gaps_are_there_and_none_is_negative(database) -> None:
    found = _gaps(database, "What is the price of each wine?", "SELECT wine_id FROM wine")
    assert tuple(found) == GAPS
    assert min(found.values()) >= 0
    assert found["columns.selected_missing"] > 0 < found["columns.selected_unexpected"]


def test_another_query_for_a_question_gets_what_was_expected_before(database) -> None:
    sqls = ["SELECT prc FROM wine", "SELECT estate FROM wine", "SELECT prc FROM wine"]
    first, other, again = (_gaps(database, "What is the price of each wine?", sql) for sql in sqls)
    assert first == again != other


def test_a_column_that_holds_the_text_of_the_question_is_not_unexpected(database) -> None:
    question = "How many wines are made by Zenner?"
    held = _gaps(database, question, "SELECT count(*) FROM wine WHERE estate = 'Zenner'")
    other = _gaps(database, question, "SELECT count(*) FROM wine WHERE wine_id = 'Zenner'")
    unsaid = _gaps(database, question, "SELECT count(*) FROM wine WHERE label_nm = 'Brut'")
    assert held["columns.filtered_unexpected"] == 0
    assert other["columns.filtered_unexpected"] > 0 < unsaid["columns.filtered_unexpected"]


def test_questions_that_cannot_be_read_have_no_gaps(database) -> None:
    sql = "SELECT wine_id FROM wine"
    assert _gaps(database, "Wie viele Weine gibt es in der Stadt und auf dem Land?", sql) == {}
    assert _gaps(database, "How many are there?", sql) == {}
