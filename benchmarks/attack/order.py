"""The same cases in other orders, with and without a cache, with one to four processes."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.attack.hostile_databases import SLOW, photos, script
from benchmarks.attack.hostile_files import with_log
from benchmarks.attack.rows import Row
from benchmarks.attack.sandbox import Sandbox
from benchmarks.attack.scoring import (
    FINDINGS,
    Scored,
    hostile_case,
    sample_databases,
    score,
    write_cases,
)
from clausewise.datasets import sample_dir

PROMISE = (
    "A folder with a database of photos, one of hostile views, one with a log and three ordinary "
    "ones. Whatever the order of the cases, the cache (empty or filled) and `--jobs`, the line of "
    "each case is the same bytes as in the first run."
)
LARGE_VIEW = "CREATE VIEW large AS SELECT hex(zeroblob(4000000)) AS z FROM people;"
EXPECTED = "the same bytes for each case, nothing left"
ON_PHOTOS = (
    "SELECT COUNT(*) FROM photos",
    "SELECT name FROM people WHERE id IN (SELECT person FROM photos)",
    "SELECT MAX(LENGTH(image)) FROM photos",
    "SELECT name FROM people WHERE name = 'ann'",
    "SELECT image FROM photos WHERE id = 1",
)
ON_VIEWS = (
    "SELECT COUNT(*) FROM people",
    "SELECT name FROM people WHERE town = 'Town 1'",
    "SELECT name FROM people ORDER BY id LIMIT 1",
)
ON_LOG = ("SELECT COUNT(*) FROM people", "SELECT name FROM people WHERE town = 'Town 1'")


@dataclass(frozen=True, slots=True)
class Size:
    """How large the attack is: which combinations, and of what."""

    seeds: Sequence[int] = (1, 2)
    jobs: Sequence[int] = (1, 2, 4)
    photos: int = 300
    every: int = 3
    """One case of the sample in so many."""
    alone: Sequence[str] = ("photos", "views", "log", "bookshop", "clinic", "cycling")
    """Databases whose cases are also scored without those of the others."""
    views: str = (
        "CREATE VIEW endless AS WITH RECURSIVE n(x) AS "
        "(SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n;"
        f"CREATE VIEW slow AS SELECT {SLOW} AS y FROM people;" + LARGE_VIEW
    )
    """The script of the hostile views."""


def build(folder: Path, size: Size) -> Path:
    """Make the folder of databases."""
    databases = sample_databases(folder)
    made = {
        "photos": photos(size.photos, "randomblob(1000000)"),
        "views": script(size.views),
        "log": with_log(damage=False, index=False),
    }
    for name, make in made.items():
        (databases / name).mkdir()
        make(databases / name / f"{name}.sqlite")
    return databases


def cases(every: int) -> list[dict[str, Any]]:
    """Return cases of all databases, those of the hostile ones between those of the sample."""
    lines = (sample_dir() / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines[::every]]
    hostile = [
        hostile_case(sql, name, f"{name} {number}")
        for name, queries in (("photos", ON_PHOTOS), ("views", ON_VIEWS), ("log", ON_LOG))
        for number, sql in enumerate(queries)
    ]
    apart = max(1, len(found) // len(hostile))
    for number, case in enumerate(hostile):
        found.insert(number * (apart + 1), case)
    return found


def run(folder: Path, size: Size | None = None) -> Iterator[Row]:
    """Score the cases once, then in each combination."""
    size = size or Size()
    sandbox = Sandbox(folder / "sandbox")
    databases = build(folder / "databases", size)
    listed = cases(size.every)
    reference = _scored(sandbox, databases, listed)
    statuses = sorted({str(json.loads(line)["status"]) for line in reference.lines})
    happened = f"{len(reference.lines)} cases: {', '.join(statuses)}"
    broken = reference.done.broken(FINDINGS)
    if len(reference.lines) != len(listed):
        broken.append(f"{len(listed)} cases and {len(reference.lines)} lines")
    broken += sandbox.left()
    yield Row(
        "as given, no cache, jobs 1",
        "every case comes back",
        happened,
        reference.done.seconds,
        broken,
    )
    for seed, cold, jobs in product(size.seeds, (True, False), size.jobs):
        if cold:
            shutil.rmtree(sandbox.cache)
        order = random.Random(seed).sample(listed, len(listed))
        cache = "no cache" if cold else "filled cache"
        yield _compared(
            f"shuffled by {seed}, {cache}, jobs {jobs}", reference, sandbox, databases, order, jobs
        )
    for name in size.alone:
        shutil.rmtree(sandbox.cache)
        alone = [case for case in listed if case["db_id"] == name]
        yield _compared(f"the database {name} alone", reference, sandbox, databases, alone, 1)


def _scored(
    sandbox: Sandbox, databases: Path, order: Sequence[dict[str, Any]], jobs: int = 1
) -> Scored:
    path = write_cases(sandbox.work / "cases.jsonl", order)
    return score(sandbox, path, databases, "--jobs", jobs, seconds=600.0)


def _compared(
    attack: str,
    reference: Scored,
    sandbox: Sandbox,
    databases: Path,
    order: Sequence[dict[str, Any]],
    jobs: int,
) -> Row:
    found = _scored(sandbox, databases, order, jobs)
    broken = found.done.broken(FINDINGS)
    names = [str(case["question_id"]) for case in order]
    if list(found.by_id) != names:
        broken.append("the lines are not those of the cases, in order")
    other = [name for name in names if found.by_id.get(name) != reference.by_id.get(name)]
    if other:
        broken.append(f"{len(other)} lines differ: {', '.join(other[:3])}")
    broken += sandbox.left()
    happened = f"{len(names) - len(other)} of {len(names)} lines the same"
    return Row(attack, EXPECTED, happened, found.done.seconds, broken)
