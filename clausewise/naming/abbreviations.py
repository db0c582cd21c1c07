"""What an abbreviation may stand for: by a list, and by its letters."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from clausewise.question.english import is_word

_VOWELS = frozenset("aeiou")
_DOUBLED = re.compile(r"(.)\1")
_LONGEST = 8
"""Letters of a token that may be an abbreviation."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """One meaning of an abbreviation.

    `kind` says which columns it needs (`number`, `text`, `date`, `flag`), empty for any. A `sure`
    one holds although the token is an English word too: `no`, `long`.
    """

    words: tuple[str, ...]
    kind: str = ""
    sure: bool = False


@lru_cache(maxsize=8)
def table_of(name: str) -> Mapping[str, Any]:
    """Return a packaged table of words, as in `data/<name>.json`."""
    file = resources.files("clausewise.naming") / "data" / f"{name}.json"
    table: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return table


@lru_cache(maxsize=1)
def _listed() -> Mapping[str, tuple[Expansion, ...]]:
    return {
        token: tuple(map(_expansion, texts)) for token, texts in table_of("abbreviations").items()
    }


def _expansion(text: str) -> Expansion:
    words, _, kind = text.removeprefix("!").partition("@")
    return Expansion(tuple(words.split()), kind, text.startswith("!"))


def expansions(token: str) -> tuple[Expansion, ...]:
    """Return what a lower-case token, also in the plural, stands for, the most usual first."""
    listed = _listed()
    return listed.get(token) or listed.get(token.removesuffix("s"), ())


@lru_cache(maxsize=50_000)
def skeleton(word: str) -> str:
    """Return a word's first letter and its consonants after it: `average` to `avrg`."""
    letters = word[:1] + "".join(letter for letter in word[1:] if letter not in _VOWELS)
    return _DOUBLED.sub(r"\1", letters)


@lru_cache(maxsize=100_000)
def abbreviation_strength(token: str, word: str) -> float:
    """Return in [0, 1] how surely a token's letters abbreviate a word, 0 for not at all.

    The token is no English word, shorter than the word, and begins with the same letter. 0.95:
    its consonants (`frm` for `farm`); 0.9: its first letters (`commis` for `commission`); 0.8: its
    first consonants; 0.75: letters in order with the last (`qnty`); 0.6: half its letters in order;
    two letters are worth at most 0.6, but for all consonants of a short word (`nm` for `name`).
    """
    if not 2 <= len(token) <= _LONGEST or len(token) >= len(word) or token[0] != word[0]:
        return 0.0
    if not (token.isalpha() and word.isalpha()) or is_word(token) or not is_word(word):
        return 0.0
    return _strength_of_letters(token, word)


def _strength_of_letters(token: str, word: str) -> float:
    consonants = skeleton(word)
    if token == consonants:
        return 0.95
    if len(token) == 2:
        return 0.6 if word.startswith(token) else 0.5 * consonants.startswith(token)
    rules = (
        (0.9, word.startswith(token)),
        (0.8, consonants.startswith(token)),
        (0.75, _in_order(token, word) and token[-1] == word[-1]),
        (0.6, _in_order(token, word) and 2 * len(token) >= len(word)),
    )
    return next((strength for strength, holds in rules if holds), 0.0)


def _in_order(token: str, word: str) -> bool:
    """Whether a token's letters stand in a word in their order."""
    letters = iter(word)
    return all(letter in letters for letter in token)
