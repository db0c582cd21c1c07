"""Instances in DuckDB: the values that come back, and what a query may not do."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from clausewise.databases import Column, Limits, Table
from clausewise.databases.instances import DuckDBInstances, Instance, InstanceTable
from clausewise.databases.instances.engine_types import engine_type
from clausewise.errors import (
    DatabaseError,
    MissingExtraError,
    QueryDenied,
    QueryFailed,
    QueryTimeout,
    QueryTooLarge,
)

needs_duckdb = pytest.mark.skipif(
    importlib.util.find_spec("duckdb") is None, reason="needs the extra clausewise[duckdb]"
)
COLUMNS = {
    "id": "INTEGER",
    "name": "varchar(20)",
    "price": "DECIMAL(8, 2)",
    "rate": "REAL",
    "born": "DATE",
    "seen": "DATETIME",
    "paid": "BOOLEAN",
    "note": "",
}
TABLE = Table("item", tuple(Column(name, declared) for name, declared in COLUMNS.items()))
ROW = (1, "Ann", 2.5, 0.25, "2020-02-29", "2020-02-29 12:30:00", 1, "x")


def filled(*rows):
    return Instance.of([InstanceTable("item", tuple(COLUMNS), rows)])


@pytest.fixture
def engine():
    with DuckDBInstances([TABLE], Limits(seconds=60.0, rows=100, cell_bytes=1_000)) as made:
        made.fill(filled(ROW))
        yield made


TYPES = [
    ("INTEGER", "BIGINT"),
    ("int(11)", "BIGINT"),
    ("TEXT", "VARCHAR"),
    ("", "VARCHAR"),
    ("FLOAT", "DOUBLE"),
    ("NUMERIC", "DOUBLE"),
    ("decimal(10,2)", "DECIMAL(10, 2)"),
    ("decimal(99,2)", "DOUBLE"),
    ("DATE", "DATE"),
    ("timestamp", "TIMESTAMP"),
    ("bool", "BOOLEAN"),
    ("BLOB", "BLOB"),
]


@pytest.mark.parametrize(("declared", "expected"), TYPES)
def test_types(declared, expected):
    assert engine_type(declared) == expected


def test_without_the_extra_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with pytest.raises(MissingExtraError, match="duckdb"):
        DuckDBInstances([TABLE])


@needs_duckdb
def test_values_come_back_as_plain_cells(engine):
    result = engine.run("SELECT * FROM item")
    assert result.columns == tuple(COLUMNS)
    assert result.rows == ((1, "Ann", 2.5, 0.25, "2020-02-29", "2020-02-29 12:30:00", 1, "x"),)
    computed = "SELECT sum(id), avg(id), id / 2, [1, 2], NULL, id > 0, CAST('nan' AS DOUBLE)"
    (row,) = engine.run(f"{computed} FROM item GROUP BY id").rows
    assert row == (1, 1.0, 0.5, "[1, 2]", None, 1, "NaN")


@needs_duckdb
def test_one_instance_after_another(engine):
    engine.fill(filled((5, "Bob", *[None] * 6), (4, "Cleo", *[None] * 6)))
    assert engine.run("SELECT id FROM item").rows == ((5,), (4,))
    engine.fill(filled())
    assert engine.run("SELECT id FROM item").rows == ()


@needs_duckdb
def test_a_value_that_does_not_fit_leaves_what_was_there(engine):
    with pytest.raises(DatabaseError, match="cannot store"):
        engine.fill(filled((2, "Bob", None, None, "soon", None, None, None)))
    assert engine.run("SELECT id FROM item").rows == ((1,),)


HOSTILE = [
    "DELETE FROM item",
    "DROP TABLE item",
    "CREATE TABLE other (a INT)",
    "WITH gone AS (DELETE FROM item RETURNING *) SELECT * FROM gone",
    "WITH more AS (INSERT INTO item (id) VALUES (9) RETURNING *) SELECT * FROM more",
    "SELECT 1; DELETE FROM item",
    "SELECT 1; SELECT 2",
    "COMMIT; DELETE FROM item",
    "ATTACH ':memory:' AS other",
    "SET threads = 8",
    "PRAGMA enable_profiling",
    "COPY item TO '/tmp/item.csv'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "CALL pragma_version()",
    "EXPLAIN ANALYZE SELECT 1",
    "PREPARE p AS SELECT 1",
    "USE memory",
    "CHECKPOINT",
    "SELECT repeat('x', 1000000000)",
    "SELECT system.main.\"lpad\" ('x', 1000000000, 'y')",
    "SELECT * FROM query('SELECT 1')",
]


@needs_duckdb
@pytest.mark.parametrize("sql", HOSTILE)
def test_nothing_but_reading_is_allowed(engine, sql):
    with pytest.raises((QueryDenied, QueryFailed, QueryTooLarge)):
        engine.run(sql)
    assert engine.run("SELECT id FROM item").rows == ((1,),)
    with pytest.raises(QueryFailed):
        engine.run("SELECT * FROM other")


@needs_duckdb
def test_files_and_variables_are_out_of_reach(engine, tmp_path: Path):
    file = tmp_path / "secret.csv"
    file.write_text("a,b\n1,2\n", encoding="utf-8")
    frame = [1, 2, 3]
    for sql in (
        f"SELECT * FROM read_csv('{file}')",
        f"SELECT * FROM '{file}'",
        f"SELECT content FROM read_text('{file}')",
        f"SELECT * FROM glob('{tmp_path}/*')",
        "SELECT * FROM frame",
    ):
        with pytest.raises((QueryFailed, QueryDenied)):
            engine.run(sql)
    assert frame


@needs_duckdb
def test_a_query_without_end_is_stopped_and_the_next_one_runs():
    with DuckDBInstances([TABLE], Limits(seconds=0.5)) as engine:
        with pytest.raises(QueryTimeout, match=r"0\.5 seconds"):
            engine.run("SELECT count(*) FROM range(1000000000000) AS a")
        assert engine.run("SELECT 1").rows == ((1,),)


@needs_duckdb
def test_memory_rows_and_cells_are_limited(engine):
    with pytest.raises(QueryTooLarge, match="memory"):
        engine.run("SELECT list(a.range) FROM range(1000000000) AS a")
    result = engine.run("SELECT range FROM range(1000)")
    assert len(result.rows) == 100
    assert result.truncated
    with pytest.raises(QueryTooLarge, match="larger"):
        engine.run("SELECT string_agg('x', '') FROM range(5000)")
    with pytest.raises(QueryTooLarge, match="statement"):
        engine.run("SELECT 1 --" + "x" * 200_000)


@needs_duckdb
def test_errors_are_the_engines_own(engine):
    with pytest.raises(QueryFailed, match="nowhere"):
        engine.run("SELECT * FROM nowhere")
    with pytest.raises(QueryFailed):
        engine.run("SELECT FROM WHERE")
    with pytest.raises(QueryDenied):
        engine.run("")
