"""What one name says in words, and the units that it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from clausewise.naming.abbreviations import table_of

Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """What a column's or table's name says, all words in lower case and in the singular.

    `phrases` are ways to say the whole name, the likeliest first, without units: `emp_birth_dt` of
    `employee` gives (employee, birth, date) and (birth, date); the label gives one more. `words`
    are all of theirs and the name as it is spelled (`dt`); `alternatives` those of the less likely
    readings of its abbreviations; `units` what it is measured in; `described` the content words
    of its description. `sources` says of each word where it is from: `name` (spelled), `split` (run
    together), `abbreviation` (listed), `schema` or `description` (a word of theirs that it
    abbreviates), `label`, `table`.
    """

    phrases: tuple[Phrase, ...] = ()
    words: frozenset[str] = frozenset()
    alternatives: frozenset[str] = frozenset()
    units: tuple[str, ...] = ()
    described: frozenset[str] = frozenset()
    sources: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def phrase(self) -> Phrase:
        """The likeliest way to say the whole name."""
        return self.phrases[0] if self.phrases else ()

    @property
    def own(self) -> Phrase:
        """The same without a prefix that only repeats the table's name."""
        return min(self.phrases[:2], key=len, default=())

    @property
    def said(self) -> frozenset[str]:
        """Every word by which a question may mean it: words, alternatives and units."""
        measured = (word for unit in self.units for word in unit.split())
        return self.words | self.alternatives | frozenset(measured)


@lru_cache(maxsize=1)
def _units() -> tuple[Mapping[str, str], Mapping[str, tuple[str, frozenset[str]]]]:
    """Return units by token: those of any name, and those that need a word of theirs before."""
    table = table_of("units")
    plain: dict[str, str] = {}
    after: dict[str, tuple[str, frozenset[str]]] = {}
    for quantity, units in table["units"].items():
        needed = frozenset(table["only_after"].get(quantity, ()))
        for token, unit in units.items():
            if needed:
                after[token] = unit, needed
            else:
                plain[token] = unit
    return plain, after


def unit_at_end(tokens: Phrase, before: Phrase) -> str:
    """Return the unit that the last token of a name stands for, empty for none.

    `before` are the words that the tokens before it say: `min` is a unit after `duration` only.
    """
    if len(tokens) < 2:
        return ""
    plain, after = _units()
    unit, needed = after.get(tokens[-1], ("", frozenset()))
    if needed & set(before):
        return unit
    return plain.get(tokens[-1], "")


def without_last(phrase: Phrase) -> Phrase:
    """Return a phrase without a preposition at its end: `budget in`."""
    return phrase[:-1] if phrase[-1:] in (("in",), ("per",)) else phrase


def distinct(phrases: Iterator[Phrase]) -> tuple[Phrase, ...]:
    """Return phrases that are not empty, each once, in order."""
    return tuple(dict.fromkeys(phrase for phrase in phrases if phrase))
