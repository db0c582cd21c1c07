"""Queries on instances in memory: what is stored, and what hostile statements can do."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from clausewise.databases import Database, Limits
from clausewise.databases.instances import Constraints, Instance, InstanceTable, MemoryInstances
from clausewise.databases.model import Cell, Column, Table
from clausewise.errors import DatabaseError, QueryDenied, QueryFailed, QueryTimeout, QueryTooLarge

ITEM = Table("item", (Column("id", "INTEGER"), Column("name", "TEXT"), Column("any", "")))
ROWS: tuple[tuple[Cell, ...], ...] = ((1, "a", 1), (2, "b", 1.0), (3, None, b"\x00"))


def instance(*rows: tuple[Cell, ...]) -> Instance:
    return Instance.of([InstanceTable("item", ("id", "name", "any"), rows)])


@pytest.fixture
def memory() -> Iterator[MemoryInstances]:
    limits = Limits(steps=200_000, seconds=5.0, rows=5, cell_bytes=10_000, result_bytes=30_000)
    with MemoryInstances([ITEM], limits) as made:
        made.fill(instance(*ROWS))
        yield made


def test_rows_are_given_back_in_their_order(memory: MemoryInstances) -> None:
    assert memory.run("SELECT * FROM item").rows == ROWS
    memory.fill(instance(*ROWS[::-1]))
    assert memory.run("SELECT * FROM item").rows == ROWS[::-1]
    memory.fill(instance())
    assert memory.run("SELECT * FROM item").rows == ()


def test_equal_rows_of_another_type_are_stored_anew(memory: MemoryInstances) -> None:
    memory.fill(instance((1, "a", 1)))
    memory.fill(instance((1, "a", 1.0)))
    assert memory.run("SELECT typeof(any) FROM item").rows == (("real",),)


def test_the_result_is_cut_off_at_the_limit_of_rows(memory: MemoryInstances) -> None:
    result = memory.run("SELECT 1 FROM item AS a, item AS b")
    assert len(result.rows) == 5
    assert result.truncated


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("DELETE FROM item", QueryDenied),
        ('DELETE FROM "item"', QueryDenied),
        ('INSERT INTO "item" VALUES (?, ?, ?)', QueryDenied),
        ("UPDATE item SET name = 'x'", QueryDenied),
        ("DROP TABLE item", QueryDenied),
        ("CREATE TABLE x (a)", QueryDenied),
        ("ATTACH ':memory:' AS other", QueryDenied),
        ("PRAGMA query_only = OFF", QueryDenied),
        ("SELECT * FROM pragma_table_info('item')", QueryDenied),
        ("SELECT load_extension('x')", QueryDenied),
        ("BEGIN", QueryDenied),
        ("COMMIT", QueryDenied),
        ("VACUUM", QueryDenied),
        ("SELECT 1; DELETE FROM item", QueryDenied),
        ("WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT max(n) FROM x",
         QueryTimeout),
        ("SELECT zeroblob(1000000)", QueryTooLarge),
        ("SELECT hex(zeroblob(9000))", QueryTooLarge),
        ("SELECT printf('%.*c', 9000, 'x') FROM item AS a, item AS b", QueryTooLarge),
        ("SELECT * FROM item WHERE id = ?", QueryFailed),
        ("SELECT nothing FROM item", QueryFailed),
        ("", QueryFailed),
    ],
)  # fmt: skip
def test_hostile_statements_end_and_change_nothing(
    memory: MemoryInstances, sql: str, error: type[Exception]
) -> None:
    for _ in range(2):  # what was prepared once is refused again
        with pytest.raises(error):
            memory.run(sql)
        assert memory.run("SELECT * FROM item").rows == ROWS
    memory.fill(instance((7, "z", None)))
    assert memory.run("SELECT id FROM item").rows == ((7,),)


def test_the_step_limit_holds_for_a_statement_that_is_run_again(memory: MemoryInstances) -> None:
    light = (
        "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x WHERE n < 2000) "
        "SELECT max(n) FROM x"
    )
    for _ in range(50):  # together far over the limit, each far below
        assert memory.run(light).rows == ((2000,),)


@pytest.mark.parametrize("value", [2**70, "\ud800"])
def test_a_value_that_cannot_be_stored(memory: MemoryInstances, value: Cell) -> None:
    with pytest.raises(DatabaseError, match="cannot store"):
        memory.fill(instance((1, "a", 1), (2, "b", value)))
    memory.fill(instance(*ROWS))
    assert memory.run("SELECT * FROM item").rows == ROWS


def test_a_table_that_cannot_be_made() -> None:
    with pytest.raises(DatabaseError, match="cannot make the tables"):
        MemoryInstances([Table("t", ())])


def test_collations_and_views(make: Callable[..., Database]) -> None:
    database = make(
        "CREATE TABLE t (a TEXT COLLATE NOCASE, b TEXT);"
        "CREATE VIEW v AS SELECT a FROM t WHERE b = 'x';"
        "CREATE VIEW w AS SELECT a FROM v WHERE a <> 'c';"
    )
    tables = [table for table in database.schema.tables if not table.is_view]
    with MemoryInstances(tables, constraints=Constraints(database), views=["w"]) as memory:
        rows = (("A", "x"), ("a", "X"), ("C", "x"))
        memory.fill(Instance.of([InstanceTable("t", ("a", "b"), rows)]))
        assert memory.run("SELECT count(*) FROM t WHERE a = 'a'").rows == ((2,),)
        assert memory.run("SELECT a FROM w").rows == (("A",),)
