"""What the packaged detectors learn from labels: weights over populations, calibration, threshold.

The weights are those of the additive classifier. First one set is learned from all populations
together, drawn to the grades of the signals' authors; then it is moved to the population that the
detector is for, drawn to the first: what few databases of it say, all together say. A detector for
strict conventions is for the benchmarks and learns from them alone, one for relaxed conventions is
for the world.

Every population weighs by its own, in it the predictions of one question together as much as the
root of their number, and a quarter of its predictions is incorrect. Calibration and threshold come
from databases that were left out.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clausewise.models.calibration.alarms import OperatingPoint, operating_points
from clausewise.models.calibration.maps import LinearCalibration
from clausewise.models.classifiers.additive import (
    EXPECTED,
    EXPECTED_WEIGHT,
    LENGTH,
    LENGTH_WEIGHT,
    SCORE_WEIGHT,
    SHAPE,
    AdditiveClassifier,
)
from clausewise.models.probability import sigmoid
from clausewise.models.table import REASON, SILENT, FeatureTable
from clausewise.signals import SIGNALS
from clausewise.signals.reasons import BASE_SHARE
from clausewise.types import Inspection, Strictness
from experiments.common.data import BENCHMARKS, WORLD, System

TARGETS = {Strictness.STRICT: BENCHMARKS, Strictness.RELAXED: (WORLD,)}
"""The populations that a detector is for."""
SOURCES = {Strictness.STRICT: BENCHMARKS, Strictness.RELAXED: (*BENCHMARKS, WORLD)}
"""The populations that its first weights are learned from."""
WEIGHT_OF = {WORLD: 1.5}
"""What a population weighs beside the others, 1 where it is not named."""
FOLDS = 10
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Penalty:
    """Weight of the penalty, in cases, by kind of column; what is drawn to zero weighs most."""

    reason: float
    silent: float
    expected: float
    shape: float

    def of(self, name: str) -> float:
        """Return the penalty on the weight of a column."""
        kinds = {REASON: self.reason, SILENT: self.silent, EXPECTED: self.expected}
        return kinds.get(name[: name.index(".") + 1], self.shape)


FIRST = {
    # the benchmarks have few databases: their own silences would be learned by heart
    Strictness.STRICT: Penalty(reason=1000.0, silent=1e6, expected=3000.0, shape=1000.0),
    Strictness.RELAXED: Penalty(reason=300.0, silent=300.0, expected=300.0, shape=100.0),
}
SECOND = {Strictness.RELAXED: Penalty(reason=1.0, silent=3.0, expected=1.0, shape=1.0)}
"""The world has databases enough to say what each column is worth there."""


@dataclass(frozen=True, eq=False, slots=True)
class Sample:
    """Labeled cases as numbers, with what they are weighed and left out by."""

    table: FeatureTable
    incorrect: Floats
    populations: NDArray[np.str_]
    databases: NDArray[np.str_]
    questions: NDArray[np.str_]

    def rows(self, chosen: NDArray[np.bool_]) -> Sample:
        """Return the chosen cases."""
        return Sample(
            self.table.rows(chosen),
            self.incorrect[chosen],
            self.populations[chosen],
            self.databases[chosen],
            self.questions[chosen],
        )

    def weights(self, share: float = BASE_SHARE) -> Floats:
        """Return `[n]` what each case counts, with mean 1; `share` of every population is wrong."""
        keys = list(zip(self.databases.tolist(), self.questions.tolist(), strict=True))
        asked = Counter(keys)
        found = np.array([asked[key] ** -0.5 for key in keys])
        for name in set(self.populations.tolist()):
            of = self.populations == name
            for is_wrong, part in ((True, share), (False, 1.0 - share)):
                chosen = of & ((self.incorrect > 0.5) == is_wrong)
                if chosen.any():
                    found[chosen] *= WEIGHT_OF.get(name, 1.0) * part / found[chosen].sum()
        scaled: Floats = found * (len(found) / found.sum())
        return scaled

    def folds(self, number: int = FOLDS) -> NDArray[np.int64]:
        """Return `[n]` the fold of each case's database, the same in every run.

        Of fewer databases than twice the folds each is a fold of its own.
        """
        names, of_case = np.unique(self.databases, return_inverse=True)
        if len(names) < 2 * number:
            return of_case.astype(np.int64)
        return np.array([fold_of(name, number) for name in self.databases.tolist()], dtype=np.int64)


def fold_of(name: str, number: int = FOLDS) -> int:
    """Return the fold in [0, number) of a database."""
    digest = hashlib.blake2b(name.encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") % number


def sample_of(
    systems: Sequence[System], table_of: Callable[[Sequence[Inspection]], FeatureTable]
) -> Sample:
    """Return the labeled executable predictions of systems; `table_of` makes their features."""
    items = [(system, item) for system in systems for item in system.labeled()]
    return Sample(
        table_of([item for _, item in items]),
        np.array([system.is_incorrect(item) for system, item in items], dtype=np.float64),
        np.array([system.benchmark for system, _ in items]),
        np.array([f"{system.benchmark}/{item.case.db_id}" for system, item in items]),
        np.array([item.case.question for _, item in items]),
    )


def learned_weights(sample: Sample, strictness: Strictness) -> AdditiveClassifier:
    """Return the classifier for some conventions, learned from labeled cases."""
    start = graded_weights(sample.table.names)
    if strictness not in SECOND:
        start |= dict.fromkeys(_told_twice(start), 0.0)
    sources = np.isin(sample.populations, SOURCES[strictness])
    first = _fitted(sample.rows(sources), start, FIRST[strictness])
    if strictness not in SECOND:
        return first
    targets = sample.rows(np.isin(sample.populations, TARGETS[strictness]))
    if not len(targets.incorrect):
        return first
    return _fitted(targets, first.weights_, SECOND[strictness])


def _told_twice(names: Iterable[str]) -> list[str]:
    """Return the reasons of signals that have a distance of their own name.

    They say in words what it says in numbers. Where few databases could correct it, the evidence
    would count twice: the distance starts from its weight, they from none.
    """
    kept = list(names)
    signals = {name.removeprefix(EXPECTED) for name in kept if name.startswith(EXPECTED)}
    return [
        name
        for name in kept
        if name.startswith(REASON) and name.removeprefix(REASON).partition(".")[0] in signals
    ]


def graded_weights(names: Sequence[str]) -> dict[str, float]:
    """Return what is known before anything is counted: the grades of the signals' authors."""
    known: dict[str, float] = {}
    for name in names:
        if name.startswith(REASON):
            signal, _, reason = name.removeprefix(REASON).partition(".")
            known[name] = SCORE_WEIGHT * SIGNALS[signal].reasons[reason].grade.strength
        elif name.startswith(EXPECTED):
            known[name] = EXPECTED_WEIGHT
        elif name.startswith((SILENT, SHAPE)):
            known[name] = LENGTH_WEIGHT if name == LENGTH else 0.0
    return known


def _fitted(sample: Sample, start: dict[str, float], penalty: Penalty) -> AdditiveClassifier:
    """Return the weights of the columns in `start`, drawn to it; those of reasons only add."""
    from scipy.optimize import minimize
    from scipy.sparse import csr_matrix

    place = {name: at for at, name in enumerate(sample.table.names)}
    names = list(start)
    raw = sample.table.values[:, [place[name] for name in names]]
    # measures of shape are centered, so that the intercept does not depend on their weights
    middle = np.array(
        [raw[:, at].mean() if name.startswith(SHAPE) else 0.0 for at, name in enumerate(names)]
    )
    values = csr_matrix(raw - middle)
    turned = values.T.tocsr()
    center = np.array([start[name] for name in names])
    strength = np.array([penalty.of(name) for name in names])
    sign = np.where(sample.incorrect > 0.5, 1.0, -1.0)
    weights = sample.weights()

    def loss(solution: Floats) -> tuple[float, Floats]:
        margin = sign * (solution[0] + values @ solution[1:])
        away = solution[1:] - center
        total = weights @ np.logaddexp(0.0, -margin) + 0.5 * (strength * away) @ away
        slope = -weights * sign * sigmoid(-margin)
        return float(total), np.concatenate([[slope.sum()], turned @ slope + strength * away])

    bounds = [
        (0.0, None) if name.startswith((REASON, EXPECTED)) else (None, None) for name in names
    ]
    best = minimize(
        loss,
        np.concatenate([[0.0], center]),
        jac=True,
        method="L-BFGS-B",
        bounds=[(None, None), *bounds],
        options={"maxiter": 2_000, "ftol": 1e-12, "gtol": 1e-8},
    ).x
    made = AdditiveClassifier()
    made.weights_ = {
        name: round(weight, 4) for name, weight in zip(names, best[1:].tolist(), strict=True)
    }
    made.intercept_ = round(float(best[0] - middle @ best[1:]), 4)
    return made


def left_out(sample: Sample, strictness: Strictness, number: int = FOLDS) -> Floats:
    """Return `[n]` log-odds by classifiers that saw no case of the database."""
    found = np.zeros(len(sample.incorrect))
    folds = sample.folds(number)
    for fold in np.unique(folds).tolist():
        here = folds == fold
        classifier = learned_weights(sample.rows(~here), strictness)
        found[here] = classifier.log_odds(sample.table.rows(here))
    return found


def fitted_line(log_odds: Floats, incorrect: Floats, weights: Floats) -> LinearCalibration:
    """Return the straight line in log-odds that weighed labels ask for; Platt's method."""
    from scipy.optimize import minimize

    def loss(line: Floats) -> float:
        fitted = line[0] * log_odds + line[1]
        return float(weights @ (np.logaddexp(0.0, fitted) - incorrect * fitted))

    slope, shift = minimize(loss, np.array([1.0, 0.0]), method="BFGS").x.tolist()
    return LinearCalibration(round(max(slope, 0.05), 4), round(shift, 4))


def thresholds(sample: Sample, incorrect: Floats) -> tuple[OperatingPoint, ...]:
    """Return the thresholds by false alarms on the databases of the target populations.

    `incorrect` are `[n]` calibrated probabilities by classifiers that saw nothing of the database.
    """
    return operating_points(incorrect, sample.incorrect, sample.weights())
