"""What is known of the columns and tables of a schema before any question, as numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clausewise.databases.model import Column, Schema, Table

Floats = NDArray[np.float32]

_NAME_LIKE = frozenset({"name", "title", "label", "forename", "surname"})
_KEY_LIKE = frozenset({"id", "code", "key", "no", "number", "uuid"})
_TIME_LIKE = frozenset({"date", "time", "year", "month", "day", "timestamp"})
_TEXT = re.compile(r"char|text|clob|string|enum", re.IGNORECASE)
_TIME = re.compile(r"date|time|year", re.IGNORECASE)
_NUMBER = re.compile(r"int|real|num|dec|doub|float|money|serial", re.IGNORECASE)

COLUMN_STATICS = 20
TABLE_STATICS = 6
PRIMARY_KEY = 4
"""Place of the fact that a column is part of its table's primary key."""


def _kind(column: Column, words: Sequence[str]) -> int:
    declared = column.declared_type
    if _TIME.search(declared) or (_TIME_LIKE & set(words) and not _NUMBER.search(declared)):
        return 2
    if _NUMBER.search(declared):
        return 1
    return 0 if _TEXT.search(declared) else 3


def statics_of(
    schema: Schema,
    tables: Sequence[Table],
    columns: Sequence[tuple[Table, Column]],
    words: Sequence[Sequence[str]],
    table_words: Sequence[Sequence[str]],
    table_of: NDArray[np.int64],
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Return the facts of columns and of tables, and which tables a foreign key ties, `[m, m]`.

    `words` and `table_words` are those of names; `table_of` is the place of each column's table.
    """
    m = len(tables)
    place = {table.name: at for at, table in enumerate(tables)}
    near = np.zeros((m, m), dtype=np.bool_)
    outgoing: set[tuple[str, str]] = set()
    incoming: set[tuple[str, str]] = set()
    for key in schema.foreign_keys:
        if key.table in place and key.referred_table in place:
            one, other = place[key.table], place[key.referred_table]
            near[one, other] = near[other, one] = one != other
            outgoing.update((key.table, column) for column in key.columns)
            incoming.update((key.referred_table, column) for column in key.referred_columns)
    alike = Counter(column.name.casefold() for _, column in columns)
    statics = np.zeros((len(columns), COLUMN_STATICS), dtype=np.float32)
    named: set[int] = set()
    for row, (table, column) in enumerate(columns):
        of = int(table_of[row])
        size = len(table.columns)
        spot = row - int(np.searchsorted(table_of, of))
        said = set(words[row])
        is_key = (table.name, column.name) in outgoing
        is_name = bool(said & _NAME_LIKE)
        statics[row, _kind(column, words[row])] = 1.0
        statics[row, 4:] = (
            column.primary_key > 0,
            is_key,
            (table.name, column.name) in incoming,
            is_name,
            bool(said & _KEY_LIKE),
            bool(said & _TIME_LIKE),
            is_name and of not in named,
            spot == 0,
            spot == 1,
            spot / max(size, 1),
            np.log(size) / 4,
            len(words[row]) == 1,
            len(words[row]) / 4,
            np.log(alike[column.name.casefold()]),
            bool(column.description),
            column.not_null and not column.primary_key,
        )
        if is_name:
            named.add(of)
    table_statics = np.zeros((m, TABLE_STATICS), dtype=np.float32)
    for at, found in enumerate(tables):
        keys = sum(
            column.primary_key > 0 or (found.name, column.name) in outgoing
            for column in found.columns
        )
        size = max(len(found.columns), 1)
        table_statics[at] = (
            keys / size,
            keys == size,
            np.log(size) / 4,
            near[at].sum() / 4,
            len(table_words[at]) / 4,
            np.log(m) / 4,
        )
    return statics, table_statics, near
