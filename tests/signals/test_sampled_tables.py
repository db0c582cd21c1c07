"""Signals on tables of which only a sample was read: what it lacks is not called missing."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from clausewise.case import Case
from clausewise.databases import Database
from clausewise.databases.model import Limits
from clausewise.databases.sqlite import building
from clausewise.errors import NotApplicable
from clausewise.signals.context import Context
from clausewise.signals.keys import naming_share
from clausewise.signals.predicate.pred02_near_miss_value import near_miss_value
from clausewise.signals.probes import sampled
from clausewise.signals.probes.stored_forms import few_values
from clausewise.sql import parse
from clausewise.types import Finding


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """20,000 cities, of few names but for the last hundred; an index finds their codes."""
    monkeypatch.setattr(building, "SAMPLED_FROM", 10_000)
    monkeypatch.setattr(sampled, "LOOK_UP", Limits(steps=20_000, rows=1))
    path = tmp_path / "large.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, code TEXT)")
        names = ["Praha", "Jesenik", "Brno"]
        rows = ((n, names[n % 3], f"code {n}") for n in range(20_000))
        connection.executemany("INSERT INTO city VALUES (?, ?, ?)", rows)
        connection.execute("UPDATE city SET name = 'rare ' || id WHERE id > 19900")
        connection.execute("CREATE INDEX by_code ON city (code)")
    connection.close()
    return Database(path, cache_dir=tmp_path / "cache")


def context_of(database: Database, sql: str) -> Context:
    case = Case(question_id="q", db_id="large", question="Which?", predicted_sql=sql)
    return Context(case, parse(sql, tables=database.schema.names()), database, None)


def near_miss(database: Database, sql: str) -> list[Finding]:
    context = context_of(database, sql)
    return list(near_miss_value(context.case, context))


def test_a_value_that_an_index_finds_is_no_near_miss(large: Database) -> None:
    absent = next(n for n in range(20_000) if not large.find_value(f"code {n}"))
    assert not near_miss(large, f"SELECT id FROM city WHERE code = 'code {absent}'")


def test_a_value_that_no_index_finds_is_left_open(large: Database) -> None:
    absent = next(n for n in range(19_901, 20_000) if not large.find_value(f"rare {n}"))
    with pytest.raises(NotApplicable, match="only a sample of 'city' was read"):
        near_miss(large, f"SELECT id FROM city WHERE name = 'rare {absent}'")


def test_a_value_of_the_sample_is_there(large: Database) -> None:
    assert not near_miss(large, "SELECT id FROM city WHERE name = 'Brno'")


def test_a_sample_lists_not_all_values(large: Database) -> None:
    context = context_of(large, "SELECT id FROM city WHERE name = 'Brno'")
    ((_, comparison),) = context.comparisons()
    assert few_values(context, comparison.column) == ()


def test_a_sample_names_no_rows(large: Database) -> None:
    assert large.profile("city", "code").distinct == large.profile("city", "code").rows
    assert naming_share(large, "city", ["code"]) is None
