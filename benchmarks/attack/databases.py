"""Hostile databases, each asked by cases that stand between two ordinary ones."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from benchmarks.attack.hostile_databases import CHECKED, LARGE, SCHEMAS, VIEWS, Hostile
from benchmarks.attack.hostile_files import FILES, UNCHECKED
from benchmarks.attack.rows import Row
from benchmarks.attack.sandbox import Sandbox
from benchmarks.attack.scoring import (
    STATUSES,
    Bystanders,
    broken_by,
    described,
    hostile_case,
    sample_databases,
)

PROMISE = (
    "Each database is asked by one to five cases between two ordinary ones on a sound database; "
    "damaged files and links are together in one run. All come back within their limits; the "
    "ordinary ones are the same bytes as alone; files and folders are unchanged; no process and no "
    "temporary file is left."
)
CASE_SECONDS = 20.0
"""Seconds for one case: enough for a sound query on a large database."""

PREPARATION_SECONDS = 240.0
"""Seconds for the profiles of the databases of one run."""

HOSTILE = (*LARGE, *VIEWS, *SCHEMAS, *FILES)
WORDS = {
    CHECKED: "checked; the others as alone",
    UNCHECKED: "unchecked; the others as alone",
    STATUSES: "a status within the limit; the others as alone",
}


def run(folder: Path, only: Collection[str] | None = None) -> Iterator[Row]:
    """Ask every hostile database; `only` names some of them."""
    databases = sample_databases(folder / "databases", "bookshop")
    bystanders = Bystanders(
        Sandbox(folder / "sandbox"), databases, CASE_SECONDS, PREPARATION_SECONDS
    )
    together = [[each] for each in (*LARGE, *VIEWS, *SCHEMAS)] + [list(FILES)]
    for group in together:
        chosen = [each for each in group if only is None or each.name in only]
        for number, hostile in enumerate(chosen):
            place = databases / f"hostile {number}"
            place.mkdir()
            hostile.build(place / f"{place.name}.sqlite")
        if chosen:
            yield from _attacked(chosen, bystanders)
        for number in range(len(chosen)):
            shutil.rmtree(databases / f"hostile {number}")


def _attacked(group: Sequence[Hostile], bystanders: Bystanders) -> Iterator[Row]:
    """Ask databases by the cases of one file; what is broken for the file is said once."""
    cases = [
        [
            hostile_case(sql, f"hostile {number}", f"{hostile.name} {query}")
            for query, sql in enumerate(hostile.queries, start=1)
        ]
        for number, hostile in enumerate(group)
    ]
    found, broken = bystanders.attack([case for own in cases for case in own])
    seconds = found.done.seconds / len(group)
    for hostile, own in zip(group, cases, strict=True):
        records = [found.record(case["question_id"]) for case in own]
        for number, record in enumerate(records, start=1):
            broken += [f"{number}: {text}" for text in broken_by(record, hostile.allowed)]
        happened = f"{found.done.megabytes:,.0f} MB; {described(records)}"
        yield Row(hostile.name, WORDS[hostile.allowed], happened, seconds, broken)
        broken = []
