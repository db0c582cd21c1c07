"""The values from which the columns of an instance are filled."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice, zip_longest
from typing import Final

from clausewise.databases import Cell, Column, ColumnProfile, Schema
from clausewise.equivalence.generation.conditions import meets
from clausewise.equivalence.generation.kinds import ColumnKind, kind_of, stored_value
from clausewise.equivalence.generation.links import (
    Condition,
    QueryLinks,
    grouped,
    links_of,
    places_linked,
)
from clausewise.equivalence.generation.literals import odd_values, values_around
from clausewise.equivalence.generation.words import is_secret, is_year, texts_for
from clausewise.equivalence.generation.wrapped import judged, values_behind
from clausewise.equivalence.plan import Place, Plan
from clausewise.errors import DatabaseError, NotProfiled, ParseError
from clausewise.sql import Query, parse
from clausewise.text import quote_name

PLAIN_VALUES = 8
"""Ordinary values of one column."""
_MOST_NEAR = 200
"""Values around constants of one column; a long list of IN has more."""
_NOTHING: Final = b"no value"
_LONGEST_TEXT = 24
_LARGEST_NUMBER = 100_000
_LARGEST_MADE = 10**15
_DEFAULT_RANGE = 100
_DATES = ("2019-03-15", "2020-07-01", "2018-11-20", "2021-01-05", "2020-12-31", "2017-06-10")


@dataclass(slots=True, eq=False)
class Pool:
    """The values of one column, all in the form in which it stores them.

    `near` are those around the constants that it, or a column joined with it, is compared with;
    `odd` differ from them in case or blanks; `plain` are ordinary ones, all different.
    """

    kind: ColumnKind
    near: list[Cell] = field(default_factory=list)
    odd: list[Cell] = field(default_factory=list)
    plain: list[Cell] = field(default_factory=list)
    nullable: bool = True
    real: list[Cell] = field(default_factory=list)
    """Frequent values of the column in the database."""
    more: list[Cell] = field(default_factory=list)
    """As many different values as were ever asked for."""


class Pools:
    """The pools of the columns of a plan's tables."""

    def __init__(self, plan: Plan, links: Sequence[QueryLinks], real_values: bool = True) -> None:
        self._plan = plan
        self._real_values = real_values
        self._columns: dict[Place, Column] = {
            (table.name, column.name): column for table in plan.tables for column in table.columns
        }
        self._groups = self._grouped(links)
        self._keys = self._key_places()
        self._made: dict[Place, Pool] = {}
        self._conditions = self._conditions_of(links)
        self._checks = self._checks_of()
        self._numbers = {place: number for number, place in enumerate(self._columns)}

    def of(self, place: Place) -> Pool:
        """Return the pool of a column, made when it is first asked for."""
        pool = self._made.get(place)
        if pool is None:
            pool = self._made[place] = self._make(place)
        return pool

    @property
    def numbered(self) -> list[Place]:
        """The groups of keys that are compared with no constant and name no years."""
        return [
            group for group in self._keys if group not in self._conditions and not is_year(group[1])
        ]

    def distinct(self, place: Place, number: int) -> Cell:
        """Return the value of a column with that number; other ones for other numbers."""
        pool = self.of(place)
        while len(pool.more) <= number:
            pool.more.append(_next_value(pool, self._columns[place].declared_type))
        return pool.more[number]

    def group(self, place: Place) -> Place:
        """Return the first of all columns that are joined or compared with one."""
        return self._groups[place]

    def _grouped(self, links: Sequence[QueryLinks]) -> dict[Place, Place]:
        pairs = [
            ((key.table, own), (key.referred_table, referred))
            for key in self._plan.keys
            for own, referred in zip(key.columns, key.referred_columns, strict=True)
        ]
        pairs += [pair for query in links for pair in places_linked(query)]
        return grouped(self._columns, pairs)

    def _key_places(self) -> dict[Place, None]:
        """Return what stands for the groups of columns that identify or refer to rows."""
        found: dict[Place, None] = {}
        for key in self._plan.keys:
            found.update((self.group((key.table, column)), None) for column in key.columns)
        for table in self._plan.tables:
            if len(table.primary_key) == 1:
                found[self.group((table.name, table.primary_key[0]))] = None
        return found

    def _conditions_of(self, links: Sequence[QueryLinks]) -> dict[Place, list[Condition]]:
        """Return for each group the comparisons of its columns with constants."""
        found: dict[Place, list[Condition]] = {}
        for query in links:
            for condition in query.conditions:
                group = self._groups[query.place(condition.variable)]
                found.setdefault(group, []).append(condition)
        return found

    def _make(self, place: Place) -> Pool:
        group = self._groups[place]
        conditions = self._conditions.get(group)
        checks = self._checks.get(place, ())
        if not checks and conditions is None and group not in self._keys and group == place:
            return self._ordinary(place)
        column = self._columns[place]
        pool = replace(self._ordinary(place), near=[], odd=[], plain=[], more=[])
        for value in islice(_near_values([*(conditions or ()), *checks]), _MOST_NEAR):
            _add(pool.near, value, column, pool.kind)
        constants: list[Cell] = []
        for condition in conditions or ():
            operator = condition.comparison.operator
            for literal in condition.comparison.literals:
                constants.append(literal.value)
                if len(pool.odd) >= _MOST_NEAR:
                    continue
                for odd in odd_values(operator, literal.value):
                    if not pool.kind.is_number:
                        _add(pool.odd, odd, column, pool.kind)
        for plain in self._plain(place, pool.kind, constants):
            _add(pool.plain, plain, column, pool.kind)
        # A number that is joined with a text can hold none of the texts.
        pool.plain.extend(() if pool.plain else self._ordinary(place).plain)
        for check in checks:
            self._restrict(pool, check, place)
        # Where a CHECK allows none of them, the database refuses the rows.
        pool.plain.extend(() if pool.plain else self._ordinary(place).plain)
        return pool

    def _restrict(self, pool: Pool, check: Condition, place: Place) -> None:
        """Leave out the values that a CHECK does not allow."""
        declared = self._columns[place].declared_type
        table = self._plan.schema.table(place[0])
        for values in (pool.near, pool.odd, pool.plain):
            if check.comparison.wrapped and table is not None:
                met = judged(check.comparison, table, place[1], values)
            else:
                met = meets(check.comparison, values, declared)
            values[:] = [value for value, is_met in zip(values, met, strict=True) if is_met]
        pool.plain.extend(value for value in pool.near if value not in pool.plain)

    def _checks_of(self) -> dict[Place, list[Condition]]:
        """Return the comparisons with constants that a CHECK demands of a column."""
        found: dict[Place, list[Condition]] = {}
        for table, query in checks_of(self._plan):
            links = links_of(query, [table])
            demanded = [c.predicate for c in query.root.conjuncts]
            for condition in links.conditions:
                if any(predicate is condition.comparison for predicate in demanded):
                    found.setdefault((table, condition.variable[1]), []).append(condition)
        return found

    def _ordinary(self, place: Place) -> Pool:
        """Return the pool of a column that is compared with nothing; kept with the schema."""
        kept = self._plan.schema.once(_kept_pools)
        # Its number in the plan decides where the values begin, and plans differ in their tables.
        key = (place, self._numbers[place], self._real_values)
        pool = kept.get(key)
        if pool is None:
            column = self._columns[place]
            profile = self._profile(place)
            kind = kind_of(column, profile)
            pool = Pool(kind, nullable=not (column.not_null or column.primary_key))
            pool.real = readable_values(profile)
            for plain in _plain_values(place, self._numbers[place], kind, pool.real, ()):
                _add(pool.plain, plain, column, kind)
            if not pool.plain:
                pool.plain = list(range(1, PLAIN_VALUES + 1))
            kept[key] = pool
        return pool

    def _plain(self, place: Place, kind: ColumnKind, constants: Sequence[Cell]) -> list[Cell]:
        group = self._groups[place]
        if group in self._keys and not is_year(group[1]) and self._are_numbers(place, kind):
            return list(range(1, PLAIN_VALUES + 1))
        return _plain_values(
            group, self._numbers[group], kind, self._ordinary(group).real, constants
        )

    def _are_numbers(self, place: Place, kind: ColumnKind) -> bool:
        """Whether the keys of a group are numbers, also where one column stores them as text."""
        if kind.is_number or kind is ColumnKind.NUMERIC_TEXT:
            return True
        group = self._groups[place]
        members = [
            column for other, column in self._columns.items() if self._groups[other] == group
        ]
        return any(kind_of(column, None).is_number for column in members)

    def _profile(self, place: Place) -> ColumnProfile | None:
        if not self._real_values or is_secret(*place):
            return None
        try:
            return self._plan.database.profile(*place)
        except (NotProfiled, DatabaseError):
            return None


def checks_of(plan: Plan) -> Iterator[tuple[str, Query]]:
    """Yield the CHECKs of the plan's tables, each as a query that selects the rows it allows."""
    kept = plan.schema.once(_kept_checks)
    for table in plan.tables:
        if table.name not in kept:
            kept[table.name] = []
            for check in plan.constraints.checks(table.name):
                with suppress(ParseError):
                    text = f"SELECT 1 FROM {quote_name(table.name)} WHERE {check}"
                    kept[table.name].append(parse(text, "sqlite", plan.schema.names()))
        yield from ((table.name, query) for query in kept[table.name])


def _kept_checks(_schema: Schema) -> dict[str, list[Query]]:
    return {}


def _near_values(conditions: Sequence[Condition]) -> Iterator[Cell]:
    """Yield values around all constants: first those of each condition that come first."""
    streams = []
    for condition in conditions:
        operator = condition.comparison.operator
        for literal in condition.comparison.literals:
            if condition.comparison.wrapped:
                streams.append(values_behind(condition, literal.value))
            else:
                streams.append(values_around(operator, literal.value))
    for values in zip_longest(*streams, fillvalue=_NOTHING):
        yield from (value for value in values if value is not _NOTHING)


def _kept_pools(_schema: Schema) -> dict[tuple[Place, int, bool], Pool]:
    return {}


def _plain_values(
    place: Place, number: int, kind: ColumnKind, real: list[Cell], constants: Sequence[Cell]
) -> list[Cell]:
    """Return ordinary values: the database's own, then made ones; other columns begin elsewhere."""
    if kind in (ColumnKind.TEXT, ColumnKind.DATE, ColumnKind.DATETIME):
        made = _made_texts(place, kind)
    else:
        made = _made_numbers(place, number, kind, constants)
    if kind is ColumnKind.NUMERIC_TEXT:
        # As text, they sort otherwise than as numbers.
        real = [*real[:3], 9, 100, *real[3:]]
    values = list(dict.fromkeys([*real, *made]))[:PLAIN_VALUES]
    start = number % 3
    return values[start:] + values[:start]


def _next_value(pool: Pool, declared_type: str) -> Cell:
    """Return the first plain value, or else a made one, that was not given before."""
    if len(pool.more) < len(pool.plain):
        return pool.plain[len(pool.more)]
    number = len(pool.more) + 1
    while True:
        base = pool.plain[number % len(pool.plain)]
        if pool.kind in (ColumnKind.DATE, ColumnKind.DATETIME) and isinstance(base, str):
            made: Cell = f"{1900 + number}{base[4:]}"
        elif isinstance(base, str) and pool.kind is ColumnKind.TEXT:
            made = f"{base} {number}"
        else:
            made = number
        stored = stored_value(made, declared_type)
        if stored not in pool.more:
            return stored
        number += 1


def readable_values(profile: ColumnProfile | None) -> list[Cell]:
    """Return the frequent values of a column that are short and easy to read, in their order."""
    if profile is None:
        return []
    found: list[Cell] = []
    for value, _ in profile.frequent:
        if isinstance(value, str):
            is_plain = value.isprintable() and value == value.strip() != ""
            if is_plain and len(value) <= _LONGEST_TEXT:
                found.append(value)
        elif isinstance(value, int | float):
            is_short = len(f"{value:g}") <= 6 and abs(value) <= _LARGEST_NUMBER
            if is_short and f"{value:g}" == f"{value:.12g}":
                found.append(value)
    return found


def _made_texts(place: Place, kind: ColumnKind) -> list[Cell]:
    if kind is ColumnKind.DATE:
        return list(_DATES)
    if kind is ColumnKind.DATETIME:
        return [f"{day} 10:30:00" for day in _DATES]
    texts = texts_for(*place)
    return [*texts, *(f"{text} 2" for text in texts)]


def _made_numbers(
    place: Place, number: int, kind: ColumnKind, constants: Sequence[Cell]
) -> list[Cell]:
    """Return numbers within 0 and twice the largest constant; other ones for other columns."""
    if is_year(place[1]):
        return [2010 + (number + step) % 12 for step in range(PLAIN_VALUES)]
    sizes = [value for value in constants if isinstance(value, int | float)]
    top = 2 * max((abs(size) for size in sizes), default=_DEFAULT_RANGE / 2)
    top = min(max(top, 2 * PLAIN_VALUES), _LARGEST_MADE)
    dice = random.Random(number)
    values = dice.sample(range(1, int(top) + 1), min(PLAIN_VALUES, int(top)))
    if sizes and min(sizes) < 0:
        values = [*values[:4], *(-value for value in values[:4])]
    return [value + 0.5 if kind is ColumnKind.REAL and value % 2 else value for value in values]


def _add(values: list[Cell], value: Cell, column: Column, kind: ColumnKind) -> None:
    stored = stored_value(value, column.declared_type)
    is_too_large = isinstance(stored, int) and not -(2**63) <= stored < 2**63
    if is_too_large or (kind.is_number and isinstance(stored, str)):
        return
    # 1 and 1.0, True and 1 are one value here, as they are in SQL.
    if stored not in values:
        values.append(stored)
