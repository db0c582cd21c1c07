"""Faults in keys: rows that refer to nothing, repeated keys, pairs that blanks keep apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clausewise.auditing.column_faults import LIMITS, source_of
from clausewise.databases.model import Cell, ForeignKey, Schema
from clausewise.sql.probe_dialects import probe_dialect

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol

EXAMPLES = 3
"""Values that are shown of a fault."""


@dataclass(frozen=True, slots=True)
class Orphans:
    """Rows of a table whose declared foreign key refers to no row."""

    rows: int
    examples: tuple[Cell, ...]
    sql: str
    limits: str | None


@dataclass(frozen=True, slots=True)
class KeptApart:
    """Values of two joined columns that would be equal but for blanks or letters' case."""

    left: str
    right: str
    by_blanks: bool
    sql: str


def declared_key(schema: Schema, one: tuple[str, str], other: tuple[str, str]) -> ForeignKey | None:
    """Return the declared foreign key of one column each that ties two (table, column) places."""
    ends = {_folded(one), _folded(other)}
    for key in schema.foreign_keys:
        if key.inferred or len(key.columns) != 1:
            continue
        own = (key.table, key.columns[0])
        referred = (key.referred_table, key.referred_columns[0])
        if {_folded(own), _folded(referred)} == ends:
            return key
    return None


def _folded(place: tuple[str, str]) -> tuple[str, str]:
    return place[0].casefold(), place[1].casefold()


def orphans_of(database: DatabaseProtocol, key: ForeignKey) -> Orphans | None:
    """Return the rows that refer to nothing; None where every row's key is found.

    Raises ClausewiseError where that cannot be worked out within the limits.
    """
    quoted = probe_dialect(database.dialect).quote_name
    own, referred = quoted(key.columns[0]), quoted(key.referred_columns[0])
    source, cut = source_of(database, key.table, key.columns)
    condition = (
        f"{own} IS NOT NULL AND {own} NOT IN "
        f"(SELECT {referred} FROM {quoted(key.referred_table)} WHERE {referred} IS NOT NULL)"
    )
    sql = f"SELECT {own}, count(*) FROM {source} WHERE {condition} GROUP BY {own}"
    rows = database.run(sql, LIMITS).rows
    if not rows:
        return None
    count = sum(int(str(row[1])) for row in rows)
    return Orphans(count, tuple(row[0] for row in rows[:EXAMPLES]), sql, cut)


def repeated_key(database: DatabaseProtocol, key: ForeignKey) -> tuple[Cell, int] | None:
    """Return a value of the referred column that several rows have, with their number, or None.

    Raises ClausewiseError where the column cannot be read.
    """
    table, column = key.referred_table, key.referred_columns[0]
    profile = database.profile(table, column)
    if profile.unique or not profile.distinct:
        return None
    return next(((value, count) for value, count in profile.frequent if count > 1), None)


def kept_apart(
    database: DatabaseProtocol, left: tuple[str, str], right: tuple[str, str]
) -> KeptApart | None:
    """Return a pair of values of two joined columns that only blanks or case keep apart, or None.

    Each is (table, column). A value that also has an equal partner counts as joined.

    Raises ClausewiseError where that cannot be worked out within the limits.
    """
    sides = [_texts(database, *left), _texts(database, *right)]
    unequal = probe_dialect(database.dialect).unequal("l.v", "r.v")
    sql = (
        f"SELECT l.v, r.v FROM {sides[0]} AS l JOIN {sides[1]} AS r "
        f"ON lower(trim(l.v)) = lower(trim(r.v)) AND {unequal} "
        f"WHERE l.v NOT IN (SELECT v FROM {sides[1]}) LIMIT 1"
    )
    rows = database.run(sql, LIMITS).rows
    if not rows:
        return None
    one, other = str(rows[0][0]), str(rows[0][1])
    return KeptApart(one, other, one.strip() == other.strip(), sql)


def _texts(database: DatabaseProtocol, table: str, column: str) -> str:
    """Return the sub-query of the different texts of a column, called `v`."""
    source, _ = source_of(database, table, (column,))
    words = probe_dialect(database.dialect)
    name = words.quote_name(column)
    return f"(SELECT DISTINCT {name} AS v FROM {source} WHERE {words.is_text(name)})"
