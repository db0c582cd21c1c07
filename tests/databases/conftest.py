"""Small databases for the tests of `clausewise.databases`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clausewise.databases import Database, create_database

TOWN = """
CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT UNIQUE, area REAL);
CREATE TABLE city (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, country_code TEXT REFERENCES country, people INTEGER
);
CREATE VIEW big_city AS SELECT id, name FROM city WHERE people > 1000000;
INSERT INTO country VALUES ('FR', 'France', 643801.0), ('DE', 'Germany', 357022.0);
INSERT INTO city VALUES (1, 'Paris', 'FR', 2100000), (2, 'Lyon', 'FR', 520000),
                        (3, 'Berlin', 'DE', 3700000), (4, ' paris ', NULL, NULL);
"""


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Database]:
    """Return a function that makes a database of a script and opens it, with a cache of its own."""

    def _make(script: str, name: str = "test", **options: Any) -> Database:
        path = create_database(tmp_path / f"{name}.sqlite", script)
        options.setdefault("cache_dir", tmp_path / "cache")
        return Database(path, **options)

    return _make


@pytest.fixture
def town(make: Callable[..., Database]) -> Database:
    """Two tables with a declared key, one view."""
    return make(TOWN, "town")
