"""Singular forms of English nouns, the same for questions, evidence, tables and columns.

`pluralizer` was measured against the other libraries on the words of the tests here. Of 175
plurals, it takes 4 to another word than their singular, simplemma 13, inflect 14, inflection 29,
Snowball stems 32, and the rules used before 48. Importing inflect takes more than three seconds.
What it gets wrong in questions about databases is corrected below, with its own methods.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pluralizer import Pluralizer

_KEPT = frozenset(
    {"are", "as", "does", "has", "have", "is", "its", "our", "their", "these", "they", "this",
     "those", "us", "was", "we", "were", "always", "across", "besides", "perhaps", "sometimes",
     "thus", "towards", "whereas", "data", "media", "metadata", "physics", "mathematics",
     "athletics", "lens", "abdomen", "acumen", "albumen", "bremen", "omen", "ramen", "regimen",
     "specimen", "stamen", "yemen"}
)  # fmt: skip
"""Function words, collective nouns, and nouns in -men that no rule below may change."""
_IRREGULAR = (
    ("ache", "aches"),
    ("cache", "caches"),
    ("headquarter", "headquarters"),
    ("lens", "lenses"),
    ("selfie", "selfies"),
    ("species", "species"),
    ("taxi", "taxis"),
)
_SHORT_PLURALS = frozenset({"ads", "cds", "ids", "men", "pcs", "tvs"})
"""Every other word of three letters stays as it is: `bus`, `gas`, `gps`, `sms`."""
_LAST_NOUN = re.compile(r"[^\W\d_]+$")
_LONGEST = 50
"""Characters; a longer text is no noun, and its folding would only cost time."""


@lru_cache(maxsize=1)
def _pluralizer() -> Pluralizer:
    from pluralizer import Pluralizer

    pluralizer = Pluralizer()  # type: ignore[no-untyped-call]
    # A singular in -is (`analysis`, `hepatitis`, `Paris`); its plural in -es is folded already.
    pluralizer.add_singular_rule(re.compile("is$"), "is")
    for single, plural in _IRREGULAR:
        pluralizer.add_irregular_rule(single, plural)
    return pluralizer


@lru_cache(maxsize=50_000)
def singular(word: str) -> str:
    """Return a lower-case English noun's singular; any other word as it is.

    Of `t-shirts` the last part is folded, of `1990s` the digits are left.

    >>> singular("movies"), singular("women"), singular("status")
    ('movie', 'woman', 'status')
    """
    match = _LAST_NOUN.search(word) if len(word) <= _LONGEST else None
    if match is None:
        return word
    noun = match.group()
    if noun == "s" and word[:-1].isdigit():
        return word[:-1]
    if noun in _KEPT or (len(noun) <= 3 and noun not in _SHORT_PLURALS):
        return word
    return word[: match.start()] + _pluralizer().singular(noun)


def is_plural(word: str) -> bool:
    """Whether a lower-case word is a noun's plural; false where both numbers are one word."""
    return singular(word) != word
