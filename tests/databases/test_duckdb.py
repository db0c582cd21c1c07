"""DuckDB files: what is read of them, and what stays closed."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from clausewise.databases import BaseDatabase, Limits, open_database
from clausewise.errors import DatabaseError, MissingExtraError, NotProfiled, QueryDenied
from clausewise.testing import contract_script

duckdb = pytest.importorskip("duckdb")

SCRIPT = """
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TABLE person (id UUID PRIMARY KEY, name VARCHAR NOT NULL, mood mood, tags VARCHAR[],
    place STRUCT(city VARCHAR, zip INTEGER), big HUGEINT, is_new BOOLEAN, score DOUBLE,
    stay INTERVAL, whole INTEGER GENERATED ALWAYS AS (len(tags)));
COMMENT ON COLUMN person.name IS 'first and last name';
INSERT INTO person VALUES
    ('00000000-0000-0000-0000-00000000000a', 'Ada', 'happy', ['x', 'y'], {'city': 'Rom', 'zip': 1},
     170141183460469231731687303715884105727, true, 'nan', INTERVAL 90 MINUTE),
    ('00000000-0000-0000-0000-00000000000b', 'Bob', 'sad', [], NULL, -1, false, 0.5, NULL);
CREATE SCHEMA other;
CREATE TABLE other.hidden (a INTEGER);
CREATE TABLE gone (a INTEGER);
CREATE VIEW broken AS SELECT a FROM gone;
DROP TABLE gone;
"""

Make = Callable[[str], BaseDatabase]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def _make(script: str) -> BaseDatabase:
        file = tmp_path / "test.duckdb"
        with duckdb.connect(str(file)) as connection:
            connection.execute(script)
        return open_database(file, cache_dir=tmp_path / "cache")

    return _make


def test_all_types_have_cells_and_profiles(make: Make) -> None:
    with make(SCRIPT) as database:
        rows = database.run("SELECT * FROM person ORDER BY id").rows
        assert rows[0] == (
            "00000000-0000-0000-0000-00000000000a",
            "Ada",
            "happy",
            '["x", "y"]',
            '{"city": "Rom", "zip": 1}',
            2**127 - 1,
            1,
            "NaN",
            "01:30:00",
            2,
        )
        table = database.schema.table("person")
        assert table is not None
        for column in table.columns:
            profile = database.profile("person", column.name)
            assert (profile.rows, profile.distinct) == (2, 2 - profile.nulls), column
        assert database.profile("person", "mood").minimum == "happy"
        assert database.profile("person", "is_new").stored_types == {"integer": 2}
        assert database.profile("person", "score").stored_types == {"real": 1, "text": 1}
        assert database.find_value("HAPPY")[0].column == "mood"


def test_comments_are_descriptions(make: Make) -> None:
    with make(SCRIPT) as database:
        column = database.schema.table("person").column("name")
        assert (column.description, column.not_null) == ("first and last name", True)


def test_what_cannot_be_read_is_left_out(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING), make(SCRIPT) as database:
        assert [table.name for table in database.declared_schema.tables][:1] == ["person"]
        left_out = {**database.declared_schema.left_out, **database.store.facts.left_out}
        assert left_out.keys() >= {"other.hidden", "broken"}
        assert "hidden" in caplog.text


def test_a_file_or_url_is_enough(make: Make, tmp_path: Path) -> None:
    make("CREATE TABLE one (a INTEGER); INSERT INTO one VALUES (7)").close()
    for target in (tmp_path / "test.duckdb", f"duckdb:///{tmp_path}/test.duckdb"):
        with open_database(target) as database:
            assert (database.dialect, database.name) == ("duckdb", "test")
            assert database.scalar("SELECT a FROM one") == 7


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\x00" + bytes(100), b"no database"])
def test_another_file_is_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "other.duckdb"
    file.write_bytes(content)
    with pytest.raises(DatabaseError, match=r"other\.duckdb' is"):
        open_database(f"duckdb:///{file}")
    with pytest.raises(DatabaseError, match="names no file; expected duckdb:///PATH"):
        open_database("duckdb://")


def test_a_damaged_file_is_refused(make: Make, tmp_path: Path) -> None:
    make(contract_script("duckdb")).close()
    file = tmp_path / "test.duckdb"
    file.write_bytes(file.read_bytes()[:5_000])
    with pytest.raises(DatabaseError, match="cannot read the database"):
        open_database(file).scalar("SELECT count(*) FROM book")


WRITER = """
import duckdb, sys
connection = duckdb.connect(sys.argv[1])
print("open", flush=True)
sys.stdin.read()
"""


def test_other_readers_may_read_and_a_writer_shuts_out(make: Make, tmp_path: Path) -> None:
    file = tmp_path / "test.duckdb"
    with make("CREATE TABLE one (a INTEGER); INSERT INTO one VALUES (7)") as database:
        assert database.scalar("SELECT a FROM one") == 7
        reading = "import duckdb, sys; duckdb.connect(sys.argv[1], read_only=True)"
        subprocess.run([sys.executable, "-c", reading, str(file)], check=True)
    command = [sys.executable, "-c", WRITER, str(file)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, text=True, stdin=pipe, stdout=pipe) as writer:
        assert writer.stdout.readline() == "open\n"
        with pytest.raises(DatabaseError, match="lock"):
            open_database(file).scalar("SELECT count(*) FROM one")
        writer.communicate()
    assert open_database(file).scalar("SELECT a + 1 FROM one") == 8


def test_the_configuration_is_locked(make: Make) -> None:
    with make(SCRIPT) as database:
        settings = "SELECT value FROM duckdb_settings() WHERE name = '{}'"
        for name, value in (
            ("enable_external_access", "false"),
            ("lock_configuration", "true"),
            ("autoload_known_extensions", "false"),
            ("threads", "1"),
        ):
            assert str(database.scalar(settings.format(name))).lower() == value
        with pytest.raises(QueryDenied):
            database.run("SET threads = 4")


def test_inferred_keys(make: Make) -> None:
    script = (
        "CREATE TABLE author (id INTEGER, name VARCHAR);"
        "CREATE TABLE book (id INTEGER, author_id INTEGER, author_name VARCHAR);"
        "INSERT INTO author SELECT range, 'name ' || range FROM range(1, 20);"
        "INSERT INTO book SELECT range, 1 + range % 5, 'none' FROM range(1, 30)"
    )
    with make(script) as database:
        (key,) = database.schema.foreign_keys
        assert (key.table, key.columns, key.referred_table) == ("book", ("author_id",), "author")
        assert key.inferred


def test_large_tables_are_sampled(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    from clausewise.databases.duckdb import building, tallies

    def sampled(connection, table):
        return tallies.row_source(connection, table, sampled_from=100)

    monkeypatch.setattr(building, "row_source", sampled)
    script = (
        "CREATE TABLE many AS SELECT range AS n, 'a' || range AS t FROM range(1000);"
        "CREATE VIEW seen AS SELECT n FROM many"
    )
    with make(script) as database:
        for table in ("many", "seen"):
            profile = database.profile(table, "n")
            assert (profile.rows, profile.sampled) == (100, True)
        assert not database.is_indexed("many", "t")
        assert database.row_count("many") == 1_000


def test_a_column_that_takes_too_long_is_left_out(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    from clausewise.databases.duckdb import building

    monkeypatch.setattr(building, "SECONDS", 0.0)
    script = (
        "CREATE TABLE one (a INTEGER); INSERT INTO one VALUES (1);"
        "CREATE VIEW endless AS SELECT count(*) AS n FROM range(100000) a, range(100000) b"
        " WHERE a.range * b.range = 7"
    )
    with make(script) as database:
        with pytest.raises(NotProfiled, match="within its limits"):
            database.profile("endless", "n")
        assert database.scalar("SELECT a FROM one", Limits(seconds=5)) == 1


def test_a_missing_library_is_named(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    database = make(SCRIPT)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MissingExtraError, match=r"reading DuckDB files.*\[duckdb\]"):
        database.scalar("SELECT 1")
