"""What each repair makes of a query, run before and after, and where it must be silent."""

from __future__ import annotations

import pytest

from clausewise.correction.rules import REPAIRS
from clausewise.databases import Database
from tests.correction.rules.conftest import Suggest

REPAIRED = [
    (
        "stored_value",
        "Who plays in jesenik?",
        "SELECT name FROM club WHERE city = 'jesenik'",
        "SELECT name FROM club WHERE city = 'Jesenik'",
        [("Rovers",)],
    ),
    (
        "known_name",
        "Which names?",
        "SELECT nam FROM club",
        "SELECT name FROM club",
        [("Rovers",), ("United",), ("Athletic",)],
    ),
    (
        "known_name",
        "Which names?",
        "SELECT clubs.name FROM clubs",
        "SELECT club.name FROM club",
        [("Rovers",), ("United",), ("Athletic",)],
    ),
    (
        "known_name",
        "Which cities?",
        "SELECT T2.city FROM club AS T1 JOIN player AS T2 ON T2.club_id = T1.club_id "
        "WHERE T2.goals > 7",
        "SELECT T1.city FROM club AS T1 JOIN player AS T2 ON T2.club_id = T1.club_id "
        "WHERE T2.goals > 7",
        [("Prague",)],
    ),
    (
        "null_safe_not_in",
        "Which clubs have no trial?",
        "SELECT name FROM club WHERE club_id NOT IN (SELECT club_id FROM trial)",
        "SELECT name FROM club WHERE club_id NOT IN "
        "(SELECT club_id FROM trial WHERE club_id IS NOT NULL)",
        [("United",), ("Athletic",)],
    ),
    (
        "is_null",
        "Who has no best time?",
        "SELECT name FROM player WHERE best_time = NULL",
        "SELECT name FROM player WHERE best_time IS NULL",
        [("Ann",)],
    ),
    (
        "null_filter",
        "Who is the fastest?",
        "SELECT name FROM player ORDER BY best_time LIMIT 1",
        "SELECT name FROM player WHERE best_time IS NOT NULL ORDER BY best_time LIMIT 1",
        [("Bob",)],
    ),
    (
        "in_for_equals",
        "Which clubs have players from France?",
        "SELECT name FROM club WHERE club_id = "
        "(SELECT club_id FROM player WHERE country = 'France')",
        "SELECT name FROM club WHERE club_id IN "
        "(SELECT club_id FROM player WHERE country = 'France')",
        [("Rovers",), ("United",)],
    ),
    (
        "real_division",
        "What is the ratio of goals to matches of Bob?",
        "SELECT goals / matches FROM player WHERE name = 'Bob'",
        "SELECT CAST(goals AS REAL) / matches FROM player WHERE name = 'Bob'",
        [(5 / 7,)],
    ),
    (
        "needless_join",
        "What are the names of the players?",
        "SELECT p.name FROM player p JOIN club c ON c.club_id = p.club_id",
        "SELECT p.name FROM player p",
        [("Ann",), ("Bob",), ("Cid",), ("Dan",)],
    ),
]


@pytest.mark.parametrize(("name", "question", "before", "after", "rows"), REPAIRED)
def test_a_repair_settles_what_it_is_for(
    name: str,
    question: str,
    before: str,
    after: str,
    rows: list[tuple[object, ...]],
    club: Database,
    suggested: Suggest,
) -> None:
    (made,) = suggested(before, question, only=[name])
    assert (made.repair, made.sql) == (name, after)
    assert list(club.run(made.sql).rows) == rows
    assert not suggested(made.sql, question, only=[name])
    assert made.message.startswith(REPAIRS[name].description.rstrip("."))


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("Who plays in Jesenik?", "SELECT name FROM club WHERE city = 'Jesenik'"),
        ("Who plays in Vienna?", "SELECT name FROM club WHERE city = 'Vienna'"),
        ("Which names?", "SELECT xyzzy FROM club"),
        ("Which names?", "SELECT name FROM qwertyuiop"),
        ("Which ids?", "SELECT player_idd, trial_idd, T3.name FROM player, trial"),
        (
            "Which clubs have no player?",
            "SELECT name FROM club WHERE club_id NOT IN (SELECT club_id FROM player)",
        ),
        ("Who is the slowest?", "SELECT name FROM player ORDER BY best_time DESC LIMIT 1"),
        (
            "Which clubs?",
            "SELECT name FROM club WHERE club_id = (SELECT MIN(club_id) FROM player)",
        ),
        ("What is the ratio of goals?", "SELECT goals * 1.0 / matches FROM player"),
        (
            "Which clubs have trials?",
            "SELECT c.name FROM club c JOIN trial t ON t.club_id = c.club_id",
        ),
        (
            "How many trials at clubs?",
            "SELECT COUNT(*) FROM trial t JOIN club c ON t.club_id = c.club_id",
        ),
    ],
)
def test_no_repair_where_the_finding_determines_none(
    question: str, sql: str, suggested: Suggest
) -> None:
    assert suggested(sql, question) == ()
