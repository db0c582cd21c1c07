"""Malformed files of cases, each given to `score`."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from benchmarks.attack.malformed_cases import MALFORMED, Malformed, together
from benchmarks.attack.rows import Row
from benchmarks.attack.sandbox import GRACE, Sandbox
from benchmarks.attack.scoring import (
    CASE_LIMIT,
    FINDINGS,
    STATUSES,
    Scored,
    broken_by,
    described,
    limit_options,
    ordinary_cases,
    read_record,
    sample_databases,
    score,
    write_cases,
)

PROMISE = (
    "A file that is no file of cases is refused with exit code 2 and a clear error. In any other "
    "every line comes back, in order; sound cases beside bad ones are the same bytes as alone. "
    "Twelve bad lines share a file (their seconds are the file's by the number of lines)."
)
REFUSED = frozenset({2})
AT_ONCE = 12
"""Malformed lines in one file."""


def run(folder: Path, only: Collection[str] | None = None) -> Iterator[Row]:
    """Score every malformed file; `only` names some of them."""
    sandbox = Sandbox(folder / "sandbox")
    databases = sample_databases(folder / "databases", "bookshop")
    sound = write_cases(sandbox.work / "sound.jsonl", ordinary_cases())
    score(sandbox, sound, databases)
    alone = score(sandbox, sound, databases)
    chosen = [each for each in MALFORMED if only is None or each.name in only]
    single = [each for each in chosen if each.line is not None]
    for first in range(0, len(single), AT_ONCE):
        yield from _lines(sandbox, folder, databases, single[first : first + AT_ONCE], alone)
    for malformed in chosen:
        if malformed.line is None:
            found, broken = _scored(sandbox, folder, databases, malformed, alone)
            yield _row(malformed, found, broken, list(found.lines), found.done.seconds)


def _lines(
    sandbox: Sandbox,
    folder: Path,
    databases: Path,
    listed: Sequence[Malformed],
    alone: Scored,
) -> Iterator[Row]:
    """Score malformed lines in one file; what is broken for the file is said once."""
    found, broken = _scored(sandbox, folder, databases, together(listed), alone)
    seconds = found.done.seconds / len(listed)
    for number, malformed in enumerate(listed, start=1):
        yield _row(malformed, found, broken, list(found.lines[number : number + 1]), seconds)
        broken = []


def _row(
    malformed: Malformed, found: Scored, broken: list[str], lines: list[bytes], seconds: float
) -> Row:
    expected = "refused, exit code 2"
    if malformed.lines is not None:
        expected = f"{malformed.lines} lines" + (", the sound as alone" * malformed.ordinary)
    if found.done.code == 2:
        happened = (found.done.err.strip().splitlines() or ["nothing said"])[-1]
    else:
        records = [read_record(line) for line in lines]
        happened = described(records if malformed.line is not None else records[1:-1] or records)
        for record in records:
            broken = broken + broken_by(record, STATUSES)
    return Row(malformed.name, expected, happened, seconds, broken)


def _scored(
    sandbox: Sandbox, folder: Path, databases: Path, malformed: Malformed, alone: Scored
) -> tuple[Scored, list[str]]:
    """Score one file; return the run and which promises to the whole file were broken."""
    place = folder / "given"
    place.mkdir()
    path = place / f"cases{malformed.suffix}"
    malformed.make(path)
    longest = 2 * alone.done.seconds + (malformed.lines or 0) * CASE_LIMIT + GRACE
    options = limit_options(CASE_LIMIT)
    found = score(sandbox, path, databases, *options, seconds=longest + 60)
    shutil.rmtree(place)
    refused = malformed.lines is None or (malformed.may_be_refused and found.done.code == 2)
    broken = found.done.broken(REFUSED if refused else FINDINGS)
    if found.done.seconds > longest:
        broken.append(f"over the limits and the grace: {found.done.seconds:.0f} s")
    if not refused and len(found.lines) != malformed.lines:
        broken.append(f"{len(found.lines)} lines in place of {malformed.lines}")
    if not refused and malformed.ordinary:
        broken += found.not_same(alone)
    if any(letter in found.done.err for letter in ("\x1b]", "\x07")):
        broken.append("an escape reaches the terminal")
    return found, broken + sandbox.left()
