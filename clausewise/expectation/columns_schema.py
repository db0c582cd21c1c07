"""A schema in the words of its names and descriptions, as arrays: made once for each schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from clausewise.databases.model import Column, Schema, Table, kept_by_schema
from clausewise.expectation.columns_statics import Floats, statics_of
from clausewise.expectation.columns_words import LITTLE, STEM, alike, stem
from clausewise.naming.expansion import expanded
from clausewise.naming.names import ColumnNames
from clausewise.question.words import name_words

MOST_COLUMNS = 1_000
"""Columns of a schema that are read; those of larger schemas come first."""
_MOST_NAME_WORDS = 8
_MOST_DESCRIPTION_WORDS = 24
_LONGEST_DESCRIPTION = 400
"""Characters of a column's description that are read."""
_MANY_COLUMNS = 300
_DESCRIPTION_WORDS_OF_MANY = 8
"""Of schemas with many columns fewer words of each description are kept, for the memory."""
_MOST_DESCRIBED = 2_000
"""Different words of all descriptions of a schema; the first ones are kept, for the memory."""
_MOST_KEPT_WORDS = 5_000
_LITTLE_WEIGHT = 0.1


@dataclass(slots=True, eq=False)
class SchemaWords:
    """The words of `n` columns and `m` tables, of `v` different words in all."""

    columns: tuple[tuple[str, str], ...]
    """(table, column) in the schema's order and spelling, `[n]`."""
    tables: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]
    """Of each column's name, `[n]`."""
    table_words: tuple[tuple[str, ...], ...]
    vocabulary: dict[str, int]
    table_of: NDArray[np.int64]
    """Place of each column's table, `[n]`."""
    starts: NDArray[np.int64]
    """Place of each table's first column, `[m]`."""
    shares: Floats
    """Side by side, `[v, 5 n + 2 m]`: share of each word in a column's name, in the name without
    the table's words, in the name by how few columns have the word, and in the description;
    whether the name has the word; share of each word in a table's name; whether it has it."""
    rarity: Floats
    """In [0, 1], 1 where a single column has the word, `[v]`."""
    statics: Floats
    """What is known of a column without a question, `[n, COLUMN_STATICS]`."""
    table_statics: Floats
    near: NDArray[np.bool_]
    """Whether a foreign key ties two tables, `[m, m]`."""
    same: NDArray[np.int64]
    """Number of the set of columns that foreign keys tie together, `[n]`."""
    name_sizes: Floats
    """Words of each name, `[n]`."""
    joined: dict[str, tuple[int, ...]]
    """Neighboring words of a name written as one, to their places in the vocabulary."""
    stems: dict[str, tuple[int, ...]]
    by_initial: dict[str, tuple[tuple[str, int], ...]]
    at: dict[tuple[str, str], int]
    """Folded (table, column) to its place."""
    table_at: dict[str, int]
    by_name: dict[str, tuple[int, ...]]
    """Folded name of a column to the places of all columns of that name."""
    spaced: tuple[tuple[int, str, str], ...]
    """Columns whose names no statement writes as they are: place, name in words, name joined."""
    _matches: dict[str, tuple[tuple[int, float], ...]] = field(default_factory=dict)

    def matches(self, word: str) -> tuple[tuple[int, float], ...]:
        """Return (place in the vocabulary, how much it counts in (0, 1]) for a question's word."""
        if word not in self._matches:
            if len(self._matches) >= _MOST_KEPT_WORDS:
                self._matches.clear()
            self._matches[word] = self._match(word)
        return self._matches[word]

    def _match(self, word: str) -> tuple[tuple[int, float], ...]:
        found: dict[int, float] = {}
        if word in self.vocabulary:
            found[self.vocabulary[word]] = 1.0
        for place in self.joined.get(word, ()):
            found[place] = 1.0
        if len(word) >= 3 and not word.isdigit():
            for place in self.stems.get(stem(word), ()):
                found.setdefault(place, STEM)
            for other, place in self.by_initial.get(word[0], ()):
                if place not in found:
                    value = alike(word, other)
                    if value:
                        found[place] = value
        return tuple(sorted(found.items()))


@kept_by_schema
def schema_words(schema: Schema) -> SchemaWords:
    """Return the words of a schema's tables and columns; the same object at each call."""
    columns = [(table, column) for table in schema.tables for column in table.columns]
    columns = columns[:MOST_COLUMNS]
    # A table without columns, such as one past the limit, has no place in the arrays.
    tables = tuple(dict.fromkeys(table for table, _ in columns))
    names = expanded(schema)
    said = [names.column(table.name, column.name) for table, column in columns]
    words = [(item.phrase or ("",))[:_MOST_NAME_WORDS] for item in said]
    most = _MOST_DESCRIPTION_WORDS if len(columns) <= _MANY_COLUMNS else _DESCRIPTION_WORDS_OF_MANY
    described = [
        _description(column, item, own)[:most]
        for (_, column), item, own in zip(columns, said, words, strict=True)
    ]
    described = _first_words(described)
    table_words = [names.table(table.name).phrase or ("",) for table in tables]
    vocabulary: dict[str, int] = {}
    for part in (*words, *described, *table_words):
        for word in part:
            vocabulary.setdefault(word, len(vocabulary))
    order = {table.name: place for place, table in enumerate(tables)}
    table_of = np.array([order[table.name] for table, _ in columns], dtype=np.int64)
    rarity = _rarity(words, vocabulary)
    little = [tuple(set(table_words[place])) for place in table_of]
    own = [
        tuple(word for word in part if word not in of_table) or part
        for part, of_table in zip(words, little, strict=True)
    ]
    of_columns, of_tables = _shares(words, vocabulary), _shares(table_words, vocabulary)
    statics, table_statics, near = statics_of(schema, tables, columns, words, table_words, table_of)
    return SchemaWords(
        columns=tuple((table.name, column.name) for table, column in columns),
        tables=tuple(table.name for table in tables),
        starts=np.searchsorted(table_of, np.arange(len(tables))),
        words=tuple(words),
        table_words=tuple(table_words),
        vocabulary=vocabulary,
        table_of=table_of,
        shares=np.concatenate(
            [
                of_columns,
                _shares(own, vocabulary),
                _shares(words, vocabulary, rarity),
                _shares(described, vocabulary, rarity),
                of_columns > 0,
                of_tables,
                of_tables > 0,
            ],
            axis=1,
            dtype=np.float32,
        ),
        rarity=rarity,
        statics=statics,
        table_statics=table_statics,
        near=near,
        same=_tied(schema, columns),
        name_sizes=np.array([min(len(part), 6) for part in words], dtype=np.float32),
        joined=_joined((*words, *table_words), vocabulary),
        stems=_places((stem(word), place) for word, place in vocabulary.items()),
        by_initial=_by_initial((*words, *table_words), vocabulary),
        at={
            (table.name.casefold(), column.name.casefold()): place
            for place, (table, column) in enumerate(columns)
        },
        table_at={table.name.casefold(): place for place, table in enumerate(tables)},
        by_name=_places(
            (column.name.casefold(), place) for place, (_, column) in enumerate(columns)
        ),
        spaced=tuple(
            (place, f" {' '.join(words[place])} ", column.name.casefold().replace(" ", ""))
            for place, (_, column) in enumerate(columns)
            if not column.name.isidentifier()
        ),
    )


def _description(column: Column, said: ColumnNames, name: Sequence[str]) -> tuple[str, ...]:
    """Return what else a column is called: other readings of its name, units, description."""
    texts = (column.description or "", column.value_description or "")
    words = (
        *sorted(said.said),
        *name_words(column.name),
        *name_words(" ".join(texts)[:_LONGEST_DESCRIPTION]),
    )
    left = (word for word in words if word not in LITTLE and word not in name)
    return tuple(dict.fromkeys(left))


def _first_words(described: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return descriptions with the first `_MOST_DESCRIBED` different words of them all only."""
    every = dict.fromkeys(word for part in described for word in part)
    if len(every) <= _MOST_DESCRIBED:
        return list(described)
    kept = frozenset(list(every)[:_MOST_DESCRIBED])
    return [tuple(word for word in part if word in kept) for part in described]


def _rarity(words: Sequence[Sequence[str]], vocabulary: dict[str, int]) -> Floats:
    counts = Counter(word for part in words for word in set(part))
    size = np.log1p(max(len(words), 2))
    rarity = np.ones(len(vocabulary), dtype=np.float32)
    for word, place in vocabulary.items():
        rarity[place] = 1.0 - np.log(max(counts[word], 1)) / size
        if word in LITTLE:
            rarity[place] = _LITTLE_WEIGHT
    return rarity


def _shares(
    parts: Sequence[Sequence[str]], vocabulary: dict[str, int], weights: Floats | None = None
) -> Floats:
    shares = np.zeros((len(vocabulary), len(parts)), dtype=np.float32)
    for column, words in enumerate(parts):
        for word in words:
            place = vocabulary[word]
            weight = _LITTLE_WEIGHT if word in LITTLE else 1.0
            shares[place, column] += weight if weights is None else float(weights[place])
    total = shares.sum(axis=0)
    shares /= np.where(total > 0, total, np.float32(1.0))
    return shares


def _places(pairs: Iterable[tuple[str, int]]) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for word, place in pairs:
        found.setdefault(word, []).append(place)
    return {word: tuple(places) for word, places in found.items()}


def _joined(
    parts: Iterable[Sequence[str]], vocabulary: dict[str, int]
) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for words in parts:
        for first, second in pairwise(words):
            found[first + second] = (vocabulary[first], vocabulary[second])
    return found


def _by_initial(
    parts: Iterable[Sequence[str]], vocabulary: dict[str, int]
) -> dict[str, tuple[tuple[str, int], ...]]:
    """Return the words of names by their first letter; descriptions count by their stems only."""
    found: dict[str, list[tuple[str, int]]] = {}
    for word in dict.fromkeys(word for words in parts for word in words):
        if word and not word.isdigit():
            found.setdefault(word[0], []).append((word, vocabulary[word]))
    return {initial: tuple(listed) for initial, listed in found.items()}


def _tied(schema: Schema, columns: Sequence[tuple[Table, Column]]) -> NDArray[np.int64]:
    """Return for each column the number of its set: columns that foreign keys tie together."""
    at = {(table.name, column.name): place for place, (table, column) in enumerate(columns)}
    same = list(range(len(columns)))

    def root(place: int) -> int:
        while same[place] != place:
            place = same[place]
        return place

    for key in schema.foreign_keys:
        for own, referred in zip(key.columns, key.referred_columns, strict=True):
            one, other = at.get((key.table, own)), at.get((key.referred_table, referred))
            if one is not None and other is not None:
                first, second = sorted((root(one), root(other)))
                same[second] = first
    return np.array([root(place) for place in range(len(columns))], dtype=np.int64)
