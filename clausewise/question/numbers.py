"""Numbers that a question names: digits, words, ordinals, multiples, percentages, dates."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clausewise.question.tokens import Token, word_set, word_table

_DIGITS = re.compile(r"(\d+(?:,\d{3})*(?:\.\d+)?|\d+)(st|nd|rd|th|s)?([a-z]*)")
_FULL_DATE = re.compile(r"\d+(?:[-/.]\d+){2,}|\d+(?:[:.]\d+){2,}|\d+:\d+(?:\.\d+)?|\d+[-/]\d+")


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a question.

    `kind`: `digits`, `word` (three), `ordinal` (3rd), `ordinal_word` (third), `multiple` (twice),
    `percent`, `year`, `decade` (1990s), `date` (a part of a date or a time).
    """

    value: float
    text: str
    start: int
    end: int
    kind: str
    token: int
    """Position of its first token."""


def numbers_of(tokens: tuple[Token, ...]) -> tuple[Number, ...]:
    """Return the numbers of a question in order; those inside quotation marks are left out."""
    found: list[Number] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        used = 1
        if not token.quoted and token.is_word:
            numbers, used = _number_at(tokens, at)
            found.extend(numbers)
        at += used
    return tuple(found)


def _number_at(tokens: tuple[Token, ...], at: int) -> tuple[list[Number], int]:
    token = tokens[at]
    if token.text[0].isdigit():
        return _written_in_digits(tokens, at)
    table = word_table("numbers")
    if token.lower in table["multiples"]:
        return [_number(table["multiples"][token.lower], token, "multiple", at)], 1
    if token.lower in table["ordinals"]:
        return [_number(table["ordinals"][token.lower], token, "ordinal_word", at)], 1
    return _written_in_words(tokens, at)


def _number(value: float, token: Token, kind: str, at: int) -> Number:
    return Number(float(value), token.text, token.start, token.end, kind, at)


def _written_in_digits(tokens: tuple[Token, ...], at: int) -> tuple[list[Number], int]:
    token = tokens[at]
    if _FULL_DATE.fullmatch(token.text):
        parts = re.findall(r"\d+", token.text)
        return [_number(float(part), token, "date", at) for part in parts], 1
    match = _DIGITS.fullmatch(token.lower)
    if match is None or _in_a_name(tokens, at):
        return [], 1
    value = float(match.group(1).replace(",", ""))
    return _with_unit(tokens, at, match, value)


def _with_unit(
    tokens: tuple[Token, ...], at: int, match: re.Match[str], value: float
) -> tuple[list[Number], int]:
    """Return the number with what follows it: a suffix, a percent sign, a scale, a month."""
    token = tokens[at]
    after = tokens[at + 1].lower if at + 1 < len(tokens) else ""
    scales = word_table("numbers")["scales"]
    scale = after if len(after) > 1 else match.group(3)
    used = 1
    dated = _beside_month(tokens, at) and value <= 31
    if match.group(2) == "s":
        kind = "decade"
    elif match.group(2):
        kind = "date" if dated else "ordinal"
    elif after in word_set("numbers", "percent"):
        kind, used = "percent", 2
    elif scale in scales:
        kind, used = "digits", 1 + (scale == after)
        value *= scales[scale]
    elif dated:
        kind = "date"
    else:
        year = 1500 <= value <= 2100 and value.is_integer() and not match.group(3)
        kind = "year" if year and "," not in token.text else "digits"
    return [_number(value, token, kind, at)], used


def _in_a_name(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether letters follow the digits that are no unit: `3D`, `747max`."""
    match = _DIGITS.fullmatch(tokens[at].lower)
    return match is not None and len(match.group(3)) > 3


def _beside_month(tokens: tuple[Token, ...], at: int) -> bool:
    months = word_table("numbers")["months"]
    near = [tokens[i] for i in (at - 2, at - 1, at + 1, at + 2) if 0 <= i < len(tokens)]
    return any(token.lower in months and token.capitalised for token in near)


def _written_in_words(tokens: tuple[Token, ...], at: int) -> tuple[list[Number], int]:
    table = word_table("numbers")
    cardinals, scales = table["cardinals"], table["scales"]
    total, used, seen = 0.0, 0, False
    while at + used < len(tokens):
        lower = tokens[at + used].lower
        parts = lower.split("-")
        if all(part in cardinals for part in parts):
            total += sum(cardinals[part] for part in parts)
            seen = True
        elif seen and lower in scales and len(lower) > 1:
            total *= scales[lower]
        else:
            break
        used += 1
    if not seen:
        return [], 1
    first, last = tokens[at], tokens[at + used - 1]
    text = " ".join(token.text for token in tokens[at : at + used])
    return [Number(total, text, first.start, last.end, "word", at)], used
