"""Hostile statements, each as one case between two ordinary ones."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import yaml

from benchmarks.attack.rows import Row
from benchmarks.attack.sandbox import Sandbox, snapshot
from benchmarks.attack.scoring import (
    REFUSED,
    STATUSES,
    Bystanders,
    broken_by,
    described,
    hostile_case,
    sample_databases,
)

PROMISE = (
    "Each statement is the predicted query of a case between two ordinary ones; what may take long "
    "has a file of its own, other groups share one (their seconds are the file's by the number of "
    "statements). All cases come back; a hostile one takes no longer than its limit; the ordinary "
    "ones are the same bytes as alone; database and folder are unchanged; no process and no "
    "temporary file is left."
)
STATEMENTS = Path(__file__).with_name("statements.yaml")
EXPECTED = {
    "refused": REFUSED,
    "broken": REFUSED,
    "bounded": STATUSES,
}
WORDS = {
    "refused": "refused; the others as alone, nothing written",
    "broken": "refused, with a place and a readable reason; the others as alone",
    "bounded": "a status within the limit; the others as alone, nothing written",
}
_ADDRESS = re.compile(r"0x[0-9a-f]{6,}|<[\w.]+ object")
_SECRET = "the content of a file outside"


@dataclass(frozen=True, slots=True)
class Statement:
    """A hostile statement and what it must end in, a key of `EXPECTED`."""

    group: str
    name: str
    sql: str
    expected: str
    alone: bool
    """Whether it is the only hostile case of its file."""


def statements(canary: Path, secret: Path) -> list[Statement]:
    """Return all hostile statements, about two files: one never to be made, one never read."""
    found = []
    for group in yaml.safe_load(STATEMENTS.read_text(encoding="utf-8")):
        for name, given in group["statements"].items():
            sql = given if isinstance(given, str) else _long(given)
            sql = sql.replace("CANARY", str(canary)).replace("SECRET", str(secret))
            found.append(
                Statement(group["group"], name, sql, group["expected"], group.get("alone", False))
            )
    return found


def _long(parts: Mapping[str, Any]) -> str:
    """Put a long statement together; with `numbered`, each repetition gets a name of its own."""
    times, body = parts["times"], parts["body"]
    repeated = body * times
    if "numbered" in parts:
        repeated = "".join(f"{body}{parts['numbered']}{number}" for number in range(times))
    texts = (parts.get("head", ""), repeated, parts.get("middle", ""))
    return "".join((*texts, parts.get("closing", "") * times, parts.get("tail", "")))


def outside_files(folder: Path) -> tuple[Path, Path]:
    """Return a path where no file must ever be, and a file that must never be read."""
    folder.mkdir(parents=True)
    secret = folder / "secret.txt"
    secret.write_text(_SECRET, encoding="utf-8")
    return folder / "canary", secret


def run(folder: Path, only: Collection[str] | None = None) -> Iterator[Row]:
    """Score every hostile statement; `only` names some of them."""
    outside = folder / "outside"
    canary, secret = outside_files(outside)
    before = snapshot(outside)
    bystanders = Bystanders(
        Sandbox(folder / "sandbox"), sample_databases(folder / "databases", "bookshop")
    )
    known = statements(canary, secret)
    chosen = [each for each in known if only is None or each.name in only]
    for together in _files(chosen):
        names = [each.name for each in together]
        found, broken = bystanders.attack(
            [hostile_case(each.sql, question_id=each.name) for each in together]
        )
        if snapshot(outside) != before:
            broken.append("a file outside changed")
        if _SECRET.encode() in b"".join(found.lines):
            broken.append("a file outside was read")
        seconds = max(0.0, found.done.seconds - bystanders.seconds) / len(together)
        for each in together:
            record = found.record(each.name)
            own = broken_by(record, EXPECTED[each.expected])
            if each.expected == "broken":
                own += _unreadable(record)
            # What was broken for the whole file is said once.
            own += broken if each.name == names[0] else []
            title = f"{each.group}: {each.name}"
            yield Row(title, WORDS[each.expected], described([record]), seconds, own)


def _files(chosen: Sequence[Statement]) -> Iterator[list[Statement]]:
    """Yield what is scored together: the statements of a group, or each by itself."""
    for (_, alone), group in groupby(chosen, lambda each: (each.group, each.alone)):
        if alone:
            yield from ([each] for each in group)
        else:
            yield list(group)


def _unreadable(record: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the reason for which broken SQL is refused."""
    found = []
    if _ADDRESS.search(str(record.get("reason"))):
        found.append("the reason holds an object's address")
    if not record.get("findings"):
        found.append("nothing says where it is broken")
    return found
