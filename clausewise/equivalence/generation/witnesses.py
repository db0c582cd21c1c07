"""Rows that come into the result of a query, one for each table that it mentions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from clausewise.databases import Cell
from clausewise.equivalence.generation.conditions import meets
from clausewise.equivalence.generation.filling import Draft, Part
from clausewise.equivalence.generation.links import Condition, QueryLinks, Variable, grouped
from clausewise.equivalence.generation.pools import Pools
from clausewise.equivalence.generation.wrapped import judged
from clausewise.equivalence.plan import Plan


@dataclass(frozen=True, slots=True)
class _Class:
    """Variables that are equal in a row of the result, and the values that they may take."""

    variables: tuple[Variable, ...]
    conditions: tuple[Condition, ...]
    candidates: tuple[tuple[Cell, tuple[bool | None, ...]], ...]
    """Values, and for each comparison whether they meet it."""


class Witnesses:
    """Makes rows for one query: those that it selects, and those that it nearly selects."""

    def __init__(self, plan: Plan, links: QueryLinks, pools: Pools) -> None:
        self.links = links
        self._tables = {table.name: table for table in plan.tables}
        self._types = {
            (table.name, column.name): column.declared_type
            for table in plan.tables
            for column in table.columns
        }
        self._pools = pools
        self._always = self._classes(())
        self._also = self._classes(links.may) if links.may else self._always
        self.conditions = tuple(links.conditions)

    def draft(
        self,
        dice: random.Random,
        *,
        broken: Condition | None = None,
        linked: bool = False,
        parted: bool = False,
        spread: int = 8,
    ) -> Part:
        """Return a table and the values that matter for each mention of a table.

        The values meet all comparisons, except `broken`, which they do not meet. `linked` lets
        columns be equal that need not be, such as both sides of NOT IN and EXCEPT. `parted` lets
        the two sides of one join differ.
        """
        rows: Part = [(table, {}) for table in self.links.tables]
        for group in self._also if linked else self._always:
            value = self._value(group, broken, spread, dice)
            for number, column in group.variables:
                rows[number][1][column] = value
        if parted and self.links.must:
            number, column = dice.choice(dice.choice(self.links.must))
            pool = self._pools.of(self.links.place((number, column)))
            others = [value for value in pool.plain if value != rows[number][1].get(column)]
            is_null = pool.nullable and dice.random() < 0.5
            rows[number][1][column] = None if is_null else dice.choice(others or pool.plain)
        return rows

    def sibling(self, part: Part, number: int, dice: random.Random) -> Part:
        """Return a part of the same group as another, with other rows.

        What the query groups and sorts by is the same; where no comparison settles a value, it is
        the one with that number.
        """
        made = self.draft(dice)
        kept = dict.fromkeys(self.links.keyed)
        for group in self._always:
            if any(variable in kept for variable in group.variables):
                kept.update(dict.fromkeys(group.variables))
            elif not group.conditions:
                value = self._pools.distinct(self.links.place(group.variables[0]), number)
                for mention, column in group.variables:
                    made[mention][1][column] = value
        for mention, column in kept:
            row = part[mention][1]
            if column not in row:
                plain = self._pools.of(self.links.place((mention, column))).plain
                row[column] = dice.choice(plain)
            made[mention][1][column] = row[column]
        return made

    def _classes(self, more: Sequence[tuple[Variable, Variable]]) -> tuple[_Class, ...]:
        links = self.links
        pairs = [*links.must, *more]
        order = dict.fromkeys([*chain(*pairs), *(c.variable for c in links.conditions)])
        groups = grouped(order, pairs)
        members: dict[Variable, list[Variable]] = {}
        for variable in order:
            members.setdefault(groups[variable], []).append(variable)
        return tuple(self._class(tuple(variables)) for variables in members.values())

    def _class(self, variables: tuple[Variable, ...]) -> _Class:
        conditions = tuple(c for c in self.links.conditions if c.variable in variables)
        place = self.links.place(variables[0])
        pool = self._pools.of(place)
        values: list[Cell] = [*pool.near, *pool.plain]
        if pool.nullable and conditions:
            values.append(None)
        met = [self._met(condition, values) for condition in conditions]
        verdicts = zip(*met, strict=True) if met else ((),) * len(values)
        return _Class(variables, conditions, tuple(zip(values, verdicts, strict=True)))

    def _met(self, condition: Condition, values: list[Cell]) -> list[bool | None]:
        """Return for each value whether it meets a condition."""
        name, column = self.links.place(condition.variable)
        if condition.comparison.wrapped and not condition.comparison.column.in_aggregate:
            return judged(condition.comparison, self._tables[name], column, values)
        declared = self._types[name, column]
        return meets(condition.comparison, values, declared)

    def _value(
        self, group: _Class, broken: Condition | None, spread: int, dice: random.Random
    ) -> Cell:
        """Return a value that meets as many of the comparisons as any does."""
        if not group.conditions:
            values = group.candidates[: max(1, min(spread, len(group.candidates)))]
            return dice.choice(values)[0]
        best, most = [], -1.0
        for value, met in group.candidates:
            score = 0.0
            for condition, is_met in zip(group.conditions, met, strict=True):
                if is_met is None:
                    score += 0.5
                elif is_met is (condition is not broken):
                    score += 1
            if score > most:
                best, most = [value], score
            elif score == most:
                best.append(value)
        return best[int(len(best) * dice.random() ** 1.5)]


def gathered(parts: Sequence[Part]) -> Draft:
    """Return the rows of several drafts by table."""
    rows: Draft = {}
    for part in parts:
        for table, row in part:
            rows.setdefault(table, []).append(row)
    return rows
