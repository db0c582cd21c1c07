"""Foreign keys inferred from names and data, for tables that declare none.

Inclusion alone says little: any small number is included in any key that counts from 1. So a
pair of columns must look like a key by its names first, and then be one in the data: the
referred column has no value twice, and every value of the referring column occurs in it.

Names are looked up, not compared pair by pair, and what the profiles rule out is not compared in
the data, so that thousands of tables take seconds.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from clausewise.databases.key_names import TargetNames, referring_name, squash, table_stems
from clausewise.databases.model import Cell, Column, ColumnProfile, ForeignKey, Schema, Table
from clausewise.text import quote_name

Profiles = Mapping[tuple[str, str], ColumnProfile]
"""(table, column), both casefolded, to the profile."""

MOST_CANDIDATES = 500
"""Columns, the best by name, that one referring column may be compared with by their profiles."""
MOST_COMPARISONS = 20
"""Columns, the best by name, that one referring column may be compared with in the data."""

_Rank = tuple[int, bool, bool, int, int]
_Order = tuple[_Rank, int, int, int]
"""What candidates are sorted by: rank, and positions of source, target and column."""
_Candidates = Iterator[tuple[_Order, "KeyCandidate"]]

_NUMBERS = frozenset({"integer", "real"})


@dataclass(frozen=True, slots=True)
class _Target:
    """A column that tells the rows of its table apart, so that a key may refer to it."""

    table: Table
    column: Column
    position: int
    """Of the table in the schema."""
    profile: ColumnProfile
    is_key: bool
    owns_name: bool
    """Whether its name begins with that of its table."""

    def rank(self, evidence: int) -> _Rank:
        """Return what candidates are sorted by; a smaller rank is better evidence."""
        distinct = self.profile.distinct
        return evidence, not self.is_key, not self.owns_name, -distinct, self.position


@dataclass(frozen=True, slots=True)
class KeyCandidate:
    """A pair of columns that may be a key, by their names and profiles."""

    source: Table
    column: Column
    target: Table
    target_column: Column

    @property
    def pair(self) -> frozenset[tuple[str, str]]:
        """Both columns, whichever refers to the other."""
        return frozenset(
            {(self.source.name, self.column.name), (self.target.name, self.target_column.name)}
        )

    @property
    def key(self) -> ForeignKey:
        """The key that it would be."""
        return ForeignKey(
            self.source.name,
            (self.column.name,),
            self.target.name,
            (self.target_column.name,),
            inferred=True,
        )

    def strangers(self, source: str | None = None) -> str:
        """Return a statement that gives a row where a referring value is not in the other.

        `source` is what to put after FROM where not all referring rows are compared.
        """
        column, target = quote_name(self.column.name), quote_name(self.target_column.name)
        return (
            f"SELECT 1 FROM {source or quote_name(self.source.name)} "
            f"WHERE {column} NOT IN (SELECT {target} FROM {quote_name(self.target.name)} "
            f"WHERE {target} IS NOT NULL) LIMIT 1"
        )


def infer_foreign_keys(
    schema: Schema, profiles: Profiles, is_included: Callable[[KeyCandidate], bool]
) -> tuple[ForeignKey, ...]:
    """Return single-column keys found in names and data, at most one for a referring column.

    Only tables that declare no foreign key, and that no declared key refers to, are looked at as
    the referring side. `is_included` says of a candidate whether every value of the referring
    column occurs in the referred one; what it raises is passed on.
    """
    found: list[ForeignKey] = []
    pairs: set[frozenset[tuple[str, str]]] = set()
    # Best evidence first, so that of a pair that could run either way the better one stays.
    heap = []
    for number, candidates in enumerate(_by_source(schema, profiles)):
        for order, candidate in candidates:
            heap.append((order, number, candidate, candidates, 0))
            break
    heapq.heapify(heap)
    while heap:
        _, number, candidate, candidates, compared = heap[0]
        if candidate.pair not in pairs:
            compared += 1
            if is_included(candidate):
                pairs.add(candidate.pair)
                found.append(candidate.key)
                heapq.heappop(heap)
                continue
        following = next(candidates, None) if compared < MOST_COMPARISONS else None
        if following is None:
            heapq.heappop(heap)
        else:
            heapq.heapreplace(heap, (following[0], number, following[1], candidates, compared))
    positions = _column_positions(schema)
    return tuple(sorted(found, key=lambda key: positions[key.table, key.columns[0]]))


def _column_positions(schema: Schema) -> dict[tuple[str, str], int]:
    columns = ((table.name, column.name) for table in schema.tables for column in table.columns)
    return {place: position for position, place in enumerate(columns)}


def _by_source(
    schema: Schema, profiles: Profiles
) -> Iterator[Iterator[tuple[_Order, KeyCandidate]]]:
    """Yield the candidates of every referring column, the best first."""
    taken = {key.table for key in schema.foreign_keys}
    taken |= {key.referred_table for key in schema.foreign_keys}
    targets = list(_targets(schema, profiles))
    names = TargetNames(
        [(target.table.name, target.column.name, target.is_key) for target in targets]
    )
    known: dict[str, list[tuple[_Rank, int]]] = {}
    for source_position, source in enumerate(schema.tables):
        if source.name in taken or source.is_view:
            continue
        for column_position, column in enumerate(source.columns):
            profile = profiles.get((source.name.casefold(), column.name.casefold()))
            if profile is None or profile.distinct == 0:
                continue
            name = referring_name(column.name)
            if name not in known:
                hits = names.find(name).items()
                ranked = ((targets[place].rank(evidence), place) for place, evidence in hits)
                known[name] = heapq.nsmallest(MOST_CANDIDATES, ranked)
            if known[name]:
                ranked_targets = ((rank, place, targets[place]) for rank, place in known[name])
                yield _candidates(
                    source, column, profile, (source_position, column_position), ranked_targets
                )


def _candidates(
    source: Table,
    column: Column,
    profile: ColumnProfile,
    position: tuple[int, int],
    ranked: Iterator[tuple[_Rank, int, _Target]],
) -> _Candidates:
    for rank, place, target in ranked:
        if target.table.name != source.name and _may_include(profile, target.profile):
            order = (rank, position[0], place, position[1])
            yield order, KeyCandidate(source, column, target.table, target.column)


def _targets(schema: Schema, profiles: Profiles) -> Iterator[_Target]:
    for position, table in enumerate(schema.tables):
        if table.is_view:
            continue
        stems = table_stems(table.name)
        for column in table.columns:
            profile = profiles.get((table.name.casefold(), column.name.casefold()))
            if profile is not None and _tells_apart(table, column, profile):
                is_key = table.primary_key == (column.name,)
                owns_name = squash(column.name).startswith(stems)
                yield _Target(table, column, position, profile, is_key, owns_name)


def _tells_apart(table: Table, column: Column, profile: ColumnProfile) -> bool:
    declared = table.primary_key == (column.name,) or (column.name,) in table.unique
    return declared or (profile.unique and profile.nulls == 0 and not profile.sampled)


def _may_include(source: ColumnProfile, target: ColumnProfile) -> bool:
    """Rule out most pairs from the profiles alone, without a look at the data."""
    if source.sampled or target.sampled:
        return True
    if source.distinct > target.distinct:
        return False
    held, referred = source.stored_types.keys(), target.stored_types.keys()
    if held <= _NUMBERS and referred <= _NUMBERS:
        return _within(source, target) and _shares_values(source, target, _as_is)
    if held == {"text"} and referred == {"text"} and not _has_numeric_text(source, target):
        return _shares_values(source, target, _without_case)
    # A number is equal to no text that does not read as one.
    numbers_in_words = held <= _NUMBERS and referred == {"text"} and not target.numeric_text
    words_in_numbers = held == {"text"} and referred <= _NUMBERS and not source.numeric_text
    return not (numbers_in_words or words_in_numbers)


def _has_numeric_text(*profiles: ColumnProfile) -> bool:
    return any(profile.numeric_text for profile in profiles)


def _within(source: ColumnProfile, target: ColumnProfile) -> bool:
    """Whether the range of one column of numbers lies in that of another."""
    limits = (source.minimum, source.maximum, target.minimum, target.maximum)
    if any(not isinstance(limit, int | float) for limit in limits):
        return True
    low, high, lowest, highest = limits
    return lowest <= low and high <= highest  # type: ignore[operator]


def _shares_values(
    source: ColumnProfile, target: ColumnProfile, form: Callable[[Cell], object]
) -> bool:
    """Whether the frequent values occur in the other column, where all of its values are known."""
    if len(target.frequent) < target.distinct:
        return True
    known = {form(value) for value, _ in target.frequent}
    return all(form(value) in known for value, _ in source.frequent)


def _as_is(value: Cell) -> Cell:
    return value


def _without_case(value: Cell) -> object:
    """Leave out what SQLite's own collations do not look at: case, and blanks at the end."""
    return value.rstrip(" ").lower() if isinstance(value, str) else value
