"""From a target to an open file: bad targets, and files in write-ahead mode."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from clausewise.databases import Database, create_database, open_database
from clausewise.errors import DatabaseError

SCRIPT = "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match=r"no database file '.*nowhere\.sqlite'"):
        open_database(tmp_path / "nowhere.sqlite")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="is a folder"):
        open_database(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"SQLite format 3\x00", "not a SQLite database"),
        (b"id,name\n1,Ada\n" * 50, "not a SQLite database"),
        (b"\x00" * 5000, "not a SQLite database"),
    ],
)
def test_other_files_are_no_databases(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "other.sqlite"
    path.write_bytes(content)
    with pytest.raises(DatabaseError, match=message) as caught:
        open_database(path)
    assert str(path) in str(caught.value)


def test_a_corrupt_file_is_an_error_of_the_database(tmp_path: Path) -> None:
    path = create_database(tmp_path / "bad.sqlite", SCRIPT)
    content = bytearray(path.read_bytes())
    content[100:4096] = b"\xff" * (4096 - 100)
    path.write_bytes(content)
    database = open_database(path, cache_dir=tmp_path / "cache")
    for ask in (
        lambda: database.run("SELECT a FROM t"),
        lambda: database.schema,
        lambda: database.profile("t", "a"),
    ):
        with pytest.raises(DatabaseError, match="malformed") as caught:
            ask()
        assert type(caught.value) is DatabaseError
        assert str(path) in str(caught.value)


def test_a_file_that_goes_away_is_named(tmp_path: Path) -> None:
    path = create_database(tmp_path / "t.sqlite", SCRIPT)
    database = open_database(path, cache_dir=tmp_path / "cache")
    path.unlink()
    for ask in (lambda: database.run("SELECT 1"), lambda: database.schema):
        with pytest.raises(DatabaseError, match=r"t\.sqlite"):
            ask()


def test_a_truncated_file_is_an_error_of_the_database(tmp_path: Path) -> None:
    script = "CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(50000)), ('x')"
    path = create_database(tmp_path / "cut.sqlite", script)
    path.write_bytes(path.read_bytes()[:9000])
    database = open_database(path, cache_dir=tmp_path / "cache")
    with pytest.raises(DatabaseError, match=r"cut\.sqlite"):
        database.run("SELECT * FROM t")
    with pytest.raises(DatabaseError, match=r"cut\.sqlite"):
        database.profile("t", "a")


@pytest.mark.parametrize("url", ["oracle://me:secret@host/db", "mssql+pyodbc://me:secret@host/db"])
def test_other_kinds_of_databases_are_refused_without_showing_secrets(url: str) -> None:
    with pytest.raises(DatabaseError, match="not supported") as caught:
        open_database(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "://", "a b://me:secret@x"])
def test_urls_that_name_no_file_are_refused(url: str) -> None:
    with pytest.raises(DatabaseError, match="expected sqlite:///PATH") as caught:
        open_database(url)
    assert "secret" not in str(caught.value)


def test_a_path_with_a_null_character_is_refused() -> None:
    with pytest.raises(DatabaseError):
        open_database("a\x00b")


def test_paths_and_urls_name_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = create_database(tmp_path / "t.sqlite", SCRIPT)
    monkeypatch.chdir(tmp_path)
    for target in (path, str(path), "t.sqlite", f"sqlite:///{path}", "sqlite:///t.sqlite"):
        database = open_database(target)
        assert Path(database.target) == path
        assert database.scalar("SELECT count(*) FROM t") == 2
    assert open_database(database) is database


@pytest.mark.parametrize("name", ["a b", "50%", "what?", "a#b", "ü", "a'b", "a%20b", "x&mode=rwc"])
def test_file_names_may_hold_anything(tmp_path: Path, name: str) -> None:
    path = create_database(tmp_path / f"{name}.sqlite", SCRIPT)
    database = open_database(path, cache_dir=tmp_path / "cache")
    assert database.scalar("SELECT count(*) FROM t") == 2
    assert database.profile("t", "a").rows == 2


def test_a_failed_script_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="syntax error"):
        create_database(tmp_path / "t.sqlite", "CREATE TABLE t (a); CREATE NONSENSE")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def in_write_ahead_mode(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that makes a WAL database of two rows, one of them only in the log."""

    def _make(*, log: bool, index: bool) -> Path:
        source = tmp_path / "source.sqlite"
        folder = tmp_path / "wal"
        folder.mkdir()
        with contextlib.closing(sqlite3.connect(source)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA wal_autocheckpoint = 0")
            connection.executescript("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute("INSERT INTO t VALUES (2)")
            connection.commit()
            # Copied while it is open: closing it would move the log into the file.
            endings = ["", *(["-wal"] if log else []), *(["-shm"] if index else [])]
            for ending in endings:
                content = source.with_name(source.name + ending).read_bytes()
                (folder / f"db.sqlite{ending}").write_bytes(content)
        return folder / "db.sqlite"

    return _make


@pytest.mark.parametrize(
    ("log", "index", "rows"),
    [(False, False, 1), (True, False, 2), (True, True, 2), (False, True, 1)],
)
def test_write_ahead_databases_are_read_without_a_trace(
    in_write_ahead_mode: Callable[..., Path], tmp_path: Path, log: bool, index: bool, rows: int
) -> None:
    path = in_write_ahead_mode(log=log, index=index)
    before = {entry.name: entry.read_bytes() for entry in path.parent.iterdir()}
    database = Database(path, cache_dir=tmp_path / "cache")
    assert database.scalar("SELECT count(*) FROM t") == rows
    assert database.profile("t", "a").rows == rows
    database.close()
    assert {entry.name: entry.read_bytes() for entry in path.parent.iterdir()} == before


def test_the_log_is_part_of_the_content(
    in_write_ahead_mode: Callable[..., Path], tmp_path: Path
) -> None:
    path = in_write_ahead_mode(log=True, index=False)
    with_log = Database(path, cache_dir=tmp_path / "cache").content_key
    path.with_name("db.sqlite-wal").unlink()
    assert Database(path, cache_dir=tmp_path / "cache").content_key != with_log
