"""Other names for tables and columns, in the habits of other teams."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping

from experiments.robustness.words import ABBREVIATIONS, SYNONYMS

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_VOWELS = "aeiou"
MOST_LETTERS = 5
"""Letters that are left of a word without its vowels."""


def words(name: str) -> list[str]:
    """Return the words of a name, split at underscores, humps and digits, in lower case."""
    return [word.lower() for word in _WORD.findall(name)]


def abbreviated(name: str) -> str:
    """Return the name as a warehouse has it: `Year_awarded` becomes `yr_awrdd`."""
    return "_".join(_short(word) for word in words(name))


def _short(word: str) -> str:
    for form, ending in ((word, ""), (word.removesuffix("s"), "s")):
        if form in ABBREVIATIONS:
            return ABBREVIATIONS[form] + ending
    if len(word) < MOST_LETTERS:
        return word
    consonants = [letter for letter in word[1:] if letter not in _VOWELS]
    return (word[0] + "".join(consonants))[:MOST_LETTERS]


def synonymous(name: str) -> str:
    """Return the name with its nouns exchanged, otherwise written as it was."""
    return _WORD.sub(lambda found: synonym(found.group()), name)


def synonym(word: str) -> str:
    """Return another word for a noun, in its number and case, or the word itself."""
    lower = word.lower()
    other = SYNONYMS.get(lower)
    if other is None:
        plurals = {plural(one): plural(two) for one, two in SYNONYMS.items()}
        other = plurals.get(lower, lower)
    if word.isupper() and len(word) > 1:
        return other.upper()
    return other.capitalize() if word[0].isupper() else other


def plural(noun: str) -> str:
    """Return the plural of a noun of the list."""
    if noun.endswith("y") and noun[-2] not in _VOWELS:
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def camel_case(name: str) -> str:
    """Return the name in camel case: `Song_Name` becomes `songName`."""
    first, *others = words(name) or [name]
    return first + "".join(word.capitalize() for word in others)


def snake_case(name: str) -> str:
    """Return the name in snake case: `raceId` becomes `race_id`."""
    return "_".join(words(name)) or name


def run_together(name: str) -> str:
    """Return the name in lower case without separators: `Song_Name` becomes `songname`."""
    return "".join(words(name)) or name


RENAMERS: Mapping[str, Callable[[str], str]] = {
    "abbreviated names": abbreviated,
    "synonyms in names": synonymous,
    "camel case": camel_case,
    "snake case": snake_case,
    "run together": run_together,
}


def renaming(names: Iterable[str], rename: Callable[[str], str]) -> dict[str, str]:
    """Return the new name of each name that gets another one, by the old one in lower case.

    One name keeps one meaning: equal names of tables and columns are renamed alike, two names
    never become one, and nothing becomes a word that SQLite reserves.
    """
    spelt = {name.lower(): name for name in sorted(names, reverse=True)}
    found: dict[str, str] = {}
    taken = set(spelt)
    for lower, name in sorted(spelt.items()):
        new = rename(name)
        if new == name:
            continue
        if new.lower() != lower and (new.lower() in taken or is_reserved(new)):
            continue
        taken.add(new.lower())
        found[lower] = new
    return found


def is_reserved(name: str) -> bool:
    """Return whether a name cannot stand unquoted in a query."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(f"CREATE TABLE {name} ({name})")
        connection.execute(f"SELECT {name} FROM {name} WHERE {name} = 1 ORDER BY {name}")
    except sqlite3.Error:
        return True
    finally:
        connection.close()
    return False
