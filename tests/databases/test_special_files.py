"""Files that are no ordinary ones, copies of dead processes, and names that are not UTF-8."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from clausewise.databases import create_database, index, open_database
from clausewise.databases.sqlite import copies
from clausewise.errors import DatabaseError

SCRIPT = "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)"
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")


@needs_pipes
def test_a_pipe_is_no_database(tmp_path: Path) -> None:
    pipe = tmp_path / "db.sqlite"
    os.mkfifo(pipe)
    link = tmp_path / "link.sqlite"
    link.symlink_to(pipe)
    for target in (pipe, link, Path(os.devnull)):
        with pytest.raises(DatabaseError, match="is not a regular file"):
            open_database(target)


@needs_pipes
def test_links_to_databases_are_followed(tmp_path: Path) -> None:
    link = tmp_path / "link.sqlite"
    link.symlink_to(create_database(tmp_path / "t.sqlite", SCRIPT))
    assert open_database(link, cache_dir=tmp_path / "cache").profile("t", "a").rows == 2


@needs_pipes
@pytest.mark.parametrize("ending", ["-journal", "-wal"])
def test_a_pipe_beside_the_database_is_not_opened(tmp_path: Path, ending: str) -> None:
    path = create_database(tmp_path / "t.sqlite", SCRIPT)
    if ending == "-wal":
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
    os.mkfifo(f"{path}{ending}")
    database = open_database(path, cache_dir=tmp_path / "cache")
    if ending == "-wal":
        assert database.profile("t", "a").rows == 2
    else:
        with pytest.raises(DatabaseError, match=r"journal '.*' is not a regular file"):
            database.run("SELECT a FROM t")


@needs_pipes
def test_descriptions_in_a_pipe_are_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = create_database(tmp_path / "t.sqlite", SCRIPT)
    folder = tmp_path / "database_description"
    folder.mkdir()
    os.mkfifo(folder / "t.csv")
    with caplog.at_level(logging.WARNING):
        assert open_database(path, cache_dir=tmp_path / "cache").schema.table("t")
    assert "not a regular file" in caplog.text


@pytest.fixture
def with_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database with a log and no index; temporary files go to `tmp_path / "temporary"`."""
    source = tmp_path / "source.sqlite"
    path = tmp_path / "db.sqlite"
    with contextlib.closing(sqlite3.connect(source)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.executescript(SCRIPT)
        for ending in ("", "-wal"):
            content = source.with_name(source.name + ending).read_bytes()
            path.with_name(path.name + ending).write_bytes(content)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return path


def _copies(path: Path) -> list[Path]:
    return sorted(path.with_name("temporary").glob("clausewise-copy-*"))


def test_a_copy_is_made_when_the_database_is_read(with_log: Path) -> None:
    database = open_database(with_log, cache_dir=with_log.with_name("cache"))
    assert database.content_key
    assert _copies(with_log) == []
    assert database.scalar("SELECT count(*) FROM t") == 2
    (copy,) = _copies(with_log)
    assert str(os.getpid()) in copy.name
    # A second one leaves the first alone, in the same process, too.
    other = open_database(with_log, cache_dir=with_log.with_name("cache"))
    assert other.scalar("SELECT count(*) FROM t") == 2
    assert len(_copies(with_log)) == 2
    other.close()
    del other
    assert _copies(with_log) == [copy]
    database.close()
    del database
    assert _copies(with_log) == []


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_copies_of_dead_processes_are_removed(with_log: Path) -> None:
    script = f"""
import tempfile
tempfile.tempdir = {tempfile.gettempdir()!r}
from clausewise.databases import open_database
database = open_database({str(with_log)!r}, cache_dir={str(with_log.with_name("cache"))!r})
print(database.scalar("SELECT count(*) FROM t"), flush=True)
input()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "2\n"
    (copy,) = _copies(with_log)
    copies.remove_abandoned()
    assert _copies(with_log) == [copy]
    process.kill()
    process.communicate()
    database = open_database(with_log, cache_dir=with_log.with_name("cache"))
    assert database.scalar("SELECT count(*) FROM t") == 2
    assert copy not in _copies(with_log)
    assert len(_copies(with_log)) == 1


def test_only_an_old_folder_without_a_lock_is_removed(with_log: Path) -> None:
    folder = with_log.with_name("temporary") / "clausewise-copy-1-x"
    folder.mkdir()
    copies.remove_abandoned()
    assert folder.exists()
    long_ago = time.time() - 10_000
    os.utime(folder, (long_ago, long_ago))
    copies.remove_abandoned()
    assert not folder.exists()


def test_names_that_are_not_utf8_are_left_out_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = create_database(
        tmp_path / "t.sqlite",
        """
        CREATE TABLE badQ (a);
        CREATE TABLE t (a INTEGER, odd1 TEXT, "naïve" TEXT, UNIQUE (odd1), PRIMARY KEY (a, odd1));
        CREATE TABLE u (a INTEGER REFERENCES badQ (a), b TEXT REFERENCES t (odd1));
        INSERT INTO badQ VALUES (1); INSERT INTO t VALUES (1, 'x', 'y'); INSERT INTO u VALUES (1, 2)
        """,
    )
    content = path.read_bytes()
    path.write_bytes(content.replace(b"badQ", b"bad\xff").replace(b"odd1", b"odd\xe9"))
    with caplog.at_level(logging.WARNING):
        database = open_database(path, cache_dir=tmp_path / "cache")
        names = database.schema.names()
    assert names == {"t": ["a", "naïve"], "u": ["a", "b"]}
    table = database.schema.table("t")
    assert (table.primary_key, table.unique) == ((), ())
    assert database.schema.foreign_keys == ()
    assert database.profile("t", "naïve").frequent == (("y", 1),)
    reason = "its name is not valid UTF-8, so no query can mention it"
    assert index(database).left_out == {"bad\ufffd": reason, "t.odd\ufffd": reason}
    assert caplog.text.count("not valid UTF-8") == 2
