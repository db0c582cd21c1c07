"""Samples of large tables: which rows, what error is stated, and that no table is read whole."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Sequence
from itertools import count, pairwise
from pathlib import Path

import pytest

from clausewise.databases import Database, index
from clausewise.databases.deadline import Deadline, profile_seconds
from clausewise.databases.model import Column, Table
from clausewise.databases.sampling import KeyRange, RowSample, design_effect, spread_ranges
from clausewise.databases.sqlite import building, tallies
from clausewise.errors import InputError

ROWS = 40_000
BLOCKS, BLOCK_ROWS = 200, 20


def plan(keys: Sequence[int], blocks: int = 100, rows: int = 5) -> tuple[KeyRange, ...] | None:
    def next_key(starts: Sequence[int]) -> list[int | None]:
        return [min((key for key in keys if key >= start), default=None) for start in starts]

    def count_rows(ranges: Sequence[KeyRange]) -> int:
        return sum(first <= key <= last for first, last in ranges for key in keys)

    found = spread_ranges(min(keys), max(keys), next_key, count_rows, blocks, rows)
    return None if found is None else found.ranges


def test_blocks_are_even_and_apart() -> None:
    ranges = plan(range(1, 5_001))
    assert ranges is not None
    assert sum(last - first + 1 for first, last in ranges) == 500
    assert all(one[1] < other[0] for one, other in pairwise(ranges))
    places = [(first - 1) // 50 for first, _ in ranges]
    assert set(places) == set(range(100))  # one in each part of the key
    assert len(places) < 115  # where it goes on at the beginning of its part, there are two
    assert ranges == plan(range(1, 5_001))


def test_gaps_are_passed_over() -> None:
    ranges = plan([*range(1, 2_001), *range(10**9, 10**9 + 2_000)])
    assert ranges is not None
    low = sum(last <= 2_100 for _, last in ranges)
    assert 0.35 * len(ranges) < low < 0.65 * len(ranges)


def test_sparse_keys_take_longer_blocks() -> None:
    ranges = plan(range(7, 500_000, 100))
    assert ranges is not None
    assert sum(last - first for first, last in ranges) > 300 * 100


def test_hopeless_keys_have_no_plan() -> None:
    assert plan([1, 2, 3, 10**15]) is None


def test_a_design_effect_says_how_alike_neighbors_are() -> None:
    assert design_effect([10] * 100, [10, 0] * 50) == pytest.approx(10.1, abs=0.1)
    assert design_effect([10] * 100, [5] * 100) == 1.0
    assert design_effect([10], [5]) == 1.0


def test_an_error_is_stated_for_blocks_only() -> None:
    sample = RowSample(5_000_000, estimated=True, chosen="blocks", blocks=10, design_effect=4.0)
    assert sample.margin(0.5, 40_000) == pytest.approx(0.0098, abs=1e-4)
    assert sample.missed(0.001, 40_000) == pytest.approx(0.999**10_000)
    assert sample.stated(40_000) == (
        "a sample of 40,000 of about 5,000,000 rows, shares ± 1.0 percentage points or less"
    )
    first = RowSample(None, estimated=True, chosen="first")
    assert first.margin(0.5, 40_000) is None
    assert first.missed(0.1, 40_000) is None
    assert first.stated(10).startswith("the first 10 of a table whose rows were not counted")


Write = Callable[[random.Random, int], tuple[object, ...]]

KINDS: dict[str, Write] = {
    "mixed": lambda rng, _: (rng.choice("aaaaabbbcd"),),
    "clustered": lambda _, row: (row // 37 % 11,),
    "sorted": lambda _, row: ("abcde"[row * 5 // ROWS],),
    "periodic": lambda _, row: (row % 200 // 20,),
    "nulls": lambda rng, row: (None if row // 50 % 3 == 0 else rng.randrange(3),),
}


@pytest.mark.parametrize("kind", KINDS)
def test_shares_are_within_the_stated_error(kind: str) -> None:
    """The rate is that of 95 % but for what few tables may be off by."""
    inside = total = 0
    for seed in range(12):
        rng = random.Random(seed)
        connection = sqlite3.connect(":memory:")
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
        offset = seed * 13
        rows = (KINDS[kind](rng, (row + offset) % ROWS) for row in range(ROWS))
        connection.executemany("INSERT INTO t (v) VALUES (?)", rows)
        truth = dict(connection.execute("SELECT v, count(*) FROM t GROUP BY v"))
        column = Column("v", "")
        table = Table("t", (Column("id", "INTEGER", primary_key=1), column), ("id",))
        source = tallies.row_source(connection, table, 10_000, BLOCKS, BLOCK_ROWS)
        found = dict(connection.execute(f"SELECT v, count(*) FROM {source.text} GROUP BY v"))
        values = [value for value in truth if value is not None]
        sample = tallies.column_sample(connection, source, table, column, values)
        assert sample is not None
        assert sample.table_rows == ROWS
        for value, rows_of_value in truth.items():
            limits = sample.interval(found.get(value, 0) / source.read, source.read)
            assert limits is not None
            total += 1
            inside += limits[0] <= rows_of_value / ROWS <= limits[1]
        connection.close()
    assert inside >= (0.90 if kind == "mixed" else 0.95) * total


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A table of 20,000 rows, which is a large one here, and one that it refers to."""
    monkeypatch.setattr(building, "SAMPLED_FROM", 10_000)
    path = tmp_path / "large.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(
        "CREATE TABLE person (person_id INTEGER PRIMARY KEY, name TEXT);"
        "CREATE TABLE sale (id INTEGER PRIMARY KEY, person_id INTEGER, kind TEXT);"
        "CREATE TABLE word (word TEXT PRIMARY KEY, length INTEGER) WITHOUT ROWID;"
    )
    connection.executemany("INSERT INTO person VALUES (?, ?)", ((n, f"p{n}") for n in range(500)))
    sales = ((n, n % 500, "xy"[n % 2]) for n in range(20_000))
    connection.executemany("INSERT INTO sale VALUES (?, ?, ?)", sales)
    connection.executemany("INSERT INTO word VALUES (?, 5)", ((f"w{n:05}",) for n in range(12_000)))
    connection.commit()
    connection.close()
    return Database(path, cache_dir=tmp_path / "cache")


def test_a_large_table_is_never_read_as_a_whole(large: Database) -> None:
    sale = large.declared_schema.table("sale")
    assert sale is not None
    with sqlite3.connect(large.path) as connection:
        source = tallies.row_source(connection, sale, 10_000)
        statements: list[str] = []
        connection.set_trace_callback(statements.append)
        list(tallies.tally_column(connection, source.text, sale.columns[2]))
        tallies.column_sample(connection, source, sale, sale.columns[2], ["x"])
        connection.set_trace_callback(None)
        for statement in [text for text in statements if "FROM" in text]:
            plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
            assert any(step.startswith("SEARCH part USING INTEGER PRIMARY KEY") for step in plan)
            assert not any(step.startswith("SCAN part") for step in plan), plan
    connection.close()


def test_profiles_say_that_they_are_of_a_sample(large: Database) -> None:
    report = index(large)
    assert report.sampled["sale"].startswith("a sample of 5,000 of about 20,000 rows, shares ±")
    assert report.sampled["word"].startswith("the first 5,000 of")
    assert "person" not in report.sampled
    profile = large.profile("sale", "kind")
    assert profile.sampled
    assert profile.distinct == 2
    margin = profile.margin(0.5)
    assert margin is not None
    assert 0 < margin < 0.05
    assert not large.is_indexed("sale", "kind")
    assert large.profile("sale", "id").unique  # declared
    assert not large.profile("word", "length").unique
    assert large.profile("person", "name").margin(0.5) == 0.0


def test_keys_of_large_tables_are_found_in_the_sample(large: Database) -> None:
    keys = {(key.table, key.columns, key.referred_table) for key in large.schema.foreign_keys}
    assert keys == {("sale", ("person_id",), "person")}


def test_a_sample_is_kept_and_the_same_again(large: Database, tmp_path: Path) -> None:
    known = large.store.facts
    other = Database(large.path, cache_dir=tmp_path / "other")
    again = Database(large.path, cache_dir=tmp_path / "cache")
    assert other.store.facts == again.store.facts == known
    assert other.store.built
    assert not again.store.built


def test_what_is_not_read_in_time_is_read_by_who_has_more(
    large: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = count()
    short = Deadline(3.0, lambda: next(clock) + 0.5)
    monkeypatch.setattr("clausewise.databases.sqlite.database.Deadline", lambda _: short)
    large.profile_seconds = 3.0
    left_out = index(large).left_out
    assert left_out["sale"].startswith("the 3 s for profiles were over")
    assert large.profile("person", "person_id").rows == 500
    monkeypatch.undo()
    monkeypatch.setattr(building, "SAMPLED_FROM", 10_000)
    same = Database(large.path, cache_dir=tmp_path / "cache")
    same.profile_seconds = 3.0
    assert index(same).left_out == left_out
    longer = Database(large.path, cache_dir=tmp_path / "cache")
    longer.profile_seconds = 60.0
    assert not index(longer).left_out
    same.close()
    assert not index(same).left_out  # a full store serves everybody


def test_the_time_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert profile_seconds(10.0) == 10.0
    monkeypatch.setenv("CLAUSEWISE_PROFILE_SECONDS", "2.5")
    assert profile_seconds(10.0) == 2.5
    monkeypatch.setenv("CLAUSEWISE_PROFILE_SECONDS", "soon")
    with pytest.raises(InputError, match="must be a number of seconds"):
        profile_seconds()
