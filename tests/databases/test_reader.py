"""What statements may do: read, within limits, and nothing else."""

from __future__ import annotations

import hashlib
import signal
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clausewise.databases import Database, Limits, QueryResult
from clausewise.errors import (
    DatabaseError,
    QueryDenied,
    QueryFailed,
    QueryTimeout,
    QueryTooLarge,
)

QUICK = Limits(steps=1_000_000, seconds=600.0)
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "

DENIED = [
    "DROP TABLE city",
    "INSERT INTO city VALUES (9, 'Rome', 'IT', 1)",
    "INSERT INTO city SELECT * FROM city",
    "REPLACE INTO city VALUES (1, 'Rome', 'IT', 1)",
    "UPDATE city SET name = 'Rome'",
    "DELETE FROM city",
    "WITH doomed AS (SELECT 1 AS id) DELETE FROM city WHERE id IN (SELECT id FROM doomed)",
    "CREATE TABLE loot (a)",
    "CREATE TEMP TABLE loot (a)",
    "CREATE TABLE loot AS SELECT * FROM city",
    "CREATE INDEX loot ON city (name)",
    "CREATE VIEW loot AS SELECT 1",
    "CREATE TRIGGER loot AFTER INSERT ON city BEGIN SELECT 1; END",
    "CREATE VIRTUAL TABLE loot USING fts5(a)",
    "ALTER TABLE city RENAME TO town",
    "ATTACH 'loot.sqlite' AS loot",
    "ATTACH ':memory:' AS loot",
    "DETACH main",
    "PRAGMA table_info(city)",
    "PRAGMA data_version",
    "PRAGMA journal_mode = WAL",
    "PRAGMA writable_schema = ON",
    "SELECT * FROM pragma_table_info('city')",
    "SELECT * FROM pragma_database_list",
    "SELECT name, (SELECT count(*) FROM pragma_table_list) FROM city",
    "SELECT load_extension('loot.so')",
    "SELECT load_extension('loot.so', 'entry')",
    "SELECT fts3_tokenizer('simple')",
    "VACUUM",
    "VACUUM INTO 'loot.sqlite'",
    "REINDEX",
    "ANALYZE",
    "BEGIN",
    "BEGIN EXCLUSIVE",
    "COMMIT",
    "SAVEPOINT loot",
    "EXPLAIN DROP TABLE city",
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP TABLE city",
]


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("sql", DENIED)
def test_all_but_reading_is_denied(town: Database, sql: str) -> None:
    with pytest.raises(QueryDenied):
        town.run(sql)


def test_hostile_statements_leave_no_trace(
    town: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = _digest(town.path), sorted(tmp_path.iterdir())
    for sql in [*DENIED, ENDLESS + "SELECT i FROM n ORDER BY i"]:
        with pytest.raises(DatabaseError):
            town.run(sql, QUICK)
    assert town.scalar("SELECT count(*) FROM city") == 4
    town.close()
    assert (_digest(town.path), sorted(tmp_path.iterdir())) == before


def test_the_message_names_what_was_refused(town: Database) -> None:
    with pytest.raises(QueryDenied, match=r"refused: PRAGMA table_info"):
        town.run("PRAGMA table_info(city)")
    with pytest.raises(QueryDenied, match=r"refused: the function load_extension"):
        town.run("SELECT load_extension('x')")
    with pytest.raises(QueryDenied, match="only one statement"):
        town.run("SELECT 1; SELECT 2")


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT name FROM city WHERE id = 1", (("Paris",),)),
        ("SELECT name FROM city WHERE id = 1;", (("Paris",),)),
        ("SELECT 1 -- ; DROP TABLE city", ((1,),)),
        ("VALUES (1, NULL), (2.5, x'00')", ((1, None), (2.5, b"\x00"))),
        ("WITH a AS (SELECT 2 AS b) SELECT b FROM a", ((2,),)),
        ("SELECT count(*) FROM big_city", ((2,),)),
        ("SELECT value FROM json_each('[1, 2]')", ((1,), (2,))),
        ("SELECT count(*) FROM sqlite_master", ((5,),)),
        ("SELECT name FROM city WHERE 0", ()),
        (ENDLESS + "SELECT i FROM n LIMIT 2", ((1,), (2,))),
    ],
)
def test_reading_is_allowed(town: Database, sql: str, rows: tuple[tuple[object, ...], ...]) -> None:
    assert town.run(sql).rows == rows


def test_columns_are_named_even_without_rows(town: Database) -> None:
    result = town.run("SELECT id, name AS label FROM city WHERE 0")
    assert result == QueryResult(("id", "label"), (), truncated=False)


def test_full_text_tables_are_read_also_after_a_denial(make: Callable[..., Database]) -> None:
    database = make("CREATE VIRTUAL TABLE note USING fts5(body); INSERT INTO note VALUES ('a b')")
    question = "SELECT body FROM note WHERE note MATCH 'b'"
    assert database.run(question).rows == (("a b",),)
    with pytest.raises(QueryDenied):
        database.run("DROP TABLE note")
    assert database.run(question + " AND 1").rows == (("a b",),)
    assert [table.name for table in database.schema.tables] == ["note"]


@pytest.mark.parametrize(
    "sql",
    [
        ENDLESS + "SELECT count(*) FROM n",
        ENDLESS + "SELECT max(i) FROM n WHERE i < 0",
        "SELECT count(*) FROM " + ", ".join(f"big AS t{i}" for i in range(10)),
    ],
    ids=["endless", "endless-filter", "cross-join"],
)
def test_what_does_not_end_is_stopped_by_its_steps(make: Callable[..., Database], sql: str) -> None:
    database = make(f"CREATE TABLE big (a); INSERT INTO big {ENDLESS} SELECT i FROM n LIMIT 1000")
    with pytest.raises(QueryTimeout, match="1,000,000 steps"):
        database.run(sql, QUICK)


def test_the_clock_stops_what_its_steps_do_not(town: Database) -> None:
    with pytest.raises(QueryTimeout, match=r"0\.1 seconds"):
        town.run(ENDLESS + "SELECT count(*) FROM n", Limits(steps=10**12, seconds=0.1))


def test_limits_of_zero_let_nothing_through(town: Database) -> None:
    with pytest.raises(QueryTimeout):
        town.run("SELECT count(*) FROM city a, city b, city c", Limits(steps=0))
    assert town.run("SELECT id FROM city", Limits(rows=0)).truncated
    with pytest.raises(QueryTooLarge):
        town.run("SELECT id FROM city", Limits(cell_bytes=0))


@pytest.mark.parametrize("steps", [1, 1_000, 300_000])
def test_the_step_limit_falls_on_the_same_step_each_time(town: Database, steps: int) -> None:
    limits = Limits(steps=steps)

    def stops(rows: int) -> bool:
        sql = f"{ENDLESS} SELECT count(*) FROM (SELECT i FROM n LIMIT {rows})"
        try:
            town._reader().run(sql, limits)
        except QueryTimeout:
            return True
        return False

    answers = [[stops(rows) for rows in range(0, 40_000, 1_000)] for _ in range(2)]
    assert answers[0] == answers[1]
    assert any(answers[0])


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT zeroblob(2000000000)",
        "SELECT hex(zeroblob(9000000))",
        "SELECT replace(hex(zeroblob(1000000)), '0', 'aaaaaaaaaaaaaaaa')",
        "SELECT randomblob(1000000000000)",
        ENDLESS + "SELECT group_concat(hex(zeroblob(99)) || i) FROM (SELECT i FROM n LIMIT 99999)",
        "SELECT '" + "x" * 1_100_000 + "'",
    ],
    ids=["blob", "hex", "replace", "random", "group_concat", "statement"],
)
def test_what_grows_too_large_is_stopped(town: Database, sql: str) -> None:
    with pytest.raises(QueryTooLarge):
        town.run(sql)


def test_rows_that_are_too_large_together_are_stopped(town: Database) -> None:
    sql = ENDLESS + "SELECT zeroblob(90000) FROM n"
    with pytest.raises(QueryTooLarge, match="result take over 1,000,000 bytes"):
        town.run(sql, Limits(result_bytes=1_000_000))


def test_the_cell_limit_holds_for_each_statement(town: Database) -> None:
    sql = "SELECT length(zeroblob(5000))"
    assert town.scalar(sql) == 5000
    with pytest.raises(QueryTooLarge, match="1,000 bytes"):
        town.run(sql, Limits(cell_bytes=1000))
    assert town.scalar(sql) == 5000


def test_no_limit_is_set_for_the_whole_process(town: Database) -> None:
    town.run("SELECT 1")
    assert sqlite3.connect(":memory:").execute("PRAGMA hard_heap_limit").fetchone() == (0,)


def test_a_function_of_ours_looks_at_the_clock_itself(town: Database) -> None:
    with pytest.raises(QueryTimeout, match="after 0 seconds"):
        town.run("SELECT randomblob(1000)", Limits(seconds=0))


def test_a_pattern_is_short(town: Database) -> None:
    with pytest.raises(QueryFailed, match="LIKE or GLOB pattern too complex"):
        town.run(f"SELECT 'a' LIKE '{'%a' * 600}'")


@pytest.mark.parametrize(("rows", "truncated"), [(3, True), (4, False), (5, False)])
def test_rows_over_the_limit_are_cut_off(town: Database, rows: int, truncated: bool) -> None:
    result = town.run("SELECT id FROM city ORDER BY id", Limits(rows=rows))
    assert result.rows == ((1,), (2,), (3,), (4,))[:rows]
    assert result.truncated is truncated


def test_the_row_limit_is_exact_over_many_bunches(town: Database) -> None:
    result = town.run(ENDLESS + "SELECT i, i, i FROM n", Limits(rows=5_000))
    assert len(result.rows) == 5_000
    assert result.truncated


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT nope FROM city", "no such column: nope"),
        ("SELECT * FROM nope", "no such table: nope"),
        ("SELECT nope(1)", "no such function: nope"),
        ("SELEC 1", "syntax error"),
        ("", "no statement"),
        (" ; ", "no statement"),
        ("-- only a comment", "no statement"),
        ("SELECT ?", "1, and there are 0 supplied"),
        ("SELECT \x00 1", "null character"),
        ("SELECT '\ud800'", "surrogates not allowed"),
        ("SELECT " + "(" * 5_000 + "1" + ")" * 5_000, "stack overflow"),
        ("SELECT " + "1+" * 40_000 + "1", "Expression tree is too large"),
        ("SELECT * FROM city WHERE name LIKE '" + "%a" * 20_000 + "'", "too complex"),
    ],
)
def test_the_message_of_a_failure_is_the_databases_own(
    town: Database, sql: str, message: str
) -> None:
    with pytest.raises(QueryFailed, match=message):
        town.run(sql)


def test_a_long_statement_runs(town: Database) -> None:
    sql = "SELECT 1 WHERE 1 IN (" + ", ".join(["1"] * 33_000) + ")"
    assert len(sql) > 95_000
    assert town.scalar(sql) == 1


def test_random_gives_the_same_numbers_in_every_statement(town: Database) -> None:
    sql = "SELECT random(), random(), randomblob(8), randomblob(0), randomblob('x')"
    first = town._reader().run(sql, Limits())
    assert town._reader().run(sql, Limits()) == first
    ((one, other, blob, small, odd),) = first[0].rows
    assert one != other
    assert [len(part) for part in (blob, small, odd) if isinstance(part, bytes)] == [8, 1, 1]


def test_text_that_is_not_utf8_is_read_with_replacement_marks(
    make: Callable[..., Database],
) -> None:
    database = make(
        "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('ok'), (CAST(x'63E96E' AS TEXT))"
    )
    assert database.run("SELECT a FROM t ORDER BY rowid").rows == (("ok",), ("c\ufffdn",))
    assert database.profile("t", "a").distinct == 2
    assert [place.count for place in database.find_value("ok")] == [1]


def test_threads_have_connections_of_their_own(town: Database) -> None:
    found: list[Any] = []
    threads = [
        threading.Thread(
            target=lambda number=number: found.extend(
                town.scalar(f"SELECT {number * 100 + step} + count(*) FROM city")
                for step in range(20)
            )
        )
        for number in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted(4 + n * 100 + step for n in range(4) for step in range(20))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
def test_ctrl_c_goes_through_a_running_statement(town: Database) -> None:
    def interrupted() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        town.run(ENDLESS + "SELECT count(*) FROM n", Limits(steps=10**12, seconds=600))

    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            interrupted()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert town.scalar("SELECT 1") == 1


def test_a_locked_database_is_not_the_statements_fault(
    town: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect: Callable[..., sqlite3.Connection] = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **opts: connect(*args, timeout=0, **opts))
    writer = connect(town.path)
    writer.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(DatabaseError, match="locked") as caught:
            town.run("SELECT * FROM city")
        assert type(caught.value) is DatabaseError
    finally:
        writer.close()
    assert town.scalar("SELECT count(*) FROM city") == 4
