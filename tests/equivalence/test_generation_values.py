from __future__ import annotations

from pathlib import Path

import pytest

from clausewise.databases import Cell, create_database, open_database
from clausewise.equivalence.generation.conditions import meets
from clausewise.equivalence.generation.kinds import stored_value
from clausewise.equivalence.generation.literals import odd_values, values_around
from clausewise.equivalence.generation.pools import Pools
from clausewise.equivalence.generation.words import is_secret, texts_for
from clausewise.equivalence.plan import make_plan
from clausewise.sql import parse


@pytest.mark.parametrize(
    ("operator", "constant", "expected"),
    [
        (">", 5, {4, 5, 6}),
        ("=", 2.5, {1.5, 2.4, 2.5, 2.6, 3.5}),
        ("<", "2012-03-01", {"2012-02-29", "2012-03-01", "2012-03-02", "2012-12-31"}),
        ("=", "10", {"9", "10", "11"}),
        ("LIKE", "%a_c", {"aac", "xyaac"}),
    ],
)
def test_values_around_a_constant(operator: str, constant: Cell, expected: set[Cell]) -> None:
    assert expected <= set(values_around(operator, constant))


def test_odd_values_differ_in_case_and_blanks_only() -> None:
    found = list(odd_values("=", "Oslo"))
    assert {"oslo", "OSLO", " Oslo", "Oslo "} == set(found)
    assert list(odd_values("=", 3)) == []


@pytest.mark.parametrize(
    ("condition", "value", "expected"),
    [
        ("x > 3", 4, True),
        ("x BETWEEN 1 AND 3", 4, False),
        ("x NOT IN (1, 2)", 3, True),
        ("x NOT IN (1, 2)", None, False),
        ("x IS NULL", None, True),
        ("abs(x) > 3", 4, None),
        ("x = 'a'", 4, None),
    ],
)
def test_whether_a_value_meets_a_comparison(
    condition: str, value: Cell, expected: bool | None
) -> None:
    query = parse(f"SELECT x FROM t WHERE {condition}", tables={"t": ["x"]})
    assert meets(query.root.comparisons[0], [value], "INTEGER") == [expected]


@pytest.mark.parametrize(
    ("value", "declared", "stored"),
    [("5", "INT", 5), (5.0, "INTEGER", 5), (5, "VARCHAR(3)", "5"), ("a", "REAL", "a")],
)
def test_values_are_stored_by_affinity(value: Cell, declared: str, stored: Cell) -> None:
    found = stored_value(value, declared)
    assert (found, type(found)) == (stored, type(stored))


def test_texts_fit_the_name_of_their_column() -> None:
    assert "Paris" in texts_for("person", "home_city")
    assert all("@" in text for text in texts_for("person", "email_address"))
    assert is_secret("person", "user_password")
    assert not is_secret("person", "passenger_name")


def test_values_do_not_depend_on_the_plans_before(tmp_path: Path) -> None:
    path = tmp_path / "clubs.sqlite"
    columns = ", ".join(f"c{number} TEXT" for number in range(4))
    rows = "(1, 'Ann', 'x'), (2, 'Bob', 'y'), (3, 'Cy', 'z')"
    create_database(
        path,
        f"CREATE TABLE club ({columns}); CREATE TABLE person (id INTEGER, name TEXT, town TEXT);"
        f"INSERT INTO person VALUES {rows};",
    )

    def values(first: str | None) -> list[Cell]:
        database = open_database(path)
        for query in filter(None, (first, "SELECT c0, name FROM club, person")):
            pools = Pools(make_plan([query], database), [])
            found = pools.of(("person", "name")).plain
        return found

    assert values("SELECT name FROM person") == values(None)
