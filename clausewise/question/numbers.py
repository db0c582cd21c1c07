"""Numbers that a question names: digits, words, ordinals, multiples, fractions, percentages, dates.

Numbers in words are found by `text2num`, token by token. What is added to it here was wrong or
missing in questions: ranges ("between one hundred and two hundred"), "half a million", "a dozen",
years in two parts ("nineteen ninety-nine"), fractions, and "one" or "second" that are no numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite

from clausewise.question.dates import DateKind, DateMention, dates_of
from clausewise.question.number_words import number_words
from clausewise.question.tokens import Token, word_set, word_table

_DIGITS = re.compile(r"(\d+(?:,\d{3})*(?:\.\d+)?|\d+)(st|nd|rd|th|s)?([a-z]*)")
_TIME = re.compile(r"\d+(?:[:.]\d+)*:\d+(?:[:.]\d+)*")
_PAIR = re.compile(r"(\d+)[-/](\d+)")
_LIST = re.compile(r"\d+(?:,\d+)+")
_FIRST_YEAR, _LAST_YEAR = 1500, 2100
"""Whole numbers between them are years."""
_LONGEST_NUMBER = 100
"""Characters of a token that is read as a number; no float holds one of over 308 digits."""
_LONGEST_UNIT = 3
"""Letters after digits that may be a unit (`200cm`); more make a name (`747max`)."""


class NumberKind(StrEnum):
    """How a number is written."""

    DIGITS = "digits"
    WORD = "word"
    """`three`, `two hundred and thirty`."""
    ORDINAL = "ordinal"
    """`3rd`."""
    ORDINAL_WORD = "ordinal_word"
    """`third`."""
    MULTIPLE = "multiple"
    """`twice`."""
    FRACTION = "fraction"
    """`half`, `two thirds`."""
    PERCENT = "percent"
    YEAR = "year"
    DECADE = "decade"
    """`1990s`, `the nineties`: its first year."""
    DATE = "date"
    """The day of a date, a part of a time, every part of a date in digits."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a question.

    `text` is what the question says, its words separated by one blank; a percentage has its
    value before the division by 100.
    """

    value: float
    text: str
    start: int
    end: int
    kind: NumberKind
    token: int
    """Position of its first token."""
    length: int = 1
    """How many tokens it takes."""

    @property
    def after(self) -> int:
        """Position of the token after it."""
        return self.token + self.length


def numbers_of(
    tokens: tuple[Token, ...], dates: tuple[DateMention, ...] | None = None
) -> tuple[Number, ...]:
    """Return the numbers of a question in order; those inside quotation marks are left out.

    `dates` are those of the question, where they are known already.
    """
    dated = {date.token: date for date in (dates_of(tokens) if dates is None else dates)}
    spoken = {item.token: item for item in _in_words(tokens, dated)}
    found: list[Number] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        used = 1
        if token.quoted or not token.is_word or len(token.text) > _LONGEST_NUMBER:
            pass
        elif at in dated:
            found.extend(_of_date(tokens, dated[at]))
            used = dated[at].length
        elif at in spoken:
            found.append(spoken[at])
            used = spoken[at].length
        elif token.text[0].isdigit():
            numbers, used = _in_digits(tokens, at)
            found.extend(numbers)
        elif token.lower in word_table("numbers")["multiples"]:
            value = word_table("numbers")["multiples"][token.lower]
            found.append(_number(value, token, NumberKind.MULTIPLE, at))
        at += used
    # `5 million million ...` ends in none.
    return tuple(number for number in found if isfinite(number.value))


def _number(value: float, token: Token, kind: NumberKind, at: int) -> Number:
    return Number(float(value), token.text, token.start, token.end, kind, at)


def _in_words(tokens: tuple[Token, ...], dated: dict[int, DateMention]) -> Iterator[Number]:
    taken = {at + i for at, date in dated.items() for i in range(date.length)}
    for item in number_words(tokens, frozenset(taken)):
        first, last = tokens[item.token], tokens[item.token + item.length - 1]
        text = " ".join(t.text for t in tokens[item.token : item.token + item.length])
        kind = NumberKind(item.kind)
        yield Number(item.value, text, first.start, last.end, kind, item.token, item.length)


def _of_date(tokens: tuple[Token, ...], date: DateMention) -> list[Number]:
    """Return the day and the year of a date; the number of a month's name is not said."""
    first = tokens[date.token]
    if date.kind is DateKind.DECADE:
        return [_number(date.year or 0, first, NumberKind.DECADE, date.token)]
    if date.length == 1 and first.text[0].isdigit():
        parts = [part for part in (date.year, date.month, date.day) if part is not None]
        return [_number(part, first, NumberKind.DATE, date.token) for part in parts]
    found = []
    for at in range(date.token, date.token + date.length):
        value = re.match(r"\d+", tokens[at].lower)
        if value is not None:
            is_year = int(value.group()) == date.year
            kind = NumberKind.YEAR if is_year else NumberKind.DATE
            found.append(_number(float(value.group()), tokens[at], kind, at))
        elif date.day is not None and tokens[at].lower in word_table("numbers")["days"]:
            found.append(_number(date.day, tokens[at], NumberKind.ORDINAL_WORD, at))
    return found


def _in_digits(tokens: tuple[Token, ...], at: int) -> tuple[list[Number], int]:
    token = tokens[at]
    if _TIME.fullmatch(token.text):
        parts = re.findall(r"\d+", token.text)
        return [_number(float(part), token, NumberKind.DATE, at) for part in parts], 1
    pair = _PAIR.fullmatch(token.text)
    if pair is not None:
        return _of_pair(token, at, pair.group(1), pair.group(2)), 1
    match = _DIGITS.fullmatch(token.lower)
    if match is None and _LIST.fullmatch(token.text):
        parts = token.text.split(",")
        return [_number(float(part), token, NumberKind.DIGITS, at) for part in parts], 1
    if match is None or len(match.group(3)) > _LONGEST_UNIT:
        return [], 1
    value = float(match.group(1).replace(",", ""))
    return _with_unit(tokens, at, match, value)


def _of_pair(token: Token, at: int, first: str, second: str) -> list[Number]:
    """Return both ends of `10-20`, `2010/11`; `027-1542` is a code, `4-2` a score."""
    start, end = float(first), float(second)
    coded = any(part != "0" and part.startswith("0") for part in (first, second))
    if _is_year(start):
        kinds = (NumberKind.YEAR, NumberKind.YEAR if _is_year(end) else NumberKind.DATE)
    elif coded or ("-" in token.text and start > end):
        return []
    else:
        kinds = (NumberKind.DIGITS, NumberKind.DIGITS)
    parts = zip((start, end), kinds, strict=True)
    return [_number(value, token, kind, at) for value, kind in parts]


def _is_year(value: float) -> bool:
    return _FIRST_YEAR <= value <= _LAST_YEAR and value.is_integer()


def _with_unit(
    tokens: tuple[Token, ...], at: int, match: re.Match[str], value: float
) -> tuple[list[Number], int]:
    """Return the number with what follows it: a suffix, a percent sign, scales."""
    token = tokens[at]
    suffix, letters = match.group(2), match.group(3)
    factor, used = _scale(tokens, at, letters)
    after = tuple(following.lower for following in tokens[at + used : at + used + 2])
    if suffix == "s":
        kind = NumberKind.DECADE
    elif suffix:
        if after[:1] in (("century",), ("centuries",)):
            return [], used
        kind = NumberKind.ORDINAL
    elif after[:1] and after[0] in word_set("numbers", "percent"):
        kind, used = NumberKind.PERCENT, used + 1
    elif after == ("per", "cent"):
        kind, used = NumberKind.PERCENT, used + 2
    elif _is_year(value) and used == 1 and not letters and "," not in token.text:
        kind = NumberKind.YEAR
    else:
        kind = NumberKind.DIGITS
    last = tokens[at + used - 1]
    text = " ".join(part.text for part in tokens[at : at + used])
    return [Number(value * factor, text, token.start, last.end, kind, at, used)], used


def _scale(tokens: tuple[Token, ...], at: int, letters: str) -> tuple[float, int]:
    """Return by what the digits are multiplied, and the tokens used: `5 million`, `1.2k`."""
    scales = word_table("numbers")["scales"]
    factor, used = 1.0, 1
    if letters == "m":
        # Without a currency sign in front, `200m` is a length.
        money = at > 0 and tokens[at - 1].text in "$\u20ac\u00a3\u00a5"
        factor = 1e6 if money or tokens[at].text.endswith("M") else 1.0
    elif letters:
        factor = float(scales.get(letters, 1))
    while at + used < len(tokens) and len(tokens[at + used].lower) > 1:
        following = tokens[at + used]
        if following.quoted or following.lower not in scales:
            break
        factor *= scales[following.lower]
        used += 1
    return factor, used
