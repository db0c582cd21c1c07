"""Batches of examples of nearly the same length."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Hashable, Sequence

import numpy as np
import torch
from torch import Tensor

from clausewise.expectation.verifier_inputs import (
    FITS,
    TOKEN_FACTS,
    UNIT_FACTS,
    UNIT_WORDS,
    VerifierInputs,
)

MOST_OF_QUESTION = 12
"""Queries for one question in a batch."""


def batch_of(
    items: Sequence[VerifierInputs], drop: float = 0.0, rng: np.random.Generator | None = None
) -> dict[str, Tensor]:
    b = len(items)
    t = max(len(item.tokens) for item in items)
    u = max(len(item.keywords) for item in items)
    tokens = np.zeros((b, t), dtype=np.int64)
    token_facts = np.zeros((b, t, TOKEN_FACTS), dtype=np.float32)
    keywords = np.zeros((b, u), dtype=np.int64)
    words = np.zeros((b, u, UNIT_WORDS), dtype=np.int64)
    unit_facts = np.zeros((b, u, UNIT_FACTS), dtype=np.float32)
    fits = np.zeros((b, FITS, t, u), dtype=np.float32)
    has_token = np.zeros((b, t), dtype=bool)
    has_unit = np.zeros((b, u), dtype=bool)
    for at, item in enumerate(items):
        n, m = len(item.tokens), len(item.keywords)
        tokens[at, :n], token_facts[at, :n] = item.tokens, item.token_facts
        keywords[at, :m], words[at, :m] = item.keywords, item.words
        unit_facts[at, :m], fits[at, :, :n, :m] = item.unit_facts, item.fits
        has_token[at, :n], has_unit[at, :m] = True, True
    if drop and rng is not None:
        tokens[(rng.random(tokens.shape) < drop) & (tokens > 4)] = 1
        words[(rng.random(words.shape) < 2 * drop) & (words > 4)] = 1
    return {
        "tokens": torch.from_numpy(tokens),
        "token_facts": torch.from_numpy(token_facts),
        "keywords": torch.from_numpy(keywords),
        "words": torch.from_numpy(words),
        "unit_facts": torch.from_numpy(unit_facts),
        "fits": torch.from_numpy(fits),
        "has_token": torch.from_numpy(has_token),
        "has_unit": torch.from_numpy(has_unit),
    }


def runs(
    sizes: Sequence[int], keys: Sequence[Hashable], batch: int, rng: random.Random
) -> list[list[int]]:
    """Return the places of examples in batches of nearly one size, in random order.

    Those of one question are in one batch, at most `MOST_OF_QUESTION` of them.
    """
    of_key: dict[Hashable, list[int]] = defaultdict(list)
    for place, key in enumerate(keys):
        of_key[key].append(place)
    groups = [
        places if len(places) <= MOST_OF_QUESTION else rng.sample(places, MOST_OF_QUESTION)
        for places in of_key.values()
    ]
    groups.sort(key=lambda places: max(sizes[place] for place in places) + rng.random() * 10)
    found: list[list[int]] = [[]]
    for places in groups:
        if len(found[-1]) >= batch:
            found.append([])
        found[-1] += places
    rng.shuffle(found)
    return found
