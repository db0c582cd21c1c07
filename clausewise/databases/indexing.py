"""Builds profiles and value indexes ahead of time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from time import perf_counter

from clausewise.databases.base import BaseDatabase
from clausewise.databases.model import ColumnProfile


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What was built for one database; `bytes` is the size of its cache file."""

    name: str
    tables: int
    columns: int
    values: int
    seconds: float
    bytes: int
    built: bool
    """False where it was in the cache already."""
    stored: bool
    """False where the cache folder could not be written: it will be built again next time."""
    left_out: Mapping[str, str]
    """Tables, views, columns, values and keys that could not be read, to the reason."""
    sampled: Mapping[str, str]
    """Tables that are so large that only a part was read, to which part, and the error of shares.

    The error is the largest of the table's columns.
    """


def index(database: BaseDatabase, *, fresh: bool = False) -> IndexReport:
    """Build the store of one database, or find it in the cache.

    With `fresh`, it is built also where it is in the cache, for rows that changed unseen.

    Raises DatabaseError where the database cannot be read.
    """
    start = perf_counter()
    store = database.store
    if fresh and not store.built:
        store.build_anew()
    path = store.path
    tables = database.declared_schema.tables
    return IndexReport(
        name=database.name,
        tables=len(tables),
        columns=sum(len(table.columns) for table in tables),
        values=store.count_values(),
        seconds=perf_counter() - start,
        bytes=path.stat().st_size if path is not None else 0,
        built=store.built,
        stored=path is not None,
        left_out=store.facts.left_out,
        sampled=_sampled(store.facts.profiles.values()),
    )


def _sampled(profiles: Iterable[ColumnProfile]) -> dict[str, str]:
    widest: dict[str, ColumnProfile] = {}
    for profile in profiles:
        if profile.sample is not None:
            known = widest.setdefault(profile.table, profile)
            if (profile.margin(0.5) or 0.0) > (known.margin(0.5) or 0.0):
                widest[profile.table] = profile
    return {table: profile.read for table, profile in widest.items()}
