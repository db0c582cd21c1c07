"""How closely a column has to do with a question: what is dropped last from a long schema."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz.distance import JaroWinkler

from clausewise.databases.model import Column

TABLE_WEIGHT = 0.3
"""Weight of the table's name beside the column's, which counts 1."""

_NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_LIKE = 0.88
"""Jaro-Winkler similarity in [0, 1] from which two words have to do with each other."""


@lru_cache(maxsize=20_000)
def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a name or a sentence: `firstName of` to (first, name, of)."""
    return tuple(part.lower() for part in _NAME_PART.findall(text))


def name_relatedness(name: str, words: Sequence[str]) -> float:
    """Return in [0, 1] how far the words of a name are among `words`, high = all of them."""
    parts = words_of(name)
    if not parts or not words:
        return 0.0
    return sum(max(_similarity(part, word) for word in words) for part in parts) / len(parts)


def column_relatedness(table: str, column: Column, words: Sequence[str]) -> float:
    """Return in [0, 1.3] how closely a column has to do with `words`, high = closely.

    The better of its name and its readable label counts; the table's name adds its share.
    """
    names = (column.name, column.label or "")
    own = max(name_relatedness(name, words) for name in names)
    return own + TABLE_WEIGHT * name_relatedness(table, words)


@lru_cache(maxsize=100_000)
def _similarity(part: str, word: str) -> float:
    similarity: float = JaroWinkler.similarity(part, word, score_cutoff=_LIKE)
    return similarity
