"""A question cut into tokens and sentences, and the word tables of a language."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from rapidfuzz.distance import OSA

from clausewise.inflection import singular
from clausewise.question.english import is_word

_LONGEST_QUOTATION = 1_000
"""Characters; each mark of a text that never closes its quotations is looked behind so far."""
_MOST_APOSTROPHES = 100
_PART = f"{{1,{_LONGEST_QUOTATION}}}"
_QUOTED = re.compile(
    rf"""(?<![\w'])(?:"([^"]{_PART})"|''([^']{_PART})''|\u00ab([^\u00bb]{_PART})\u00bb"""
    rf"""|\u201c([^\u201d]{_PART})\u201d|\u2018([^\u2019]{_PART})\u2019|`([^`]{_PART})`"""
    rf"""|'([^']{{0,{_LONGEST_QUOTATION}}}(?:(?<=\w)'(?=\w)[^']{{0,{_LONGEST_QUOTATION}}})"""
    rf"""{{0,{_MOST_APOSTROPHES}}})')(?!\w)"""
)
_TOKEN = re.compile(r"\d+(?:[.,:/-]\d+)*[^\W\d_]*|[^\W_]+(?:[-_'\u2019/.][^\W_]+)*|[^\w\s]|_")
_NOWHERE = (sys.maxsize, sys.maxsize)
"""Stands for the next quotation where there is none."""
_SENTENCE_END = frozenset("?.!;")
_DOTTED = re.compile(r"[^\W\d_](?:\.[^\W\d_])+")
_LOWER_AHEAD = re.compile(r"[\s,]*[a-z]")
_POSSESSIVE = re.compile(r"['\u2019]s?$")


@lru_cache(maxsize=32)
def word_table(name: str, language: str = "en") -> dict[str, Any]:
    """Return a table of words, as in `wordlists/<language>/<name>.json`."""
    file = resources.files("clausewise.question") / "wordlists" / language / f"{name}.json"
    table: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return table


@lru_cache(maxsize=256)
def word_set(name: str, key: str, language: str = "en") -> frozenset[str]:
    """Return one list of a word table as a set."""
    return frozenset(word_table(name, language)[key])


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number or mark of a question: `question[start:end] == text`."""

    text: str
    lower: str
    word: str
    """Lower case, in the singular, without a possessive: comparable with words of names."""
    start: int
    end: int
    quoted: bool
    """Inside quotation marks (the marks themselves too)."""
    sentence: int
    """Number of the sentence from 0."""

    @property
    def is_word(self) -> bool:
        """Whether it is a word or a number and no mark."""
        return self.text[0].isalnum()

    @property
    def capitalized(self) -> bool:
        """Whether it starts with a capital letter."""
        return self.text[0].isupper()


def quoted_spans(question: str) -> tuple[tuple[str, int, int], ...]:
    """Return (text, start, end) of everything in quotation marks, without the marks."""
    found = []
    for match in _QUOTED.finditer(question):
        group = match.lastindex or 1
        if match.group(group).strip():
            found.append((match.group(group), match.start(group), match.end(group)))
    return tuple(found)


def tokens_of(question: str) -> tuple[Token, ...]:
    """Cut a question into tokens; quoted text is never the end of a sentence."""
    quoted = iter([(start - 1, end + 1) for _, start, end in quoted_spans(question)])
    tokens: list[Token] = []
    sentence = 0
    first, last = next(quoted, _NOWHERE)
    for match in _TOKEN.finditer(question):
        text, start = match.group(), match.start()
        while start >= last:
            first, last = next(quoted, _NOWHERE)
        inside = first <= start
        lower = text.lower()
        if not inside and (start == 0 or text == lower):
            lower = corrected(lower)
        token = Token(text, lower, _comparable(lower), start, match.end(), inside, sentence)
        tokens.append(token)
        if text in _SENTENCE_END and not inside and not _abbreviates(tokens, question):
            sentence += 1
    return tuple(tokens)


_SHORTEST_CORRECTED = 5
"""Letters from which a misspelt word is still recognized."""


@lru_cache(maxsize=1)
def _vocabulary() -> Mapping[str, tuple[str, ...]]:
    """Return the longer words by which questions are read, by their first letter."""
    found: set[str] = set()
    for name in ("asking", "comparatives", "cues"):
        for phrases in word_table(name).values():
            found.update(word for phrase in phrases for word in phrase.split())
    table = word_table("superlatives")
    found.update(*(table[key] for key in ("highest", "lowest", "ascending", "descending")))
    found.update(table["by_meaning"])
    known: dict[str, list[str]] = {}
    for word in sorted(found):
        if len(word) >= _SHORTEST_CORRECTED and word.isalpha():
            known.setdefault(word[0], []).append(word)
    return {letter: tuple(words) for letter, words in known.items()}


@lru_cache(maxsize=20_000)
def corrected(word: str) -> str:
    """Return the word by which questions are read that a misspelt one stands for, else itself.

    One letter is wrong, missing, too many, or two are swapped; what is an English word stays.

    >>> corrected("hihgest"), corrected("lumber")
    ('highest', 'lumber')
    """
    if len(word) < _SHORTEST_CORRECTED or not (word.isascii() and word.isalpha()):
        return word
    vocabulary = _vocabulary().get(word[0], ())
    if word in vocabulary or is_word(word):
        return word
    near = [
        known
        for known in vocabulary
        if abs(len(known) - len(word)) <= 1 and OSA.distance(word, known, score_cutoff=1) <= 1
    ]
    return near[0] if len({singular(known) for known in near}) == 1 else word


def _comparable(lower: str) -> str:
    return singular(_POSSESSIVE.sub("", lower))


def _abbreviates(tokens: list[Token], question: str) -> bool:
    """Whether the full stop just read belongs to `no.`, `Mr.`, `J.`, `e.g.`."""
    if tokens[-1].text != "." or len(tokens) == 1:
        return False
    before = tokens[-2]
    if before.end != tokens[-1].start:
        return False
    if _DOTTED.fullmatch(before.text):
        # A sentence may end in `U.S.` or `p.m.`; the next one does not start in lower case.
        return _LOWER_AHEAD.match(question, tokens[-1].end) is not None
    initial = len(before.text) == 1 and before.capitalized
    return initial or before.lower in word_set("asking", "abbreviations")


def find_phrase(lowers: tuple[str, ...], phrase: str) -> list[int]:
    """Return where the words of a phrase stand one after the other, as token positions."""
    words = phrase.split()
    if words[0] not in lowers:
        return []
    size = len(words)
    return [
        at
        for at in range(len(lowers) - size + 1)
        if lowers[at] == words[0] and all(lowers[at + i] == words[i] for i in range(size))
    ]
