"""What each signal, family or group of signals is worth to the detector."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clausewise.errors import InputError
from clausewise.evaluation.measuring import Sample, auc_of_resamples, interval_figure
from clausewise.evaluation.metrics import Floats
from clausewise.evaluation.results import Ablation, AblationRow
from clausewise.labeling import LabelMatrixWarning
from clausewise.models import Detector
from clausewise.types import CaseStatus, Inspection, OutcomeStatus, UncheckedCase

if TYPE_CHECKING:
    from clausewise.signals import SignalSpec

PARTS = ("signal", "family", "group")
"""What can be left out at a time."""
SHAPE = "shape of the query"
"""Name of the part that is no signal: length, joins and whatever else `Inspection.shape` holds."""
FOLDS = 10
"""More databases than this are held out several at a time."""


@dataclass(frozen=True, slots=True)
class Part:
    """Signals that are left out together; for the shape of the query, none."""

    name: str
    signals: tuple[str, ...]


def parts_of(specs: Sequence[SignalSpec], by: str) -> list[Part]:
    """Return the parts that the signals fall into, the shape of the query last.

    Raises InputError where `by` is no name of `PARTS`.
    """
    if by not in PARTS:
        raise InputError(f"parts are {', '.join(PARTS)}, not {by!r}", field="by")
    members: dict[str, list[str]] = {}
    for spec in specs:
        key = spec.name if by == "signal" else spec.family if by == "family" else spec.group.value
        members.setdefault(key, []).append(spec.name)
    return [*(Part(name, tuple(of)) for name, of in members.items()), Part(SHAPE, ())]


def ablate(
    inspections: Sequence[Inspection | UncheckedCase],
    labels: Mapping[str | int, bool],
    specs: Sequence[SignalSpec],
    *,
    by: str = "signal",
    options: Mapping[str, Any] | None = None,
    bootstrap: int = 1000,
    seed: int = 0,
    advance: Callable[[float], object] = lambda _done: None,
) -> Ablation:
    """Leave out one part after the other, and take each part alone; compare the AUC.

    Every detector is fitted without labels, and where the cases are of several databases it
    never saw the database that it scores: with up to `FOLDS` databases each is held out by
    itself. The AUC is over the queries that run and have a label. A part alone has neither the
    other signals nor the shape of the query, and is fitted on all the cases at once, because a
    signal that hardly fires would be ranked by how the folds differ; the shape alone is the length
    of the SQL text.

    Parameters
    ----------
    inspections
        Cases that all of `specs` have looked at.
    labels
        Question id to whether the query is correct; ids are compared as text.
    specs
        The signals.
    by
        `signal`, `family` or `group`.
    options
        What the detectors are made with, see `Detector`; by default the weighted vote and the
        additive classifier from nothing, which fit in a fraction of a second.
    bootstrap
        Resamples of cases for the 95 % intervals; that of a change is paired.
    seed
        Fixes everything random.
    advance
        Called with 1 after every part.

    Raises
    ------
    InputError
        Where `by` is unknown, or the labeled queries that run are not of both classes.
    """
    parts = parts_of(specs, by)
    usable = [
        item
        for item in inspections
        if isinstance(item, Inspection) and item.status is CaseStatus.OK
    ]
    bench = _Bench(usable, labels, dict(options or {}) | {"seed": seed})
    full = bench.scores(specs, shape=True)
    rows = []
    for part in parts:
        others = [spec for spec in specs if spec.name not in part.signals]
        chosen = [spec for spec in specs if spec.name in part.signals]
        without = bench.scores(others, shape=part.name != SHAPE) if others else None
        alone = bench.scores(chosen, shape=False, hold_out=False) if chosen else bench.lengths()
        rows.append(bench.row(part, full, without, alone, bootstrap, seed))
        advance(1)
    figure = interval_figure(bench.aucs(full, bootstrap, seed))
    return Ablation(by, bench.n, bench.n_incorrect, bench.n_databases, figure, rows)


class _Bench:
    """The cases on which every variant is fitted and measured."""

    def __init__(
        self,
        usable: list[Inspection],
        labels: Mapping[str | int, bool],
        options: dict[str, Any],
    ) -> None:
        known = {str(question_id): not correct for question_id, correct in labels.items()}
        self.usable = usable
        self.bare = [dataclasses.replace(item, shape={}) for item in usable]
        self.options = {
            "label_model": "weighted", "classifier": "additive", "start": "none", **options
        }  # fmt: skip
        ids = [str(item.case.question_id) for item in usable]
        self.judged = np.array([question_id in known for question_id in ids], dtype=bool)
        self.incorrect = np.array([known[q] for q in ids if q in known], dtype=bool)
        self.n, self.n_incorrect = len(self.incorrect), int(self.incorrect.sum())
        if not 0 < self.n_incorrect < self.n:
            raise InputError(
                f"{self.n} labeled queries run, {self.n_incorrect} of them incorrect: "
                "an AUC needs both classes"
            )
        databases = list(dict.fromkeys(item.case.db_id for item in usable))
        self.n_databases = len(databases)
        number = {name: place % FOLDS for place, name in enumerate(databases)}
        self.fold = np.array([number[item.case.db_id] for item in usable])

    def scores(
        self, specs: Sequence[SignalSpec], *, shape: bool, hold_out: bool = True
    ) -> Floats | None:
        """Return `[n]` probabilities of being incorrect; None where nothing can be learned."""
        items = self.usable if shape else self.bare
        predicted = np.full(len(items), np.nan)
        of = self.fold if hold_out else np.zeros_like(self.fold)
        folds = np.unique(of)
        for fold in folds:
            held = np.flatnonzero(of == fold)
            rest = np.flatnonzero(of != fold) if len(folds) > 1 else held
            detector = Detector(signals=tuple(specs), **self.options)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LabelMatrixWarning)
                try:
                    detector.fit_inspections([items[place] for place in rest.tolist()])
                except InputError:
                    return None
            scored = detector.score_inspections([items[place] for place in held.tolist()])
            predicted[held] = [1.0 - (case.p_correct or 0.0) for case in scored]
        return np.asarray(predicted[self.judged])

    def lengths(self) -> Floats:
        """Return `[n]` characters of the SQL text."""
        lengths = [len(item.case.predicted_sql) for item in self.usable]
        return np.asarray(np.array(lengths, dtype=float)[self.judged])

    def aucs(self, scores: Floats | None, bootstrap: int, seed: int) -> Floats:
        """Return the AUC on the cases and on every resample, NaN where undefined."""
        if scores is None:
            return np.full(bootstrap + 1, np.nan)
        # the last bits of a sum must not order cases that are equal
        return auc_of_resamples(Sample(self.incorrect, np.round(scores, 9)), bootstrap, seed)

    def row(
        self,
        part: Part,
        full: Floats | None,
        without: Floats | None,
        alone: Floats | None,
        bootstrap: int,
        seed: int,
    ) -> AblationRow:
        """Return what the variants say of one part."""
        left = self.aucs(without, bootstrap, seed)
        fired = [
            any(item.outcomes[name].status is OutcomeStatus.FIRED for name in part.signals)
            for item, judged in zip(self.usable, self.judged.tolist(), strict=True)
            if judged
        ]
        return AblationRow(
            name=part.name,
            signals=part.signals,
            fired=sum(fired),
            without=interval_figure(left),
            change=interval_figure(left - self.aucs(full, bootstrap, seed)),
            alone=interval_figure(self.aucs(alone, bootstrap, seed)),
        )
