"""Columns that name rows."""

from pathlib import Path

import pytest

from clausewise.databases import create_database, open_database
from clausewise.signals.keys import naming_share

SCHEMA = """
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, first TEXT, last TEXT, town TEXT,
                     code TEXT UNIQUE, age INTEGER, boss INTEGER REFERENCES person(id));
CREATE TABLE keyless (name TEXT);
INSERT INTO person VALUES (1, 'Ann', 'A', 'Roe', 'Bern', 'a', 1, NULL),
  (2, 'Ann', 'A', 'Poe', 'Bern', 'b', 2, 1),
  (3, 'Bob', 'B', 'Roe', 'Bern', 'c', 3, 1), (4, 'Cid', 'C', 'Poe', 'Oslo', 'd', 4, 1);
INSERT INTO keyless VALUES ('x'), ('y');
"""


@pytest.mark.parametrize(
    ("table", "columns", "share"),
    [
        ("person", ["name"], 0.75),
        ("person", ["first", "last"], 1.0),
        ("person", ["town"], None),
        ("person", ["id"], None),
        ("person", ["id", "name"], None),
        ("person", ["code"], None),
        ("person", ["boss"], None),
        ("person", ["age"], None),
        ("keyless", ["name"], None),
        ("person", [], None),
        ("nowhere", ["name"], None),
    ],
)
def test_share_of_rows_identified(table, columns, share, tmp_path: Path) -> None:
    file = create_database(tmp_path / "people.sqlite", SCHEMA)
    with open_database(file, cache_dir=tmp_path / "cache") as database:
        assert naming_share(database, table, columns) == share


@pytest.mark.parametrize(
    ("column", "names"),
    [
        ("name", True),
        ("names", True),
        ("NAME", True),
        ("first_name", True),
        ("LastName", True),
        ("full name", True),
        ("nickname", True),
        ("Surname", True),
        ("book_titles", True),
        ("jobTitle", True),
        ("fname", True),
        ("label", True),
        ("carModel", True),
        ("forename_of_owner", True),
        ("town", False),
        ("status", False),
        ("country", False),
        ("renamed", False),
        ("subtitle", False),
        ("entitled", False),
        ("remodelled", False),
        ("labeled_by", False),
    ],
)
def test_a_column_whose_words_say_name_may_repeat_more(
    column: str, names: bool, tmp_path: Path
) -> None:
    schema = (
        f'CREATE TABLE t (id INTEGER PRIMARY KEY, "{column}" TEXT);'
        "INSERT INTO t VALUES (1, 'a'), (2, 'a'), (3, 'b'), (4, 'c');"
    )
    file = create_database(tmp_path / "t.sqlite", schema)
    with open_database(file, cache_dir=tmp_path / "cache") as database:
        assert naming_share(database, "t", [column]) == (0.75 if names else None)
