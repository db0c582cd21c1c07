"""Microseconds of two queries on one instance, with all ties looked at, and the ratio to SQLite.

    python -m benchmarks.instances [--instances 300] [--rounds 9]

The ratio is to writing the same rows and running the two queries once with bare `sqlite3`, no
limits and no look at ties. Rounds of both are interleaved, times are those of the CPU, the fastest
counts.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path

from clausewise.databases import Database, create_database
from clausewise.databases.instances import Instance
from clausewise.equivalence import Conventions
from clausewise.equivalence.generation import InstanceGenerator
from clausewise.equivalence.outcomes import InstanceRunner, difference
from clausewise.equivalence.plan import Plan, make_plan
from experiments.common.tables import markdown_table

SCRIPT = """
CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT UNIQUE, area REAL);
CREATE TABLE city (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, code TEXT REFERENCES country, people INTEGER
);
CREATE TABLE person (id INTEGER PRIMARY KEY, city INTEGER REFERENCES city, age INTEGER);
"""
JOINED = "FROM city c JOIN country k ON c.code = k.code JOIN person p ON p.city = c.id"
PAIRS = {
    "one table": ("SELECT name FROM city WHERE people > 3", "SELECT name FROM city WHERE id > 3"),
    "three tables": (
        f"SELECT c.name {JOINED} WHERE p.age > 3",
        f"SELECT c.name {JOINED} WHERE p.age >= 3",
    ),
    "three tables, ORDER BY": (
        f"SELECT c.name {JOINED} ORDER BY p.age",
        f"SELECT c.name {JOINED} ORDER BY p.age DESC",
    ),
    "three tables, top group": (
        f"SELECT c.name {JOINED} GROUP BY c.id ORDER BY count(*) DESC LIMIT 1",
        f"SELECT c.name {JOINED} GROUP BY c.name ORDER BY count(*) DESC LIMIT 1",
    ),
}
HEADER = (
    "queries", "rows an instance, mean", "both queries, µs", "ratio to bare sqlite3",
    "difference, µs",
)  # fmt: skip


def cells(name: str, plan: Plan, count: int, rounds: int) -> list[str]:
    """Return one row of the table."""
    instances = list(islice(InstanceGenerator(plan, 0).instances(), count))
    with closing(InstanceRunner(plan)) as runner, closing(_bare_tables(plan)) as connection:
        outcomes = [runner.outcomes(instance) for instance in instances]
        rules = Conventions()
        steps: list[Callable[[], object]] = [
            lambda: [runner.outcomes(instance) for instance in instances],
            lambda: [_bare(connection, instance, plan) for instance in instances],
            lambda: [difference(a, b, rules) for a, b in outcomes],
        ]
        ours, bare, compared = (best / len(instances) * 1e6 for best in _fastest(steps, rounds))
    rows = sum(instance.row_count for instance in instances) / len(instances)
    return [name, f"{rows:.1f}", f"{ours:.0f}", f"{ours / bare:.1f}", f"{compared:.0f}"]


def _fastest(steps: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    best = [float("inf")] * len(steps)
    for _ in range(rounds):
        for number, step in enumerate(steps):
            began = time.process_time()
            step()
            best[number] = min(best[number], time.process_time() - began)
    return best


def _bare_tables(plan: Plan) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    for table in plan.tables:
        columns = ", ".join(f"{column.name} {column.declared_type}" for column in table.columns)
        connection.execute(f"CREATE TABLE {table.name} ({columns})")
    return connection


def _bare(connection: sqlite3.Connection, instance: Instance, plan: Plan) -> list[object]:
    connection.execute("BEGIN")
    for table in instance.tables:
        connection.execute(f"DELETE FROM {table.name}")
        marks = ", ".join("?" * len(table.columns))
        connection.executemany(f"INSERT INTO {table.name} VALUES ({marks})", table.rows)
    connection.execute("COMMIT")
    return [connection.execute(query.text).fetchall() for query in plan.queries]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = create_database(Path(folder) / "town.sqlite", SCRIPT)
        with Database(path, cache_dir=folder) as database:
            for name, pair in PAIRS.items():
                plan = make_plan(pair, database)
                rows.append(cells(name, plan, arguments.instances, arguments.rounds))
    print(markdown_table(HEADER, rows))


if __name__ == "__main__":
    main()
