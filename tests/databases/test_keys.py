"""Inferred foreign keys: names first, then the data."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable

import pytest

from clausewise.databases import Column, ColumnProfile, Database, Schema, Table
from clausewise.databases.keys import MOST_COMPARISONS, KeyCandidate, infer_foreign_keys
from clausewise.databases.profile import profile_column
from clausewise.databases.sqlite.tallies import tally_column

Make = Callable[..., Database]


def _keys(database: Database) -> list[str]:
    return [
        f"{key.table}.{key.columns[0]} -> {key.referred_table}.{key.referred_columns[0]}"
        for key in database.schema.foreign_keys
        if key.inferred
    ]


@pytest.mark.parametrize(
    ("parent", "key", "child"),
    [
        ("race", "race_id", "race_id"),
        ("races", "raceId", "RaceID"),
        ("races", "id", "race_id"),
        ("cities", "id", "city_id"),
        ("classes", "id", "class_id"),
        ("buses", "id", "bus_id"),
        ("people", "id", "person_id"),
        ("movies", "id", "movie_id"),
        ("sports_women", "id", "sportswoman_id"),
        ("color", "id", "eye_color_id"),
        ("team", "team_api_id", "home_team_api_id"),
        ("airlines", "code", "airline"),
        ("genre", "title", "genre"),
        ("superhero", "id", "hero_id"),
        ("club", "club_id", "club_id_2"),
        ("station", "Station Code", "station_code"),
    ],
)
def test_names_that_look_like_keys(make: Make, parent: str, key: str, child: str) -> None:
    database = make(
        f'CREATE TABLE {parent} ("{key}" INTEGER PRIMARY KEY, other INTEGER);'
        f'CREATE TABLE visit (day INTEGER, "{child}" INTEGER);'
        f"INSERT INTO {parent} VALUES (1, 5), (2, 6), (3, 7);"
        f"INSERT INTO visit VALUES (1, 1), (2, 1), (3, 3)"
    )
    assert _keys(database) == [f"visit.{child} -> {parent}.{key}"]
    (found,) = database.schema.foreign_keys
    assert found.inferred
    assert database.declared_schema.foreign_keys == ()


@pytest.mark.parametrize(
    ("key", "child"),
    [
        ("id", "id"),
        ("id", "day"),
        ("name", "name"),
        ("code", "code"),
        ("id", "rank"),
        ("id", "paid"),
    ],
)
def test_small_numbers_alone_are_no_key(make: Make, key: str, child: str) -> None:
    database = make(
        f"CREATE TABLE race ({key} INTEGER PRIMARY KEY, size INTEGER);"
        f"CREATE TABLE visit ({child} INTEGER);"
        f"INSERT INTO race VALUES (1, 1), (2, 2), (3, 3); INSERT INTO visit VALUES (1), (1), (2)"
    )
    assert _keys(database) == []


@pytest.mark.parametrize(
    "rows",
    ["(1), (4)", "(NULL)", "('1x')"],
    ids=["a stranger", "no value", "another type"],
)
def test_the_data_must_bear_it_out(make: Make, rows: str) -> None:
    database = make(
        "CREATE TABLE race (race_id INTEGER PRIMARY KEY); CREATE TABLE visit (race_id INTEGER);"
        f"INSERT INTO race VALUES (1), (2), (3); INSERT INTO visit VALUES {rows}"
    )
    assert _keys(database) == []


def test_the_referred_column_must_tell_rows_apart(make: Make) -> None:
    database = make(
        "CREATE TABLE race (race_id INTEGER); CREATE TABLE visit (race_id INTEGER);"
        "INSERT INTO race VALUES (1), (2), (2); INSERT INTO visit VALUES (1), (2), (2), (1)"
    )
    assert _keys(database) == []


def test_keys_are_not_inferred_where_some_are_declared(make: Make) -> None:
    database = make(
        """
        CREATE TABLE race (race_id INTEGER PRIMARY KEY);
        CREATE TABLE driver (driver_id INTEGER PRIMARY KEY, race_id INTEGER);
        CREATE TABLE result (race_id INTEGER, driver_id INTEGER REFERENCES driver);
        CREATE TABLE visit (race_id INTEGER);
        INSERT INTO race VALUES (1), (2), (3); INSERT INTO driver VALUES (1, 1), (2, 1), (3, 2);
        INSERT INTO result VALUES (1, 1), (2, 1); INSERT INTO visit VALUES (3), (3);
        """
    )
    assert _keys(database) == ["visit.race_id -> race.race_id"]


def test_of_two_directions_the_better_one_stays(make: Make) -> None:
    database = make(
        """
        CREATE TABLE passport (person_id INTEGER); CREATE TABLE person (person_id INTEGER, n TEXT);
        INSERT INTO passport VALUES (1), (2); INSERT INTO person VALUES (1, 'a'), (2, 'b');
        """
    )
    assert _keys(database) == ["passport.person_id -> person.person_id"]


def test_a_column_refers_to_one_table_only(make: Make) -> None:
    database = make(
        """
        CREATE TABLE old_race (race_id INTEGER); CREATE TABLE race (race_id INTEGER PRIMARY KEY);
        CREATE TABLE visit (race_id INTEGER);
        INSERT INTO old_race VALUES (1), (2), (3); INSERT INTO race VALUES (1), (2), (3), (4);
        INSERT INTO visit VALUES (1), (1);
        """
    )
    assert _keys(database) == [
        "old_race.race_id -> race.race_id",
        "visit.race_id -> race.race_id",
    ]


def test_inferred_keys_join_the_graph(make: Make) -> None:
    database = make(
        "CREATE TABLE race (race_id INTEGER PRIMARY KEY); CREATE TABLE visit (race_id INTEGER);"
        "INSERT INTO race VALUES (1), (2); INSERT INTO visit VALUES (1), (1)"
    )
    assert database.join_graph.edges["race", "visit"]["keys"] == list(database.schema.foreign_keys)


def test_thousands_of_tables_are_compared_in_few_pairs() -> None:
    tables, profiles = [], {}
    for number in range(1_000):
        column = Column("customer_id", "INTEGER")
        tables.append(Table(f"shop_{number}", (column,)))
        profiles[f"shop_{number}", "customer_id"] = ColumnProfile(
            f"shop_{number}", "customer_id", 30, 0, 30, {"integer": 30}, number, 2_000 - number
        )
    compared: list[KeyCandidate] = []

    def is_included(candidate: KeyCandidate) -> bool:
        compared.append(candidate)
        return False

    assert infer_foreign_keys(Schema(tuple(tables)), profiles, is_included) == ()
    assert 0 < len(compared) <= MOST_COMPARISONS * len(tables)


@pytest.mark.parametrize(
    ("parents", "children"),
    [
        ([(1,), (2,), (3,)], [(2,), (4,)]),
        ([("a",), ("b",)], [("a",), ("c",)]),
        ([("a",), ("b",)], [(1,)]),
        ([(1,), (2,)], [("a",)]),
    ],
    ids=["range", "values", "numbers in words", "words in numbers"],
)
def test_profiles_rule_out_pairs_without_a_look_at_the_data(
    parents: list[tuple[object]], children: list[tuple[object]]
) -> None:
    assert _compared(parents, children) == 0


@pytest.mark.parametrize(
    ("parents", "children"),
    [
        ([(1,), (2.5,), (3,)], [(1.0,), (2.5,)]),
        ([("a",), ("b",)], [("A ",), ("b",)]),
        ([("1",), ("2",)], [(1,), (2,)]),
        ([(1,), (2,)], [("1",)]),
    ],
    ids=["equal numbers", "another case", "numeric text", "numeric text of the child"],
)
def test_profiles_rule_out_no_pair_that_may_be_equal(
    parents: list[tuple[object]], children: list[tuple[object]]
) -> None:
    assert _compared(parents, children) == 1


def _compared(parents: list[tuple[object]], children: list[tuple[object]]) -> int:
    """Return how many pairs must be compared in the data."""
    column = Column("race_id", "")
    tables = (Table("race", (column,), ("race_id",)), Table("visit", (column,)))
    profiles = {
        (table.name, "race_id"): _profile_of(table, column, rows)
        for table, rows in zip(tables, (parents, children), strict=True)
    }
    compared: list[str] = []

    def is_included(candidate: KeyCandidate) -> bool:
        compared.append(candidate.source.name)
        return False

    infer_foreign_keys(Schema(tables), profiles, is_included)
    return compared.count("visit")


def _profile_of(table: Table, column: Column, rows: list[tuple[object]]) -> ColumnProfile:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE TABLE {table.name} (race_id)")
        connection.executemany(f"INSERT INTO {table.name} VALUES (?)", rows)
        return profile_column(table, column, tally_column(connection, table.name, column))
