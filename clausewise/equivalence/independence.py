"""How many independent voices the candidates for one question are.

Samples of one model repeat their mistakes, and they repeat one another's text; systems that were
built apart write the same answer differently. So a candidate's weight is one over the number of
candidates that it repeats, itself included, and the sum of the weights is the number of voices.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.fuzz import ratio
from rapidfuzz.process import cdist

from clausewise.sql import same_statement
from clausewise.text import single_spaced

# The three numbers are those under which agreement says most about labels, over candidates of
# many systems, of families of systems and of one model (experiments/candidates).
ALIKE_FROM = 0.7
"""Similarity of two texts, in [0, 1], from which one begins to repeat the other."""
SAME_SYSTEM = 0.9
"""How much candidates of one and the same system repeat each other at least."""
OTHER_SYSTEM = 0.2
"""What is left of the repetition of two texts where they come from different systems."""

LONGEST_COMPARED = 1_000
"""Characters of a text that are compared."""
MOST_COMPARED = 200
"""Candidates that are compared with one another; further ones get the mean of their weights."""
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Independence:
    """What each candidate weighs, and how many independent voices they are together."""

    weights: tuple[float, ...]
    """Of each candidate, in (0, 1], in their order; those that are compared add up to `voices`."""
    voices: float
    """From 1 to the number of candidates, 0 without any."""


def independence(texts: Sequence[str], systems: Sequence[str | None] = ()) -> Independence:
    """Return how independent candidates are, by their systems where known, else by their texts.

    `systems` has a name, or None where unknown, for each of `texts`, or is empty.
    """
    if not texts:
        return Independence((), 0.0)
    compared = [_plain(text) for text in texts[:MOST_COMPARED]]
    repeated = _alike(compared)
    if systems:
        repeated = _with_systems(repeated, systems[:MOST_COMPARED])
    np.fill_diagonal(repeated, 1.0)
    weights = (1.0 / repeated.sum(axis=1)).tolist()
    voices = math.fsum(weights)
    rest = len(texts) - len(weights)
    return Independence((*weights, *[voices / len(weights)] * rest), round(voices, _DIGITS))


def _plain(text: str) -> str:
    """Return the text without what says nothing of who wrote it: spacing, and the end mark."""
    return single_spaced(same_statement(text))[:LONGEST_COMPARED]


def _alike(texts: Sequence[str]) -> NDArray[np.float64]:
    """Return `[n, n]` in [0, 1]: how far each text repeats another."""
    different = list(dict.fromkeys(texts))
    place = {text: number for number, text in enumerate(different)}
    least = 100.0 * ALIKE_FROM
    similar = cdist(different, different, scorer=ratio, score_cutoff=least, dtype=np.float64)
    alike = np.clip((similar / 100.0 - ALIKE_FROM) / (1.0 - ALIKE_FROM), 0.0, 1.0)
    rows = np.array([place[text] for text in texts])
    spread: NDArray[np.float64] = alike[np.ix_(rows, rows)]
    return spread


def _with_systems(alike: NDArray[np.float64], systems: Sequence[str | None]) -> NDArray[np.float64]:
    known = np.array([system is not None for system in systems])
    names = np.array([system or "" for system in systems])
    both = known[:, None] & known[None, :]
    same = both & (names[:, None] == names[None, :])
    apart = both & ~same
    repeated = np.where(same, np.maximum(alike, SAME_SYSTEM), alike)
    return np.where(apart, OTHER_SYSTEM * alike, repeated)
