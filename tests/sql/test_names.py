"""Statements put together from pieces run as they should."""

import sqlite3

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from clausewise.sql import count_from, from_text, parse, with_prefix
from clausewise.text import quote_name


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
def test_any_name_can_be_quoted(name: str) -> None:
    assume(not name.lower().startswith("sqlite_"))  # SQLite keeps these for itself
    connection = sqlite3.connect(":memory:")
    quoted = quote_name(name)
    connection.execute(f"CREATE TABLE {quoted} ({quoted} INTEGER)")
    [(_, found, *_)] = connection.execute(f"PRAGMA table_info({quoted})").fetchall()
    connection.close()
    assert found == name


@pytest.fixture
def connection() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (a, b)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(1, 2), (1, 3), (2, None)])
    return connection


def test_count_of_the_rows_that_meet_a_condition(connection: sqlite3.Connection) -> None:
    query = parse("SELECT b FROM t AS x /* all */ WHERE x.a = 1 -- only\n AND b = 3")
    select = query.root
    source, comparison = select.sources[0].piece, select.comparisons[0].clause
    assert connection.execute(count_from(source, comparison)).fetchone() == (2,)
    assert connection.execute(count_from(source)).fetchone() == (3,)
    connection.close()


def test_from_with_joins_and_the_query_s_ctes(connection: sqlite3.Connection) -> None:
    query = parse("WITH c AS (SELECT a FROM t) SELECT 1 FROM c JOIN t ON c.a = t.a LIMIT 1")
    text = from_text(query, query.root)
    assert text == "FROM c JOIN t ON c.a = t.a"
    rows = connection.execute(f"{with_prefix(query)}SELECT COUNT(*) {text}").fetchone()
    connection.close()
    assert rows == (5,)


def test_nothing_where_there_is_no_from_and_no_with() -> None:
    query = parse("SELECT 1")
    assert (with_prefix(query), from_text(query, query.root)) == ("", "")
