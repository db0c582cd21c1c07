"""Column profiles against counts made in plain Python."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausewise.databases import Column, ColumnProfile, Database, Table
from clausewise.databases.profile import NUMBER, ColumnTally, profile_column
from clausewise.databases.sqlite import bounded, building
from clausewise.databases.sqlite.tallies import read_long_values, row_source, tally_column
from clausewise.errors import DatabaseError

CELLS = st.one_of(
    st.none(),
    st.integers(-5, 5),
    st.sampled_from([-1.5, 0.25, 1e300]),
    st.sampled_from(["", "a", "A", "é", " 12 ", "1e5", ".5", "1.", "12a", "nan", "٣"]),
    st.sampled_from([b"", b"a", b"\xff"]),
)
KINDS = {int: "integer", float: "real", str: "text", bytes: "blob"}
COLUMN = Column("a", "")
TABLE = Table("t", (COLUMN,))


def _profile(cells: Sequence[object], declared: str = "") -> ColumnProfile:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(f"CREATE TABLE t (a {declared})")
        connection.executemany("INSERT INTO t VALUES (?)", [(cell,) for cell in cells])
        return profile_column(TABLE, COLUMN, tally_column(connection, "t", COLUMN))
    finally:
        connection.close()


@given(st.lists(CELLS, max_size=40))
def test_counts_agree_with_plain_python(cells: list[object]) -> None:
    profile = _profile(cells)
    held = [cell for cell in cells if cell is not None]
    assert profile.rows == len(cells)
    assert profile.nulls == len(cells) - len(held)
    assert profile.distinct == len(set(held))
    assert profile.stored_types == Counter(KINDS[type(cell)] for cell in held)
    assert profile.numeric_text == sum(cell in (" 12 ", "1e5", ".5", "1.") for cell in held)
    shown = Counter(cell for cell in held if not isinstance(cell, bytes))
    assert (
        dict(profile.frequent) == dict(shown) if len(shown) <= 20 else len(profile.frequent) == 20
    )
    counts = [count for _, count in profile.frequent]
    assert counts == sorted(counts, reverse=True)
    numbers = [cell for cell in held if isinstance(cell, int | float)]
    if numbers:
        assert profile.minimum == min(numbers)
    assert profile.unique is (0 < len(held) == len(set(held)))


LONG = [text * 400 for text in ("a", "é", "5", "x1")] + ["b" + "c" * 799, "b" + "c" * 800]
LONG_CELLS = st.one_of(
    CELLS, st.sampled_from(LONG), st.sampled_from([text.encode() * 2 for text in LONG])
)


@given(st.lists(LONG_CELLS, max_size=30), st.sampled_from(["UTF-8", "UTF-16"]))
def test_long_values_count_as_if_they_were_held(cells: list[object], encoding: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute(f"PRAGMA encoding = '{encoding}'")
    connection.execute("CREATE TABLE t (a)")
    connection.executemany("INSERT INTO t VALUES (?)", [(cell,) for cell in cells])
    tally = ColumnTally()
    for chunk in tally_column(connection, "t", COLUMN):
        assert all(len(value) <= 800 for value, _ in chunk if isinstance(value, str | bytes))
        tally.add(chunk)
    long = read_long_values(connection, "t", COLUMN, tally.short_texts, 1_000_000)
    profile = tally.profile(TABLE, COLUMN, long)
    held = [cell for cell in cells if cell is not None]
    connection.execute("DELETE FROM t WHERE a IS NULL")
    ends = [
        connection.execute(f"SELECT a FROM t ORDER BY a {order} LIMIT 1").fetchone()
        for order in ("ASC", "DESC")
    ]
    connection.close()
    assert profile.rows == len(cells)
    assert profile.distinct == len(set(held))
    assert profile.stored_types == Counter(KINDS[type(cell)] for cell in held)
    assert profile.numeric_text == sum(
        cell in (" 12 ", "1e5", ".5", "1.", "5" * 400) for cell in held
    )
    shown = [row[0] if row and len(str(row[0])) <= 200 else None for row in ends]
    assert [profile.minimum, profile.maximum] == [
        None if isinstance(cell, bytes) else cell for cell in shown
    ]


def test_a_long_text_of_digits_is_read_in_linear_time() -> None:
    assert NUMBER.fullmatch("5" * 1_000_000 + "x") is None


def test_ties_of_frequent_values_are_in_order_of_value() -> None:
    profile = _profile(["b", "a", "c", "a", "b", 2, 10, "B"])
    assert profile.frequent == (("a", 2), ("b", 2), (2, 1), (10, 1), ("B", 1), ("c", 1))


def test_frequent_values_of_many_chunks() -> None:
    cells = [number for number in range(12_000) for _ in range(2 if number % 1_000 == 999 else 1)]
    profile = _profile(cells)
    assert profile.distinct == 12_000
    assert [value for value, _ in profile.frequent[:12]] == list(range(999, 12_000, 1_000))
    assert [value for value, _ in profile.frequent[12:]] == list(range(8))
    assert (profile.minimum, profile.maximum) == (0, 11_999)


def test_values_are_told_apart_whatever_the_collation() -> None:
    profile = _profile(["a", "A", "a "], "TEXT COLLATE NOCASE")
    assert profile.distinct == 3
    assert profile.frequent == (("A", 1), ("a", 1), ("a ", 1))


def test_numbers_in_a_text_column_and_text_in_a_number_column() -> None:
    as_text = _profile([1, "2", "x"], "TEXT")
    assert as_text.stored_types == {"text": 3}
    assert as_text.numeric_text == 2
    as_number = _profile([1, "2", "x"], "INTEGER")
    assert as_number.stored_types == {"integer": 2, "text": 1}
    assert (as_number.minimum, as_number.maximum, as_number.numeric_text) == (1, "x", 0)


def test_long_texts_and_blobs_are_counted_and_not_shown() -> None:
    profile = _profile(["x" * 201, "y", b"blob"])
    assert profile.frequent == (("y", 1),)
    assert (profile.minimum, profile.maximum) == (None, None)
    assert profile.distinct == 3


@pytest.mark.parametrize("ending", ["", " WITHOUT ROWID"])
def test_large_tables_are_sampled(ending: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE t (a INTEGER PRIMARY KEY){ending}")
    connection.executemany("INSERT INTO t VALUES (?)", [(number,) for number in range(1_000)])
    rows = row_source(connection, TABLE, sampled_from=100)
    profile = profile_column(
        TABLE, COLUMN, tally_column(connection, rows.text, COLUMN), sampled=rows.sampled
    )
    assert profile.sampled
    assert 50 <= profile.rows == profile.distinct <= 100
    rows = row_source(connection, TABLE, sampled_from=1_000)
    assert (rows.text, rows.count, rows.sampled) == ('"t"', 1_000, False)
    connection.close()


def test_views_have_profiles_unless_they_cannot_be_computed(
    make: Callable[..., Database],
) -> None:
    database = make(
        """
        CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('x'), ('y'), ('y');
        CREATE VIEW good AS SELECT upper(a) AS b FROM t;
        CREATE VIEW bad AS SELECT a, abs(-9223372036854775808 + 0 * length(a)) AS c FROM t;
        CREATE VIEW last AS SELECT lower(a) || '!' AS d FROM t;
        """
    )
    assert database.profile("good", "B").frequent == (("Y", 2), ("X", 1))
    assert database.profile("last", "d").distinct == 2
    assert database.profile("bad", "a").distinct == 2
    with pytest.raises(DatabaseError, match=r"no profile of 'bad\.c'.*integer overflow"):
        database.profile("bad", "c")
    places = [(place.table, place.column, place.value) for place in database.find_value("y!")]
    assert places == [("last", "d", "y!")]
    assert [place.table for place in database.find_value("y")] == ["t", "good", "bad"]


def test_a_view_that_never_ends_is_given_up(
    make: Callable[..., Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    few_steps = dataclasses.replace(bounded.COMPUTED, steps=10_000)
    monkeypatch.setattr(building, "COMPUTED", few_steps)
    database = make(
        "CREATE TABLE t (a); INSERT INTO t VALUES (1); CREATE VIEW endless AS "
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    )
    assert database.profile("t", "a").rows == 1
    with pytest.raises(DatabaseError, match=r"no profile of 'endless\.i'.*within its limits"):
        database.profile("endless", "i")


def test_unknown_columns_are_named(town: Database) -> None:
    with pytest.raises(DatabaseError, match=r"no column 'city\.nope'"):
        town.profile("city", "nope")
    with pytest.raises(DatabaseError, match="no table 'nope'"):
        town.row_count("nope")


def test_names_are_found_in_any_case(town: Database) -> None:
    assert town.profile("CITY", "Name") == town.profile("city", "name")
    assert town.row_count("City") == 4
