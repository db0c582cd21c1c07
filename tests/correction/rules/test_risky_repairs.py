"""Repairs that may change what a right query means: what each one makes of a query."""

from __future__ import annotations

import pytest

from clausewise.correction.rules import REPAIRS
from clausewise.databases import Database
from tests.correction.rules.conftest import Suggest

PER_COUNTRY = "SELECT country, COUNT(*) AS n FROM player GROUP BY country ORDER BY n DESC LIMIT 1"
REPAIRED = [
    (
        "unasked_column",
        "Which country has the most players?",
        PER_COUNTRY,
        "SELECT country FROM player GROUP BY country ORDER BY COUNT(*) DESC LIMIT 1",
    ),
    (
        "unasked_column",
        "What is the name of the player with the most goals?",
        "SELECT goals, name FROM player ORDER BY goals DESC LIMIT 1",
        "SELECT name FROM player ORDER BY goals DESC LIMIT 1",
    ),
    (
        "asked_order",
        "Show the city and the name of each club.",
        "SELECT name, city FROM club",
        "SELECT city, name FROM club",
    ),
    (
        "other_end",
        "Which player has the most goals?",
        "SELECT name FROM player ORDER BY goals LIMIT 1",
        "SELECT name FROM player ORDER BY goals DESC LIMIT 1",
    ),
    (
        "other_end",
        "What is the highest number of goals?",
        "SELECT MIN(goals) FROM player",
        "SELECT MAX(goals) FROM player",
    ),
    (
        "asked_operator",
        "Which players have at least 5 goals?",
        "SELECT name FROM player WHERE 5 < goals",
        "SELECT name FROM player WHERE 5 <= goals",
    ),
    (
        "distinct_rows",
        "Show the different countries of players.",
        "SELECT country FROM player",
        "SELECT DISTINCT country FROM player",
    ),
    (
        "distinct_count",
        "How many different countries do players come from?",
        "SELECT COUNT(country) FROM player",
        "SELECT COUNT(DISTINCT country) FROM player",
    ),
    (
        "rows_counted",
        "How many players are there?",
        "SELECT COUNT(best_time) FROM player",
        "SELECT COUNT(*) FROM player",
    ),
    (
        "column_of_value",
        "Which clubs are called Prague?",
        "SELECT club_id FROM club WHERE name = 'Prague'",
        "SELECT club_id FROM club WHERE city = 'Prague'",
    ),
    (
        "union_for_or",
        "Which clubs have players from France or Spain?",
        "SELECT club_id FROM player WHERE country = 'France' INTERSECT "
        "SELECT club_id FROM player WHERE country = 'Spain'",
        "SELECT club_id FROM player WHERE country = 'France' UNION "
        "SELECT club_id FROM player WHERE country = 'Spain'",
    ),
    (
        "either_value",
        "Which players are from France or from Norway?",
        "SELECT name FROM player WHERE country = 'France' AND country = 'Norway'",
        "SELECT name FROM player WHERE (country = 'France' OR country = 'Norway')",
    ),
]


@pytest.mark.parametrize(("name", "question", "before", "after"), REPAIRED)
def test_a_risky_repair_settles_what_it_is_for(
    name: str, question: str, before: str, after: str, club: Database, suggested: Suggest
) -> None:
    (made,) = suggested(before, question, only=[name])
    assert made.sql == after
    assert made.risky
    assert REPAIRS[name].risky
    assert club.run(before).rows != club.run(after).rows
    assert not suggested(after, question, only=[name])
    assert name not in {one.repair for one in suggested(before, question)}


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("Which country has the most players, and how many?", PER_COUNTRY),
        (
            "Which countries have many players?",
            "SELECT DISTINCT country, goals FROM player WHERE goals = 3",
        ),
        ("Show name and city of each club.", "SELECT name, city FROM club"),
        ("Which player has the most goals?", "SELECT name FROM player ORDER BY goals DESC LIMIT 1"),
        ("Which players have at least 5 goals?", "SELECT name FROM player WHERE goals >= 5"),
        ("Show the countries of players.", "SELECT country FROM player"),
    ],
)
def test_no_risky_repair_where_nothing_is_wrong(
    question: str, sql: str, suggested: Suggest
) -> None:
    assert suggested(sql, question, risky=True) == ()
