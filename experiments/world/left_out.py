"""Cases of the world scored by detectors that saw nothing of their database."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausewise.models import Detector
from clausewise.types import CaseStatus, Inspection, ScoredCase, Strictness
from experiments.common.data import POPULATIONS, WORLD, Item, System, database
from experiments.common.parallel import map_tasks
from experiments.common.starts import trained_on_labels
from experiments.common.workspace import Workspace
from experiments.packaged_detector.learning import fold_of

OUTER_FOLDS = 5
SETS = ("composed", "one_pass", "one_pass_hasty")
"""The sets of predictions on the world's databases."""


@dataclass(frozen=True, slots=True)
class Fold:
    """A detector, and the inspected cases of the databases that it never saw, by set."""

    detector: Detector
    systems: list[System]


@dataclass(frozen=True, slots=True)
class Scored:
    """One labeled case with its score."""

    set: str
    case: ScoredCase
    incorrect: bool

    @property
    def p_incorrect(self) -> float:
        """Probability in [0, 1] of being incorrect."""
        return 1.0 - (self.case.p_correct or 0.0)


def in_fold(item: Item, number: int) -> bool:
    """Whether a case's database is left out in a fold."""
    return fold_of(f"{WORLD}/{database(item)}", OUTER_FOLDS) == number


def of_fold(systems: Sequence[System], number: int, *, inside: bool) -> list[System]:
    """Return the world's systems with the cases of a fold, or all systems without them."""
    kept = []
    for system in systems:
        is_world = system.benchmark == WORLD
        if inside and not is_world:
            continue
        chosen = [
            item
            for item in system.inspections
            if (in_fold(item, number) if is_world else False) == inside
        ]
        kept.append(dataclasses.replace(system, inspections=chosen))
    return kept


def all_systems(workspace: Workspace) -> list[System]:
    """Return the systems of all populations, without candidates."""
    return [system for name in POPULATIONS for system in workspace.systems(name)]


def folds(workspace: Workspace) -> Iterator[Fold]:
    """Yield a detector for each part of the world's databases, with what it never saw."""
    systems = all_systems(workspace)
    detectors = map_tasks(_Training(workspace), range(OUTER_FOLDS), workspace.jobs)
    for number, detector in enumerate(detectors):
        yield Fold(detector, of_fold(systems, number, inside=True))


@dataclass(frozen=True)
class _Training:
    """Trains the detector of a fold; what it is sent to a process with is small."""

    workspace: Workspace

    def __call__(self, number: int) -> Detector:
        rest = of_fold(all_systems(self.workspace), number, inside=False)
        return trained_on_labels(rest, strictness=Strictness.RELAXED)


def scored_by(fold: Fold, rule: Any = None) -> list[Scored]:
    """Return the labeled executable cases of a fold, scored."""
    found = []
    for system in fold.systems:
        items = [item for item in system.inspections if isinstance(item, Inspection)]
        cases = fold.detector.score_inspections(items, rule=rule)
        for case in cases:
            if case.status is CaseStatus.OK and case.question_id in system.labels:
                found.append(Scored(system.name, case, not system.labels[case.question_id]))
    return found


def columns(scored: Sequence[Scored]) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return `[n]` whether each case is incorrect, and `[n]` its probability of being so."""
    return (
        np.array([one.incorrect for one in scored], dtype=bool),
        np.array([one.p_incorrect for one in scored], dtype=np.float64),
    )
