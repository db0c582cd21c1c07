"""Foreign keys inferred from names and data, for tables that declare none.

Inclusion alone says little: any small number is included in any key that counts from 1. So a
pair of columns must look like a key by its names first, and then be one in the data: the
referred column has no value twice, and every value of the referring column occurs in it.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from clausewise.databases.model import Column, ColumnProfile, ForeignKey, Schema, Table
from clausewise.inflection import singular
from clausewise.text import quote_name

Profiles = Mapping[tuple[str, str], ColumnProfile]
"""(table, column), both casefolded, to the profile."""

_BARE_KEYS = frozenset(
    {"id", "code", "key", "no", "nr", "num", "number", "name", "uuid", "guid", "ref"}
)
_KEY_ENDING = re.compile(r"(id|code|key|uuid|guid|[^a-z](no|nr|num|number|ref))$")
_SHORTEST_STEM = 3
_SHORTEST_PART = 4


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A pair of columns whose names look like a reference; a smaller rank is better evidence."""

    rank: tuple[int, bool, bool, int, int]
    source: Table
    column: Column
    target: Table
    target_column: Column

    @property
    def pair(self) -> frozenset[tuple[str, str]]:
        return frozenset(
            {(self.source.name, self.column.name), (self.target.name, self.target_column.name)}
        )


def infer_foreign_keys(
    connection: sqlite3.Connection, schema: Schema, profiles: Profiles
) -> tuple[ForeignKey, ...]:
    """Return single-column keys found in names and data, at most one for a referring column.

    Only tables that declare no foreign key, and that no declared key refers to, are looked at as
    the referring side. Raises sqlite3.Error where the file is damaged.
    """
    taken = {key.table for key in schema.foreign_keys}
    taken |= {key.referred_table for key in schema.foreign_keys}
    found: list[ForeignKey] = []
    pairs: set[frozenset[tuple[str, str]]] = set()
    sources: set[tuple[str, str]] = set()
    candidates = [
        candidate
        for table in schema.tables
        if table.name not in taken and not table.is_view
        for candidate in _candidates(schema, table, profiles)
    ]
    # Best evidence first, so that of a pair that could run either way the better one stays.
    for candidate in sorted(candidates, key=lambda item: item.rank):
        source = (candidate.source.name, candidate.column.name)
        if source in sources or candidate.pair in pairs:
            continue
        if not _included(connection, candidate):
            continue
        sources.add(source)
        pairs.add(candidate.pair)
        found.append(
            ForeignKey(
                candidate.source.name,
                (candidate.column.name,),
                candidate.target.name,
                (candidate.target_column.name,),
                inferred=True,
            )
        )
    positions = _column_positions(schema)
    return tuple(sorted(found, key=lambda key: positions[key.table, key.columns[0]]))


def _column_positions(schema: Schema) -> dict[tuple[str, str], int]:
    columns = ((table.name, column.name) for table in schema.tables for column in table.columns)
    return {place: position for position, place in enumerate(columns)}


def _candidates(schema: Schema, source: Table, profiles: Profiles) -> Iterator[_Candidate]:
    for position, target in enumerate(schema.tables):
        if target.is_view or target.name == source.name:
            continue
        for target_column in target.columns:
            target_profile = profiles.get(_place(target, target_column))
            if target_profile is None or not _tells_apart(target, target_column, target_profile):
                continue
            is_key = target.primary_key == (target_column.name,)
            for column in source.columns:
                evidence = _name_evidence(column.name, target.name, target_column.name, is_key)
                profile = profiles.get(_place(source, column))
                if evidence is None or profile is None or not _may_include(profile, target_profile):
                    continue
                owns_name = any(
                    _squash(target_column.name).startswith(stem) for stem in _stems(target.name)
                )
                rank = (evidence, not is_key, not owns_name, -target_profile.distinct, position)
                yield _Candidate(rank, source, column, target, target_column)


def _place(table: Table, column: Column) -> tuple[str, str]:
    return table.name.casefold(), column.name.casefold()


def _tells_apart(table: Table, column: Column, profile: ColumnProfile) -> bool:
    declared = table.primary_key == (column.name,) or (column.name,) in table.unique
    return declared or (profile.unique and profile.nulls == 0 and not profile.sampled)


def _may_include(source: ColumnProfile, target: ColumnProfile) -> bool:
    """Rule out most pairs from the profiles alone, without a look at the data."""
    if source.distinct == 0:
        return False
    if source.sampled or target.sampled:
        return True
    return source.distinct <= target.distinct


def _name_evidence(source: str, table: str, target: str, target_is_key: bool) -> int | None:
    """Say how strongly a column's name points at another column, 0 strongest; None = not at all.

    0: both have the same key-like name (`race_id`); 1: table and column name (`student_id` for
    `students.id`); 2: the same with words before it (`eye_color_id` for `color.id`); 3: the
    referred name with words before it (`home_team_id` for `team_id`); and for primary keys only,
    4: their own name or that of the table (`airline` for `airlines.code`); 5: the end of the
    table's name and the column's (`hero_id` for `superhero.id`). Numbers at the end of the
    referring name do not count (`club_id_2`).
    """
    source_name, target_name = _squash(source).rstrip("0123456789"), _squash(target)
    bare = target_name in _BARE_KEYS
    key_like = not bare and bool(_KEY_ENDING.search(target.casefold()))
    stems = _stems(table)
    part = source_name.removesuffix(target_name)
    rules = (
        source_name == target_name and key_like,
        any(source_name == stem + target_name for stem in stems),
        any(source_name.endswith(stem + target_name) for stem in stems),
        key_like and source_name.endswith(target_name),
        target_is_key and (source_name in stems or (source_name == target_name and not bare)),
        target_is_key
        and part != source_name
        and len(part) >= _SHORTEST_PART
        and any(stem.endswith(part) for stem in stems),
    )
    return rules.index(True) if True in rules else None


def names_suggest_key(source: str, table: str, target: str, *, target_is_key: bool) -> bool:
    """Whether a column's name points at `table.target` as a reference to it would.

    `target_is_key` says whether `target` is the table's primary key.
    """
    return _name_evidence(source, table, target, target_is_key) is not None


def _squash(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def _stems(table: str) -> tuple[str, ...]:
    """Return what a table's name may be in a column's name: the name itself, its singular."""
    names = dict.fromkeys((_squash(table), _squash(singular(table.casefold()))))
    return tuple(name for name in names if len(name) >= _SHORTEST_STEM)


def _included(connection: sqlite3.Connection, candidate: _Candidate) -> bool:
    """Whether every value of the referring column occurs in the referred one."""
    column, target = quote_name(candidate.column.name), quote_name(candidate.target_column.name)
    stranger = connection.execute(
        f"SELECT 1 FROM {quote_name(candidate.source.name)} "
        f"WHERE {column} NOT IN (SELECT {target} FROM {quote_name(candidate.target.name)} "
        f"WHERE {target} IS NOT NULL) LIMIT 1"
    ).fetchone()
    return stranger is None
