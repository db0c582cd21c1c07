"""The things that a question asks for: what a right query selects."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class AskedKind(StrEnum):
    """What kind of thing is asked for."""

    PLAIN = "plain"
    """A property, or an entity of which nothing else is said: `the name`, `cities`."""
    WHICH = "which"
    """`Which city`, `what year`."""
    COUNT = "count"
    PERSON = "person"
    """`Who`."""
    TIME = "time"
    """`When`."""
    PLACE = "place"
    """`Where`."""
    MEASURE = "measure"
    """`How much`, `how old`."""
    EVERYTHING = "everything"
    """`All information about ...`."""
    YES_NO = "yes_no"
    GROUP = "group"
    """`For each city`, `per city`: usually shown, never demanded."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing that the question asks for.

    `words` are the words of the noun phrase, `tail` those that say of what it is (`name` and
    `singer` in "the name of each singer"), each in lower case and in the singular. It is not
    `required` where a later sentence says what to show of it. `question[start:end]` is the noun
    phrase as it is written.
    """

    kind: AskedKind
    words: tuple[str, ...]
    tail: tuple[str, ...]
    start: int
    end: int
    required: bool = True
    marked: bool = False
    """Whether a word such as `each` or `per` says that a group is meant; only for GROUP."""
    refers_back: bool = False
    """Whether a possessive ties it to something asked for before: `and list their names`."""
    sure: bool = True
    """False where the list may have ended before it: `names of cities and the countries`."""
    terse: bool = False
    """Whether only keywords name it, which need not say all that is to be shown."""
