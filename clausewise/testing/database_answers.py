"""Checks of a database's answers: rows, cells, errors, hostile statements, limits."""

from __future__ import annotations

import tempfile
from pathlib import Path

from clausewise.databases import Cell, DatabaseProtocol, Limits, QueryResult
from clausewise.errors import QueryDenied, QueryFailed, QueryTimeout, QueryTooLarge
from clausewise.testing.database_contents import CONTRACT_TABLES, LONGEST_TEXT
from clausewise.testing.database_support import (
    OpenDatabase,
    contents,
    error_of,
    opened,
    quoted,
)
from clausewise.testing.hostile_sql import ALWAYS_HOSTILE, hostile_statements

_ENDLESS = (
    "SELECT count(*) FROM many AS a, many AS b, many AS c, many AS d "
    "WHERE a.n * b.n - c.n * d.n = 12345"
)
_ERRORS = (QueryDenied, QueryFailed, QueryTimeout, QueryTooLarge)


def check_members(open_database: OpenDatabase) -> None:
    """It has every attribute and method of `DatabaseProtocol`."""
    with opened(open_database) as database:
        lacking = [
            name
            for name in vars(DatabaseProtocol)
            if not name.startswith("_") and not hasattr(database, name)
        ]
        assert not lacking, f"it lacks {', '.join(lacking)}"
        assert database.name, "its name is empty"
        assert database.dialect, "it names no dialect"
        assert database.has_data, "it says that there is no data"


def check_rows(open_database: OpenDatabase) -> None:
    """`run` gives the rows of all tables as they were stored, and `scalar` the first cell."""
    with opened(open_database) as database:
        for table in CONTRACT_TABLES:
            names = ", ".join(quoted(column.name, database) for column in table.columns)
            source = quoted(table.name, database)
            first = quoted(table.columns[0].name, database)
            found = database.run(f"SELECT {names} FROM {source} ORDER BY {first}")
            assert found == QueryResult(tuple(c.name for c in table.columns), table.rows), found
        assert database.scalar("SELECT title FROM book WHERE id = 2") == "Compilers"
        assert database.scalar("SELECT isbn FROM book WHERE id = 3") is None
        assert database.scalar("SELECT id FROM book WHERE id = 7") is None
        empty = database.run("SELECT id, note FROM empty_one")
        assert empty == QueryResult(("id", "note"), ()), empty


def check_cells(open_database: OpenDatabase) -> None:
    """Cells are plain: int, float, str, bytes or None, also those that are computed."""
    with opened(open_database) as database:
        computed: dict[str, Cell] = {
            "SELECT count(*) FROM book": 4,
            "SELECT sum(id) FROM book": 10,
            "SELECT sum(price) FROM book": 35.75,
            "SELECT avg(id) FROM book": 2.5,
            "SELECT max(title) FROM book": "Notes",
            "SELECT sum(amount) FROM kinds WHERE id < 4": 14.25,
            "SELECT max(day) FROM kinds": "2024-02-29",
            "SELECT sum(price) FROM book WHERE id > 9": None,
            "SELECT 'it''s'": "it's",
        }
        for sql, expected in computed.items():
            found = database.scalar(sql)
            assert found == expected, f"{sql}: {found!r}"
            assert type(found) in {int, float, str, bytes, type(None)}, f"{sql}: {type(found)}"
        assert type(database.scalar("SELECT count(*) FROM book")) is int


def check_statements(open_database: OpenDatabase) -> None:
    """Usual ways to write one SELECT are taken, and the same one gives the same rows again."""
    taken = (
        "SELECT 1",
        "select id from book;",
        "  -- a comment\n SELECT id FROM book /* another */ ORDER BY id",
        "SELECT id FROM book ORDER BY id;\n ;",
        "WITH dear AS (SELECT * FROM book WHERE price > 6) SELECT count(*) FROM dear",
        "SELECT id FROM book UNION SELECT id FROM author ORDER BY 1 LIMIT 2",
        "SELECT count(*) FROM dear_book",
        "SELECT 'a;b' FROM book WHERE title LIKE '%o%' AND title <> ':x %s ?'",
        "SELECT id, row_number() OVER (ORDER BY id) FROM book ORDER BY id",
    )
    with opened(open_database) as database, opened(open_database) as other:
        for sql in taken:
            database.compile(sql)
            assert database.run(sql) == other.run(sql) == database.run(sql), sql


def check_errors(open_database: OpenDatabase) -> None:
    """What the database refuses is QueryFailed with a message, of `run` and of `compile`."""
    wrong = (
        "SELECT nonsense FROM book",
        "SELECT id FROM nowhere",
        "SELECT id FROM book WHERE no_such_function(id) = 1",
        "SELECT FROM WHERE",
        "SELEC id FROM book",
    )
    with opened(open_database) as database:
        for sql in wrong:
            for call in (database.run, database.compile, database.scalar):
                error = error_of(call, sql)
                assert isinstance(error, QueryFailed | QueryDenied), f"{sql}: {error!r}"
                assert str(error).strip(), f"{sql}: there is no message"
        for sql in ("", "  ", ";", "-- nothing"):
            assert isinstance(error_of(database.run, sql), _ERRORS), f"taken: {sql!r}"
        assert database.scalar("SELECT 1") == 1


def check_hostile_statements(open_database: OpenDatabase) -> None:
    """Statements that do more than read are refused, change nothing, and reach no file."""
    with tempfile.TemporaryDirectory() as folder, opened(open_database) as database:
        Path(folder).chmod(0o777)
        file = Path(folder) / "stolen"
        key = database.content_key
        before = contents(database)
        for sql in hostile_statements(database.dialect, str(file)):
            error = error_of(database.run, sql)
            assert isinstance(error, _ERRORS), f"it runs {sql!r}: {error!r}"
            error = error_of(database.compile, sql)
            # SQLite prepares it without asking its authorizer; no harm is done before it is run.
            if not sql.startswith("VACUUM"):
                assert isinstance(error, _ERRORS), f"it compiles {sql!r}: {error!r}"
            assert not file.exists(), f"it wrote a file: {sql!r}"
        for sql in ALWAYS_HOSTILE:
            assert isinstance(error_of(database.run, sql), QueryDenied | QueryFailed), sql
        # What was run is not remembered there.
        with opened(open_database) as again:
            assert contents(again) == before, "it was changed"
            assert again.content_key == key, "its content key was changed"


def check_row_limit(open_database: OpenDatabase) -> None:
    """Rows over the limit are cut off, and the result says so."""
    with opened(open_database) as database:
        sql = "SELECT n FROM many ORDER BY n"
        found = database.run(sql, Limits(rows=3))
        assert found == QueryResult(("n",), ((1,), (2,), (3,)), truncated=True), found
        assert not database.run(sql, Limits(rows=1_000)).truncated
        assert len(database.run(sql).rows) == 1_000


def check_time_limit(open_database: OpenDatabase) -> None:
    """A statement that takes too long is stopped, and the next one is answered."""
    limits = Limits(steps=1_000_000, seconds=0.2)
    with opened(open_database) as database:
        error = error_of(lambda sql: database.run(sql, limits), _ENDLESS)
        assert isinstance(error, QueryTimeout), repr(error)
        assert database.scalar("SELECT count(*) FROM many") == 1_000


def check_size_limits(open_database: OpenDatabase) -> None:
    """Cells and results of too many bytes are refused."""
    with opened(open_database) as database:
        cell = "SELECT words FROM kinds WHERE id = 5"
        assert database.scalar(cell) == LONGEST_TEXT
        error = error_of(lambda sql: database.run(sql, Limits(cell_bytes=1_000)), cell)
        assert isinstance(error, QueryTooLarge), repr(error)
        rows = "SELECT a.tag, b.tag FROM many AS a, many AS b WHERE a.n < 10"
        error = error_of(lambda sql: database.run(sql, Limits(result_bytes=10_000)), rows)
        assert isinstance(error, QueryTooLarge), repr(error)
        assert database.scalar("SELECT 1") == 1


ANSWER_CHECKS = (
    check_members,
    check_rows,
    check_cells,
    check_statements,
    check_errors,
    check_hostile_statements,
    check_row_limit,
    check_time_limit,
    check_size_limits,
)
