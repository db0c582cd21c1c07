"""A database and scored cases on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clausewise.databases import Databases, create_database
from clausewise.models import packaged_detector
from tests.correction.models import ALL, DAYS, PEOPLE
from tests.correction.visits import QUESTION, WRONG


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUSEWISE_CACHE_DIR", str(tmp_path / "caches"))
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "databases" / "clinic").mkdir(parents=True)
    create_database(
        tmp_path / "databases" / "clinic" / "clinic.sqlite",
        """
        CREATE TABLE visits (id INTEGER PRIMARY KEY, person TEXT NOT NULL, day TEXT);
        INSERT INTO visits VALUES (1, 'Ann', '2020-01-01'), (2, 'Bob', NULL), (3, 'Ann', NULL);
        """,
    )
    return tmp_path / "databases"


@pytest.fixture
def databases(folder: Path) -> Databases:
    return Databases(folder)


@pytest.fixture
def scored() -> Callable[..., dict[str, Any]]:
    """Make a line of a scores file."""

    def line(sql: str = ALL, candidates: Any = (ALL, PEOPLE, DAYS), **more: Any) -> dict[str, Any]:
        record = {
            "question_id": "q1",
            "db_id": "clinic",
            "question": "How many people came?",
            "predicted_sql": sql,
            "candidates": list(candidates),
            "p_correct": 0.5,
            "verdict": "incorrect",
            "status": "ok",
            "findings": [],
            "signals": {},
        }
        return record | more

    return line


@pytest.fixture
def line(databases: Databases) -> Callable[..., dict[str, Any]]:
    """Score a query as `clausewise score` does."""

    def scored(sql: str = WRONG, **more: Any) -> dict[str, Any]:
        case = {"question_id": 1, "db_id": "clinic", "question": QUESTION, "predicted_sql": sql}
        return packaged_detector().score([case | more], databases)[0].to_dict()

    return scored
