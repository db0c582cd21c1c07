"""Samples of large tables in DuckDB and on servers, with the same stated error."""

from __future__ import annotations

import pickle
from pathlib import Path

import duckdb
import pytest

from clausewise.databases import BaseDatabase, index, open_database
from clausewise.databases.duckdb import building as duckdb_building
from clausewise.databases.duckdb import tallies as duckdb_tallies
from clausewise.databases.sampling import largest_effect
from clausewise.databases.server import building
from tests.servers.server import Server

ROWS = 20_000
SCRIPT = """
CREATE TABLE person (person_id INTEGER PRIMARY KEY, name VARCHAR(20));
CREATE TABLE sale (id INTEGER PRIMARY KEY, person_id INTEGER, kind VARCHAR(20), day VARCHAR(20));
"""


def rows_of_sale(start: int, stop: int) -> str:
    rows = (
        f"({n}, {n % 500}, '{'xxxy'[n * 7 % 11 % 4]}', 'day {n // 1000}')"
        for n in range(start, stop)
    )
    return f"INSERT INTO sale VALUES {', '.join(rows)};"


def script() -> str:
    people = ", ".join(f"({n}, 'p{n}')" for n in range(500))
    sales = "\n".join(rows_of_sale(start, start + 5_000) for start in range(0, ROWS, 5_000))
    return f"{SCRIPT}INSERT INTO person VALUES {people};\n{sales}"


def check_sampled(database: BaseDatabase, cluster: float) -> None:
    """`cluster` is the least design effect of days, of which 1,000 rows stand together."""
    report = index(database)
    assert report.sampled.keys() == {"sale"}, report.left_out
    assert "rows, shares ±" in report.sampled["sale"]
    kind, day = database.profile("sale", "kind"), database.profile("sale", "day")
    for profile in (kind, day):
        sample = profile.sample
        assert sample is not None
        assert sample.table_rows == pytest.approx(ROWS, rel=0.1)
        assert sample.design_effect is not None
        assert 500 < profile.rows < ROWS
    assert kind.sample is not None
    limits = kind.sample.interval(dict(kind.frequent)["x"] / kind.rows, kind.rows)
    assert limits is not None
    truth = sum("xxxy"[n * 7 % 11 % 4] == "x" for n in range(ROWS)) / ROWS
    assert limits[0] <= truth <= limits[1]
    assert day.sample is not None
    assert (day.sample.design_effect or 0.0) >= cluster
    assert not database.is_indexed("sale", "kind")
    assert database.profile("sale", "id").unique
    keys = {(key.table, key.columns, key.referred_table) for key in database.schema.foreign_keys}
    assert keys == {("sale", ("person_id",), "person")}


def test_the_largest_effect_is_that_of_the_most_clustered_value() -> None:
    mixed = [(block, value, 5) for block in range(100) for value in "ab"]
    clustered = [(block, None, 10) for block in range(100, 200)]
    assert largest_effect(mixed, ["a"]) == 1.0
    assert largest_effect([*mixed, *clustered], ["a", None]) > 9
    assert largest_effect([], []) == 1.0


def test_duckdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdb_tallies, "SAMPLE_ROWS", 2_000)
    plain = duckdb_tallies.row_source
    monkeypatch.setattr(duckdb_building, "row_source", lambda one, table: plain(one, table, 10_000))
    path = tmp_path / "large.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(script())
    database = open_database(path, cache_dir=tmp_path / "cache")
    check_sampled(database, 1.0)
    database.profile_seconds = 5.0
    assert pickle.loads(pickle.dumps(database)).profile_seconds == 5.0


def test_on_servers(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "SAMPLED_FROM", 10_000)
    monkeypatch.setattr(building, "SAMPLE_ROWS", 4_000)
    monkeypatch.setattr("clausewise.databases.server.key_blocks.BLOCKS", 100)
    monkeypatch.setattr("clausewise.databases.server.key_blocks.BLOCK_ROWS", 20)
    made = server.create(script(), "large")
    server.execute("ANALYZE" if server.is_postgresql else "ANALYZE TABLE sale", made.name)
    database = open_database(made.reader, cache_dir=tmp_path / "cache")
    check_sampled(database, 5.0)
    database.profile_seconds = 5.0
    assert pickle.loads(pickle.dumps(database)).profile_seconds == 5.0
