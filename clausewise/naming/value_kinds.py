"""What a column's values look like, in words: dates, e-mails, genders, countries, phone numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clausewise.databases.model import ColumnProfile

_KINDS = (
    ("date time", re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?")),
    ("date", re.compile(r"\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}")),
    ("month", re.compile(r"\d{4}-\d\d")),
    ("time", re.compile(r"\d{1,2}:\d\d(:\d\d(\.\d+)?)?")),
    ("email", re.compile(r"[^@\s]+@[^@\s]+\.[a-zA-Z]{2,}")),
    ("website", re.compile(r"(https?://|www\.)\S+")),
    ("percent", re.compile(r"\d+(\.\d+)?\s?%")),
    ("phone", re.compile(r"(\+\d{1,3}[-. ]?)?\(?\d{2,4}\)?[-. /]\d{3,4}([-. ]?\d{2,4}){1,2}")),
)
_GENDERS = frozenset({"m", "f", "male", "female", "w", "man", "woman", "other", "x", "u"})
_FLAGS = frozenset({"y", "n", "yes", "no", "t", "f", "true", "false"})
_COUNTRIES = frozenset(
    {"us", "gb", "uk", "de", "fr", "it", "es", "nl", "be", "at", "ch", "se", "no", "dk", "fi",
     "pl", "cz", "pt", "ie", "gr", "hu", "ro", "ru", "tr", "jp", "cn", "in", "kr", "au", "nz",
     "ca", "mx", "br", "ar", "cl", "co", "za", "eg", "ng", "ke", "sg", "my", "th", "id", "ph",
     "vn", "il", "sa", "ae"}
)  # fmt: skip
_YEARS = (1800, 2100)
_MOST_LIKE = 0.9
"""Share of the frequent values in [0, 1] that must look alike."""


def value_words(profile: ColumnProfile) -> frozenset[str]:
    """Return words for what a column's values look like, none where they look like nothing known.

    >>> value_words(ColumnProfile("t", "c", 2, 0, 2, {"text": 2}, frequent=(("a@b.org", 2),)))
    frozenset({'email'})
    """
    texts = [value.strip() for value, _ in profile.frequent if isinstance(value, str)]
    texts = [text for text in texts if text]
    if texts:
        return frozenset(_of_texts(texts).split())
    whole = set(profile.stored_types) == {"integer"}
    low, high = profile.minimum, profile.maximum
    if whole and isinstance(low, int) and isinstance(high, int):
        return frozenset({"year"}) if _YEARS[0] <= low <= high <= _YEARS[1] else frozenset()
    return frozenset()


def _of_texts(texts: Sequence[str]) -> str:
    """Return the words of the first kind that nearly all texts are of, empty for none."""
    for words, pattern in _KINDS:
        if sum(bool(pattern.fullmatch(text)) for text in texts) >= _MOST_LIKE * len(texts):
            return words
    folded = {text.casefold() for text in texts}
    if folded <= _FLAGS and folded & {"y", "n", "yes", "no", "true", "false"}:
        return "flag"
    if folded <= _GENDERS and folded & {"m", "f", "male", "female"}:
        return "gender sex"
    upper = all(len(text) == 2 and text.isupper() for text in texts)
    if upper and len(folded) > 2 and len(folded & _COUNTRIES) >= _MOST_LIKE * len(folded):
        return "country"
    return ""
