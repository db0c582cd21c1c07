"""From rows of which some values are set to an instance that obeys types and keys."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from clausewise.databases import Cell, ForeignKey, Table
from clausewise.databases.instances import Instance, InstanceTable
from clausewise.equivalence.generation.kinds import stored_value
from clausewise.equivalence.generation.pools import Pool, Pools
from clausewise.equivalence.plan import Plan

Row = dict[str, Cell]
Part = list[tuple[str, Row]]
"""For each mention of a table in a query, its table and a row of which some values are set."""
Draft = dict[str, list[Row]]
"""Tables to rows, of which only some columns are set."""

_PASSES = 6
_REPEATS = 3
_FIRST_FREE = 0.7


@dataclass(frozen=True, slots=True)
class Style:
    """How the values that are not set are chosen; shares in [0, 1]."""

    nulls: float = 0.0
    """Share of NULL where it is allowed."""
    near: float = 0.5
    """Share of values around a constant, where the column is compared with one."""
    odd: float = 0.05
    """Share among these of other case and blanks."""
    spread: int = 8
    """Ordinary values from which a column is filled: few make ties and partners."""


@dataclass(frozen=True, slots=True)
class _Filled:
    """What is known of a table, in the form in which filling needs it."""

    table: Table
    types: dict[str, str]
    pools: dict[str, Pool]
    required: frozenset[str]
    unique: tuple[tuple[str, ...], ...]
    keys: tuple[ForeignKey, ...]
    referring: frozenset[str]
    """Columns of its foreign keys."""
    blank: frozenset[str]


class Filler:
    """Completes drafts of instances of one plan."""

    def __init__(self, plan: Plan, pools: Pools) -> None:
        self._order = [
            self._known(table, plan, pools) for table in parents_first(plan.tables, plan.keys)
        ]
        self._by_name = {known.table.name: known for known in self._order}
        self._used = plan.used
        self._pools = pools

    def complete(
        self, draft: Mapping[str, Sequence[Row]], style: Style, dice: random.Random
    ) -> Instance | None:
        """Return an instance that holds the rows of a draft, None where their keys contradict.

        Rows that a foreign key needs are added, and rows that break a unique key left out.
        """
        rows: Draft = {known.table.name: [] for known in self._order}
        for known in self._order:
            name = known.table.name
            rows[name] = _merged(draft.get(name, ()), known)
            for position in range(len(rows[name])):
                self._fill(known, position, rows, style, dice)
        for known in self._order:
            _drop_repeated(rows[known.table.name], known)
        for _ in range(_PASSES):
            if not self._add_parents(rows, style, dice):
                break
        else:
            return None
        if not all(_is_valid(rows[known.table.name], known) for known in self._order):
            return None
        return Instance.of(
            [
                InstanceTable(
                    known.table.name,
                    tuple(known.types),
                    tuple(tuple(row[column] for column in known.types) for row in found),
                )
                for known in self._order
                for found in [rows[known.table.name]]
            ]
        )

    def _known(self, table: Table, plan: Plan, pools: Pools) -> _Filled:
        names = [column.name for column in table.columns]
        keys = tuple(key for key in plan.keys if key.table == table.name)
        return _Filled(
            table,
            {column.name: column.declared_type for column in table.columns},
            {name: pools.of((table.name, name)) for name in names},
            frozenset(c.name for c in table.columns if c.not_null or c.primary_key),
            tuple(filter(None, dict.fromkeys((table.primary_key, *table.unique)))),
            keys,
            frozenset(column for key in keys for column in key.columns),
            frozenset(name for name in names if (table.name, name) in plan.blank),
        )

    def _fill(
        self, known: _Filled, position: int, rows: Draft, style: Style, dice: random.Random
    ) -> None:
        """Set every value of a row."""
        row = rows[known.table.name][position]
        for column, value in row.items():
            row[column] = stored_value(value, known.types[column])
            if row[column] is None and column in known.required:
                row[column] = dice.choice(known.pools[column].plain)
        for key in known.keys:
            if not any(column in row for column in key.columns):
                self._refer(known, row, key, rows, style, dice)
        before = rows[known.table.name][:position]
        for column in known.types:
            if column in row:
                continue
            if column in known.blank:
                row[column] = None
            elif (column,) in known.unique:
                row[column] = self._unused(known, column, rows[known.table.name], dice)
            elif (known.table.name, column) in self._used:
                row[column] = _chosen(known.pools[column], row, style, dice)
            else:
                plain = known.pools[column].plain
                row[column] = plain[len(before) % len(plain)]

    def _unused(
        self, known: _Filled, column: str, rows: Sequence[Row], dice: random.Random
    ) -> Cell:
        """Return a value for a column that no two rows share."""
        taken = [row.get(column) for row in rows]
        free = [value for value in known.pools[column].plain if value not in taken]
        if free:
            return free[0] if dice.random() < _FIRST_FREE else dice.choice(free)
        place = (known.table.name, column)
        return next(
            value
            for number in count()
            if (value := self._pools.distinct(place, number)) not in taken
        )

    def _refer(
        self,
        known: _Filled,
        row: Row,
        key: ForeignKey,
        rows: Draft,
        style: Style,
        dice: random.Random,
    ) -> None:
        """Let a row refer to one that is there, or to none."""
        is_self = key.referred_table == known.table.name
        parents = [
            parent
            for parent in rows[key.referred_table]
            if parent is not row and all(name in parent for name in key.referred_columns)
        ]
        free = not any(column in known.required for column in key.columns)
        if free and (dice.random() < style.nulls or (is_self and not parents)):
            row.update((column, None) for column in key.columns)
        elif parents:
            parent = dice.choice(parents)
            for own, referred in zip(key.columns, key.referred_columns, strict=True):
                row[own] = stored_value(parent[referred], known.types[own])

    def _add_parents(self, rows: Draft, style: Style, dice: random.Random) -> bool:
        """Add the rows to which foreign keys refer in vain; whether there were any."""
        added = False
        for known in reversed(self._order):
            for key in known.keys:
                parent = self._by_name[key.referred_table]
                types = [parent.types[name] for name in key.referred_columns]
                present = {
                    tuple(row[name] for name in key.referred_columns)
                    for row in rows[key.referred_table]
                }
                for row in list(rows[known.table.name]):
                    values = tuple(
                        stored_value(row[own], kind)
                        for own, kind in zip(key.columns, types, strict=True)
                    )
                    if None in values or values in present:
                        continue
                    fresh = dict(zip(key.referred_columns, values, strict=True))
                    rows[key.referred_table].append(fresh)
                    self._fill(parent, len(rows[key.referred_table]) - 1, rows, style, dice)
                    present.add(values)
                    added = True
        return added


def parents_first(tables: Sequence[Table], keys: Sequence[ForeignKey]) -> list[Table]:
    """Return tables in an order in which those that keys refer to come first, where one exists."""
    left = list(tables)
    ordered: list[Table] = []
    while left:
        names = {table.name for table in left}
        ready = [
            table
            for table in left
            if not any(
                key.table == table.name and key.referred_table in names - {table.name}
                for key in keys
            )
        ] or left[:1]
        ordered += ready
        left = [table for table in left if table not in ready]
    return ordered


def _merged(rows: Sequence[Row], known: _Filled) -> list[Row]:
    """Return the rows, those with the same primary key put together as one."""
    key = known.table.primary_key
    found: list[Row] = []
    by_key: dict[tuple[Cell, ...], Row] = {}
    for row in rows:
        copy = dict(row)
        if key and all(column in row for column in key):
            values = tuple(stored_value(row[column], known.types[column]) for column in key)
            same = by_key.setdefault(values, copy)
            if same is not copy:
                for column, value in copy.items():
                    same.setdefault(column, value)
                continue
        found.append(copy)
    return found


def _chosen(pool: Pool, row: Row, style: Style, dice: random.Random) -> Cell:
    """Return a value for a column; one that the row does not have elsewhere, where that is easy."""
    if pool.nullable and dice.random() < style.nulls:
        return None
    value: Cell = None
    for _ in range(_REPEATS):
        if pool.near and dice.random() < style.near:
            values = pool.odd if pool.odd and dice.random() < style.odd else pool.near
            value = values[int(len(values) * dice.random() ** 1.5)]
        else:
            value = pool.plain[int(min(style.spread, len(pool.plain)) * dice.random())]
        if value not in row.values():
            break
    return value


def _drop_repeated(rows: list[Row], known: _Filled) -> None:
    """Leave out the rows that repeat a unique key."""
    for columns in known.unique:
        seen: set[tuple[Cell, ...]] = set()
        kept = []
        for row in rows:
            values = tuple(row[column] for column in columns)
            if None in values or values not in seen:
                kept.append(row)
                seen.add(values)
        rows[:] = kept


def _is_valid(rows: Sequence[Row], known: _Filled) -> bool:
    for columns in known.unique:
        values = [tuple(row[column] for column in columns) for row in rows]
        plain = [value for value in values if None not in value]
        if len(plain) != len(set(plain)):
            return False
    return not any(row[column] is None for row in rows for column in known.required)
