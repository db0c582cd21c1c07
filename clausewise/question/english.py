"""English words in the order of their frequency: what is none of them is an abbreviation."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import resources

from clausewise.inflection import singular


@lru_cache(maxsize=1)
def word_ranks() -> Mapping[str, int]:
    """Return each English word, in lower case, with its rank by frequency from 0."""
    file = resources.files("clausewise.question") / "wordlists" / "en" / "words.txt"
    words = file.read_text(encoding="utf-8").split()
    return {word: rank for rank, word in enumerate(words)}


@lru_cache(maxsize=50_000)
def is_word(token: str) -> bool:
    """Whether a lower-case token is an English word, in the singular or in the plural.

    Words of up to four letters count only where people use them in questions: `sex`, not `qty`.
    """
    ranks = word_ranks()
    return token in ranks or singular(token) in ranks
