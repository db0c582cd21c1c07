"""The part of a schema around a query: which tables, columns and values, and how it reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from clausewise.databases import BaseDatabase, create_database, open_database
from clausewise.preparation import describe_expansion, estimate_tokens, expand_schema
from clausewise.preparation.expansion import ColumnPriority, SchemaExpansion
from clausewise.sql import parse

RACES = """
CREATE TABLE circuit (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE race (id INTEGER PRIMARY KEY, year INTEGER, circuit INTEGER REFERENCES circuit(id));
CREATE TABLE driver (id INTEGER PRIMARY KEY, ref TEXT, forename TEXT, surname TEXT, number INTEGER);
CREATE TABLE result (id INTEGER PRIMARY KEY, race INTEGER REFERENCES race(id),
                     driver INTEGER REFERENCES driver(id), points REAL, sort TEXT);
CREATE TABLE stop (race INTEGER REFERENCES race(id), driver INTEGER REFERENCES driver(id), lap INT);
CREATE TABLE sponsor (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO circuit VALUES (1, 'Spa', 'Belgium'), (2, 'Suzuka', 'Japan');
INSERT INTO race VALUES (1, 2008, 1), (2, 2009, 2);
INSERT INTO driver VALUES (1, 'di_resta', 'Paul', 'di Resta', 7), (2, 'kimi', 'Kimi', 'Rae', 0),
  (3, 'a', 'Ann', 'Ro', 3), (4, 'b', 'Bea', 'Sy', 4), (5, 'c', 'Cid', 'Ti', NULL),
  (6, 'd', 'Dan', 'Um', 6);
INSERT INTO result VALUES (1, 1, 1, 10.5, 'F'), (2, 1, 2, 8.0, 'R'), (3, 2, 1, NULL, 'F');
INSERT INTO stop VALUES (1, 1, 12);
INSERT INTO sponsor VALUES (1, 'Acme');
"""
SQL = "SELECT ref FROM driver WHERE ref = 'di Resta'"
QUESTION = "How many points has di Resta?"


@pytest.fixture
def database(tmp_path: Path) -> BaseDatabase:
    return open_database(
        create_database(tmp_path / "races.sqlite", RACES), cache_dir=tmp_path / "cache"
    )


def _expanded(database: BaseDatabase, sql: str = SQL, question: str = QUESTION, **more: object):
    query = parse(sql, tables=database.schema.names())
    return expand_schema(database, question=question, query=query, sql=sql, **more)  # type: ignore[arg-type]


def _places(expansion: SchemaExpansion, priority: ColumnPriority) -> list[str]:
    return [f"{c.table}.{c.column.name}" for c in expansion.columns if c.priority is priority]


def test_tables_joined_by_keys_are_added(database: BaseDatabase) -> None:
    expansion = _expanded(database)
    assert [table.name for table in expansion.tables] == ["driver", "result", "stop"]
    assert expansion.used == 1


def test_tables_joined_to_most_of_the_used_come_first(database: BaseDatabase) -> None:
    expansion = _expanded(database, "SELECT 1 FROM circuit, result", tables=3)
    assert [table.name for table in expansion.tables] == ["circuit", "result", "race"]
    two = "SELECT 1 FROM race, driver"
    assert [t.name for t in _expanded(database, two, tables=3).tables][2] == "result"
    assert {t.name for t in _expanded(database, two).tables} == {
        "race", "driver", "result", "stop", "circuit"
    }  # fmt: skip


def test_tables_of_the_query_stay_whatever_the_bound(database: BaseDatabase) -> None:
    expansion = _expanded(database, "SELECT 1 FROM race, driver, circuit", tables=1)
    assert len(expansion.tables) == expansion.used == 3


def test_columns_by_priority(database: BaseDatabase) -> None:
    expansion = _expanded(database)
    assert _places(expansion, ColumnPriority.USED) == ["driver.ref"]
    assert _places(expansion, ColumnPriority.MATCHED) == ["driver.surname"]
    keys = ["driver.id", "result.id", "result.race", "result.driver", "stop.race", "stop.driver"]
    assert _places(expansion, ColumnPriority.KEY) == keys
    assert "result.points" in _places(expansion, ColumnPriority.OTHER)


def test_the_lowest_priorities_are_left_out_first(database: BaseDatabase) -> None:
    shown = {(c.table, c.column.name) for c in _expanded(database, columns=8).columns}
    assert ("driver", "surname") in shown
    assert len(shown) == 8
    assert ("stop", "lap") not in shown
    one = _expanded(database, columns=1)
    assert [c.column.name for c in one.columns] == ["ref"]
    two = _expanded(database, "SELECT ref, forename FROM driver", columns=1)
    assert [c.column.name for c in two.columns] == ["ref", "forename"]


def test_of_equals_those_closer_to_the_question_stay(database: BaseDatabase) -> None:
    sql = "SELECT id FROM result"
    expansion = _expanded(database, sql, "Who has most points?", tables=1, columns=4)
    assert _places(expansion, ColumnPriority.OTHER) == ["result.points"]


def test_what_columns_hold(database: BaseDatabase) -> None:
    by_name = {(c.table, c.column.name): c for c in _expanded(database).columns}
    assert by_name["driver", "surname"].values == ("di Resta",)
    points = by_name["result", "points"]
    assert (points.minimum, points.maximum, points.nulls) == (8.0, 10.5, True)
    assert by_name["result", "sort"].held == ("F", "R")
    assert by_name["driver", "surname"].held == ()
    assert by_name["driver", "id"].nulls is False


def test_a_query_that_cannot_be_read_is_expanded_from_words(database: BaseDatabase) -> None:
    expansion = expand_schema(
        database, question="Which ones won?", query=None, sql="SELEC points FROM results"
    )
    assert expansion.tables[0].name == "result"
    assert {table.name for table in expansion.tables} == {"result", "race", "driver"}
    unknown = _expanded(database, "SELECT x FROM drivers", "Who drives?")
    assert unknown.tables[0].name == "driver"


def test_nothing_of_rows_is_read_without_values(
    database: BaseDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(*_: object) -> None:
        raise AssertionError("rows were read")

    _ = database.schema.foreign_keys  # inferred ones are read before
    for name in ("profile", "find_value", "run"):
        monkeypatch.setattr(database, name, read)
    expansion = _expanded(database, send_values=False)
    assert not _places(expansion, ColumnPriority.MATCHED)
    assert all((c.values, c.held, c.minimum, c.nulls) == ((), (), None, None)
               for c in expansion.columns)  # fmt: skip
    text = describe_expansion(database.schema, expansion, send_values=False)
    assert "Resta" not in text
    assert "NULL" not in text


def test_the_same_again(database: BaseDatabase) -> None:
    assert _expanded(database) == _expanded(database)


def test_a_schema_without_tables(tmp_path: Path) -> None:
    empty = open_database(
        create_database(tmp_path / "empty.sqlite", "CREATE TABLE t (a); DROP TABLE t;")
    )
    expansion = expand_schema(empty, question="Why?", query=None)
    assert (expansion.tables, expansion.columns) == ((), ())
    assert describe_expansion(empty.schema, expansion).startswith("ALL TABLES")


def test_the_text(database: BaseDatabase) -> None:
    expansion = _expanded(database)
    text = describe_expansion(
        database.schema, expansion, documentation={("driver", "ref"): "A short name."}
    )
    outline, around = text.split("THE PART AROUND THE QUERY\n")
    assert "  sponsor(id, name)\n" in outline
    assert "  result.driver = driver.id\n" in outline
    assert "sponsor" not in around
    assert "  ref TEXT -- A short name.; said in the question: 'di_resta'; from 'a' to " in around
    assert "  surname TEXT -- said in the question: 'di Resta'; from" in around
    assert "  sort TEXT -- holds only: 'F', 'R'; no NULL\n" in around
    few = describe_expansion(database.schema, _expanded(database, columns=2))
    assert "TABLE driver\n  id INTEGER primary key" in few
    assert "  (less related columns left out: 3)" in few


@pytest.mark.parametrize("tokens", [400, 330, 300, 280, 1])
def test_the_outline_shrinks_and_the_details_stay(database: BaseDatabase, tokens: int) -> None:
    expansion = _expanded(database)
    whole = describe_expansion(database.schema, expansion)
    text = describe_expansion(database.schema, expansion, tokens=tokens)
    details = whole[whole.index("THE PART AROUND") :]
    assert text.endswith(details)
    assert estimate_tokens(text) <= max(tokens, estimate_tokens(details) + 40)
    assert tokens > 1 or "more tables left out)" in text
