"""What the commands that learn expectations share: samples, weights and folds of gold pairs."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from experiments.expectation.pairs import Pair, fold_of

FOLDS = 5
MOST_OF_A_GROUP = 200
ONE_TABLE_SOURCES = {"wikisql_dev_sample": 1500}
"""Sources of thousands of one-table databases: one group together, of at most so many pairs."""


MAKERS = {
    "spider_train": "spider",
    "spider_syn_train": "spider",
    "spider_train_missing_dbs": "spider",
    "cosql_train_first_turns": "spider",
    "bird_train": "bird",
    "world_pairs": "world",
    "corpus_domains": "world",
    "corpus_pairs": "world",
}
"""Sources by who made them; the others are left out together."""


def maker_of(pair: Pair) -> str:
    """Return whose habits of wording and of writing queries a pair has."""
    return MAKERS.get(pair.source, "others")


def group_of(pair: Pair) -> str:
    """Return what a pair is left out and weighed with: its database, domain, or source."""
    return pair.source if pair.source in ONE_TABLE_SOURCES else pair.group


def sampled(pairs: Sequence[Pair], most: int = MOST_OF_A_GROUP) -> list[Pair]:
    """Return at most so many pairs of each group, the same ones in every run, in input order."""
    order = sorted(range(len(pairs)), key=lambda at: _key(pairs[at]))
    used: Counter[str] = Counter()
    kept = []
    for at in order:
        group = group_of(pairs[at])
        if used[group] < ONE_TABLE_SOURCES.get(group, most):
            used[group] += 1
            kept.append(at)
    return [pairs[at] for at in sorted(kept)]


def _key(pair: Pair) -> bytes:
    return hashlib.blake2b(f"{pair.question}\n{pair.sql}".encode(), digest_size=8).digest()


def case_weights(groups: Sequence[str]) -> NDArray[np.float32]:
    """Return weights with mean 1: a group's whole weight grows with the root of its size."""
    sizes = Counter(groups)
    weights = np.array([sizes[group] ** -0.5 for group in groups])
    scaled: NDArray[np.float32] = (weights / weights.mean()).astype(np.float32)
    return scaled


def folds_of(groups: Sequence[str]) -> NDArray[np.int64]:
    """Return the fold of each pair; a group is in one fold."""
    return np.array([fold_of(group, FOLDS) for group in groups])
