"""What a judge is worth, learned without labels: someone's votes, or a language model's answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clausewise.models.probability import sigmoid
from clausewise.models.table import FeatureTable

ASKED = "asked."
SCORE = "score."

_FEWEST = 20
"""With fewer answers a judge keeps the weight it has without any case."""
_FARTHEST_APART = 2.5
"""Most standard deviations between a judge's two class means (accuracy 0.89 for plain votes):
agreement with the rest beyond that says that it sees the same things, not that it is right."""


@dataclass(frozen=True, slots=True)
class JudgeWeights:
    """Log-odds of being incorrect that judges add: `weight * score + offset`, where asked.

    `names` are the judges, `weights` and `offsets` `[k]`; a weight is never negative.
    """

    names: tuple[str, ...]
    weights: NDArray[np.float64]
    offsets: NDArray[np.float64]

    def columns(self) -> dict[str, float]:
        """Return the weights by the name of the feature that they belong to."""
        scores = zip(self.names, self.weights.tolist(), strict=True)
        asked = zip(self.names, self.offsets.tolist(), strict=True)
        return {f"{SCORE}{name}": round(weight, 6) for name, weight in scores} | {
            f"{ASKED}{name}": round(offset, 6) for name, offset in asked
        }


def judge_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the judges among the columns of a feature table: those that may not be asked."""
    return tuple(name.removeprefix(ASKED) for name in names if name.startswith(ASKED))


def learn_judges(table: FeatureTable, log_odds: NDArray[np.float64]) -> JudgeWeights | None:
    """Estimate what each judge's score says, beside what is known of the cases without it.

    Where a judge is independent of the rest given the class, its score rises with the rest's
    probability exactly as fast as from the correct to the incorrect cases: the slope of the score
    on the probability is the difference of its two class means. Fisher's discriminant then gives
    the log-odds that scores add; judges may depend on one another, and get no negative weight.
    A judge whose scores go with nothing else that is known gets none: of each slope one standard
    error is taken off, since a judge with too much weight costs more than one too little.

    Parameters
    ----------
    table
        Features of `n` cases, with columns `score.J` and `asked.J` for each of `k` judges J.
    log_odds
        `[n]` log-odds of being incorrect without the judges.

    Returns
    -------
    JudgeWeights or None
        None where no judge has answered often enough.
    """
    column = {name: index for index, name in enumerate(table.names)}
    judges = judge_names(table.names)
    asked = table.values[:, [column[ASKED + name] for name in judges]] > 0
    enough = asked.sum(axis=0) >= _FEWEST
    judges = tuple(name for name, is_enough in zip(judges, enough, strict=True) if is_enough)
    if not judges:
        return None
    scores = table.values[:, [column[SCORE + name] for name in judges]]
    incorrect = sigmoid(log_odds)
    found = [
        _class_means(scores[:, k], asked[:, enough][:, k], incorrect) for k in range(len(judges))
    ]
    apart = np.array([slope for slope, _, _ in found])
    middle = np.array([center for _, center, _ in found])
    residual = np.column_stack([rest for _, _, rest in found])
    weights = _discriminant(apart, residual, asked[:, enough])
    return JudgeWeights(judges, weights, -weights * middle)


def _class_means(
    score: NDArray[np.float64], asked: NDArray[np.bool_], incorrect: NDArray[np.float64]
) -> tuple[float, float, NDArray[np.float64]]:
    """Return a judge's difference of class means, their middle, and `[n]` what is left of it.

    What is left is 0 where it was not asked.
    """
    probability, answer = incorrect[asked], score[asked]
    away = probability - probability.mean()
    scatter = float(away @ away)
    spread = float(answer.var())
    if scatter < 1e-9 or spread < 1e-9:
        return 0.0, float(answer.mean()), np.where(asked, score - answer.mean(), 0.0)
    slope = float(away @ answer) / scatter
    error = answer - answer.mean() - slope * away
    noise = float(error @ error) / max(len(answer) - 2, 1) / scatter
    slope = max(0.0, slope - float(np.sqrt(noise)))
    share = float(probability.mean())
    # so that slope / sqrt(within), with the variance left within the classes, stays in bounds
    slope = min(slope, float(np.sqrt(spread / (_FARTHEST_APART**-2 + share * (1.0 - share)))))
    within = spread - slope**2 * share * (1.0 - share)
    middle = float(answer.mean()) + slope * (0.5 - share)
    left = np.where(asked, score - answer.mean(), 0.0)
    return slope, middle, left * np.sqrt(within / spread)


def _discriminant(
    apart: NDArray[np.float64], residual: NDArray[np.float64], asked: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the weights `[k]` of the linear discriminant, none of them negative.

    Judges that contradict each other are taken for independent: else one that knows nothing
    would get weight for canceling the noise of another. So none gets more than it would alone.
    """
    from scipy.optimize import nnls

    together = asked.astype(np.float64).T @ asked.astype(np.float64)
    covariance = np.maximum(residual.T @ residual / np.maximum(together, 1.0), 0.0)
    weights = np.zeros(len(apart))
    useful = apart > 0.0
    if not useful.any():
        return weights
    values, vectors = np.linalg.eigh(covariance[np.ix_(useful, useful)])
    # judges that answered different cases can have covariances that no scores could have
    least = 0.05 * max(float(values.mean()), 1e-9)
    raised = (vectors * np.maximum(values, least)) @ vectors.T
    lower = np.linalg.cholesky(raised)
    weights[useful], _ = nnls(lower.T, np.linalg.solve(lower, apart[useful]))
    return weights
