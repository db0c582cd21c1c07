"""Values that a question says, word for word or nearly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clausewise.databases import BaseDatabase, create_database, open_database
from clausewise.errors import DatabaseError, QueryTimeout
from clausewise.preparation import value_matching
from clausewise.preparation.value_matching import ColumnTexts, match_values

CITIES = """
CREATE TABLE city (name TEXT, mayor TEXT, people INTEGER, code TEXT, note TEXT);
INSERT INTO city VALUES ('Jeseník', 'Kimi Räikkönen', 100, '100', NULL),
  ('New York', 'New', 200, '200', ' '), ('York', 'Ann  Other', 300, '300', NULL),
  ('Old Town', 'Bo Zed', 400, '400', NULL), ('dog', 'Room 12', 5, '5', NULL);
"""
NAME, MAYOR, PEOPLE, CODE, NOTE = (
    ("city", column) for column in ("name", "mayor", "people", "code", "note")
)


@pytest.fixture
def database(tmp_path: Path) -> BaseDatabase:
    return open_database(
        create_database(tmp_path / "cities.sqlite", CITIES), cache_dir=tmp_path / "cache"
    )


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("Who lives in New York?", NAME, ("New York", "York")),
        ("Who lives in jesenik?", NAME, ("Jeseník",)),
        ("What of Raikkonen, Kimi Raikonen?", MAYOR, ("Kimi Räikkönen",)),
        ("Is Ann Othr the mayor?", MAYOR, ("Ann  Other",)),
        ("Which city is called Oldtown?", NAME, ("Old Town",)),
        ("How many have dogs?", NAME, ("dog",)),
        ("Who is in room 13?", MAYOR, ()),
        ("Who is in rooms 12?", MAYOR, ("Room 12",)),
        ("Is the code 300?", CODE, ("300",)),
        ("Are there 300 people?", PEOPLE, ()),
        ("", NAME, ()),
        ("?", NOTE, ()),
    ],
)
def test_what_is_said(database: BaseDatabase, text: str, place: Any, expected: Any) -> None:
    assert match_values(database, [place], text).get(place, ()) == expected


def test_the_number_of_values_is_bounded(database: BaseDatabase) -> None:
    assert match_values(database, [NAME], "Is it New York?", 1) == {NAME: ("New York",)}
    assert not match_values(database, [], "Is it New York?")


def test_many_texts_are_looked_up_word_for_word_only(
    database: BaseDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(value_matching, "MOST_TEXTS", 3)
    said = match_values(database, [NAME], "Is it Jesenik or New York?")
    assert said == {NAME: ("New York", "York")}


def test_texts_that_cannot_be_read_in_time_are_passed_over(
    database: BaseDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*_: object) -> None:
        raise QueryTimeout("too long")

    monkeypatch.setattr(database, "run", late)
    assert match_values(database, [NAME], "Is it Jesenik or York?") == {NAME: ("York",)}


def test_a_database_that_is_gone_is_an_error(
    database: BaseDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> None:
        raise DatabaseError("gone")

    monkeypatch.setattr(database, "run", gone)
    with pytest.raises(DatabaseError, match="gone"):
        match_values(database, [NAME], "Is it Jesenik?")


def test_columns_kept_ready_are_bounded(
    database: BaseDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(value_matching, "_MOST_KEPT", 1)
    said = match_values(database, [NAME, MAYOR, NAME], "Is it Jesenik, or Bo Zet?")
    assert said == {NAME: ("Jeseník",), MAYOR: ("Bo Zed",)}


def test_the_coarse_step_leaves_the_best_for_the_fine_one() -> None:
    texts = ColumnTexts([f"other town {number}" for number in range(500)] + ["old harbor"])
    assert texts.similar([["the", "old", "harbour"]]) == ["old harbor"]
