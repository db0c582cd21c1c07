from pathlib import Path

import pytest

from clausewise.databases import Schema, create_database, open_database

DDL = """
CREATE TABLE singer (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER, country TEXT, code TEXT UNIQUE,
  height REAL);
CREATE TABLE song (
  id INTEGER PRIMARY KEY, singer_id INTEGER NOT NULL REFERENCES singer (id), title TEXT,
  sales REAL, year INTEGER, guest_id INTEGER REFERENCES singer (id), label TEXT);
CREATE TABLE stadium (id INT PRIMARY KEY, name TEXT, capacity INTEGER);
"""


@pytest.fixture(scope="module")
def ddl() -> str:
    return DDL


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Schema:
    path: Path = tmp_path_factory.mktemp("proof") / "music.sqlite"
    create_database(path, DDL)
    return open_database(path).schema
