"""What labels of one's own databases bring: 25, 100 or 400 of four databases that nothing knew.

Questions are split in two: labels are of one half, measured is the other.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from clausewise.models import Detector
from clausewise.types import Inspection, Verdict
from experiments.common.results import Cell
from experiments.world.left_out import Fold
from experiments.world.measures import area, ece, recall_at

COUNTS = (0, 25, 100, 400)
TOGETHER = 4
"""Databases of one team."""
COMPOSED = "composed"


def rows(folds: Sequence[Fold]) -> Iterator[dict[str, Cell]]:
    """Yield the means over teams for each number of labels."""
    measured: dict[int, list[tuple[float, ...]]] = {count: [] for count in COUNTS}
    for number, fold in enumerate(folds):
        with tempfile.TemporaryDirectory() as folder:
            start = Path(folder) / "start"
            fold.detector.save(start)
            for items, labels in _teams(fold, number):
                for count, found in _fitted(start, items, labels):
                    measured[count].append(found)
    names = ("auc", "recall_at_5", "right_called", "wrong_called", "ece")
    for count, of in measured.items():
        means = np.array(of).mean(axis=0).tolist()
        yield {"labels": count, "teams": len(of), **dict(zip(names, means, strict=True))}


def _teams(fold: Fold, number: int) -> Iterator[tuple[list[Inspection], dict[str | int, bool]]]:
    """Yield the composed cases of a few databases at a time, with their labels."""
    (system,) = (one for one in fold.systems if one.name == COMPOSED)
    items = system.labeled()
    names = np.array(sorted({item.case.db_id for item in items}))
    np.random.default_rng(number).shuffle(names)
    for at in range(0, len(names) - TOGETHER + 1, TOGETHER):
        chosen = set(names[at : at + TOGETHER].tolist())
        yield [item for item in items if item.case.db_id in chosen], system.labels


def _fitted(
    start: Path, items: list[Inspection], labels: dict[str | int, bool]
) -> Iterator[tuple[int, tuple[float, ...]]]:
    questions = sorted({(item.case.db_id, item.case.question) for item in items})
    generator = np.random.default_rng(len(items))
    order = generator.permutation(len(questions))
    first = {questions[place] for place in order[: len(order) // 2].tolist()}
    known = [item for item in items if (item.case.db_id, item.case.question) in first]
    tested = [item for item in items if (item.case.db_id, item.case.question) not in first]
    wrong = np.array([not labels[item.case.question_id] for item in tested])
    drawn = [known[place] for place in generator.permutation(len(known)).tolist()]
    for count in COUNTS:
        detector = Detector.load(start)
        if count:
            given = {item.case.question_id: labels[item.case.question_id] for item in drawn[:count]}
            detector = Detector(
                label_model="weighted", classifier="additive", start=str(start)
            ).fit_inspections(known, given)
        scored = detector.score_inspections(tested)
        p = np.array([1.0 - (case.p_correct or 0.0) for case in scored])
        called = np.array([case.verdict is Verdict.INCORRECT for case in scored])
        yield (
            count,
            (
                area(wrong, p),
                recall_at(wrong, p, 0.05),
                float(called[~wrong].mean()),
                float(called[wrong].mean()),
                ece(wrong, p),
            ),
        )
