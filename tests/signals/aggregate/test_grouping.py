"""Counting groups, and deriving from keys alone what a group determines."""

from pathlib import Path

import pytest

from clausewise.databases import create_database, open_database
from clausewise.signals.aggregate._grouping import count_groups, follows_from_groups, several_values
from clausewise.signals.context import Context
from clausewise.sql import parse
from clausewise.types import Case

SCHEMA = """
CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, town TEXT);
CREATE TABLE player (id INTEGER PRIMARY KEY, team_id INTEGER REFERENCES team(id), goals INTEGER);
INSERT INTO team VALUES (1, 'Red', 'Bern'), (2, 'Blue', 'Bern'), (3, 'Gold', 'Oslo');
INSERT INTO player VALUES (1, 1, 3), (2, 1, 3), (3, 2, 5), (4, 3, NULL), (5, 3, 1);
"""


def context_of(sql: str, folder: Path) -> Context:
    file = create_database(folder / "play.sqlite", SCHEMA)
    database = open_database(file, cache_dir=folder / "cache")
    case = Case(question_id=1, db_id="play", question="", predicted_sql=sql)
    return Context(case, parse(sql, tables=database.schema.names()), database, None)


@pytest.mark.parametrize(
    ("sql", "shown_only", "expected"),
    [
        ("SELECT team_id FROM player GROUP BY team_id", True, (3, 1)),
        ("SELECT team_id FROM player WHERE goals > 0 GROUP BY team_id", True, (3, 0)),
        ("SELECT team_id FROM player GROUP BY team_id HAVING COUNT(*) > 1", True, (2, 1)),
        ("SELECT team_id FROM player GROUP BY team_id HAVING COUNT(*) > 1", False, (3, 1)),
        ("SELECT team_id t FROM player GROUP BY t ORDER BY t DESC LIMIT 1", True, (1, 1)),
        ("SELECT team_id t FROM player GROUP BY 1 ORDER BY 1 LIMIT 1 -- end", True, (1, 0)),
        ("SELECT team_id FROM player GROUP BY team_id -- by team", False, (3, 1)),
        (
            "WITH p AS (SELECT * FROM player) SELECT team_id FROM p GROUP BY team_id",
            True,
            (3, 1),
        ),
    ],
)
def test_groups_are_counted(sql: str, shown_only: bool, expected, tmp_path: Path) -> None:
    context = context_of(sql, tmp_path)
    select = context.query.root
    counts = count_groups(
        context, select, [several_values(context, "goals")], shown_only=shown_only
    )
    assert (counts.groups, *counts.passing) == expected
    assert counts.sql in context.statements


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT name FROM team GROUP BY id", True),
        ("SELECT name FROM team GROUP BY town", False),
        ("SELECT t.name FROM team t JOIN player p ON p.team_id = t.id GROUP BY p.team_id", True),
        ("SELECT t.name FROM team t, player p WHERE p.team_id = t.id GROUP BY p.id", True),
        ("SELECT p.goals FROM team t JOIN player p ON p.team_id = t.id GROUP BY t.id", False),
        (
            "SELECT t.name FROM player p LEFT JOIN team t ON p.team_id = t.id GROUP BY p.team_id",
            False,
        ),
        ("SELECT t.name FROM team t JOIN player p ON p.team_id < t.id GROUP BY p.team_id", False),
    ],
)
def test_what_follows_from_keys(sql: str, expected: bool, tmp_path: Path) -> None:
    context = context_of(sql, tmp_path)
    select = context.query.root
    columns = select.projections[0].columns
    assert follows_from_groups(select, context.schema, columns) is expected
