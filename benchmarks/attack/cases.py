"""Malformed files of cases, each given to `score`."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

from benchmarks.attack.malformed_cases import MALFORMED, Malformed
from benchmarks.attack.rows import Row, row
from benchmarks.attack.sandbox import GRACE, Sandbox
from benchmarks.attack.scoring import (
    CASE_LIMIT,
    FINDINGS,
    STATUSES,
    Scored,
    bad_records,
    described,
    limit_options,
    ordinary_cases,
    sample_databases,
    score,
    write_cases,
)

PROMISE = (
    "A file that is no file of cases is refused with exit code 2 and a clear error. In any other "
    "every line comes back, in order; sound cases beside a bad one are the same bytes as alone."
)
REFUSED = frozenset({2})


def run(folder: Path, only: Collection[str] | None = None) -> Iterator[Row]:
    """Score every malformed file; `only` names some of them."""
    sandbox = Sandbox(folder / "sandbox")
    databases = sample_databases(folder / "databases", "bookshop")
    sound = write_cases(sandbox.work / "sound.jsonl", ordinary_cases())
    score(sandbox, sound, databases)
    alone = score(sandbox, sound, databases)
    for malformed in MALFORMED:
        if only is None or malformed.name in only:
            place = folder / "given"
            place.mkdir()
            path = place / f"cases{malformed.suffix}"
            malformed.make(path)
            yield _scored(sandbox, path, databases, malformed, alone)
            shutil.rmtree(place)


def _scored(
    sandbox: Sandbox, path: Path, databases: Path, malformed: Malformed, alone: Scored
) -> Row:
    longest = alone.done.seconds + (malformed.lines or 0) * CASE_LIMIT + GRACE
    found = score(sandbox, path, databases, *limit_options(CASE_LIMIT), seconds=longest + 60)
    refused = found.done.code == 2 and (malformed.lines is None or malformed.may_be_refused)
    expected = "refused, exit code 2"
    if malformed.lines is not None:
        expected = f"{malformed.lines} lines" + (", the sound as alone" * malformed.ordinary)
    broken = found.done.broken(REFUSED if refused or malformed.lines is None else FINDINGS)
    if found.done.seconds > longest:
        broken.append(f"over the limit by {found.done.seconds - longest:.0f} s")
    records = [json.loads(line) for line in found.lines]
    own = [json.loads(line)["question_id"] for line in alone.lines]
    hostile = [record for record in records if record.get("question_id") not in own]
    if refused:
        happened = found.done.err.strip().splitlines()[-1].replace(os.fspath(path), "CASES")
    else:
        happened = f"exit {found.done.code}; {described(hostile)}"
        if malformed.lines is not None and len(records) != malformed.lines:
            broken.append(f"{len(records)} lines in place of {malformed.lines}")
        if malformed.ordinary:
            broken += found.not_same(alone)
        broken += [
            f"status {record.get('status')}"
            for record in records
            if record.get("status") not in STATUSES
        ]
        broken += bad_records(hostile)
    if any(letter in found.done.err for letter in ("\x1b]", "\x07")):
        broken.append("an escape reaches the terminal")
    broken += sandbox.left()
    return row(malformed.name, expected, happened, found.done.seconds, broken)
