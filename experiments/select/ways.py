"""Ways to choose one of the queries for a question; nothing is fitted in any of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clausewise.correction.select import voted
from experiments.select.material import QuestionMaterial

NOBODY = -1
"""In the place of the original's position: there is none."""
SELECT, MAJORITY = "`select`", "majority by result"
Way = Callable[[QuestionMaterial], list[float]]
"""Returns a score for each query, high = chosen, below 0 for those that do not run."""
DIGITS = 6


def _running(of: QuestionMaterial, scores: Sequence[float]) -> list[float]:
    return [
        -1.0 if group is None else round(score, DIGITS)
        for group, score in zip(of.groups, scores, strict=True)
    ]


def _known(probabilities: Sequence[float | None]) -> list[float]:
    return [p or 0.0 for p in probabilities]


def _by_result(of: QuestionMaterial, votes: Sequence[float]) -> list[float]:
    pairs = list(zip(of.groups, votes, strict=True))
    return _running(of, [sum(v for other, v in pairs if other == group) for group in of.groups])


def _selected(of: QuestionMaterial, votes: Sequence[float]) -> list[float]:
    """Return 1 for the query that the strategy chooses without an original, 0 for the others."""
    if all(group is None for group in of.groups):
        return _running(of, [0.0] * len(of.groups))
    chosen = voted(votes, of.groups, of.alike, NOBODY).chosen
    return _running(of, [float(place == chosen) for place in range(len(of.groups))])


def _weighed(of: QuestionMaterial) -> list[float]:
    return [p * weight for p, weight in zip(_known(of.alone), of.weights, strict=True)]


WAYS: dict[str, Way] = {
    MAJORITY: lambda of: _by_result(of, [1.0] * len(of.groups)),
    "independent voices by result": lambda of: _by_result(of, of.weights),
    "highest p alone": lambda of: _running(of, _known(of.alone)),
    "highest p beside the others": lambda of: _running(of, _known(of.beside)),
    "votes of p by result": lambda of: _by_result(of, _known(of.alone)),
    SELECT: lambda of: _selected(of, _known(of.alone)),
    "`select`, independent voices": lambda of: _selected(of, _weighed(of)),
}


def leaders(scores: Sequence[float]) -> list[int]:
    """Return the positions with the highest score."""
    best = max(scores)
    return [place for place, score in enumerate(scores) if score == best]


def corrected(of: QuestionMaterial, original: int, margin: float | None) -> int:
    """Return what the strategy makes of one system's query, with the auditor's margin or none."""
    if all(group is None for group in of.groups):
        return original
    chosen = voted(_known(of.alone), of.groups, of.alike, original).chosen
    if margin is None:
        return chosen
    before, after = of.beside[original], of.beside[chosen]
    if before is None or after is None or after <= before + margin:
        return original
    return chosen


def kept_by_majority(of: QuestionMaterial, original: int) -> int:
    """Return the original, or the first query with a result that more queries have."""
    scores = WAYS[MAJORITY](of)
    best = leaders(scores)
    return original if original in best else best[0]
