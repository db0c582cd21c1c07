"""The cache: built once, rebuilt when anything is wrong with it, never in the way."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from clausewise.caching import CACHE_VARIABLE, cache_folder
from clausewise.databases import BaseDatabase, create_database, index, open_database
from clausewise.databases import store as store_module
from clausewise.databases.sqlite import building

SCRIPT = """
CREATE TABLE race (race_id INTEGER PRIMARY KEY, name TEXT, size REAL);
CREATE TABLE visit (race_id INTEGER);
INSERT INTO race VALUES (1, 'Monza', 1.5), (2, 'Spa', 9e999), (3, NULL, -9e999);
INSERT INTO visit VALUES (1), (1), (3);
"""


@pytest.fixture
def race(tmp_path: Path) -> Path:
    return create_database(tmp_path / "race.sqlite", SCRIPT)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def _facts(database: BaseDatabase) -> tuple[object, ...]:
    columns = [("race", "race_id"), ("race", "name"), ("race", "size"), ("visit", "race_id")]
    return (
        database.schema,
        [database.profile(*place) for place in columns],
        [database.is_indexed(*place) for place in columns],
        database.find_value("monza"),
    )


def _stores(cache: Path) -> list[Path]:
    return sorted(cache.glob("*.sqlite"))


def test_what_is_read_back_is_what_was_built(race: Path, cache: Path) -> None:
    built = open_database(race, cache_dir=cache)
    facts = _facts(built)
    found = open_database(race, cache_dir=cache)
    assert _facts(found) == facts
    assert built.store.built
    assert not found.store.built
    assert found.profile("race", "size").maximum == float("inf")
    (path,) = _stores(cache)
    assert path.name == f"{built.content_key}-v{store_module.FORMAT_VERSION}.sqlite"


def test_the_same_content_under_another_name_is_found(race: Path, cache: Path) -> None:
    open_database(race, cache_dir=cache).schema  # noqa: B018
    twin = shutil.copy(race, race.with_name("twin.sqlite"))
    assert not open_database(twin, cache_dir=cache).store.built


def test_a_changed_database_is_profiled_anew(race: Path, cache: Path) -> None:
    old = open_database(race, cache_dir=cache)
    assert old.profile("race", "name").distinct == 2
    connection = sqlite3.connect(race)
    connection.execute("UPDATE race SET name = 'Imola' WHERE name IS NULL")
    connection.commit()
    connection.close()
    new = open_database(race, cache_dir=cache)
    assert new.store.built
    assert new.profile("race", "name").distinct == 3
    assert len(new.find_value("imola")) == 1
    assert old.profile("race", "name").distinct == 2


def test_a_change_within_the_same_time_stamp_is_seen(race: Path, cache: Path) -> None:
    stamp = race.stat()
    key = open_database(race, cache_dir=cache).content_key
    content = race.read_bytes()
    assert content.count(b"Monza") == 1
    with race.open("r+b") as file:
        file.write(content.replace(b"Monza", b"Imola"))
    os.utime(race, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert open_database(race, cache_dir=cache).content_key != key


def test_the_key_of_an_old_file_is_remembered(
    race: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = time.time_ns() + 10_000_000_000
    monkeypatch.setattr("clausewise.databases.fingerprint.time.time_ns", lambda: later)
    cache.mkdir()
    key = open_database(race, cache_dir=cache).content_key
    monkeypatch.setattr("clausewise.databases.fingerprint._hash_content", lambda file: "read again")
    assert open_database(race, cache_dir=cache).content_key == key
    (memo,) = cache.glob("*.key.json")
    for damaged in (b"{", b"\xff", b"[" * 200_000, b"[]", b'{"stamp": 1}'):
        memo.write_bytes(damaged)
        assert open_database(race, cache_dir=cache).content_key == "read again"


def test_the_key_of_a_fresh_file_is_not_remembered(race: Path, cache: Path) -> None:
    cache.mkdir()
    race.touch()
    open_database(race, cache_dir=cache).content_key  # noqa: B018
    assert list(cache.iterdir()) == []


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _scribble(path: Path) -> None:
    path.write_bytes(b"not a database at all" * 1000)


def _spoil_facts(path: Path) -> None:
    _execute(path, "UPDATE facts SET content = '{\"profiles\": [{}]}'")


def _nest_facts(path: Path) -> None:
    _execute(path, "UPDATE facts SET content = replace(hex(zeroblob(100000)), '0', '[')")


def _list_facts(path: Path) -> None:
    _execute(path, "UPDATE facts SET content = '{\"profiles\": [1]}'")


def _remove_facts(path: Path) -> None:
    _execute(path, "DELETE FROM facts")


def _remove_index(path: Path) -> None:
    _execute(path, "DROP TABLE value")


def _execute(path: Path, sql: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(sql)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    "damage",
    [
        _cut,
        _empty,
        _scribble,
        _spoil_facts,
        _nest_facts,
        _list_facts,
        _remove_facts,
        _remove_index,
    ],
)
def test_a_damaged_cache_file_is_built_anew(
    race: Path, cache: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    facts = _facts(open_database(race, cache_dir=cache))
    (path,) = _stores(cache)
    damage(path)
    with caplog.at_level(logging.WARNING):
        assert _facts(open_database(race, cache_dir=cache)) == facts
    assert "rebuilding" in caplog.text
    again = open_database(race, cache_dir=cache)
    assert _facts(again) == facts
    assert not again.store.built


def test_a_cache_folder_that_cannot_be_written_only_costs_time(
    race: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        first = open_database(race, cache_dir=blocked / "cache")
        second = open_database(race, cache_dir=blocked / "cache")
        assert _facts(first) == _facts(second)
    assert caplog.text.count("cannot write to the cache folder") == 1
    assert not index(first).stored
    assert first.store.built
    assert second.store.built


def test_a_full_disk_only_costs_time(
    race: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fill_up(fill: object, path: Path, marker: object) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(store_module, "_build_file", fill_up)
    with caplog.at_level(logging.WARNING):
        database = open_database(race, cache_dir=cache)
        assert len(database.find_value("monza")) == 1
    assert "disk is full" in caplog.text


def test_a_disk_that_fills_up_leaves_no_draft(
    race: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = store_module._connect

    def connect_small(uri: str) -> sqlite3.Connection:
        connection = connect(uri)
        if ".tmp" in uri:
            connection.execute("PRAGMA max_page_count = 2")
        return connection

    monkeypatch.setattr(store_module, "_connect", connect_small)
    assert len(open_database(race, cache_dir=cache).find_value("monza")) == 1
    assert list(cache.iterdir()) == []


def test_an_interrupted_build_leaves_no_draft(
    race: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(building, "infer_foreign_keys", interrupt)
    with pytest.raises(KeyboardInterrupt):
        open_database(race, cache_dir=cache).schema  # noqa: B018
    assert list(cache.iterdir()) == []


def test_processes_may_build_at_once(tmp_path: Path, cache: Path) -> None:
    rows = ", ".join(f"({number}, 'name {number}')" for number in range(20_000))
    path = create_database(
        tmp_path / "wide.sqlite", f"CREATE TABLE t (a INTEGER, b TEXT); INSERT INTO t VALUES {rows}"
    )
    script = f"""
from clausewise.databases import open_database
database = open_database({str(path)!r}, cache_dir={str(cache)!r})
print(database.profile("t", "b").distinct, len(database.find_value("NAME 17")))
"""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", script],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in running:
        assert process.communicate(timeout=60) == ("20000 1\n", "")
    assert len(_stores(cache)) == 1
    assert list(cache.glob("*.tmp")) == []


def test_where_the_cache_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "from variable"))
    assert cache_folder(tmp_path / "given") == tmp_path / "given"
    assert cache_folder() == tmp_path / "from variable"
    monkeypatch.delenv(CACHE_VARIABLE)
    assert cache_folder().name == "clausewise"


def test_index_reports_what_it_did(race: Path, cache: Path) -> None:
    first = index(open_database(race, cache_dir=cache))
    assert (first.name, first.tables, first.columns, first.values) == ("race", 2, 4, 2)
    assert first.built
    assert first.stored
    assert first.bytes == _stores(cache)[0].stat().st_size
    assert not index(open_database(race, cache_dir=cache)).built


def test_a_damaged_index_is_built_anew_when_it_is_counted(race: Path, cache: Path) -> None:
    open_database(race, cache_dir=cache).store  # noqa: B018
    _remove_index(*_stores(cache))
    assert index(open_database(race, cache_dir=cache)).values == 2
