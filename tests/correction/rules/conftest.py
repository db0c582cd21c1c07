"""A small club database with NULLs, misspelt values and keys, and what repairs make of queries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clausewise import check
from clausewise.correction.rules import SuggestedRepair, suggest
from clausewise.databases import BaseDatabase, create_database, open_database
from clausewise.types import Case

SCHEMA = """
CREATE TABLE club (club_id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, "order" INTEGER);
CREATE TABLE player (
    player_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    country TEXT,
    best_time REAL,
    goals INTEGER,
    matches INTEGER,
    club_id INTEGER NOT NULL REFERENCES club (club_id)
);
CREATE TABLE trial (trial_id INTEGER PRIMARY KEY, club_id INTEGER REFERENCES club (club_id));
INSERT INTO club VALUES
    (1, 'Rovers', 'Jesenik', 1), (2, 'United', 'Prague', 2), (3, 'Athletic', 'Brno', 3);
INSERT INTO player VALUES
    (1, 'Ann', 'France', NULL, 3, 4, 1), (2, 'Bob', 'Norway', 9.5, 5, 7, 1),
    (3, 'Cid', 'France', 9.9, 1, 3, 2), (4, 'Dan', 'Norway', 11.0, 8, 9, 2);
INSERT INTO trial VALUES (1, 1), (2, NULL), (3, 1);
"""

Suggest = Callable[..., tuple[SuggestedRepair, ...]]


@pytest.fixture(scope="session")
def club_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("databases") / "club" / "club.sqlite"
    path.parent.mkdir()
    create_database(path, SCHEMA)
    return path


@pytest.fixture
def club(club_path: Path) -> BaseDatabase:
    return open_database(club_path)


@pytest.fixture
def suggested(club: BaseDatabase) -> Suggest:
    """Return the repairs that the findings of a query on the club determine."""

    def suggest_for(
        sql: str, question: str = "Which ones?", **chosen: Any
    ) -> tuple[SuggestedRepair, ...]:
        case = Case(question_id="check", db_id="club", question=question, predicted_sql=sql)
        return suggest(check(question, sql, club), case, club, **chosen)

    return suggest_for
