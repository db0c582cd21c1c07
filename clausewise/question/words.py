"""Words of questions and of schema names, made comparable.

Without a model: lower case, CamelCase and snake_case split, nouns in the singular.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz.distance import JaroWinkler

from clausewise.inflection import singular
from clausewise.question.bounds import LONG

_NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_QUESTION_WORD = re.compile(r"[^\W_]+(?:['\u2019][a-z]+)?")

SAME_WORD = 0.92
"""Jaro-Winkler similarity in [0, 1] from which two words count as one (typos, inflections)."""


@lru_cache(maxsize=20_000)
def name_words(name: str) -> tuple[str, ...]:
    """Split a table's or column's name: `firstName_of_owners` to (first, name, of, owner)."""
    return tuple(singular(part.lower()) for part in _NAME_PART.findall(name))


def question_words(question: str) -> tuple[str, ...]:
    """Return the words of a question in order: lower case, singular, without a possessive."""
    return _words(question) if len(question) <= LONG else _words_of_long(question)


def _split(question: str) -> tuple[str, ...]:
    return tuple(
        singular(re.sub(r"['\u2019]s$", "", word.lower()))
        for word in _QUESTION_WORD.findall(question)
    )


_words = lru_cache(maxsize=4_096)(_split)
_words_of_long = lru_cache(maxsize=16)(_split)


@lru_cache(maxsize=20_000)
def closeness(name: str, question: str) -> float:
    """Return in [0, 1] which share of a name's words the question says, high = close.

    A word that is only similar counts by its similarity where that is at least `SAME_WORD`.
    """
    parts = name_words(name)
    if not parts:
        return 0.0
    spoken = question_words(question)
    return sum(_best_match(part, spoken) for part in parts) / len(parts)


def _best_match(part: str, spoken: tuple[str, ...]) -> float:
    if part in spoken:
        return 1.0
    if len(part) < 4:
        return 0.0
    best: float = max((JaroWinkler.similarity(part, word) for word in spoken), default=0.0)
    return best if best >= SAME_WORD else 0.0
