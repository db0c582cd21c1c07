"""Dates that a question names: days, months, quarters and decades.

Where a date may stand is found by its tokens (a month's name, digits as dates are written), and
only that span is parsed, by `dateutil`. Searching the whole text with `dateparser` was measured
on the questions of the tests: it takes 1 to 4 ms each (here 0.04 ms) and 0.4 s to import, and
finds a date in 13 of 22 that hold none ("May I see", "ran it in 10s", "24/7 support").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from clausewise.question.tokens import Token, word_set, word_table

if TYPE_CHECKING:
    from dateutil.parser import parserinfo

_YEAR_FIRST = re.compile(r"\d{4}([-/.])\d{1,2}\1\d{1,2}")
_YEAR_LAST = re.compile(r"\d{1,2}([-/])\d{1,2}\1(?:\d{4}|\d{2})|\d{1,2}\.\d{1,2}\.\d{4}")
_YEAR_AND_MONTH = re.compile(r"(?P<year>\d{4})-(?P<month>0[1-9]|1[0-2])")
_MONTH_AND_YEAR = re.compile(r"(?P<month>0?[1-9]|1[0-2])/(?P<year>\d{4})")
_MONTH_AND_DAY = re.compile(r"\d{1,2}/\d{1,2}")
_DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?")
_YEAR = re.compile(r"1\d{3}|20\d{2}|2100")
_QUARTER = re.compile(r"q([1-4])")
_DECADE = re.compile(r"(?:(?P<century>1\d|20)(?P<full>\d0)|(?P<short>\d0))s")
_FIRST_SHORT_YEAR = 30
"""Years of two digits from here on are of the 20th century, the others of the 21st."""


class DateKind(StrEnum):
    """How much a date leaves open."""

    DAY = "day"
    """A day, with or without its year."""
    MONTH = "month"
    QUARTER = "quarter"
    DECADE = "decade"


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date that a question names; what it leaves open is None.

    `year` is the first one where `kind` is `decade`; `month` and `quarter` count from 1.
    """

    kind: DateKind
    text: str
    start: int
    end: int
    token: int
    """Position of its first token."""
    length: int
    """How many tokens it takes."""
    year: int | None = None
    quarter: int | None = None
    month: int | None = None
    day: int | None = None

    @property
    def months(self) -> tuple[int, ...]:
        """The months that it names or spans."""
        if self.quarter is not None:
            return tuple(range(3 * self.quarter - 2, 3 * self.quarter + 1))
        return () if self.month is None else (self.month,)


def dates_of(tokens: tuple[Token, ...]) -> tuple[DateMention, ...]:
    """Return the dates of a question in order; those inside quotation marks are left out."""
    found: list[DateMention] = []
    at = 0
    while at < len(tokens):
        date = _date_at(tokens, at) if _may_start(tokens[at]) else None
        if date is not None:
            found.append(date)
        at += 1 if date is None else date.length
    return tuple(found)


def _may_start(token: Token) -> bool:
    return not token.quoted and (token.text[0].isdigit() or token.lower in _first_words())


@lru_cache(maxsize=1)
def _first_words() -> frozenset[str]:
    """Return the words, without digits in front, with which a date may start."""
    table = word_table("numbers")
    quarters = {f"q{number}" for number in range(1, 5)}
    return frozenset({*table["months"], *table["days"], *table["decades"], *quarters})


def _date_at(tokens: tuple[Token, ...], at: int) -> DateMention | None:
    return (
        _in_digits(tokens, at)
        or _with_month_name(tokens, at)
        or _quarter(tokens, at)
        or _decade(tokens, at)
    )


def _mention(
    kind: DateKind, tokens: tuple[Token, ...], at: int, length: int, **parts: int | None
) -> DateMention:
    first, last = tokens[at], tokens[at + length - 1]
    text = " ".join(token.text for token in tokens[at : at + length])
    return DateMention(kind, text, first.start, last.end, at, length, **parts)


def _lower(tokens: tuple[Token, ...], at: int) -> str:
    """Return a token in lower case, empty outside the question and inside quotation marks."""
    return tokens[at].lower if 0 <= at < len(tokens) and not tokens[at].quoted else ""


def _in_digits(tokens: tuple[Token, ...], at: int) -> DateMention | None:
    """Read `2012-03-05`, `3/5/2012`, `03/2012`, and `3/5` after a word such as `on`."""
    text = tokens[at].text
    if not text[0].isdigit():
        return None
    if _YEAR_FIRST.fullmatch(text) or _YEAR_LAST.fullmatch(text):
        date = _parsed(text)
        if date is None:
            return None
        return _mention(DateKind.DAY, tokens, at, 1, year=date.year, month=date.month, day=date.day)
    month = _YEAR_AND_MONTH.fullmatch(text) or _MONTH_AND_YEAR.fullmatch(text)
    if month is not None:
        year, number = int(month["year"]), int(month["month"])
        return _mention(DateKind.MONTH, tokens, at, 1, year=year, month=number)
    before = _lower(tokens, at - 1)
    if _MONTH_AND_DAY.fullmatch(text) and before in word_set("numbers", "before_dates"):
        date = _parsed(text)
        if date is not None:
            return _mention(DateKind.DAY, tokens, at, 1, month=date.month, day=date.day)
    return None


def _with_month_name(tokens: tuple[Token, ...], at: int) -> DateMention | None:
    """Read `March 5, 2012`, `5th of March`, `May 2010`, `in May`."""
    day, length = _day(tokens, at), 0
    if day is not None:
        length = 1 + (_lower(tokens, at + 1) == "of")
    month = word_table("numbers")["months"].get(_lower(tokens, at + length))
    if month is None:
        return None
    length += 1
    length += _lower(tokens, at + length) == "." and len(_lower(tokens, at + length - 1)) <= 4
    if day is None:
        day, length = _day_after(tokens, at, length)
    year, length = _year_after(tokens, at, length)
    if day is None and year is None:
        length = 1
        if not _is_month_alone(tokens, at):
            return None
    # The year 2000 has a 29th of February.
    if day is not None and _parsed(f"{year or 2000:04}-{month:02}-{day:02}") is None:
        return None
    kind = DateKind.MONTH if day is None else DateKind.DAY
    return _mention(kind, tokens, at, length, year=year, month=month, day=day)


def _day(tokens: tuple[Token, ...], at: int) -> int | None:
    match = _DAY.fullmatch(_lower(tokens, at))
    if match is not None:
        day = int(match.group(1))
    else:
        day = word_table("numbers")["days"].get(_lower(tokens, at), 0)
    return day if 1 <= day <= 31 else None


def _day_after(tokens: tuple[Token, ...], at: int, length: int) -> tuple[int | None, int]:
    """Return the day after a month's name and the tokens used so far: `March 5`, `May the 1st`."""
    step = _lower(tokens, at + length) == "the"
    day = _day(tokens, at + length + step)
    return day, length if day is None else length + step + 1


def _year_after(tokens: tuple[Token, ...], at: int, length: int) -> tuple[int | None, int]:
    """Return the year after day or month and the tokens used: `, 2012`, `of 2012`."""
    step = _lower(tokens, at + length) in (",", "of", "in")
    if _YEAR.fullmatch(_lower(tokens, at + length + step)):
        return int(tokens[at + length + step].text), length + step + 1
    return None, length


def _is_month_alone(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether a name that may be a word or a person's (`may`, `June`) is a month here."""
    token = tokens[at]
    certain = token.lower in word_set("numbers", "months_only") and len(token.lower) > 4
    before = _lower(tokens, at - 1)
    return certain or (token.capitalized and before in word_set("numbers", "before_months"))


def _quarter(tokens: tuple[Token, ...], at: int) -> DateMention | None:
    """Read `Q3`, `Q3 2015`, `third quarter of 2015`."""
    match = _QUARTER.fullmatch(_lower(tokens, at))
    if match is not None:
        quarter, length = int(match.group(1)), 1
    elif _lower(tokens, at + 1) == "quarter":
        quarter, length = _day(tokens, at) or 0, 2
    else:
        return None
    year, length = _year_after(tokens, at, length)
    if not 1 <= quarter <= 4 or (length == 2 and year is None and match is None):
        return None
    return _mention(DateKind.QUARTER, tokens, at, length, year=year, quarter=quarter)


def _decade(tokens: tuple[Token, ...], at: int) -> DateMention | None:
    """Read `1990s`, `the 90s`, `the nineties`; `in her 20s` is an age, `10s` may be seconds."""
    lower, before = _lower(tokens, at), _lower(tokens, at - 1)
    named = word_table("numbers")["decades"].get(lower)
    match = _DECADE.fullmatch(lower)
    if named is None and match is None:
        return None
    if match is not None and match["full"] is not None:
        return _mention(DateKind.DECADE, tokens, at, 1, year=int(lower[:-1]))
    if before not in word_set("numbers", "before_decades"):
        return None
    short = named if match is None else int(match["short"])
    return _mention(DateKind.DECADE, tokens, at, 1, year=1900 + short)


@lru_cache(maxsize=1)
def _english() -> parserinfo:
    from dateutil.parser import parserinfo

    class _English(parserinfo):  # type: ignore[misc]
        def convertyear(self, year: int, century_specified: bool = False) -> int:
            """Complete a year of two digits in the same way whatever day it is today."""
            if year >= 100 or century_specified:
                return year
            return year + (1900 if year >= _FIRST_SHORT_YEAR else 2000)

    return _English()


@lru_cache(maxsize=4_096)
def _parsed(text: str) -> datetime | None:
    """Return the day that a text names, None where there is no such day."""
    from dateutil.parser import parse

    try:
        date: datetime = parse(text, parserinfo=_english(), default=datetime(2000, 1, 1))
    except (ValueError, OverflowError):
        return None
    return date
