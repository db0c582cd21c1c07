"""The value index: what is found, and what it does not know."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausewise.databases import Column, Database, Table, ValuePlace, fold_value
from clausewise.databases.values import ValueIndexWriter, complete_places, find_places


@pytest.mark.parametrize("asked", ["Paris", "PARIS", "  paris", "paris\t", " paris "])
def test_case_and_outer_white_space_do_not_count(town: Database, asked: str) -> None:
    assert town.find_value(asked) == (
        ValuePlace("city", "name", " paris ", 1),
        ValuePlace("city", "name", "Paris", 1),
        ValuePlace("big_city", "name", "Paris", 1),
    )


def test_places_come_in_schema_order_and_the_most_common_spelling_first(
    make: Callable[..., Database],
) -> None:
    database = make(
        "CREATE TABLE z (b TEXT, a TEXT); CREATE TABLE a (a);"
        "INSERT INTO z VALUES ('New  York', 'new york'), ('new york', NULL), ('new york', 'x');"
        "INSERT INTO a VALUES ('NEW YORK'), (x'4E4557')"
    )
    assert database.find_value("New York") == (
        ValuePlace("z", "b", "new york", 2),
        ValuePlace("z", "b", "New  York", 1),
        ValuePlace("z", "a", "new york", 1),
        ValuePlace("a", "a", "NEW YORK", 1),
    )
    assert database.find_value("york") == ()


def test_only_text_is_indexed_numbers_as_text_included(make: Callable[..., Database]) -> None:
    database = make(
        "CREATE TABLE t (number INTEGER, digits TEXT, empty TEXT, mixed);"
        "INSERT INTO t VALUES (7, '7', NULL, 7), (8, '8', NULL, 'seven')"
    )
    assert database.find_value("7") == (ValuePlace("t", "digits", "7", 1),)
    indexed = [
        name for name in ("number", "digits", "empty", "mixed") if database.is_indexed("T", name)
    ]
    assert indexed == ["digits", "mixed"]
    assert not database.is_indexed("t", "nope")


def test_long_texts_are_left_out(make: Callable[..., Database]) -> None:
    long, short = "x" * 201, "y" * 200
    database = make(f"CREATE TABLE t (a); INSERT INTO t VALUES ('{long}'), ('{short}')")
    assert database.find_value(long) == ()
    assert len(database.find_value(short)) == 1
    assert database.is_indexed("t", "a")


@pytest.mark.parametrize("asked", ["", " ", "\x00", "\ud800", "'", "x" * 100_000])
def test_any_text_may_be_asked_for(town: Database, asked: str) -> None:
    assert town.find_value(asked) == ()


def test_columns_of_too_many_texts_are_left_out() -> None:
    table = Table("t", (Column("many", ""), Column("few", ""), Column("sampled", "")))
    connection = sqlite3.connect(":memory:")
    writer = ValueIndexWriter(connection, most_distinct=3)
    chunks: dict[str, list[Any]] = {
        "many": [[("a", 1), ("b", 1)], [("c", 1), ("d", 1)]],
        "few": [[(1, 1), (2, 1), ("a", 5), ("b", 1)], [("c", 1), (b"d", 1)]],
        "sampled": [[("a", 1)]],
    }
    for column in table.columns:
        recorded = writer.record(
            table, column, chunks[column.name], sampled=column.name == "sampled"
        )
        assert list(recorded) == chunks[column.name]
    writer.finish()
    assert complete_places(connection) == {("t", "few")}
    assert [(place.column, place.count) for place in find_places(connection, "a")] == [
        ("few", 5),
        ("sampled", 1),
    ]
    assert find_places(connection, "d") == ()
    connection.close()


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    folded = fold_value(text)
    assert fold_value(f"  {text}\n") == folded
    assert "  " not in folded
    assert folded == folded.strip()
