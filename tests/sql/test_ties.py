"""What SQL leaves open in a query, and the statements that show whether it matters."""

from __future__ import annotations

import sqlite3

import pytest

from clausewise.sql import parse
from clausewise.sql.ties import Determinacy, examine_ties
from clausewise.text import single_spaced

TABLES = {
    "country": ["code", "name", "area"],
    "city": ["id", "name", "code", "people"],
    "person": ["pid", "city", "age", "nick"],
}
KEYS = {"country": ["code"], "city": ["id"], "person": ["pid"]}
BARE = "a column beside an aggregate, "
LIMITED = "ties under LIMIT in a sub-query"
SCALAR = "a sub-query of several rows where one is expected"
DISTINCT = "DISTINCT under an order by something else"


def examine(sql: str) -> Determinacy:
    return examine_ties(parse(sql, "sqlite", TABLES), TABLES, KEYS)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM city WHERE people > 3",
        "SELECT name, count(*) FROM city GROUP BY name HAVING count(*) > 1",
        "SELECT id, name, max(people) FROM city GROUP BY id",
        "SELECT n.name, count(*) FROM city AS n JOIN person ON city = id GROUP BY n.id",
        "SELECT lower(name), count(*) FROM city GROUP BY lower(name)",
        "SELECT lower(name) AS n, count(*) FROM city GROUP BY n",
        "SELECT name FROM city WHERE people = (SELECT max(people) FROM city)",
        "SELECT name FROM city WHERE id IN (SELECT city FROM person)",
        "SELECT name FROM city WHERE EXISTS (SELECT 1 FROM person WHERE city = id LIMIT 1)",
        "SELECT name FROM city WHERE EXISTS (SELECT nick FROM person GROUP BY age)",
        "SELECT name, rank() OVER (ORDER BY people) FROM city",
        "SELECT name, sum(people) OVER (PARTITION BY code) FROM city",
        "SELECT name FROM city UNION SELECT nick FROM person",
        "SELECT (SELECT 1), name FROM city",
        "SELECT name FROM (SELECT name FROM city ORDER BY people)",
        "SELECT date(name), strftime('%Y', name) FROM city",
    ],
)
def test_queries_with_nothing_open(sql: str) -> None:
    found = examine(sql)
    assert not found.reason
    assert not found.checks
    assert found.ranked is None


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT name, count(*) FROM city", [BARE + "name"]),
        ("SELECT name, max(people) FROM city", [BARE + "name"]),
        ("SELECT name FROM city GROUP BY code", [BARE + "name"]),
        ("SELECT code FROM city GROUP BY code ORDER BY people", [BARE + "people"]),
        ("SELECT code FROM city GROUP BY code HAVING people > 1", [BARE + "people"]),
        ("SELECT *, count(*) FROM city GROUP BY code", [BARE + '"city"."id"']),
        (
            "SELECT (SELECT count(*) FROM person WHERE nick = c.name) FROM city c GROUP BY c.code",
            [BARE + "c.name"],
        ),
        ("SELECT name FROM city WHERE id IN (SELECT city FROM person LIMIT 2)", [LIMITED]),
        ("SELECT name FROM (SELECT name FROM city ORDER BY people LIMIT 1)", [LIMITED]),
        ("WITH x AS (SELECT id FROM city LIMIT 1) SELECT id FROM x", [LIMITED]),
        ("SELECT name FROM (SELECT name FROM city LIMIT 1 OFFSET 2)", [LIMITED, LIMITED]),
        ("SELECT name FROM city WHERE id = (SELECT city FROM person)", [SCALAR]),
        ("SELECT (SELECT nick FROM person p WHERE p.city = c.id) FROM city c", [SCALAR]),
        ("SELECT DISTINCT name FROM city ORDER BY people", [DISTINCT]),
        (
            "SELECT row_number() OVER (ORDER BY people) FROM city",
            ["ROW_NUMBER over rows that tie"],
        ),
        (
            "SELECT sum(people) OVER (ORDER BY people ROWS 1 PRECEDING) FROM city",
            ["SUM over rows that tie"],
        ),
        (
            "SELECT group_concat(name, ',') FROM city GROUP BY code",
            ["the order of rows in GROUP_CONCAT"],
        ),
    ],
)
def test_open_points_have_checks_that_run(sql: str, expected: list[str]) -> None:
    found = examine(sql)
    assert not found.reason
    assert [check.what for check in found.checks] == expected
    connection = sqlite3.connect(":memory:")
    for table, columns in TABLES.items():
        connection.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
    for check in found.checks:
        rows = connection.execute(check.statement).fetchall()
        if check.other is None:
            assert not rows
        else:
            assert connection.execute(check.other).fetchall() == rows
    connection.close()


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT random() FROM city", "random() is not the same"),
        ("SELECT name FROM city WHERE people > abs(random() % 3)", "random() is not the same"),
        ("SELECT date('now')", "'now' is not the same"),
        ("SELECT strftime('%Y', 'NOW')", "'NOW' is not the same"),
        ("SELECT date()", "date() is not the same"),
        ("SELECT current_date", "is not the same"),
        ("SELECT rowid FROM city", "rowid is not the same"),
        ("SELECT name FROM sqlite_master", "a table of the database system"),
        (
            "SELECT name FROM city c WHERE id IN (SELECT city FROM person p "
            "WHERE p.nick = c.name LIMIT 1)",
            "correlated",
        ),
        ("SELECT name FROM (SELECT name FROM city LIMIT 1 + 1)", "computed LIMIT"),
        ("SELECT lag(name) OVER w FROM city WINDOW w AS (ORDER BY people)", "named window"),
        ("SELECT json_group_object(code, name) FROM city", "no certain order"),
        ("SELECT group_concat(name, code) FROM city", "order of rows in GROUP_CONCAT"),
        (
            "SELECT * FROM (WITH x AS (SELECT id FROM city) SELECT id FROM x LIMIT 1)",
            "WITH inside a sub-query",
        ),
        (
            "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x LIMIT 5) "
            "SELECT n FROM x",
            "a recursive WITH",
        ),
        ("SELECT (SELECT max(c.people)) FROM city c", "an aggregate of an enclosing SELECT"),
        ("SELECT * FROM city NATURAL JOIN country LIMIT 1", "which columns * stands for"),
    ],
)
def test_what_cannot_be_established(sql: str, reason: str) -> None:
    assert reason in examine(sql).reason


def test_the_outermost_order_and_limit() -> None:
    found = examine(
        "SELECT name, code FROM city ORDER BY people DESC LIMIT 3 OFFSET 1 -- top"
    ).ranked
    assert found is not None
    assert (found.limit, found.offset, found.is_exact) == (3, 1, True)
    assert single_spaced(found.ascending) == (
        "SELECT name, code FROM city ORDER BY people DESC , 1 ASC, 2 ASC LIMIT 3 OFFSET 1"
    )
    assert single_spaced(found.all_descending) == (
        "SELECT name, code FROM city ORDER BY people DESC , 1 DESC, 2 DESC"
    )
    comma = examine("SELECT name FROM city LIMIT 2, 5").ranked
    assert comma is not None
    assert (comma.limit, comma.offset) == (5, 2)
    computed = examine("SELECT name FROM city LIMIT 1 + 1").ranked
    assert computed is not None
    assert not computed.is_exact
    stars = examine("SELECT c.*, p.* FROM city c JOIN person p ON p.city = c.id ORDER BY 1").ranked
    assert stars is not None
    assert "8 ASC" in stars.ascending
    assert "9 ASC" not in stars.ascending
    members = examine("SELECT name FROM city UNION ALL SELECT nick FROM person LIMIT 2").ranked
    assert members is not None
    assert single_spaced(members.ascending).endswith("FROM person ORDER BY 1 ASC LIMIT 2")


def test_a_view_is_a_sub_query() -> None:
    query = parse("SELECT name FROM city ORDER BY people LIMIT 1", "sqlite", TABLES)
    found = examine_ties(query, TABLES, is_view=True)
    assert found.ranked is None
    assert [check.what for check in found.checks] == [LIMITED]


def test_other_dialects() -> None:
    query = parse("SELECT name FROM city LIMIT 1", "duckdb", TABLES)
    found = examine_ties(query, TABLES).ranked
    assert found is not None
    assert "1 ASC NULLS FIRST" in found.ascending
    assert "1 DESC NULLS LAST" in found.descending
    for sql in (
        "SELECT DISTINCT ON (code) code, name FROM city",
        "SELECT name FROM city FETCH FIRST 1 ROWS ONLY",
        "SELECT name FROM city WHERE code < 'today'",
    ):
        assert examine_ties(parse(sql, "duckdb", TABLES), TABLES).reason


def test_keys_are_trusted_only_where_they_are_given() -> None:
    query = parse("SELECT id, name FROM city GROUP BY id", "sqlite", TABLES)
    assert not examine_ties(query, TABLES, KEYS).checks
    assert len(examine_ties(query, TABLES).checks) == 1
    assert len(examine_ties(query, TABLES, {"city": ["id", "code"]}).checks) == 1


@pytest.mark.parametrize(
    ("sql", "merges"),
    [
        ("SELECT name FROM city", False),
        ("SELECT name FROM city UNION ALL SELECT nick FROM person", False),
        ("SELECT DISTINCT name FROM city", True),
        ("SELECT name FROM city UNION SELECT nick FROM person", True),
        ("SELECT max(name) FROM city", True),
        ("SELECT name FROM city GROUP BY name", True),
    ],
)
def test_which_queries_merge_equal_texts(sql: str, merges: bool) -> None:
    assert bool(examine(sql).merges) is merges
