"""Rows for a prompt: half near the question, half drawn, in bounds, the same each time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from clausewise.databases import Database, create_database
from clausewise.databases.model import Limits, QueryResult
from clausewise.errors import QueryFailed, QueryTooLarge
from clausewise.preparation import context_rows, describe_rows, estimate_tokens
from clausewise.preparation.nearest_rows import ROWS_READ, choose_rows, row_nearness

QUESTION = "Which ships named HMS Atalanta or Lettice were lost?"


def rows_of(count: int) -> tuple[tuple[Any, ...], ...]:
    named = {5: "Lettice", count - 1: "HMS Atalanta"}
    return tuple((number, named.get(number, f"vessel {number}")) for number in range(count))


def result_of(count: int) -> QueryResult:
    return QueryResult(("id", "name"), rows_of(count))


@pytest.fixture
def database(tmp_path: Path) -> Database:
    path = tmp_path / "fleet.sqlite"
    ships = ", ".join(f"({number}, '{name}')" for number, name in rows_of(40))
    create_database(
        path,
        "CREATE TABLE battle (id INTEGER, place TEXT);"
        "INSERT INTO battle VALUES (1, 'Trafalgar'), (2, NULL);"
        "CREATE TABLE ship (id INTEGER PRIMARY KEY, name TEXT);"
        f"INSERT INTO ship VALUES {ships};"
        "CREATE TABLE port (id INTEGER);"
        "CREATE VIEW lost AS SELECT * FROM ship;",
    )
    return Database(path)


def test_rows_that_say_what_the_question_says_are_near() -> None:
    rows: list[tuple[Any, ...]] = [
        ("the red door",),
        ("Lettice",),
        ("HMS Atalanta",),
        ("HMS Beagle",),
        (7,),
    ]
    door, lettice, atalanta, beagle, number = row_nearness(rows, QUESTION)
    assert atalanta > lettice > beagle > door == number == 0.0  # the rarer, the nearer
    assert (
        row_nearness([("Ships",), (2012,)], "a ship of 2012")
        == [pytest.approx(1.0986, abs=1e-4)] * 2
    )


@pytest.mark.parametrize(("most", "near"), [(1, 1), (2, 1), (15, 8)])
def test_half_of_the_rows_are_near_and_half_are_drawn(most: int, near: int) -> None:
    found = choose_rows("ship", result_of(100), QUESTION, most, seed=1)
    assert (len(found.related), len(found.drawn)) == (near, most - near)
    assert found.related[0] == (99, "HMS Atalanta")
    assert len(set(found.rows)) == most
    assert list(found.drawn) == sorted(found.drawn)
    assert found.read == 100


def test_the_seed_decides_what_is_drawn_and_nothing_else() -> None:
    drawn = {seed: choose_rows("ship", result_of(100), QUESTION, 15, seed) for seed in (1, 2)}
    assert drawn[1] == choose_rows("ship", result_of(100), QUESTION, 15, 1)
    assert drawn[1].drawn != drawn[2].drawn
    assert drawn[1].related == drawn[2].related
    other = choose_rows("boat", result_of(100), QUESTION, 15, 1)
    assert other.drawn != drawn[1].drawn


def test_few_rows_are_all_taken_in_their_order() -> None:
    found = choose_rows("ship", result_of(6), QUESTION, 15)
    assert found.rows == rows_of(6)
    assert found.drawn == ()


def test_the_text_says_which_rows_these_are(database: Database) -> None:
    text = describe_rows(database, QUESTION, most=4)
    ship, *others = text.split("\n\n")  # the table that the question names comes first
    lines = ship.splitlines()
    assert lines[:4] == [
        "TABLE ship: 4 of its 40 rows, first the 2 nearest to the question",
        "id | name",
        "39 | 'HMS Atalanta'",
        "5 | 'Lettice'",
    ]
    assert len(lines) == 6
    assert sorted(others) == [
        "TABLE battle: all its rows\nid | place\n1 | 'Trafalgar'\n2 | NULL",
        "TABLE port: no rows",
    ]
    assert text == describe_rows(database, QUESTION, most=4)
    assert describe_rows(database, QUESTION, first=["PORT"]).startswith("TABLE port")


def test_without_values_nothing_is_read(database: Database, monkeypatch: Any) -> None:
    monkeypatch.setattr(Database, "run", lambda *_: pytest.fail("read"))
    assert describe_rows(database, QUESTION, send_values=False) == ""
    assert describe_rows(database, QUESTION, most=0) == ""
    assert context_rows(database, QUESTION, most=0) == ()


def test_the_text_stays_in_its_limit(database: Database) -> None:
    whole = describe_rows(database, QUESTION)
    assert "15 of its 40 rows" in whole
    for tokens in (120, 60):
        text = describe_rows(database, QUESTION, tokens=tokens)
        assert estimate_tokens(text) <= tokens
        assert "HMS Atalanta" in text
    assert describe_rows(database, QUESTION, tokens=1) == "(rows of 3 further tables are left out)"


class Asked:
    """A database that keeps the statements it is asked for."""

    def __init__(self, database: Database, failing: Mapping[str, Exception]) -> None:
        self.schema = database.schema
        self.dialect = database.dialect
        self.asked: list[tuple[str, int]] = []
        self._database = database
        self._failing = failing

    def run(self, sql: str, limits: Limits) -> QueryResult:
        self.asked.append((sql, limits.rows))
        for name, error in self._failing.items():
            if name in sql and limits.rows > 100:
                raise error
        return self._database.run(sql, limits)


def test_no_table_is_read_beyond_its_first_rows(tmp_path: Path) -> None:
    path = tmp_path / "large.sqlite"
    create_database(
        path,
        "CREATE TABLE large (id INTEGER); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
        "SELECT i + 1 FROM n WHERE i < 2500) INSERT INTO large SELECT i FROM n;",
    )
    asked: Any = Asked(Database(path), {})
    (found,) = context_rows(asked, "large")
    assert asked.asked == [(f'SELECT * FROM "large" LIMIT {ROWS_READ + 1}', ROWS_READ)]
    assert (found.read, found.whole) == (ROWS_READ, False)
    assert "15 of its first 2,000 rows" in describe_rows(asked, "large")


def test_what_cannot_be_read_is_left_out_or_read_less(database: Database) -> None:
    failing = {"ship": QueryTooLarge("too long"), "battle": QueryFailed("damaged")}
    asked: Any = Asked(database, failing)
    found = {rows.table: rows for rows in context_rows(asked, QUESTION)}
    assert set(found) == {"ship", "port"}
    assert (found["ship"].read, found["ship"].whole) == (15, False)
