"""Reading gold pairs: questions that people asked, with the SQL that answers them.

The folder of data holds `spider_train` (questions and databases) and `gold_pairs`, one folder for
each source (questions and schemas). Databases on which predictions are evaluated are left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from clausewise.databases import Column, Databases, ForeignKey, Schema, Table

SPIDER = "spider_train"
EVALUATED = ("spider", "bird")
"""Folders of the benchmarks whose databases are never learned from."""
FAMILIES = {"ehrsql": "ehrsql", "footballdb": "footballdb"}
"""Sources whose databases are versions of one domain: they are left out together."""


@dataclass(frozen=True)
class Pair:
    """One question with its gold query. `evidence` is empty where there is none."""

    source: str
    question_id: str
    db_id: str
    question: str
    evidence: str
    sql: str
    dialect: str
    """As sqlglot names it."""
    schema: Schema = field(repr=False, compare=False)

    @property
    def group(self) -> str:
        """What is left out together: the database, or the domain of several versions of it."""
        return FAMILIES.get(self.source, self.db_id.casefold())


def read_pairs(data: Path, sources: Sequence[str] = ()) -> list[Pair]:
    """Return the pairs of every source, or of those named, in a fixed order.

    Parameters
    ----------
    data
        The folder that holds `spider_train` and `gold_pairs`.
    sources
        `spider_train` or names of folders in `gold_pairs`.
    """
    names = sorted(path.parent.name for path in (data / "gold_pairs").glob("*/questions.jsonl"))
    wanted = [name for name in (SPIDER, *names) if not sources or name in sources]
    evaluated = evaluated_databases(data)
    return [
        pair
        for name in wanted
        for pair in _read(data, name)
        if pair.db_id.casefold() not in evaluated
    ]


def evaluated_databases(data: Path) -> frozenset[str]:
    """Return the folded names of the databases that have labeled predictions."""
    folders = (data / benchmark / "databases" for benchmark in EVALUATED)
    return frozenset(
        path.name.casefold() for folder in folders if folder.exists() for path in folder.iterdir()
    )


def fold_of(group: str, folds: int) -> int:
    """Return the fold of a group in [0, folds), the same in every run."""
    return int.from_bytes(hashlib.blake2b(group.encode(), digest_size=8).digest()) % folds


def _read(data: Path, name: str) -> Iterator[Pair]:
    folder = data / name if name == SPIDER else data / "gold_pairs" / name
    schemas = {} if name == SPIDER else _schemas(folder / "schemas.json")
    databases = Databases(folder / "databases") if name == SPIDER else None
    for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        db_id = record["db_id"]
        if db_id not in schemas and databases is not None:
            schemas[db_id] = databases.get(db_id).schema
        yield Pair(
            source=name,
            question_id=str(record["question_id"]),
            db_id=db_id,
            question=record["question"],
            evidence=record.get("evidence") or "",
            sql=record["gold_sql"],
            dialect=_DIALECTS.get(record.get("dialect", "sqlite"), record.get("dialect", "sqlite")),
            schema=schemas[db_id],
        )


_DIALECTS = {"db2": "postgres"}
"""Dialects that sqlglot does not have, to one that reads their queries here."""


@lru_cache(maxsize=32)
def _schemas(path: Path) -> dict[str, Schema]:
    saved: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return {db_id: _schema(entry) for db_id, entry in saved.items()}


def _schema(entry: dict[str, Any]) -> Schema:
    tables = []
    for name, table in entry["tables"].items():
        key = tuple(table.get("primary_key") or ())
        columns = tuple(
            Column(
                name=column["name"],
                declared_type=column.get("type") or "",
                primary_key=key.index(column["name"]) + 1 if column["name"] in key else 0,
                description=column.get("description"),
            )
            for column in table["columns"]
        )
        tables.append(Table(name=name, columns=columns, primary_key=key))
    keys = tuple(
        ForeignKey(table, (column,), referred, (referred_column,))
        for table, column, referred, referred_column in entry.get("foreign_keys") or ()
    )
    return Schema(tuple(tables), keys)
