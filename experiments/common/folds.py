"""Training without the cases that are scored: by database, or by question."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence

from clausewise.models import Detector
from clausewise.types import Inspection, ScoredCase
from experiments.common.data import Item, System, database

Key = Callable[[Item], str]
"""What must not be on both sides: a case's database, or the fold of its question."""
Scored = dict[str, list[ScoredCase]]
"""Scored cases by system, in the order of the system's inspections."""
Fit = Callable[[list[System]], Detector]

QUESTION_FOLDS = 5


def question_fold(item: Item) -> str:
    """Return the fold of a case's question: the same for every system, whatever the order."""
    text = item.case.question if isinstance(item, Inspection) else str(item.raw.get("question"))
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return str(int.from_bytes(digest, "big") % QUESTION_FOLDS)


KEYS: dict[str, Key] = {"database": database, "question": question_fold}


def database_groups(system: System, number: int) -> Key:
    """Return the key that deals a system's databases out to `number` groups in turn."""
    group = {name: str(n % number) for n, name in enumerate(values([system], database))}
    return lambda item: group[database(item)]


def values(systems: Iterable[System], key: Key) -> list[str]:
    """Return the values of a key, in order."""
    return sorted({key(item) for system in systems for item in system.inspections})


def part(system: System, key: Key, value: str, inside: bool) -> System:
    """Return a system's cases that have a value of the key, or all others."""
    chosen = [item for item in system.inspections if (key(item) == value) == inside]
    return dataclasses.replace(system, inspections=chosen)


def splits(system: System, key: Key) -> Iterator[tuple[list[Item], list[Item]]]:
    """Yield, for each value of the key, the system's cases to fit on and those left out."""
    for value in values([system], key):
        outside = part(system, key, value, inside=False).inspections
        yield outside, part(system, key, value, inside=True).inspections


def held_out(train: Sequence[System], test: Sequence[System], key: Key, fit: Fit) -> Scored:
    """Score the cases of `test` by detectors that `fit` makes without any case of their value."""
    found: dict[str, dict[int, ScoredCase]] = {system.name: {} for system in test}
    for value in values(test, key):
        detector = fit([part(system, key, value, inside=False) for system in train])
        for system in test:
            places = [n for n, item in enumerate(system.inspections) if key(item) == value]
            scored = detector.score_inspections([system.inspections[n] for n in places])
            found[system.name].update(zip(places, scored, strict=True))
    return {name: [of[place] for place in sorted(of)] for name, of in found.items()}


def held_out_by_system(systems: Sequence[System], fit: Fit, key: Key = database) -> Scored:
    """Score each system by detectors that `fit` makes of its own other databases."""
    found: Scored = {}
    for system in systems:
        found |= held_out([system], [system], key, fit)
    return found
