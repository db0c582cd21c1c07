"""Suites: the fewest instances that tell candidates apart, and the candidates in groups."""

from __future__ import annotations

from itertools import combinations, permutations
from pathlib import Path

import pytest

from clausewise.databases import BaseDatabase, create_database, open_database
from clausewise.databases.instances import Instance, InstanceTable, MemoryInstances
from clausewise.equivalence import Conventions, OrderRule, suite

ALL = "SELECT COUNT(*) FROM visits"
DATES = "SELECT COUNT(day) FROM visits"
PEOPLE = "SELECT COUNT(DISTINCT person) FROM visits"
DEAR = "SELECT COUNT(*) FROM visits WHERE fee > 100"
DEAR_OR_EQUAL = "SELECT COUNT(*) FROM visits WHERE fee >= 100"
SAME_AS_DEAR = "SELECT COUNT(*) FROM visits AS v WHERE 100 < v.fee"
QUERIES = [ALL, DATES, PEOPLE, DEAR, DEAR_OR_EQUAL, SAME_AS_DEAR, ALL + " ;"]


@pytest.fixture
def database(tmp_path: Path) -> BaseDatabase:
    path = tmp_path / "clinic.sqlite"
    create_database(
        path,
        """
        CREATE TABLE visits (id INTEGER PRIMARY KEY, person TEXT NOT NULL, day TEXT, fee INTEGER);
        INSERT INTO visits VALUES (1, 'Ann', '2020-01-01', 150), (2, 'Bob', '2020-01-02', 200);
        """,
    )
    return open_database(path)


def test_queries_are_grouped_by_what_they_do(database: BaseDatabase) -> None:
    found = suite(QUERIES, database)
    assert found.groups == ((0, 6), (3, 5), (1,), (2,), (4,))
    assert set(found.apart) == {
        (a, b)
        for a, b in combinations(range(7), 2)
        if not any({a, b} <= set(group) for group in found.groups)
    }
    assert not found.left_out


def test_every_difference_is_there_when_the_queries_are_run_again(database: BaseDatabase) -> None:
    found = suite(QUERIES, database)
    for a, b in found.apart:
        shown = found.counterexample(a, b)
        assert shown is not None
        assert shown.instance is not None
        with MemoryInstances(database.schema.tables) as memory:
            memory.fill(shown.instance)
            assert memory.run(QUERIES[a]).rows == shown.result_a.rows
            assert memory.run(QUERIES[b]).rows == shown.result_b.rows
        assert shown.result_a.rows != shown.result_b.rows
    assert found.counterexample(0, 6) is None


def test_no_instance_of_a_suite_is_needless(database: BaseDatabase) -> None:
    found = suite(QUERIES, database)
    assert 1 <= len(found.instances) <= len(found.apart)
    for number in range(len(found.instances)):
        rest = [i for n, i in enumerate(found.instances) if n != number]
        fewer = suite(QUERIES, database, known=rest, instances_tried=0)
        assert set(fewer.apart) < set(found.apart)


def test_the_groups_do_not_depend_on_the_order_of_the_queries(database: BaseDatabase) -> None:
    # With a tie under its LIMIT, the second query may give what either of the others gives.
    queries = [
        "SELECT person FROM visits ORDER BY fee, id LIMIT 1",
        "SELECT person FROM visits ORDER BY fee LIMIT 1",
        "SELECT person FROM visits ORDER BY fee, id DESC LIMIT 1",
    ]
    instance = Instance(
        (
            InstanceTable(
                "visits",
                ("id", "person", "day", "fee"),
                ((1, "Ann", None, 5), (2, "Bob", None, 5)),
            ),
        )
    )
    for order in permutations(range(3)):
        found = suite([queries[n] for n in order], database, known=[instance], instances_tried=0)
        groups = {frozenset(order[place] for place in group) for group in found.groups}
        assert groups == {frozenset({0}), frozenset({1}), frozenset({2})}
        assert [{order[a], order[b]} for a, b in found.apart] == [{0, 2}]


def test_the_same_call_gives_the_same_suite(database: BaseDatabase) -> None:
    assert suite(QUERIES, database) == suite(QUERIES, database)
    assert suite(QUERIES, database, seed=1).groups == suite(QUERIES, database).groups


def test_known_instances_are_tried_before_new_ones(database: BaseDatabase) -> None:
    found = suite(QUERIES, database)
    again = suite(QUERIES, database, known=found.instances, instances_tried=0)
    assert again.instances == found.instances
    assert again.tried == len(found.instances)
    assert again.groups == found.groups


@pytest.mark.parametrize(
    "hostile",
    [
        "",
        "SELEC 1",
        "DROP TABLE visits",
        "SELECT * FROM nowhere",
        "SELECT nothing FROM visits",
        "ATTACH 'x' AS y",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n",
        "SELECT load_extension('x')",
        "SELECT randomblob(100000000)",
        "SELECT 1" + " + 1" * 5_000,
    ],
)
def test_what_cannot_be_run_does_no_harm(database: BaseDatabase, hostile: str) -> None:
    found = suite([ALL, hostile, DATES], database)
    assert found.tells_apart(0, 2)
    assert not found.tells_apart(0, 1)
    assert not found.tells_apart(1, 2)
    for outcomes in found.outcomes:
        assert outcomes[1].failure


def test_what_cannot_be_compared_is_listed_with_the_reason(database: BaseDatabase) -> None:
    found = suite(["SELECT * FROM nowhere", ALL, "SELEC", ALL], database)
    assert list(found.left_out) == [0, 2]
    assert "nowhere" in found.left_out[0]
    assert found.groups == ((1, 3),)
    assert suite(["SELEC"], database).groups == ()
    assert suite([], database).groups == ()


def test_conventions_decide_what_counts(database: BaseDatabase) -> None:
    queries = ["SELECT person FROM visits ORDER BY id", "SELECT person FROM visits ORDER BY fee"]
    assert suite(queries, database).tells_apart(0, 1)
    anyhow = Conventions(order=OrderRule.NEVER)
    assert suite(queries, database, conventions=anyhow).groups == ((0, 1),)


def test_a_search_ends_after_so_many_instances_without_news(database: BaseDatabase) -> None:
    same = [DEAR, "SELECT COUNT(*) FROM visits WHERE ABS(fee - 100) = fee - 100 AND fee <> 100"]
    assert suite(same, database, patience=7).tried == 7
    assert suite(same, database, patience=50, instances_tried=9).tried == 9
    assert suite([DEAR, DEAR], database).tried == 0
    assert suite([DEAR, SAME_AS_DEAR], database).tried == 0, "proved, not tried"


def test_a_query_that_never_runs_is_given_up_and_listed(database: BaseDatabase) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) FROM n"
    found = suite([ALL, endless, ALL + " WHERE 1 = 1", endless], database)
    assert set(found.left_out) == {1, 3}
    assert found.groups == ((0, 2),)


def test_an_instance_that_breaks_a_constraint_tells_nothing(database: BaseDatabase) -> None:
    unnamed = InstanceTable("visits", ("id", "person", "day", "fee"), ((1, None, None, 5),))
    queries = [ALL, "SELECT COUNT(person) FROM visits"]
    found = suite(queries, database, known=[Instance((unnamed,))])
    assert found.groups == ((0, 1),)


def test_instances_are_shrunk_to_the_rows_that_tell(database: BaseDatabase) -> None:
    rows = tuple((n, f"person {n}", "2020-01-01", 99 + n) for n in range(5))
    known = Instance((InstanceTable("visits", ("id", "person", "day", "fee"), rows),))
    found = suite([DEAR, DEAR_OR_EQUAL], database, known=[known], instances_tried=0)
    assert [instance.row_count for instance in found.instances] == [1]


def test_a_number_that_is_joined_with_a_text_still_gets_values(tmp_path: Path) -> None:
    path = tmp_path / "air.sqlite"
    create_database(
        path,
        """
        CREATE TABLE airlines (uid INTEGER PRIMARY KEY, airline TEXT);
        CREATE TABLE flights (airline INTEGER NOT NULL, number INTEGER);
        INSERT INTO airlines VALUES (1, 'United'), (2, 'Delta');
        INSERT INTO flights VALUES (1, 7), (2, 8);
        """,
    )
    found = suite(
        [
            "SELECT COUNT(*) FROM flights AS f JOIN airlines AS a ON a.uid = f.airline",
            "SELECT COUNT(*) FROM flights AS f JOIN airlines AS a ON a.airline = f.airline",
        ],
        open_database(path),
    )
    assert found.tells_apart(0, 1)


def test_case_and_spaces_count_inside_quotes_only(database: BaseDatabase) -> None:
    queries = [
        "SELECT COUNT( * ) FROM visits WHERE person = 'Ann'",
        "select count(*) from VISITS where person='Ann' ;",
        "select count(*) from visits where person = 'ann'",
        "select count(*) from visits where person = 'A nn'",
        "SELECT COUNT(*) FROM visits WHERE \"person\" = 'Ann'",
    ]
    found = suite(queries, database)
    assert found.groups == ((0, 1, 4), (2,), (3,))


def test_a_comment_ends_with_its_line(database: BaseDatabase) -> None:
    queries = [
        "SELECT COUNT(*) FROM visits -- all of them\nWHERE fee > 100",
        "SELECT COUNT(*) FROM visits -- all of them WHERE fee > 100",
    ]
    assert suite(queries, database).tells_apart(0, 1)
