"""The benchmarks as they look where only the schema is known, of a file or of bare statements."""

from __future__ import annotations

import dataclasses
import sqlite3
from contextlib import closing
from pathlib import Path

from clausewise.databases import Databases, SchemaDatabase
from clausewise.databases.schema_only.script import schema_of
from clausewise.sql.definitions import read_definitions
from experiments.common.cache import cached
from experiments.common.data import Benchmark, System
from experiments.common.workspace import Workspace, all_signals

DATA, SCHEMA, DDL = "data", "schema file", "DDL alone"
"""With the data; what `index --schema-out` writes, with descriptions and keys found in the data;
the CREATE statements alone."""
VIEWS = (DATA, SCHEMA, DDL)


@dataclasses.dataclass(frozen=True)
class ViewedBenchmark(Benchmark):
    """A benchmark whose databases are seen through a view."""

    view: str = DATA

    @property
    def databases(self) -> Databases:
        """Its databases, or their schemas."""
        full = Databases(self.folder / "databases")
        if self.view == DATA:
            return full
        return Databases({name: _viewed(self, full, name) for name in full.names()})


def _viewed(benchmark: ViewedBenchmark, full: Databases, name: str) -> SchemaDatabase:
    if benchmark.view == SCHEMA:
        return SchemaDatabase(full.get(name).schema, name)
    return SchemaDatabase(schema_of(read_definitions(statements(full, name))), name)


def statements(databases: Databases, name: str) -> str:
    """Return the CREATE statements of a SQLite file as a script."""
    path = databases.targets()[name]
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        rows = connection.execute(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
        )
        return ";\n".join(sql for (sql,) in rows)


def viewed_systems(workspace: Workspace, name: str, view: str) -> list[System]:
    """Return the systems of a benchmark through a view, without candidates."""
    benchmark = ViewedBenchmark(Path(workspace.data) / name, view=view)
    specs = all_signals()

    def inspect() -> list[System]:
        return benchmark.systems(specs, jobs=workspace.jobs)

    return cached(benchmark, specs, workspace.cache, inspect, f"alone-{view.replace(' ', '-')}")
