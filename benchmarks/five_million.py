"""What `index` and `check` take on a table of 5 million rows, beside one of 5 thousand.

    python -m benchmarks.five_million [--rows 5000000] [--folder DIR]
        [--postgresql URL] [--mysql URL]

Makes `event` (categories, names, dates, numbers; skewed, and clustered by row number) as a SQLite
and a DuckDB file, and on the servers whose URLs are given, which must name an empty database and a
role that may write. Then each is indexed and checked in processes of their own, with an empty
cache and again with a full one; and the shares of the profiles are compared with those of all
rows. PYTHONPATH decides which package is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

COLUMNS = {
    "id": "INTEGER",
    "kind": "TEXT",
    "city": "TEXT",
    "customer": "TEXT",
    "day": "TEXT",
    "amount": "DOUBLE PRECISION",
    "units": "INTEGER",
    "note": "TEXT",
    "batch": "TEXT",
}
"""The columns of `event` in the order of the file."""
_MAKE = """
SELECT i + 1 AS id,
  'kind ' || chr(97 + least(7, floor(-ln(1e-9 + hash(i, 1) % 1000003 / 1000003) / 0.7))::INT)
    AS kind,
  'city ' || least(3000, floor(1 / (1e-9 + hash(i, 2) % 1000003 / 1000003)))::INT AS city,
  'customer ' || hash(i, 3) % 2000000 AS customer,
  (DATE '2005-01-01' + (i * 7000 // {rows})::INT)::VARCHAR AS day,
  round(hash(i, 4) % 100000 / 100, 2) AS amount,
  hash(i, 5) % 100 AS units,
  CASE WHEN hash(i, 6) % 10 = 0 THEN NULL ELSE 'note of ' || i // 37 END AS note,
  'batch ' || hash(i // 400, 7) % 12 AS batch
FROM range({rows}) AS made(i)
"""
_SQL = "SELECT count(*) FROM event WHERE city = 'city 7' AND kind = 'kind a'"
_INDEX = """
import sys, time
began = time.perf_counter()
from clausewise.databases import open_database
database = open_database(sys.argv[1])
facts = database.store.facts
taken = time.perf_counter() - began
status = open("/proc/self/status").read()
print(taken, int(status.split("VmHWM:")[1].split()[0]) / 1024, len(facts.left_out))
"""
_SHARES = """
import json, sys
from clausewise.databases import open_database
database = open_database(sys.argv[1])
found = {}
for column, values in json.load(sys.stdin).items():
    profile = database.profile("event", column)
    limits = []
    for value in values:
        held = dict(profile.frequent).get(value, 0) if value is not None else profile.nulls
        if isinstance(value, str):
            places = [one for one in database.find_value(value) if one.value == value]
            held = sum(one.count for one in places if one.column == column)
        share = held / profile.rows
        sample = profile.sample
        limits.append((share, sample.interval(share, profile.rows) if sample else (share, share)))
    found[column] = (profile.distinct, profile.read, profile.margin(0.5), limits)
print(json.dumps(found))
"""
_COMPARED = 50
"""Values of each column whose shares are compared: evenly from the most to the least frequent."""


def make_csv(path: Path, rows: int) -> None:
    """Write the table, the same at each run."""
    import duckdb

    with closing(duckdb.connect()) as connection:
        made = _MAKE.format(rows=rows)
        connection.execute(f"COPY ({made} ORDER BY i) TO '{path}' (HEADER false)")


def make_sqlite(path: Path, csv: Path) -> str:
    """Load the table into SQLite."""
    import duckdb

    types = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    names = ", ".join(COLUMNS)
    with closing(sqlite3.connect(path)) as made, closing(duckdb.connect()) as source:
        made.execute("PRAGMA journal_mode = OFF")
        made.execute(f"CREATE TABLE event ({types}, PRIMARY KEY (id))")
        rows = source.execute(
            f"SELECT * FROM read_csv('{csv}', header=false, names={list(COLUMNS)})"
        )
        with made:
            while chunk := rows.fetchmany(50_000):
                marks = ", ".join("?" * len(COLUMNS))
                made.executemany(
                    f"INSERT INTO event ({names}) VALUES ({marks})",
                    ((*row[:4], str(row[4]), *row[5:]) for row in chunk),
                )
    return str(path)


def make_duckdb(path: Path, csv: Path) -> str:
    """Load the table into DuckDB."""
    import duckdb

    types = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute(f"CREATE TABLE event ({types}, PRIMARY KEY (id))")
        connection.execute(f"INSERT INTO event SELECT * FROM read_csv('{csv}', header=false)")
    return str(path)


def make_on_server(url: str, csv: Path) -> str:
    """Load the table into a server's empty database."""
    from sqlalchemy import create_engine

    types = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    if url.startswith("mysql"):
        types = types.replace("TEXT", "VARCHAR(60)")
    engine = create_engine(
        url, connect_args={"local_infile": True} if url.startswith("mysql") else {}
    )
    with closing(engine.raw_connection()) as connection, closing(connection.cursor()) as cursor:
        cursor.execute("DROP TABLE IF EXISTS event")
        cursor.execute(f"CREATE TABLE event ({types}, PRIMARY KEY (id))")
        if url.startswith("mysql"):
            fields = ", ".join(COLUMNS).replace("note", "@note")
            cursor.execute(
                f"LOAD DATA LOCAL INFILE '{csv}' INTO TABLE event FIELDS TERMINATED BY ',' "
                f"OPTIONALLY ENCLOSED BY '\"' ({fields}) SET note = nullif(@note, '')"
            )
        else:
            with cursor.copy("COPY event FROM STDIN (FORMAT csv)") as copy, csv.open("rb") as file:
                while chunk := file.read(1 << 20):
                    copy.write(chunk)
        connection.commit()
        if not url.startswith("mysql"):
            cursor.execute("ANALYZE event")
            connection.commit()
    return url


def run(arguments: list[str], cache: Path, given: str = "") -> tuple[float, str]:
    """Run Python in a process of its own; return seconds and what it printed."""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "CLAUSEWISE_CACHE_DIR": str(cache)},
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    return time.perf_counter() - began, done.stdout or done.stderr


def truth(csv: Path) -> dict[str, tuple[int, list[tuple[object, float]]]]:
    """Return the distinct values of columns, and the shares of values chosen by their rank.

    Columns of texts, and those of few values: of others a profile holds no counts to compare.
    """
    import duckdb

    names = list(COLUMNS)
    found = {}
    with closing(duckdb.connect()) as connection:
        source = f"read_csv('{csv}', header=false, names={names})"
        (rows,) = connection.execute(f"SELECT count(*) FROM {source}").fetchone() or (1,)
        for column in ("kind", "city", "customer", "day", "note", "batch"):
            counted = connection.execute(
                f"SELECT {column}::VARCHAR, count(*) FROM {source} GROUP BY 1 ORDER BY 2 DESC, 1"
            ).fetchall()
            distinct = sum(value is not None for value, _ in counted)
            step = max(1, len(counted) // _COMPARED)
            chosen = counted[: _COMPARED // 2] + counted[_COMPARED // 2 :: step]
            found[column] = (distinct, [(value, count / rows) for value, count in chosen])
    return found


def compared(
    target: str, cache: Path, known: dict[str, tuple[int, list[tuple[object, float]]]]
) -> Iterator[str]:
    """Yield a line for each column: how far its shares are off, and how many within the error."""
    asked = {column: [value for value, _ in shares] for column, (_, shares) in known.items()}
    _, said = run(["-c", _SHARES, target], cache, json.dumps(asked))
    for column, (distinct, _, margin, limits) in json.loads(said).items():
        real, shares = known[column]
        pairs = list(zip(shares, limits, strict=True))
        off = max(abs(share - seen) for (_, share), (seen, _) in pairs)
        if margin is None:
            yield f"| {column} | {off:.5f} | none stated | | {distinct:,} of {real:,} |"
            continue
        inside = sum(low <= share <= high for (_, share), (_, (low, high)) in pairs)
        yield (
            f"| {column} | {off:.5f} | {margin:.4f} | {inside} of {len(pairs)} | "
            f"{distinct:,} of {real:,} |"
        )


def make(name: str, csv: Path, url: str | None) -> str:
    """Load the table where it is not; return its path or URL."""
    if url is not None:
        return make_on_server(url, csv)
    path = csv.with_suffix(f".{name.lower()}")
    if not path.exists():
        (make_sqlite if name == "SQLite" else make_duckdb)(path, csv)
    return str(path)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--folder", type=Path, default=None, help="by default a temporary one")
    parser.add_argument("--postgresql", default=None)
    parser.add_argument("--mysql", default=None)
    given = parser.parse_args()
    folder = given.folder or Path(tempfile.mkdtemp(prefix="five-million-"))
    folder.mkdir(parents=True, exist_ok=True)
    targets = {"SQLite": None, "DuckDB": None}
    servers = {"PostgreSQL": given.postgresql, "MariaDB": given.mysql}
    targets |= {name: url for name, url in servers.items() if url}
    lines: list[str] = []
    print("| database | rows | index, s | MB | first check, s | next, s |")
    print("|---|---|---|---|---|---|", flush=True)
    for rows in (5_000, given.rows):
        csv = folder / f"event-{rows}.csv"
        if not csv.exists():
            make_csv(csv, rows)
        known = truth(csv)
        for name, url in targets.items():
            target = make(name, csv, url)
            cache = folder / f"cache-{name}-{rows}"
            print(measured(name, rows, target, cache), flush=True)
            if rows == given.rows:
                lines += [f"\n{name}:\n", "| column | off by | stated | within | distinct |"]
                lines += ["|---|---|---|---|---|", *compared(target, cache, known)]
    print("\n".join(lines))
    if given.folder is None:
        shutil.rmtree(folder)


def measured(name: str, rows: int, target: str, cache: Path) -> str:
    """Index and check a database in processes of their own; return a line of the table."""
    shutil.rmtree(cache, ignore_errors=True)
    _, said = run(["-c", _INDEX, target], cache)
    try:
        seconds, peak, _ = (float(part) for part in said.split())
    except ValueError:
        return f"| {name} | {rows:,} | {said.strip().splitlines()[-1]} | | | |"
    shutil.rmtree(cache)
    check = ["-m", "clausewise", "check", "--db", target, "--sql", _SQL]
    check += ["--exit-zero", "--question", "How many events of kind a are there in city 7?"]
    times = [run(check, cache)[0] for _ in range(3)]
    checks = f"{times[0]:.1f} | {min(times[1:]):.1f}"
    return f"| {name} | {rows:,} | {seconds:.1f} | {peak:.0f} | {checks} |"


if __name__ == "__main__":
    main()
