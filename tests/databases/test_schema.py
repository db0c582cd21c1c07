"""Tables, views, keys and descriptions as the schema gives them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from clausewise.databases import Database, ForeignKey, create_database
from clausewise.errors import DatabaseError
from clausewise.text import quote_name

Make = Callable[..., Database]


def test_tables_columns_and_views(town: Database) -> None:
    schema = town.declared_schema
    assert schema.names() == {
        "country": ["code", "name", "area"],
        "city": ["id", "name", "country_code", "people"],
        "big_city": ["id", "name"],
    }
    city = schema.table("CITY")
    assert city is not None
    assert [column.declared_type for column in city.columns] == [
        "INTEGER",
        "TEXT",
        "TEXT",
        "INTEGER",
    ]
    assert [column.not_null for column in city.columns] == [False, True, False, False]
    assert city.primary_key == ("id",)
    assert [table.is_view for table in schema.tables] == [False, False, True]
    country = schema.table("country")
    assert country is not None
    assert country.unique == (("name",),)


def test_a_database_without_tables(make: Make) -> None:
    database = make("CREATE TABLE gone (a); DROP TABLE gone")
    assert database.schema.tables == ()
    assert database.schema.foreign_keys == ()
    assert database.find_value("x") == ()
    assert len(database.join_graph) == 0
    assert database.scalar("SELECT 1") == 1


def test_tables_without_rows(make: Make) -> None:
    database = make("CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a_id INTEGER)")
    assert database.schema.foreign_keys == ()
    assert database.row_count("a") == 0
    profile = database.profile("b", "a_id")
    assert (profile.rows, profile.distinct, profile.minimum, profile.frequent) == (0, 0, None, ())
    assert profile.null_share == 0
    assert not profile.unique


@pytest.mark.parametrize(
    "name",
    ["order", "select", "two words", 'has "quotes"', "it's", "semi;colon", "100", "tab\tbed",
     "-- dash", "é", "[x]", "`x`", "a.b", "%s", "table"],
)  # fmt: skip
def test_names_may_hold_anything(make: Make, name: str) -> None:
    table, column = quote_name(name), quote_name(name + " column")
    database = make(
        f"CREATE TABLE parent (id INTEGER PRIMARY KEY);"
        f"CREATE TABLE {table} ({column} TEXT UNIQUE, p INTEGER REFERENCES parent);"
        f"INSERT INTO {table} VALUES ('x', 1)"
    )
    assert database.schema.names()[name] == [name + " column", "p"]
    assert database.schema.tables[1].unique == ((name + " column",),)
    assert database.schema.foreign_keys == (ForeignKey(name, ("p",), "parent", ("id",)),)
    assert database.profile(name, name + " column").frequent == (("x", 1),)
    assert database.row_count(name) == 1
    assert [place.table for place in database.find_value("X")] == [name]


def test_foreign_keys_are_resolved(make: Make) -> None:
    database = make(
        """
        CREATE TABLE Parent (Id INTEGER PRIMARY KEY, Other TEXT UNIQUE);
        CREATE TABLE pair (a, b, PRIMARY KEY (b, a));
        CREATE TABLE child (
            id INTEGER PRIMARY KEY,
            first INTEGER REFERENCES PARENT,
            second TEXT REFERENCES parent (OTHER),
            x, y, up INTEGER REFERENCES child (id),
            gone INTEGER REFERENCES nowhere (id), lost INTEGER REFERENCES parent (nope),
            wrong REFERENCES pair,
            FOREIGN KEY (X, y) REFERENCES pair
        );
        """
    )
    assert database.declared_schema.foreign_keys == (
        ForeignKey("child", ("first",), "Parent", ("Id",)),
        ForeignKey("child", ("second",), "Parent", ("Other",)),
        ForeignKey("child", ("up",), "child", ("id",)),
        ForeignKey("child", ("x", "y"), "pair", ("b", "a")),
    )


def test_only_whole_unique_sets_are_told(make: Make) -> None:
    database = make(
        """
        CREATE TABLE t (a PRIMARY KEY, b UNIQUE, c, d, UNIQUE (c, d));
        CREATE UNIQUE INDEX part ON t (c) WHERE c > 0;
        CREATE UNIQUE INDEX computed ON t (lower(d));
        CREATE UNIQUE INDEX whole ON t (d);
        CREATE INDEX plain ON t (c);
        """
    )
    assert database.schema.tables[0].unique == (("b",), ("c", "d"), ("d",))


def test_generated_columns_are_columns(make: Make) -> None:
    database = make(
        "CREATE TABLE t (a, b AS (a + 1), c AS (a * 2) STORED); INSERT INTO t VALUES (1)"
    )
    assert database.schema.names() == {"t": ["a", "b", "c"]}
    assert database.profile("t", "c").maximum == 2


def test_a_broken_view_is_left_out_with_a_warning(
    make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    database = make(
        "CREATE TABLE t (a); CREATE VIEW v AS SELECT a FROM t;"
        "CREATE VIEW broken AS SELECT nope FROM t"
    )
    with caplog.at_level(logging.WARNING):
        assert list(database.schema.names()) == ["t", "v"]
    assert "'broken'" in caplog.text


def _described(tmp_path: Path, name: str, content: bytes) -> Database:
    path = create_database(tmp_path / "x.sqlite", "CREATE TABLE Person (Id INTEGER, FullName TEXT)")
    folder = tmp_path / "database_description"
    folder.mkdir()
    (folder / name).write_bytes(content)
    return Database(path, cache_dir=tmp_path / "cache")


HEADER = "original_column_name,column_name,column_description,data_format,value_description"


@pytest.mark.parametrize("name", ["Person.csv", "person.CSV", " PERSON .csv"])
@pytest.mark.parametrize(
    ("encoding", "text"), [("utf-8", "naïve"), ("utf-8-sig", "naïve"), ("cp1252", "naïve “x”")]
)
def test_descriptions_are_read(tmp_path: Path, name: str, encoding: str, text: str) -> None:
    lines = [HEADER, f' fullname ,full name ,"{text}\nin two lines",text,', "id,,,integer", ",,,,"]
    database = _described(tmp_path, name, "\r\n".join(lines).encode(encoding))
    first, second = database.schema.tables[0].columns
    assert (first.label, first.description, first.value_description) == (None, None, None)
    assert second.label == "full name"
    assert second.description == f"{text}\nin two lines"
    assert second.value_description is None


@pytest.mark.parametrize("content", [b"", b"\n\n", b"a,b\n1", b"\xff\xfe\x00", HEADER.encode()])
def test_odd_description_files_say_nothing(tmp_path: Path, content: bytes) -> None:
    database = _described(tmp_path, "Person.csv", content)
    assert all(column.label is None for column in database.schema.tables[0].columns)


def test_an_unreadable_description_file_is_left_out_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    long_cell = "x" * 200_000
    database = _described(tmp_path, "Person.csv", f"{HEADER}\nid,{long_cell}".encode())
    with caplog.at_level(logging.WARNING):
        assert database.schema.tables[0].columns[0].label is None
    assert "Person.csv" in caplog.text


def test_a_folder_of_descriptions_can_be_named(tmp_path: Path) -> None:
    database = _described(tmp_path, "Person.csv", f"{HEADER}\nid,from here".encode())
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "person.csv").write_text(f"{HEADER}\nid,from there", encoding="utf-8")
    other = Database(database.path, descriptions=folder, cache_dir=tmp_path / "cache")
    assert database.schema.tables[0].columns[0].label == "from here"
    assert other.schema.tables[0].columns[0].label == "from there"
    with pytest.raises(DatabaseError, match="no folder of descriptions"):
        Database(database.path, descriptions=tmp_path / "nowhere")
