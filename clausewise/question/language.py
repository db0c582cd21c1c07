"""Whether a question is in a language that is read: only English is."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from clausewise.inflection import singular
from clausewise.question.bounds import LONG, bounded
from clausewise.question.tokens import Token, tokens_of, word_set, word_table

ONLY_ENGLISH = "only English is read"
"""How every reason of `unreadable_language` ends."""
_FOREIGN_LETTERS = 0.4
"""Share in [0, 1] of letters outside the Latin alphabet above which a question is not read."""
_LETTERS_OF_A_SIGN = 3
"""A Chinese or Japanese sign or a Korean syllable stands for about so many letters."""
_SIGNS = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL")
_FEWEST_OTHER = 2
"""Function words of another language, all different, that make a question one in it."""
_FEWEST_LONG = 3
_LONG_WORD = 5
"""Letters; shorter words that are not known may be abbreviations."""
_MOST_KNOWN = 0.2
"""Share in [0, 1] of known long words up to which a question without function words is not read."""
_ENDINGS = ("ing", "ed", "ly", "ness", "ship")
"""English endings of words that are in no list."""


@lru_cache(maxsize=4_096)
def unreadable_language(question: str) -> str | None:
    """Return why the words of a question are not read, None where they are.

    Only English is read. Quoted text and names in capital letters say nothing about the language;
    a question without words, or with too few to tell, counts as readable.

    >>> unreadable_language("avg price per category") is None
    True
    >>> unreadable_language("Wie viele Kunden gibt es in jeder Stadt?")
    'the question seems to be in German; only English is read'
    """
    tokens = tuple(token for token in tokens_of(bounded(question, LONG)) if not token.quoted)
    if _foreign_letters(tokens) > _FOREIGN_LETTERS:
        return f"the question is not written in Latin letters; {ONLY_ENGLISH}"
    words = _words(tokens)
    language = _other_language(words)
    if language is not None:
        return f"the question seems to be in {language}; {ONLY_ENGLISH}"
    if _hardly_known(tokens, words):
        return f"hardly a word of the question is known as English; {ONLY_ENGLISH}"
    return None


def _foreign_letters(tokens: Sequence[Token]) -> float:
    """Return the share in [0, 1] of letters that are not Latin."""
    latin = foreign = 0
    for letter in "".join(token.text for token in tokens):
        if letter.isascii():
            latin += letter.isalpha()
        elif letter.isalpha():
            name = unicodedata.name(letter, "")
            latin += name.startswith("LATIN")
            weight = _LETTERS_OF_A_SIGN if name.startswith(_SIGNS) else 1
            foreign += 0 if name.startswith("LATIN") else weight
    return foreign / (latin + foreign) if foreign else 0.0


def _words(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Return the words that show the language: no names, codes, numbers or names of a schema."""
    shouted = all(token.text.isupper() for token in tokens if token.text.isalpha())
    parts = [token for token in tokens if token.text.replace("'", "").isalpha()]
    return tuple(
        token
        for at, token in enumerate(parts)
        if not _is_inside_a_name(parts, at)
        and (shouted or not token.capitalized or not at or parts[at - 1].sentence < token.sentence)
    )


def _is_inside_a_name(parts: Sequence[Token], at: int) -> bool:
    """Whether a small word stands between capital letters, as in `Rio de la Plata`."""
    if not _is_particle(parts[at]):
        return False
    before = next((item for item in reversed(parts[:at]) if not _is_particle(item)), None)
    after = next((item for item in parts[at + 1 :] if not _is_particle(item)), None)
    return before is not None and after is not None and before.capitalized and after.capitalized


def _is_particle(token: Token) -> bool:
    return token.text in word_set("name_particles", "words", "other")


def _other_language(words: Sequence[Token]) -> str | None:
    """Return the language whose function words are more than the English ones."""
    said = {token.text.lower() for token in words}
    english = len(said & word_set("function", "words"))
    nothing_known = not english and not any(_is_known(token) for token in words)
    best, most = None, 0 if nothing_known else max(_FEWEST_OTHER - 1, english)
    for language in word_table("function_words", "other"):
        count = len(said & word_set("function_words", language, "other"))
        if count > most:
            best, most = language, count
    return best


def _hardly_known(tokens: Sequence[Token], words: Sequence[Token]) -> bool:
    """Whether there are no English function words and hardly another word that is known."""
    if any(token.text.lower() in word_set("function", "words") for token in tokens):
        return False
    long = [token for token in words if len(token.text) >= _LONG_WORD]
    known = sum(map(_is_known, long))
    if len(long) >= _FEWEST_LONG:
        return known <= _MOST_KNOWN * len(long)
    plain = [token for token in tokens if token.text.isalpha()]
    accented = sum(not token.text.isascii() for token in words)
    if accented > 1:
        return True
    return bool(accented or len(plain) >= _FEWEST_LONG) and not any(map(_is_known, plain))


def _is_known(token: Token) -> bool:
    # As it is written: a misspelt word's correction is English in any language.
    lower = token.text.lower()
    if singular(lower) in word_set("common", "words"):
        return lower not in _all_other_words()
    return lower.endswith(_ENDINGS)


@lru_cache(maxsize=1)
def _all_other_words() -> frozenset[str]:
    table = word_table("function_words", "other")
    return frozenset(word for listed in table.values() for word in listed)
