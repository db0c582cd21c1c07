"""Numbers written in words: found by `text2num`, put right where it misreads questions.

What is added: "and" between two numbers ("between one hundred and two hundred" is no 102), years
in two parts ("nineteen ninety-nine"), "a dozen", "half a million", fractions and percentages, and
words that are no numbers ("one of", "ten seconds", "Nine Inch Nails", "twenty-first century").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from clausewise.question.tokens import Token, word_set, word_table

_CENTURIES = range(11, 21)
_YEARS = range(10, 100)
_RANGE_REACH = 6
"""Tokens after `between one hundred and fifty` in which the "and" of the range may follow."""
_AND_A_HALF = ("and", "a", "half")


@dataclass(frozen=True, slots=True)
class NumberWords:
    """A number in words: `kind` is `word`, `ordinal_word`, `fraction`, `percent` or `year`."""

    value: float
    kind: str
    token: int
    """Position of its first token."""
    length: int
    """How many tokens it takes."""

    @property
    def end(self) -> int:
        """Position of the token after it."""
        return self.token + self.length


class _NumberPart(NamedTuple):
    """One word of a token, with the methods that text2num wants: `twenty-one` has two."""

    word: str
    token: int
    first: bool
    """Whether a token starts here."""
    excluded: bool

    def text(self) -> str:
        return self.word

    def nt_separated(self, previous: object) -> bool:  # noqa: ARG002
        return self.excluded

    def not_a_number_part(self) -> bool:
        return self.excluded


def number_words(tokens: tuple[Token, ...], taken: frozenset[int]) -> list[NumberWords]:
    """Return the numbers in words in order; the positions `taken` are read otherwise."""
    lowers = tuple(
        "" if token.quoted or at in taken else token.lower for at, token in enumerate(tokens)
    )
    found = _found(lowers, 0, len(lowers), with_and=False)
    found = [item for item in found if not _is_part_of_name(item, tokens)]
    found = sorted([*found, *_unknown_scales(lowers, found)], key=lambda item: item.token)
    for rule in (_joined, _years, _fractions, _scaled):
        found = _paired(found, lowers, rule)
    ends = {item.end for item in found}
    found = [_halved(item, lowers) for item in found if not _is_no_number(item, ends, lowers)]
    found += _named_fractions(lowers, found)
    return sorted((_completed(item, lowers) for item in found), key=lambda item: item.token)


@lru_cache(maxsize=4_096)
def is_cardinal(word: str) -> bool:
    """Whether one lower-case word is a number: `seven`, `hundred`, `dozen`; ordinals are none."""
    found = _found((word,), 0, 1, with_and=False)
    return word in word_table("numbers")["scales"] or any(item.kind == "word" for item in found)


def _found(lowers: tuple[str, ...], start: int, end: int, *, with_and: bool) -> list[NumberWords]:
    """Return what text2num finds between two positions, where `and` may be part of a number."""
    from text_to_num import find_numbers

    parts: list[_NumberPart] = []
    for at in range(start, end):
        for number, word in enumerate(lowers[at].split("-")):
            excluded = not word.isalpha() or word == "o" or (word == "and" and not with_and)
            # text2num panics at a lone surrogate.
            text = word if word.isprintable() else ""
            parts.append(_NumberPart(text, at, number == 0, excluded))
    found = []
    for item in find_numbers(parts, "en", 0.0):
        after = parts[item.end] if item.end < len(parts) else _NumberPart("", end, True, True)
        if parts[item.start].first and after.first:
            kind = "ordinal_word" if item.is_ordinal else "word"
            token = parts[item.start].token
            found.append(NumberWords(float(item.value), kind, token, after.token - token))
    return found


def _is_part_of_name(item: NumberWords, tokens: tuple[Token, ...]) -> bool:
    """Whether it stands in a name inside the sentence: `Nine Inch Nails`, `One Direction`."""
    own = tokens[item.token]
    if item.token == 0 or tokens[item.token - 1].sentence != own.sentence:
        return False
    before, after = tokens[item.token - 1], tokens[item.end : item.end + 1]
    return _is_title(own) and not _is_title(before) and any(_is_title(token) for token in after)


def _is_title(token: Token) -> bool:
    return token.capitalized and token.text[1:].islower()


_Rule = Callable[[NumberWords, NumberWords, tuple[str, ...]], "NumberWords | None"]


def _paired(found: list[NumberWords], lowers: tuple[str, ...], rule: _Rule) -> list[NumberWords]:
    """Put neighbors together where the rule makes one number of them."""
    together: list[NumberWords] = []
    for item in found:
        both = rule(together[-1], item, lowers) if together else None
        if both is not None:
            together.pop()
        together.append(item if both is None else both)
    return together


def _joined(first: NumberWords, second: NumberWords, lowers: tuple[str, ...]) -> NumberWords | None:
    """Join `two hundred and thirty`, but not the ends of a range or the items of a list."""
    between = lowers[first.end : second.token]
    scale = word_table("numbers")["scales"].get(lowers[first.end - 1], 0)
    if first.kind != "word" or not scale or between not in (("and",), (",",)):
        return None
    if between == (",",) and (scale < 1_000_000 or lowers[second.end - 1] != "thousand"):
        return None  # `one million, two hundred thousand`, but `two hundred, thirty`
    ahead = lowers[second.end : second.end + _RANGE_REACH]
    if lowers[first.token - 1 : first.token] == ("between",) and "and" not in ahead:
        return None
    words = tuple("and" if lower == "," else lower for lower in lowers[first.token : second.end])
    whole = _found(words, 0, len(words), with_and=True)
    if len(whole) != 1 or whole[0].length != len(words):
        return None
    return replace(whole[0], token=first.token)


def _years(first: NumberWords, second: NumberWords, lowers: tuple[str, ...]) -> NumberWords | None:
    """Read `nineteen ninety-nine` and `nineteen oh five` as years."""
    between = lowers[first.end : second.token]
    both = first.kind == second.kind == "word" and first.length == 1
    if not both or first.value not in _CENTURIES:
        return None
    if not (between == () and second.value in _YEARS) and not (
        between == ("oh",) and 1 <= second.value <= 9
    ):
        return None
    value = 100 * first.value + second.value
    return NumberWords(value, "year", first.token, second.end - first.token)


def _fractions(
    first: NumberWords, second: NumberWords, lowers: tuple[str, ...]
) -> NumberWords | None:
    """Read `two thirds` and `one fifth of`; `one third place` is two numbers."""
    direct = first.end == second.token and (first.kind, second.kind) == ("word", "ordinal_word")
    plural = lowers[second.end - 1].endswith("s")
    parted = plural or (first.value == 1 and lowers[second.end : second.end + 1] == ("of",))
    if not direct or not parted or not 0 < first.value < second.value or second.value == 2:
        return None
    value = first.value / second.value
    return NumberWords(value, "fraction", first.token, second.end - first.token)


def _scaled(first: NumberWords, second: NumberWords, lowers: tuple[str, ...]) -> NumberWords | None:
    """Multiply what text2num leaves apart: `three point five million`, `two dozen`."""
    scale = word_table("numbers")["scales"].get(lowers[second.token])
    between = lowers[first.end : second.token]
    if first.kind != "word" or scale is None or between not in ((), _AND_A_HALF):
        return None
    value = first.value + (0.5 if between else 0.0)
    return replace(first, value=value * second.value, length=second.end - first.token)


def _unknown_scales(lowers: tuple[str, ...], found: list[NumberWords]) -> list[NumberWords]:
    """Return the scales that text2num does not know: `dozen`, `trillion`."""
    scales = word_table("numbers")["scales"]
    covered = {at for item in found for at in range(item.token, item.end)}
    return [
        NumberWords(float(scales[lower]), "word", at, 1)
        for at, lower in enumerate(lowers)
        if len(lower) > 2
        and lower in scales
        and at not in covered
        and not _after_digits(lowers, at)
    ]


def _after_digits(lowers: tuple[str, ...], at: int) -> bool:
    """Whether digits stand before: `5 million` is read with them."""
    return at > 0 and lowers[at - 1][:1].isdigit()


def _halved(item: NumberWords, lowers: tuple[str, ...]) -> NumberWords:
    """Take "half" into the number: `half a million`, `three and a half`."""
    scale = word_table("numbers")["scales"].get(lowers[item.end - 1], 1)
    for words in (("half", "a"), ("half",)):
        start = item.token - len(words)
        if start >= 0 and lowers[start : item.token] == words and item.value == scale > 1:
            return NumberWords(item.value / 2, "word", start, item.end - start)
    if item.kind == "word" and lowers[item.end : item.end + 3] == _AND_A_HALF:
        return replace(item, value=item.value + scale / 2, length=item.length + 3)
    return item


def _named_fractions(lowers: tuple[str, ...], found: list[NumberWords]) -> list[NumberWords]:
    """Return `half of`, `a quarter of`, `two-thirds`; the first half of a game is none."""
    covered = {at for item in found for at in range(item.token, item.end)}
    fractions = word_table("numbers")["fractions"]
    parted = []
    for at, lower in enumerate(lowers):
        if at in covered:
            continue
        value = _hyphenated_fraction(lower) if "-" in lower else 0.0
        if lower in fractions and lowers[at + 1 : at + 2] in (("of",), ("the",)):
            half = lower == "half" and at - 1 not in covered
            value = fractions[lower] if half or lowers[at - 1 : at] == ("a",) else 0.0
        if value:
            parted.append(NumberWords(value, "fraction", at, 1))
    return parted


def _hyphenated_fraction(lower: str) -> float:
    """Return the value of `two-thirds`, 0 where the word is no fraction."""
    words = tuple(lower.split("-"))
    parts = _found(words, 0, len(words), with_and=False)
    if [item.kind for item in parts] != ["word", "ordinal_word"]:
        return 0.0
    return (
        parts[0].value / parts[1].value if parts[0].length + parts[1].length == len(words) else 0.0
    )


def _completed(item: NumberWords, lowers: tuple[str, ...]) -> NumberWords:
    """Take "percent" into the number; read `a third of` as a fraction."""
    after = lowers[item.end : item.end + 2]
    if item.kind == "word" and after[:1] and after[0] in word_set("numbers", "percent"):
        return replace(item, kind="percent", length=item.length + 1)
    if item.kind == "word" and after == ("per", "cent"):
        return replace(item, kind="percent", length=item.length + 2)
    if item.kind == "word" and after[:1] == ("quarters",):
        return replace(item, kind="fraction", value=item.value / 4, length=item.length + 1)
    before = lowers[item.token - 1 : item.token]
    if item.kind == "ordinal_word" and item.value > 2 and (before, after[:1]) == (("a",), ("of",)):
        return replace(item, kind="fraction", value=1 / item.value)
    return item


def _is_no_number(item: NumberWords, ends: set[int], lowers: tuple[str, ...]) -> bool:
    """Whether it is `one of`, `hundreds`, a unit of time, a century, `5 million`'s scale."""
    word, before = lowers[item.token], lowers[item.token - 1] if item.token else ""
    after = lowers[item.end] if item.end < len(lowers) else ""
    if item.kind == "ordinal_word":
        counted = before[:1].isdigit() or item.token in ends
        unit = word == "second" and (counted or before in word_set("numbers", "before_units"))
        return unit or after in ("century", "centuries") or word.endswith("s")
    if item.kind != "word" or item.length > 1:
        return False
    if word in word_table("numbers")["scales"]:
        # `5 million` is read with its digits; `in million` names a unit.
        return _after_digits(lowers, item.token) or before in word_set("numbers", "before_scales")
    if word == "one":
        counts = before in word_set("numbers", "before_counted_one")
        stands_for = before in word_set("numbers", "before_pronoun_one")
        return stands_for or (after in word_set("numbers", "after_pronoun_one") and not counts)
    return word.endswith("s") and word != "six"
