"""What each part of the learning adds on databases that were left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from unittest import mock

import numpy as np

from clausewise.labeling import OutsideVotes
from clausewise.models import features
from clausewise.models.table import FeatureTable
from clausewise.models.waiving import judged
from clausewise.types import Inspection, Strictness
from experiments.common.data import BENCHMARKS, WORLD, System
from experiments.common.results import Cell
from experiments.packaged_detector import learning
from experiments.packaged_detector.learning import Sample, learned_weights, sample_of
from experiments.world.left_out import Fold
from experiments.world.measures import area, recall_at

FOLDS = 5
RELAXED = Strictness.RELAXED


def rows(systems: Sequence[System], fold: Fold) -> Iterator[dict[str, Cell]]:
    """Yield AUC and recall at 5 % false alarms of composed cases, with a part changed at a time.

    `fold` gives the columns; nothing that it learned is used.
    """
    space = fold.detector.learned_.space

    def table_of(items: Sequence[Inspection]) -> FeatureTable:
        seen = [judged(item, RELAXED) for item in items]
        none = OutsideVotes(())
        return space.table(seen, space.label_matrix(seen, none), none)

    sample = sample_of(systems, table_of)
    composed = np.array(
        [one.name == "composed" for one in systems for _ in one.labeled()], dtype=bool
    )
    yield _row("all", sample, composed)
    yield _row("without the verifier", _without(sample, "verifier"), composed)
    yield _row("without any expectation", _without(sample, "expected", "unused_mention"), composed)
    with mock.patch.dict(learning.SOURCES, {RELAXED: (WORLD,)}):
        yield _row("without the benchmarks", sample, composed)
    with mock.patch.dict(learning.TARGETS, {RELAXED: BENCHMARKS}):
        yield _row("learned from the benchmarks alone", sample, composed, world=False)
    first, second = (
        {RELAXED: replace(of[RELAXED], silent=1e9)} for of in (learning.FIRST, learning.SECOND)
    )
    with mock.patch.dict(learning.FIRST, first), mock.patch.dict(learning.SECOND, second):
        yield _row("without what the silence of each signal says", sample, composed)
    with mock.patch.object(features, "ECHO", 1.0):
        yield _row("each finding in one place counts whole", sample_of(systems, table_of), composed)


def _without(sample: Sample, *words: str) -> Sample:
    """Return the cases with the columns whose names hold one of the words put to zero."""
    names = sample.table.names
    places = {place: 0.0 for place, name in enumerate(names) if any(word in name for word in words)}
    return replace(
        sample, table=sample.table.with_values(places, np.ones(len(sample.incorrect), bool))
    )


def _row(name: str, sample: Sample, composed: np.ndarray, *, world: bool = True) -> dict[str, Cell]:
    folds = sample.folds(FOLDS)
    log_odds = np.zeros(len(sample.incorrect))
    for fold in range(FOLDS):
        here = folds == fold
        rest = ~here if world else ~here & (sample.populations != WORLD)
        if not here.any():
            continue
        classifier = learned_weights(sample.rows(rest), RELAXED)
        log_odds[here] = classifier.log_odds(sample.table.rows(here))
    wrong = sample.incorrect[composed] > 0.5
    p = log_odds[composed]
    return {"part": name, "auc": area(wrong, p), "recall_at_5": recall_at(wrong, p, 0.05)}
