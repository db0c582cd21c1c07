"""What a judge is worth, learned without labels: someone's votes, or a language model's answers.

A judge and the other evidence err independently given the class. So their agreement tells how good
the judge is: expectation maximization over two classes, in which the other evidence counts by its
log-odds and the judge's scores by how often each class has them (Dawid and Skene's model for one
judge and evidence of known worth). Without answers a judge is taken for what present-day models
are; one whose answers go with nothing else loses that credit with each of them.

A. Dawid, A. Skene. Maximum likelihood estimation of observer error-rates using the EM algorithm.
Applied Statistics 28(1), 1979.
"""

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
_BINS = 6
"""Scores are counted in as many bins of about the same number of answers."""
_CREDIT = 10.0
"""Answers of each class that the prior counts as."""
_CREDIT_WEIGHT = 2.0
"""Log-odds from the middle of a judge's scores to either end, before any answer is seen: at the
ends it is right seven times in eight."""
_WRONG, _RIGHT = 1.0, 4.0
"""What the share of incorrect cases is drawn to, in cases of each class."""
_ROUNDS = 200
_LEAST = 1e-6


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

    Each judge's scores are weighed against the other evidence, see the module; what they say is put
    into a straight line, whose slope is the judge's weight and never negative. Judges may depend on
    one another: Fisher's discriminant takes what they repeat.

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
    asked = asked[:, enough]
    scores = table.values[:, [column[SCORE + name] for name in judges]]
    found = [_worth(scores[:, k], asked[:, k], log_odds) for k in range(len(judges))]
    residual = np.column_stack([one.residual for one in found])
    weights = _discriminant(np.array([one.apart for one in found]), residual, asked)
    return JudgeWeights(judges, weights, -weights * np.array([one.middle for one in found]))


@dataclass(frozen=True, slots=True)
class _Worth:
    """What one judge's scores say.

    Attributes
    ----------
    apart
        Distance of its class means that its weight stands for: weight times variance within.
    middle
        The score that says nothing.
    residual
        `[n]` distance of each score from what its class leads to expect, 0 where not asked.
    """

    apart: float
    middle: float
    residual: NDArray[np.float64]


def _worth(
    score: NDArray[np.float64], asked: NDArray[np.bool_], log_odds: NDArray[np.float64]
) -> _Worth:
    answers = score[asked]
    middle = float(answers.max() + answers.min()) / 2.0
    half = float(answers.max() - answers.min()) / 2.0
    if half < _LEAST:
        return _Worth(0.0, middle, np.zeros(len(score)))
    bins = np.searchsorted(_edges(answers), answers, side="right")
    count = int(bins.max()) + 1
    sizes = np.maximum(np.bincount(bins, minlength=count), _LEAST)
    centers = np.bincount(bins, weights=answers, minlength=count) / sizes
    said, incorrect = _said(bins, sizes, (centers - middle) / half, log_odds[asked])
    shares = sizes / sizes.sum()
    away = centers - float(shares @ centers)
    spread = float(shares @ away**2)
    weight = max(0.0, float(shares @ (away * said)) / max(spread, _LEAST))
    if weight > 0.0:
        middle = float(shares @ centers) - float(shares @ said) / weight
    own = [
        float(answers @ part) / max(float(part.sum()), _LEAST)
        for part in (1.0 - incorrect, incorrect)
    ]
    residual = np.zeros(len(score))
    residual[asked] = answers - (own[0] + (own[1] - own[0]) * incorrect)
    within = float(residual[asked] @ residual[asked]) / len(answers)
    return _Worth(weight * max(within, _LEAST), middle, residual)


def _edges(answers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rising edges between bins of scores, none at or below the least score."""
    inner = np.quantile(answers, np.arange(1, _BINS) / _BINS, method="higher")
    return np.unique(inner[inner > answers.min()])


def _said(
    bins: NDArray[np.int64],
    sizes: NDArray[np.float64],
    places: NDArray[np.float64],
    log_odds: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return `[b]` log-odds that a score in each bin adds, and `[m]` probabilities of the cases.

    Parameters
    ----------
    bins, sizes
        `[m]` the bin of each answer, and `[b]` how many answers each has.
    places
        `[b]` where each bin lies, from -1 (surely correct) to 1 (surely incorrect).
    log_odds
        `[m]` log-odds of being incorrect without the judge; they are taken to hold where the share
        of incorrect cases is their own mean probability, and the share here is learned.
    """
    usual = sizes / sizes.sum()
    credit = [usual * np.exp(sign * _CREDIT_WEIGHT / 2.0 * places) for sign in (-1.0, 1.0)]
    credit = [_CREDIT * of / of.sum() for of in credit]
    said = np.zeros(len(sizes))
    incorrect = sigmoid(log_odds)
    share = prior = float(incorrect.mean())
    for _ in range(_ROUNDS):
        counts = [
            np.bincount(bins, weights=part, minlength=len(sizes)) + of
            for part, of in zip((1.0 - incorrect, incorrect), credit, strict=True)
        ]
        right, wrong = (np.maximum(of, _LEAST) / max(float(of.sum()), _LEAST) for of in counts)
        said = np.log(wrong / right)
        share = (float(incorrect.sum()) + _WRONG) / (len(bins) + _WRONG + _RIGHT)
        moved = np.log(share / (1.0 - share)) - np.log(prior / (1.0 - prior))
        incorrect = sigmoid(log_odds + said[bins] + moved)
    return said, incorrect


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
