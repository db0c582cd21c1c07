"""Hostile databases, each asked by cases that stand between two ordinary ones."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

from benchmarks.attack.hostile_databases import CHECKED, LARGE, SCHEMAS, VIEWS, Hostile
from benchmarks.attack.hostile_files import FILES, UNCHECKED
from benchmarks.attack.rows import Row, row
from benchmarks.attack.sandbox import Sandbox
from benchmarks.attack.scoring import STATUSES, Bystanders, hostile_case, sample_databases

PROMISE = (
    "Each database is asked by one to five cases between two ordinary ones on a sound database, "
    "with an empty cache. All come back within their limits; the ordinary ones are the same bytes "
    "as alone; files and folders are unchanged; no process and no temporary file is left."
)
HOSTILE = (*LARGE, *VIEWS, *SCHEMAS, *FILES)
WORDS = {
    CHECKED: "checked; the others as alone",
    UNCHECKED: "unchecked; the others as alone",
    STATUSES: "a status within the limit; the others as alone",
}


def run(folder: Path, only: Collection[str] | None = None) -> Iterator[Row]:
    """Ask every hostile database; `only` names some of them."""
    databases = sample_databases(folder / "databases", "bookshop")
    place = databases / "hostile"
    bystanders = Bystanders(Sandbox(folder / "sandbox"), databases)
    for hostile in HOSTILE:
        if only is None or hostile.name in only:
            place.mkdir()
            hostile.build(place / "hostile.sqlite")
            yield _attacked(hostile, bystanders)
            shutil.rmtree(place)


def _attacked(hostile: Hostile, bystanders: Bystanders) -> Row:
    cases = [
        hostile_case(sql, "hostile", f"hostile {number}")
        for number, sql in enumerate(hostile.queries, start=1)
    ]
    found, happened, broken = bystanders.attack(cases, allowed=hostile.allowed)
    happened = f"{found.done.megabytes:,.0f} MB; {happened}"
    return row(hostile.name, WORDS[hostile.allowed], happened, found.done.seconds, broken)
