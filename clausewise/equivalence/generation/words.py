"""Values that look real: what a column of some name is likely to hold."""

from __future__ import annotations

import re
from functools import lru_cache

from clausewise.naming.splitting import tokens_of_name

_FIRST = ("Ann", "Bob", "Clara", "David", "Emma", "Frank", "Grace", "Henry")
_LAST = ("Smith", "Jones", "Brown", "Miller", "Davis", "Wilson", "Moore", "Clark")
_PERSONS = tuple(f"{first} {last}" for first, last in zip(_FIRST, _LAST, strict=True))
_CITIES = ("Boston", "Paris", "Tokyo", "Madrid", "Oslo", "Cairo", "Lima", "Sydney")
_COUNTRIES = ("France", "Japan", "Brazil", "Canada", "Egypt", "India", "Spain", "Norway")
_TITLES = ("Blue River", "Night Train", "Silver Lake", "Red House", "Last Summer", "Open Sky")
_COLORS = ("Red", "Blue", "Green", "Black", "White", "Yellow")
_CODES = ("A1", "B2", "C3", "D4", "E5", "F6")
_STREETS = ("12 Oak Street", "3 Hill Road", "45 Lake Avenue", "7 Mill Lane", "81 Park Street")
_TEXTS = ("alpha", "beta", "gamma", "delta", "omega", "sigma", "kappa", "theta")
_COMPANIES = ("Acme", "Northwind", "Globex", "Initech", "Umbra", "Vertex")
_TEAMS = ("Lions", "Eagles", "Bears", "Hawks", "Tigers", "Wolves")

_BY_TOKEN: tuple[tuple[frozenset[str], tuple[str, ...]], ...] = (
    (
        frozenset({"email", "mail"}),
        tuple(f"{name.lower()}@example.com" for name in _FIRST),
    ),
    (frozenset({"url", "website", "link"}), tuple(f"https://example.com/{n}" for n in range(1, 7))),
    (
        frozenset({"phone", "telephone", "mobile", "fax"}),
        tuple(f"555-010{number}" for number in range(1, 9)),
    ),
    (frozenset({"first", "fname", "forename", "given", "firstname", "middle"}), _FIRST),
    (frozenset({"last", "lname", "surname", "family", "lastname"}), _LAST),
    (frozenset({"city", "town", "hometown", "village"}), _CITIES),
    (
        frozenset({"country", "nation", "nationality", "state", "province", "citizenship"}),
        _COUNTRIES,
    ),
    (frozenset({"continent", "region"}), ("Europe", "Asia", "Africa", "America", "Oceania")),
    (frozenset({"address", "street", "line"}), _STREETS),
    (frozenset({"location", "place", "birthplace", "venue"}), _CITIES),
    (frozenset({"sex", "gender"}), ("F", "M")),
    (frozenset({"color", "colour"}), _COLORS),
    (frozenset({"title", "song", "album", "book", "movie", "film", "theme"}), _TITLES),
    (frozenset({"company", "maker", "manufacturer", "brand", "airline", "publisher"}), _COMPANIES),
    (frozenset({"team", "club", "squad"}), _TEAMS),
    (frozenset({"code", "abbreviation", "abbr", "symbol", "short"}), _CODES),
    (frozenset({"status"}), ("open", "closed", "pending", "done")),
    (frozenset({"grade"}), ("A", "B", "C", "D")),
    (
        frozenset({"level", "rank", "size", "difficulty"}),
        ("low", "medium", "high", "top"),
    ),
    (
        frozenset({"language"}),
        ("English", "French", "Spanish", "Dutch", "Czech"),
    ),
    (
        frozenset({"month"}),
        ("January", "March", "June", "October", "December"),
    ),
    (frozenset({"day", "weekday"}), ("Monday", "Tuesday", "Friday", "Sunday")),
    (frozenset({"department", "major", "subject", "course"}), ("History", "Physics", "Law", "Art")),
)
_PERSON_TABLES = frozenset(
    {"actor", "artist", "author", "conductor", "customer", "director", "driver", "employee"}
    | {"friend", "host", "manager", "member", "owner", "passenger", "patient", "people"}
    | {"person", "physician", "pilot", "player", "president", "singer", "staff", "student"}
    | {"teacher", "user", "visitor", "writer", "professor", "coach", "reporter", "editor"}
)
_NAMED = frozenset({"name", "fullname", "commander", "captain", "leader"})
_SECRET = frozenset(
    {"password", "passwd", "pwd", "secret", "token", "ssn", "iban", "hash", "salt", "pin", "cvv"}
    | {"credential", "credentials", "credit", "card", "apikey"}
)
_DATED = frozenset({"date", "day", "birthday", "birthdate", "dob", "datetime", "timestamp"})
_TIMED = frozenset({"time", "datetime", "timestamp"})
_YEARS = frozenset({"year", "yr"})
_PLURAL = re.compile(r"(?<=[^s])s$")


@lru_cache(maxsize=20_000)
def name_tokens(name: str) -> frozenset[str]:
    """Return the words of a name in lower case, plural endings cut."""
    words = tokens_of_name(name)
    return frozenset([*words, *(_PLURAL.sub("", word) for word in words), name.lower()])


def is_secret(table: str, column: str) -> bool:
    """Whether a column's name says that its values are not to be shown."""
    words = name_tokens(column)
    return bool(words & _SECRET) or ("api" in words and "key" in words and bool(table))


def is_dated(column: str) -> bool:
    """Whether a column's name says that it holds dates."""
    words = name_tokens(column)
    return bool(words & _DATED) and not words & {"month", "week", "weekday"}


def is_timed(column: str) -> bool:
    """Whether a column's name says that it holds points in time."""
    return bool(name_tokens(column) & _TIMED)


def is_year(column: str) -> bool:
    """Whether a column's name says that it holds years."""
    return bool(name_tokens(column) & _YEARS)


@lru_cache(maxsize=20_000)
def texts_for(table: str, column: str) -> tuple[str, ...]:
    """Return texts that fit a column by its name and its table's: at least four, all different.

    >>> texts_for("singer", "home_city")[:2]
    ('Boston', 'Paris')
    """
    words = name_tokens(column)
    for tokens, texts in _BY_TOKEN:
        if words & tokens and (texts[0] not in _FIRST + _LAST or not words & {"place"}):
            return texts if len(texts) >= 4 else (*texts, *_TEXTS)
    if words & _NAMED:
        return _PERSONS if name_tokens(table) & _PERSON_TABLES else _TITLES
    return _TEXTS
