"""Training without the cases that are scored: by database, or by question."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterable, Sequence

from clausewise.models import Detector
from clausewise.types import Inspection, ScoredCase, UncheckedCase
from experiments.data import System

Inspected = Inspection | UncheckedCase
Key = Callable[[Inspected], str]
"""What must not be on both sides: a case's database, or the fold of its question."""
Scored = dict[str, list[ScoredCase]]
"""Scored cases by system."""

QUESTION_FOLDS = 5


def database(item: Inspected) -> str:
    """Return the database of a case."""
    return item.case.db_id if isinstance(item, Inspection) else str(item.raw.get("db_id"))


def question_fold(item: Inspected) -> str:
    """Return the fold of a case's question: the same for every system, whatever the order."""
    text = item.case.question if isinstance(item, Inspection) else str(item.raw.get("question"))
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return str(int.from_bytes(digest, "big") % QUESTION_FOLDS)


KEYS: dict[str, Key] = {"database": database, "question": question_fold}


def values(systems: Iterable[System], key: Key) -> list[str]:
    """Return the values of a key, in order."""
    return sorted({key(item) for system in systems for item in system.inspections})


def part(system: System, key: Key, value: str, inside: bool) -> System:
    """Return a system's cases that have a value of the key, or all others."""
    chosen = [item for item in system.inspections if (key(item) == value) == inside]
    return dataclasses.replace(system, inspections=chosen)


def held_out(
    train: Sequence[System],
    test: Sequence[System],
    key: Key,
    fit: Callable[[list[System]], Detector],
) -> Scored:
    """Score the cases of `test` by detectors that `fit` makes without any case of their value."""
    found: Scored = {system.name: [] for system in test}
    for value in values(test, key):
        detector = fit([part(system, key, value, inside=False) for system in train])
        for system in test:
            inside = part(system, key, value, inside=True).inspections
            found[system.name].extend(detector.score_inspections(inside))
    return found
