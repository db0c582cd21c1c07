"""Columns that people use to name a row although they are no key: names, titles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from clausewise.databases import quote_name
from clausewise.databases.model import Schema, Table
from clausewise.signals.question_text import word_set
from clausewise.signals.words import name_words

if TYPE_CHECKING:
    from clausewise.databases import Database

NEARLY_UNIQUE = 0.9
"""Share of distinct values in [0, 1] from which any text column names its row."""
OFTEN_UNIQUE = 0.5
"""The same for columns whose name says that they hold names."""


def key_of(table: Table) -> tuple[str, ...]:
    """Return the columns that tell a table's rows apart, empty where none are declared."""
    if table.primary_key:
        return table.primary_key
    return next(iter(table.unique), ())


@lru_cache(maxsize=4_096)
def _key_columns(schema: Schema, table: str) -> frozenset[str]:
    """Return the columns of any key or foreign key of a table, case folded."""
    found = schema.table(table)
    if found is None:
        return frozenset()
    keys: list[Sequence[str]] = [found.primary_key, *found.unique]
    keys.extend(key.columns for key in schema.foreign_keys if key.table == found.name)
    return frozenset(name.casefold() for key in keys for name in key)


def naming_share(database: Database, table: str, columns: Iterable[str]) -> float | None:
    """Return which share in [0, 1] of a table's rows these columns tell apart.

    None where they do not name rows at all: keys, foreign keys, numbers, and columns that hold
    few values (a country, a status).
    """
    names = sorted(set(columns))
    held = database.schema.table(table)
    if held is None or not key_of(held) or not names:
        return None
    if _key_columns(database.schema, table) & {name.casefold() for name in names}:
        return None
    profiles = [database.profile(table, name) for name in names]
    if not any(profile.stored_types.get("text") for profile in profiles):
        return None
    if len(profiles) == 1:
        share = profiles[0].distinct / max(1, profiles[0].rows - profiles[0].nulls)
    else:
        listed = ", ".join(map(quote_name, names))
        pairs = f"SELECT DISTINCT {listed} FROM {quote_name(table)}"
        distinct = database.scalar(f"SELECT COUNT(*) FROM ({pairs})")
        share = int(distinct or 0) / max(1, database.row_count(table))
    spoken = any(set(name_words(name)) & word_set("columns", "naming") for name in names)
    return share if share >= (OFTEN_UNIQUE if spoken else NEARLY_UNIQUE) else None
