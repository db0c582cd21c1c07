"""Databases that are too large or too slow to be read whole: the rest is read, the reason kept."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from clausewise.databases import Column, Database, create_database, index, marker, open_database
from clausewise.databases import values as values_module
from clausewise.databases.marker import Marker
from clausewise.databases.sqlite import bounded, building, tallies
from clausewise.errors import DatabaseError
from clausewise.workers import memory

Make = Callable[..., Database]

TWO = "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('x'), ('y');"
SLOW_VIEW = TWO + (
    # One call of a function that takes hours.
    "CREATE VIEW slow AS SELECT instr(hex(zeroblob(450000)) || a, hex(zeroblob(200000)) || '1')"
    " + 0 * n.i AS c FROM t, (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
    "LIMIT 100000) SELECT i FROM n) AS n"
)


def test_photos_are_read_one_by_one(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    if sys.platform != "linux":
        pytest.skip("needs a limit of memory that the system enforces")
    path = tmp_path / "photos.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("CREATE TABLE photo (id INTEGER PRIMARY KEY, content BLOB, note TEXT)")
    for number in range(200):
        connection.execute(
            "INSERT INTO photo VALUES (?, randomblob(1000000), hex(zeroblob(250000)) || ?)",
            (number, number % 7),
        )
    connection.commit()
    connection.close()
    script = f"""
import resource
resource.setrlimit(resource.RLIMIT_DATA, (200_000_000, 200_000_000))
from clausewise.databases import open_database
database = open_database({str(path)!r}, cache_dir={str(tmp_path / "cache")!r})
content, note = database.profile("photo", "content"), database.profile("photo", "note")
print(content.distinct, content.stored_types, note.distinct, note.numeric_text, note.frequent)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout == "200 {'blob': 200} 7 200 ()\n"


def test_values_that_are_too_large_to_compute_leave_out_their_column(make: Make) -> None:
    database = make(
        "CREATE TABLE t (a INTEGER PRIMARY KEY, big AS (hex(zeroblob(600000)) || a), b AS (a + 1));"
        "INSERT INTO t (a) VALUES (1), (2);"
    )
    assert database.profile("t", "a").distinct == 2
    assert database.profile("t", "b").maximum == 3
    with pytest.raises(DatabaseError, match=r"no profile of 't\.big'.*over 1,000,000 bytes"):
        database.profile("t", "big")
    reason = "it holds values of over 1,000,000 bytes"
    assert index(database).left_out == {"t.big": reason}
    # As read back from the cache.
    again = Database(database.path, cache_dir=database.store.path.parent)
    assert index(again).left_out == {"t.big": reason}
    assert not again.store.built


def test_too_many_bytes_of_long_values_leave_out_their_column(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "MOST_LONG_BYTES", 5_000)
    database = make(
        "CREATE TABLE t (a BLOB, b BLOB);"
        "INSERT INTO t VALUES (zeroblob(4000), zeroblob(2000)), (zeroblob(2000), zeroblob(2000))"
    )
    assert database.profile("t", "b").distinct == 1
    with pytest.raises(DatabaseError, match=r"no profile of 't\.a'.*over 5,000 bytes"):
        database.profile("t", "a")


def test_the_steps_of_all_parts_are_limited(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "DATABASE_STEPS", 150_000)
    rows = ", ".join(f"({number})" for number in range(2_000))
    tables = [f"CREATE TABLE t{n} (a); INSERT INTO t{n} VALUES {rows};" for n in range(4)]
    database = make("".join(tables))
    left_out = index(database).left_out
    assert "t0.a" not in left_out
    assert left_out["t3.a"] == "the database takes over 150,000 steps"
    assert index(make("".join(tables), "twin", cache_dir=database.path.parent)).left_out == left_out


def test_a_view_that_only_its_clock_can_stop(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        building, "COMPUTED", dataclasses.replace(bounded.COMPUTED, cpu_seconds=0.05)
    )
    slow = "instr(hex(zeroblob(20000)) || a, hex(zeroblob(2000)) || '1')"
    rows = ", ".join("('x')" for _ in range(2_000))
    database = make(
        f"CREATE TABLE t (a TEXT); INSERT INTO t VALUES {rows};"
        f"CREATE VIEW slow AS SELECT {slow} AS c FROM t"
    )
    with pytest.raises(DatabaseError, match=r"no profile of 'slow\.c': it could not be read"):
        database.profile("slow", "c")
    assert database.profile("t", "a").rows == 2_000


def test_generated_columns_that_take_too_long_leave_the_others(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    few_steps = dataclasses.replace(bounded.COMPUTED, steps=5_000)
    monkeypatch.setattr(building, "COMPUTED", few_steps)
    rows = ", ".join(f"({number})" for number in range(2_000))
    database = make(
        "CREATE TABLE t (a INTEGER, b AS (a + 1), c INTEGER DEFAULT 7, d AS (a + 2));"
        f"INSERT INTO t (a) VALUES {rows}"
    )
    reason = "it could not be read within its limits"
    assert index(database).left_out == {"t.b": reason, "t.d": reason}
    assert database.profile("t", "a").distinct == 2_000
    assert database.profile("t", "c").frequent == ((7, 2_000),)


def test_a_view_is_left_out_whole(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    few_steps = dataclasses.replace(bounded.COMPUTED, steps=60_000)
    monkeypatch.setattr(building, "COMPUTED", few_steps)
    rows = ", ".join(f"('x{number}')" for number in range(1_000))
    database = make(
        f"CREATE TABLE t (a TEXT); INSERT INTO t VALUES {rows};"
        "CREATE VIEW v AS SELECT a AS b, upper(a) AS c, lower(a) AS d FROM t"
    )
    assert index(database).left_out == {"v": "it could not be read within its limits"}
    assert [place.table for place in database.find_value("x1")] == ["t"]


def test_a_full_value_index_is_said(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        building,
        "ValueIndexWriter",
        lambda connection: values_module.ValueIndexWriter(connection, 3, 4),
    )
    database = make(
        "CREATE TABLE t (a, b, c); INSERT INTO t VALUES ('a', 'a', 1), ('b', 'b', 2), ('c', 'c', 3)"
    )
    assert index(database).left_out == {"values of t.b": "the index of the database is full"}
    assert database.is_indexed("t", "a")
    assert not database.is_indexed("t", "b")
    assert [place.column for place in database.find_value("c")] == ["a"]
    assert database.profile("t", "b").distinct == 3


def test_large_tables_of_a_large_database_are_sampled(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "MOST_CELLS", 300)
    monkeypatch.setattr(building, "FEWEST_ROWS", 50)
    rows = ", ".join(f"({number})" for number in range(200))
    database = make(
        f"CREATE TABLE t (a); CREATE TABLE u (a); INSERT INTO t VALUES {rows};"
        f"INSERT INTO u VALUES {rows}"
    )
    assert not database.profile("t", "a").sampled
    assert database.profile("u", "a").sampled
    assert database.profile("u", "a").rows == 100


def test_memory_that_runs_out_twice_leaves_out_a_part(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    tally = tallies.tally_column

    def run_out(connection: sqlite3.Connection, text: str, column: Column) -> object:
        if "u" in text:
            raise MemoryError
        return tally(connection, text, column)

    monkeypatch.setattr(building, "tally_column", run_out)
    database = make(TWO + "CREATE TABLE u (b); INSERT INTO u VALUES (1);")
    with pytest.raises(DatabaseError, match=r"memory ran out at 'u\.b'"):
        database.store  # noqa: B018
    assert memory.ran_out()
    memory.begin()
    assert index(database).left_out == {"u.b": "there is not enough memory to read it"}
    assert database.profile("t", "a").distinct == 2


def _marker_of(path: Path, cache: Path) -> Path:
    key = open_database(path, cache_dir=cache).content_key
    (cache / "x").parent.mkdir(exist_ok=True)
    return cache / f"{key}-v{_version()}.reading.json"


def _version() -> int:
    from clausewise.databases.store import FORMAT_VERSION

    return FORMAT_VERSION


def _write_marker(path: Path, read_for: float, deaths: int = 0) -> None:
    now = time.time()
    content = {"process": 1, "name": "slow", "since": now - read_for, "seconds": 30.0,
               "deaths": {"slow": deaths}, "short": [], "given_up": []}  # fmt: skip
    path.write_text(json.dumps(content), encoding="utf-8")
    os.utime(path, (now, now))


@pytest.mark.parametrize(
    ("read_for", "deaths", "is_left_out"), [(40.0, 0, True), (1.0, 0, False), (1.0, 2, True)]
)
def test_a_part_at_which_processes_died_is_left_out(
    tmp_path: Path, read_for: float, deaths: int, is_left_out: bool
) -> None:
    view = "CREATE VIEW slow AS SELECT a AS c FROM t"
    path = create_database(tmp_path / "t.sqlite", TWO + view)
    place = _marker_of(path, tmp_path / "cache")
    _write_marker(place, read_for, deaths)
    database = open_database(path, cache_dir=tmp_path / "cache")
    expected = {"slow": "it could not be read within its limits"} if is_left_out else {}
    assert index(database).left_out == expected
    assert database.profile("t", "a").distinct == 2
    assert not place.exists()


@pytest.mark.parametrize("content", ["", "[]", '{"name": 1}', "[" * 100_000, '{"name": "slow"}'])
def test_a_damaged_marker_is_as_none(tmp_path: Path, content: str) -> None:
    path = create_database(tmp_path / "t.sqlite", TWO)
    _marker_of(path, tmp_path / "cache").write_text(content, encoding="utf-8")
    assert index(open_database(path, cache_dir=tmp_path / "cache")).left_out == {}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_build_leaves_its_marker_and_no_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = create_database(tmp_path / "t.sqlite", SLOW_VIEW)
    place = _marker_of(path, tmp_path / "cache")
    script = f"""
import sys, dataclasses
from clausewise.databases import open_database
from clausewise.databases.sqlite import bounded, building, tallies
building.COMPUTED = dataclasses.replace(
    bounded.COMPUTED, cpu_seconds=1e9, steps=10**18, seconds=0.0
)
open_database({str(path)!r}, cache_dir={str(tmp_path / "cache")!r}).store
"""
    process = subprocess.Popen([sys.executable, "-c", script])
    while '"slow' not in (place.read_text(encoding="utf-8") if place.exists() else ""):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    left = json.loads(place.read_text(encoding="utf-8"))
    assert left["process"] == process.pid
    database = open_database(path, cache_dir=tmp_path / "cache")
    assert list(index(database).left_out.values()) == ["it could not be read within its limits"]
    assert database.profile("t", "a").distinct == 2


def test_a_part_is_marked_before_it_is_read(tmp_path: Path) -> None:
    place = tmp_path / "reading.json"
    reading = Marker(place)
    reading.enter("t", 30.0)
    assert json.loads(place.read_text(encoding="utf-8"))["name"] == "t"
    reading.close(complete=True)
    assert list(tmp_path.iterdir()) == []


def test_the_time_of_a_marker_is_renewed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marker, "BEAT_SECONDS", 0.01)
    place = tmp_path / "reading.json"
    reading = Marker(place)
    reading.enter("t", 30.0)
    os.utime(place, (0, 0))
    while place.stat().st_mtime < 1:
        time.sleep(0.01)
    reading.close(complete=True)


def test_the_second_process_waits_for_the_first(tmp_path: Path) -> None:
    place = tmp_path / "store.sqlite"
    script = f"""
from pathlib import Path
from clausewise.databases.marker import build_lock
with build_lock(Path({str(place)!r})) as is_held:
    print(is_held, flush=True)
    input()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "True\n"
    lock_seconds = marker.LOCK_SECONDS
    try:
        marker.LOCK_SECONDS = 0.1
        with marker.build_lock(place) as is_held:
            assert not is_held
    finally:
        marker.LOCK_SECONDS = lock_seconds
    process.kill()
    process.communicate()
    # The lock of a dead process keeps nobody waiting, and neither does its file.
    assert place.with_suffix(".lock").exists()
    with marker.build_lock(place) as is_held:
        assert is_held
    assert list(tmp_path.iterdir()) == []
