"""Real values of a database that help to read a question: those that it says, then common ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from clausewise.databases.model import Cell
from clausewise.errors import DatabaseError
from clausewise.text import single_spaced

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol

Place = tuple[str, str]
"""(table, column), both casefolded."""

LONGEST_PHRASE = 5
"""Most words of a question that are looked up as one value."""
MOST_WORDS = 300
"""Words of a text that are looked at."""
LONGEST_SHOWN = 60
"""Characters of a value that are shown."""

_WORD = re.compile(r"[^\s,;?!\"()\[\]{}]+")
_EDGES = "'.:\u2018\u2019\u201c\u201d`"
_SHORT = 2
"""Single small words of so few letters (`of`, `is`) are not looked up."""


def find_question_values(database: DatabaseProtocol, text: str) -> Mapping[Place, tuple[str, ...]]:
    """Return the stored values that a text says, by column, longer phrases first.

    Every run of up to five words is looked up in the value index, whatever its case; the spelling
    is the database's.
    """
    found: dict[Place, dict[str, None]] = {}
    for phrase in _phrases(text):
        for place in database.find_value(phrase):
            key = (place.table.casefold(), place.column.casefold())
            found.setdefault(key, {})[place.value] = None
    return {key: tuple(values) for key, values in found.items()}


def question_words(text: str) -> list[str]:
    """Return the first words of a text, as they are written, without punctuation around them.

    >>> question_words("Who won at 'Spa', in 2008?")
    ['Who', 'won', 'at', 'Spa', 'in', '2008']
    """
    words = (word.strip(_EDGES) for word in _WORD.findall(text))
    return [word for word in words if word][:MOST_WORDS]


def _phrases(text: str) -> Iterable[str]:
    words = question_words(text)
    seen: set[str] = set()
    for size in range(min(LONGEST_PHRASE, len(words)), 0, -1):
        for start in range(len(words) - size + 1):
            phrase = " ".join(words[start : start + size])
            worthless = size == 1 and len(phrase) <= _SHORT and phrase.islower()
            if phrase not in seen and not worthless:
                seen.add(phrase)
                yield phrase


def column_examples(
    database: DatabaseProtocol, table: str, column: str, said: Sequence[str], most: int
) -> list[str]:
    """Return up to `most` values of a column as SQL writes them, those in `said` first."""
    try:
        frequent = [value for value, _ in database.profile(table, column).frequent]
    except DatabaseError:
        # A view that cannot be computed has no profile.
        frequent = []
    values: dict[str, None] = {}
    for value in (*said, *frequent):
        values.setdefault(write_value(value))
    return list(values)[:most]


def write_value(value: Cell) -> str:
    r"""Return a cell on one line, as SQL would write it, long ones cut.

    >>> write_value("O'Reilly\nMedia")
    "'O''Reilly Media'"
    """
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"a blob of {len(value)} bytes"
    if isinstance(value, str):
        return "'" + shortened_line(value, LONGEST_SHOWN).replace("'", "''") + "'"
    return str(value)


def shortened_line(text: str, most: int) -> str:
    """Return a text with single blanks and no line breaks, cut after `most` characters."""
    joined = single_spaced(text)
    return joined if len(joined) <= most else joined[: most - 3].rstrip() + "..."
