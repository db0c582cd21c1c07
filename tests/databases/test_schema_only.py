"""Schemas in place of databases: reading and writing their files, and what they refuse."""

from __future__ import annotations

import json
import logging
import pickle
from pathlib import Path
from typing import Any

import pytest

from clausewise.databases import (
    Databases,
    ForeignKey,
    SchemaDatabase,
    open_database,
    read_schema_file,
    write_schema_file,
)
from clausewise.databases.schema_only.script import schema_of
from clausewise.datasets import sample_dir
from clausewise.errors import DatabaseError, InputError, NoData, NotProfiled, QueryFailed
from clausewise.sql.definitions import read_definitions

DDL = """CREATE TABLE makers (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE cars (id INTEGER, year TEXT, maker INT REFERENCES MAKERS, PRIMARY KEY (id, year));"""
TABLES = {
    "db_id": "shop",
    "table_names_original": ["makers", "cars"],
    "column_names_original": [[-1, "*"], [0, "id"], [0, "mk_name"], [1, "id"], [1, "maker"]],
    "column_names": [[-1, "*"], [0, "id"], [0, "maker name"], [1, "ID"], [1, "maker"]],
    "column_types": ["text", "number", "text", "number", "number"],
    "primary_keys": [1, [3, 4]],
    "foreign_keys": [[4, 1]],
}


@pytest.fixture
def shop(tmp_path: Path) -> SchemaDatabase:
    path = tmp_path / "shop.sql"
    path.write_text(DDL, encoding="utf-8")
    return read_schema_file(path)["shop"]


def test_a_script_is_one_schema_named_after_its_file(shop: SchemaDatabase) -> None:
    assert shop.schema.names() == {"makers": ["id", "name"], "cars": ["id", "year", "maker"]}
    assert shop.schema.foreign_keys == (ForeignKey("cars", ("maker",), "makers", ("id",)),)
    cars = shop.schema.tables[1]
    assert cars.primary_key == ("id", "year")
    assert [column.primary_key for column in cars.columns] == [1, 2, 0]
    assert not shop.has_data


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("run", ("SELECT 1",)),
        ("scalar", ("SELECT 1",)),
        ("exists", ("SELECT 1",)),
        ("compile", ("SELECT 1",)),
        ("profile", ("cars", "id")),
        ("row_count", ("cars",)),
        ("find_value", ("x",)),
        ("is_indexed", ("cars", "id")),
    ],
)
def test_whatever_needs_data_is_refused(
    shop: SchemaDatabase, method: str, arguments: tuple[str, ...]
) -> None:
    with pytest.raises(NoData, match="only the schema was given, no data") as refused:
        getattr(shop, method)(*arguments)
    assert isinstance(refused.value, NotProfiled)
    assert not isinstance(refused.value, QueryFailed)


def test_it_is_the_same_in_another_process(shop: SchemaDatabase) -> None:
    again = pickle.loads(pickle.dumps(shop))
    assert (again.name, again.dialect, again.schema) == ("shop", "sqlite", shop.schema)
    assert again.content_key == shop.content_key
    other = SchemaDatabase(shop.schema, "shop", "postgres")
    assert other.content_key != shop.content_key
    assert Databases(shop).reopen


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    folder = sample_dir() / "databases"
    databases = Databases(folder)
    path = tmp_path / "schemas.json"
    assert write_schema_file(path, [databases.get(name) for name in databases.names()]) == 3
    read = Databases.from_schema(path)
    assert read.names() == databases.names()
    assert (read.has_data, databases.has_data) == (False, True)
    for name in read.names():
        assert read.get(name).schema == databases.get(name).schema


def test_an_unknown_name_lists_those_near(tmp_path: Path) -> None:
    other = {**TABLES, "db_id": "school"}
    path = tmp_path / "tables.json"
    path.write_text(json.dumps([TABLES, other]), encoding="utf-8")
    with pytest.raises(DatabaseError, match=r"'shops' in the schema file .*did you mean 'shop'"):
        Databases.from_schema(path).get("shops")


def test_a_file_of_one_schema_stands_for_all_cases(tmp_path: Path) -> None:
    path = tmp_path / "tables.json"
    path.write_text(json.dumps([TABLES]), encoding="utf-8")
    assert Databases.from_schema(path, "mysql").get("any").dialect == "mysql"


def test_the_schema_file_of_the_benchmarks(tmp_path: Path) -> None:
    path = tmp_path / "tables.json"
    path.write_text(json.dumps([TABLES]), encoding="utf-8")
    schema = read_schema_file(path)["shop"].schema
    makers, cars = schema.tables
    assert [(c.name, c.declared_type, c.label) for c in makers.columns] == [
        ("id", "number", None),
        ("mk_name", "text", "maker name"),
    ]
    assert (makers.primary_key, cars.primary_key) == (("id",), ("id", "maker"))
    assert schema.foreign_keys == (ForeignKey("cars", ("maker",), "makers", ("id",)),)


def _document(**changed: Any) -> dict[str, Any]:
    table = {"name": "a", "columns": [{"name": "x"}], **changed}
    return {
        "format": "clausewise-schema",
        "version": 1,
        "databases": [{"db_id": "d", "tables": [table]}],
    }


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "line 1"),
        ("[]", "is no file of schemas"),
        ('{"format": "other"}', "is no file of schemas"),
        (json.dumps({**_document(), "version": 2}), "field 'version'"),
        (json.dumps(_document(colums=[])), r"field 'databases\[0\].tables\[0\].colums'"),
        (json.dumps(_document(primary_key=["y"])), "names the column 'a.y'"),
        (json.dumps([{**TABLES, "foreign_keys": [[4, 9]]}]), r"field '\[0\]': foreign_keys"),
        (json.dumps([TABLES, TABLES]), "'shop' is given twice"),
        ("SELECT 1; CREATE TABLE", "defines no table"),
        ("", "defines no table"),
    ],
)
def test_errors_name_file_and_field(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "schema.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message.replace("line 1", ":1: ")) as error:
        read_schema_file(path)
    assert str(error.value).startswith(str(path))


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_schema_file(tmp_path / "gone.sql")
    path = tmp_path / "schema.sql"
    path.write_bytes(b"CREATE TABLE \xff (a INT)")
    with pytest.raises(InputError, match="is not UTF-8"):
        read_schema_file(path)


def test_what_is_left_out_of_a_script_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "schema.sql"
    path.write_text(f"{DDL} CREATE VIEW v AS SELECT * FROM cars;", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        database = read_schema_file(path)["schema"]
    assert "left out v: its columns follow from a query" in caplog.text
    assert database.schema.left_out == {"v": "its columns follow from a query"}


@pytest.mark.parametrize("name", ["bookshop", "clinic", "cycling"])
def test_the_statements_of_a_file_give_its_declared_schema(name: str) -> None:
    database = open_database(sample_dir() / "databases" / name / f"{name}.sqlite")
    rows = database.run("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid").rows

    read = schema_of(read_definitions(";\n".join(str(row[0]) for row in rows)))
    declared = database.declared_schema
    assert read.names() == declared.names()
    assert read.foreign_keys == declared.foreign_keys
    for table, known in zip(read.tables, declared.tables, strict=True):
        assert (table.primary_key, table.unique) == (known.primary_key, known.unique)
        assert table.has_key_index == known.has_key_index
        for column, same in zip(table.columns, known.columns, strict=True):
            assert (column.declared_type, column.not_null) == (same.declared_type, same.not_null)
