"""When a word of a question may mean a word of a schema: in another form, misspelled, shortened."""

from __future__ import annotations

from functools import lru_cache

from rapidfuzz.distance import JaroWinkler

from clausewise.inflection import singular
from clausewise.question.words import SAME_WORD

_SUFFIXES = (
    "ization", "ation", "ness", "ment", "ings", "ing", "ity", "ion", "ies", "est", "ers", "ed",
    "er", "or", "al", "ly", "es", "y", "e", "s",
)  # fmt: skip
LITTLE = frozenset(
    [
        "a",
        "an",
        "and",
        "as",
        "at",
        "be",
        "by",
        "for",
        "from",
        "has",
        "have",
        "in",
        "is",
        "it",
        "its",
        "of",
        "on",
        "or",
        "per",
        "than",
        "that",
        "the",
        "this",
        "to",
        "was",
        "were",
        "which",
        "who",
        "whose",
        "with",
    ]
)
"""Words of names and descriptions that say nothing by themselves."""
STEM, _ALIKE, _SHORTENED = 0.85, 0.8, 0.6
"""How much a word counts that has the same stem, is spelled alike, or is a short form."""


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return what the forms of a word share: `managers` and `management` to `manag`.

    Endings are cut off while four letters are left; digits and short words stay as they are.
    """
    cut = singular(word)
    shorter = True
    while shorter:
        shorter = False
        for suffix in _SUFFIXES:
            if cut.endswith(suffix) and len(cut) - len(suffix) >= 4:
                cut, shorter = cut[: -len(suffix)], True
                break
    return cut


def alike(word: str, other: str) -> float:
    """Return how much a word counts for another one of the same first letter; 0 for nothing."""
    shorter, longer = sorted((word, other), key=len)
    if word in LITTLE or other in LITTLE or len(shorter) < 2:
        return 0.0
    if len(shorter) >= 4 and JaroWinkler.similarity(word, other) >= SAME_WORD:
        return _ALIKE
    if len(shorter) >= 3 and longer.startswith(shorter):
        return _SHORTENED
    is_short_form = len(other) <= 4 and len(word) >= len(other) + 2
    letters = iter(word)
    if is_short_form and not set(other) & set("aeiou") and all(one in letters for one in other):
        return _SHORTENED
    return 0.0
