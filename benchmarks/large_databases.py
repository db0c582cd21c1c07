"""Seconds and memory that profiles of large and hostile databases take.

    python -m benchmarks.large_databases [--seconds 120]

Makes the databases in a temporary folder, profiles each in a process of its own, which is ended
after `--seconds`, and prints a table. PYTHONPATH decides which package is measured.
"""

from __future__ import annotations

import argparse
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

PHOTOS = 1_500
PHOTO_BYTES = 1_000_000
_CHILD = """
import sys
from clausewise.databases import open_database
database = open_database(sys.argv[1], cache_dir=sys.argv[2])
facts = database.store.facts
left_out = getattr(facts, "left_out", {})
print(f"{len(facts.profiles)} profiles, {len(facts.inferred_keys)} keys, {len(left_out)} left out")
"""


def photos(connection: sqlite3.Connection) -> None:
    """Write photos of 1 MB, no two alike."""
    connection.execute("CREATE TABLE photo (id INTEGER PRIMARY KEY, name TEXT, content BLOB)")
    for number in range(PHOTOS):
        connection.execute(
            "INSERT INTO photo VALUES (?, ?, randomblob(?))",
            (number, f"photo {number}", PHOTO_BYTES),
        )


def generated_column(connection: sqlite3.Connection) -> None:
    """Write few bytes, of which a generated column makes 2 MB in each row."""
    connection.execute(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, big AS (hex(zeroblob(1000000)) || id))"
    )
    connection.executemany("INSERT INTO t (id) VALUES (?)", ((n,) for n in range(PHOTOS)))


def slow_view(connection: sqlite3.Connection) -> None:
    """Write a view whose every row takes about a tenth of a second in one function."""
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY)")
    connection.executemany("INSERT INTO t VALUES (?)", ((n,) for n in range(10_000)))
    long = "hex(zeroblob(200000)) || id"
    pattern = "hex(zeroblob(10000)) || 'x'"
    connection.execute(f"CREATE VIEW slow AS SELECT id, instr({long}, {pattern}) AS place FROM t")


def tables(number: int) -> Callable[[sqlite3.Connection], None]:
    """Return what writes that many tables of 20 rows, without declared keys."""

    def write(connection: sqlite3.Connection) -> None:
        for table in range(number):
            other = f"item_{(table * 7 + 1) % number}_id"
            connection.execute(
                f"CREATE TABLE item_{table} "
                f"(id INTEGER PRIMARY KEY, name TEXT, {other} INTEGER, total REAL)"
            )
            connection.executemany(
                f"INSERT INTO item_{table} VALUES (?, ?, ?, ?)",
                ((row, f"name {row}", row % 10 + 1, row * 1.5) for row in range(1, 21)),
            )

    return write


DATABASES: dict[str, Callable[[sqlite3.Connection], None]] = {
    "1,500 photos of 1 MB": photos,
    "a generated column of 2 MB values": generated_column,
    "a view with a slow function": slow_view,
    "1,000 tables without keys": tables(1_000),
    "2,000 tables without keys": tables(2_000),
}


def make(path: Path, write: Callable[[sqlite3.Connection], None]) -> None:
    """Write a database."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA journal_mode = OFF")
        with connection:
            connection.execute("BEGIN")
            write(connection)


def measure(path: Path, cache: Path, most_seconds: float) -> tuple[float, float, str]:
    """Profile a database; return seconds, peak megabytes of the process, and what it says."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", _CHILD, str(path), str(cache)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        said = process.communicate(timeout=most_seconds)[0].strip() or "failed"
    except subprocess.TimeoutExpired:
        process.kill()
        said = "ended from outside"
    # Not by `communicate`: this one gives the memory of just this process.
    peak = _peak_of(process)
    return time.perf_counter() - began, peak, said


def _peak_of(process: subprocess.Popen[str]) -> float:
    process.wait()
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0, help="when a process is ended")
    most_seconds = parser.parse_args().seconds
    print("| database | seconds | peak memory, MB | outcome |\n|---|---|---|---|", flush=True)
    for name, write in DATABASES.items():
        # A process for each: the memory of children is that of the largest one so far.
        pid = os.fork()
        if pid == 0:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "db.sqlite"
                make(path, write)
                seconds, peak, said = measure(path, Path(folder) / "cache", most_seconds)
            print(f"| {name} | {seconds:.1f} | {peak:.0f} | {said} |", flush=True)
            os._exit(0)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    main()
