"""Learning the formula of `clausewise.models.agreement` from labeled predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from clausewise.models.agreement import AgreementWeights, added
from clausewise.models.probability import logit
from clausewise.types import Inspection
from experiments.candidates.settings import Setting

Floats = NDArray[np.float64]
DIGITS = 2
MOST_CASES = 2_000
"""Cases of a setting that are learned from."""
_PENALTY = 1e-4
"""Per squared parameter, beside a mean loss: keeps what hardly matters near its start."""
_START = AgreementWeights(scale=1.0, against=1.0, with_it=1.0, center=0.0, overlap=0.15)


@dataclass(frozen=True)
class Rows:
    """Cases of one or more settings, all `[n]`."""

    incorrect: NDArray[np.bool_]
    alone: Floats
    """Log-odds of being incorrect by the packaged detector without candidates."""
    disagreement: Floats
    voices: Floats
    database: NDArray[np.str_]
    system: NDArray[np.str_]
    group: NDArray[np.str_]
    """Setting and benchmark."""
    empty: NDArray[np.bool_]
    """Whether the query has an empty result: without vacuous labels it is nearly always wrong,
    so that agreement on it would seem to be proof of an error."""

    def of(self, chosen: NDArray[np.bool_]) -> Rows:
        """Return some of the rows."""
        return Rows(*(values[chosen] for values in astuple(self)))


def rows_of(settings: Sequence[Setting]) -> Rows:
    """Return all cases of the settings, one after the other."""
    lines = []
    for setting in settings:
        for system in setting.systems:
            pairs = zip(system.inspections, setting.alone[system.name], strict=True)
            for item, scored in pairs:
                assert isinstance(item, Inspection)
                lines.append(
                    (
                        system.is_incorrect(item),
                        1.0 - (scored.p_correct or 0.0),
                        item.agreement.get("disagreement", 0.0),
                        item.agreement.get("voices", 0.0),
                        item.case.db_id,
                        system.name,
                        f"{setting.benchmark}: {setting.name}",
                        bool(item.outcomes["abnormal_result"].findings),
                    )
                )
    columns = [np.array(column) for column in zip(*lines, strict=True)]
    columns[1] = logit(columns[1])
    return Rows(*columns)


def line_of(rows: Rows, log_odds: Floats) -> Floats:
    """Return shift and slope, `[2]`, of the line that brings log-odds to scale on the cases."""

    def loss(line: Floats) -> float:
        return _loss(line[0] + line[1] * log_odds, rows.incorrect, np.ones(len(log_odds)))

    return np.asarray(minimize(loss, np.array([0.0, 1.0]), method="BFGS").x)


def learned(rows: Rows, alone: Floats) -> AgreementWeights:
    """Return the numbers of the formula; every setting counts the same.

    `alone` are the calibrated log-odds without candidates.
    """
    use = (rows.voices > 0) & ~rows.empty
    for group in np.unique(rows.group):
        of_group = np.flatnonzero(use & (rows.group == group))
        # evenly spread over systems and questions: more say hardly more, and take longer
        use[of_group] = np.arange(len(of_group)) % -(-len(of_group) // MOST_CASES) == 0
    rows, alone = rows.of(use), alone[use]
    names, place, count = np.unique(rows.group, return_inverse=True, return_counts=True)
    share = 1.0 / (len(names) * count[place])

    def loss(values: Floats) -> float:
        total = alone + added(alone, rows.disagreement, rows.voices, weights=_weights(values))
        away = values - _values(_START)
        return _loss(total, rows.incorrect, share) + _PENALTY * float(away @ away)

    best = minimize(loss, _values(_START), method="L-BFGS-B")
    return _weights(best.x, DIGITS)


def _loss(log_odds: Floats, incorrect: NDArray[np.bool_], share: Floats) -> float:
    return float(share @ (np.logaddexp(0.0, log_odds) - incorrect * log_odds) / share.sum())


def _values(weights: AgreementWeights) -> Floats:
    positive = (weights.scale, weights.against, weights.with_it, weights.overlap)
    return np.array([*np.log(positive), weights.center])


def _weights(values: Floats, digits: int = 12) -> AgreementWeights:
    scale, against, with_it, overlap = (round(float(v), digits) for v in np.exp(values[:4]))
    return AgreementWeights(scale, against, with_it, round(float(values[4]), digits), overlap)
