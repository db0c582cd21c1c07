"""A database with every fault of the data, one without any, and scored cases on them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clausewise.databases import Databases, create_database

SCHEMA = """
CREATE TABLE city (code TEXT, name TEXT);
CREATE TABLE person (
    id INTEGER PRIMARY KEY, name TEXT, country TEXT, age TEXT, born TEXT, phone TEXT,
    city_code TEXT REFERENCES city(code)
);
"""
DIRTY = """
INSERT INTO city VALUES ('BER', 'Berlin '), ('BER', 'Berlin'), ('PAR ', 'Paris '), ('ROM', 'Rome');
INSERT INTO person VALUES
    (1, 'Ann', 'France', '9', '2001-05-30', '030', 'BER'),
    (2, 'Bob', 'france', '10', '30/05/2001', '', 'PAR'),
    (3, 'Cid', 'France', '101', '2002-01-01', NULL, 'XXX'),
    (4, 'Dot', 'Italy', '11', '01/01/2002', '031', 'ROM');
"""
CLEAN = """
INSERT INTO city VALUES ('BER', 'Berlin'), ('PAR', 'Paris'), ('ROM', 'Rome');
INSERT INTO person VALUES
    (1, 'Ann', 'France', '19', '2001-05-30', '030', 'BER'),
    (2, 'Bob', 'France', '20', '2001-06-30', NULL, 'PAR'),
    (3, 'Cid', 'Spain', '31', '2002-01-01', NULL, 'BER'),
    (4, 'Dot', 'Italy', '42', '2002-02-01', '031', 'ROM');
"""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUSEWISE_CACHE_DIR", str(tmp_path / "caches"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the databases `dirty` and `clean`, of one schema."""
    for name, rows in (("dirty", DIRTY), ("clean", CLEAN)):
        (tmp_path / "databases" / name).mkdir(parents=True)
        create_database(tmp_path / "databases" / name / f"{name}.sqlite", SCHEMA + rows)
    return tmp_path / "databases"


@pytest.fixture
def databases(folder: Path) -> Databases:
    return Databases(folder)


@pytest.fixture
def scored() -> Callable[..., dict[str, Any]]:
    """Make a line of a scores file without findings."""

    def line(sql: str, question: str = "What is asked for?", **more: Any) -> dict[str, Any]:
        record = {
            "question_id": "q1",
            "db_id": "dirty",
            "question": question,
            "predicted_sql": sql,
            "p_correct": 0.9,
            "verdict": "correct",
            "status": "ok",
            "findings": [],
            "signals": {},
        }
        return record | more

    return line
