"""Column profiles: what every column really holds, whatever its declared type."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from heapq import nlargest
from itertools import chain
from operator import itemgetter

from clausewise.databases.model import Cell, Column, ColumnProfile, Table
from clausewise.databases.sampling import RowSample

LONGEST_VALUE = 200
"""Texts of more characters are counted and never shown nor indexed."""
LONGEST_TALLIED = 4 * LONGEST_VALUE
"""Bytes; longer texts and blobs are told apart by a digest, one after another, and never held."""

_FREQUENT = 20
_STORAGE_CLASSES = {int: "integer", float: "real", str: "text", bytes: "blob"}
# Linear also on long texts: no two repetitions may share a stretch of digits.
NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
"""A text that reads as a number."""

Tally = tuple[Cell, int]
"""One distinct value and how many rows hold it."""


@dataclass(frozen=True, slots=True)
class LongValues:
    """What is known of the long texts and blobs of a column."""

    texts: int = 0
    blobs: int = 0
    distinct: int = 0
    numeric_text: int = 0
    sorts_first: bool = False
    """Whether one of the texts comes before all short ones."""
    sorts_last: bool = False
    """Whether one of the texts comes after all short ones."""


class ColumnTally:
    """Sums up one column from its tallies, which come in SQLite's order of values."""

    def __init__(self) -> None:
        self.nulls = 0
        self.short_texts: tuple[str, str] | None = None
        """The first and the last of them."""
        self._distinct = self._numeric_text = 0
        self._stored: Counter[str] = Counter()
        self._minimum: Cell = None
        self._maximum: Cell = None
        self._frequent: list[Tally] = []

    @property
    def frequent(self) -> list[Cell]:
        """Up to 20 values, the most frequent first."""
        return [value for value, _ in self._frequent]

    @property
    def rows(self) -> int:
        """How many rows were seen."""
        return self.nulls + self._stored.total()

    def add(self, chunk: list[Tally]) -> None:
        """Take in the next tallies."""
        if chunk[0][0] is None:
            self.nulls, chunk = chunk[0][1], chunk[1:]
        if not chunk:
            return
        self._minimum = chunk[0][0] if self._distinct == 0 else self._minimum
        self._maximum = chunk[-1][0]
        self._distinct += len(chunk)
        for value, count in chunk:
            self._stored[_STORAGE_CLASSES[type(value)]] += count
            if type(value) is str:
                self.short_texts = (self.short_texts[0] if self.short_texts else value, value)
                if NUMBER.fullmatch(value):
                    self._numeric_text += count
        # nlargest is stable and values come in order, so ties stay ordered by value.
        shown = (tally for tally in chunk if _may_be_shown(tally[0]))
        self._frequent = nlargest(_FREQUENT, chain(self._frequent, shown), key=itemgetter(1))

    def profile(
        self,
        table: Table,
        column: Column,
        long: LongValues | None = None,
        *,
        sampled: bool = False,
        sample: RowSample | None = None,
    ) -> ColumnProfile:
        """Return the profile, with the long values that the tallies left out."""
        long = long or LongValues()
        stored = self._stored + Counter(text=long.texts, blob=long.blobs)
        minimum, maximum = self._minimum, self._maximum
        numbers = stored["integer"] + stored["real"]
        if long.sorts_first and not numbers:
            minimum = None
        if long.blobs or (long.sorts_last and not stored["blob"]):
            maximum = None
        return ColumnProfile(
            table=table.name,
            column=column.name,
            rows=self.nulls + stored.total(),
            nulls=self.nulls,
            distinct=self._distinct + long.distinct,
            stored_types={kind: stored[kind] for kind in _STORAGE_CLASSES.values() if stored[kind]},
            minimum=minimum if _may_be_shown(minimum) else None,
            maximum=maximum if _may_be_shown(maximum) else None,
            frequent=tuple(self._frequent),
            numeric_text=self._numeric_text + long.numeric_text,
            sampled=sampled or sample is not None,
            sample=sample,
        )


def profile_column(
    table: Table, column: Column, tallies: Iterable[list[Tally]], *, sampled: bool = False
) -> ColumnProfile:
    """Sum up one column without long values from its tallies."""
    tally = ColumnTally()
    for chunk in tallies:
        tally.add(chunk)
    return tally.profile(table, column, sampled=sampled)


def _may_be_shown(value: Cell) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST_VALUE
    return not isinstance(value, bytes)
