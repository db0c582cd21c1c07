"""More rows where a count in a query, of HAVING, LIMIT or OFFSET, needs them."""

from __future__ import annotations

import random
from collections.abc import Sequence

from clausewise.databases import Cell
from clausewise.equivalence.generation.filling import Part
from clausewise.equivalence.generation.links import QueryLinks
from clausewise.equivalence.generation.pools import Pools
from clausewise.equivalence.plan import Plan


def target_counts(links: Sequence[QueryLinks]) -> list[int]:
    """Return the counts of rows just below, at and above each threshold of the queries."""
    found: dict[int, None] = {}
    for query in links:
        thresholds = [threshold for threshold, _ in query.thresholds]
        for threshold in thresholds:
            found.update((count, None) for count in (threshold + 1, threshold, threshold - 1))
        if len(thresholds) == 2:
            # LIMIT with OFFSET.
            found[sum(thresholds) + 1] = None
    return [count for count in found if count > 1]


class Growth:
    """Repeats rows of one query's part of a draft."""

    def __init__(self, plan: Plan, links: QueryLinks, pools: Pools) -> None:
        self._links = links
        self._pools = pools
        self._tables = {table.name: table for table in plan.tables}
        self._used = plan.used
        self._joined = {end for pair in links.must for end in pair}
        self._fixed = {*self._joined, *links.keyed, *(c.variable for c in links.conditions)}
        self._kept = {*self._joined, *(c.variable for c in links.conditions)}

    @property
    def thresholds(self) -> list[tuple[int, tuple[int, ...]]]:
        """The counts of rows at which the result changes, with the mentions that are counted."""
        return self._links.thresholds

    def reached(self, part: Part, dice: random.Random) -> Part:
        """Return the part with a row repeated for each threshold, as often as it asks for."""
        found = part
        for threshold, mentions in self._links.thresholds:
            grown = self.repeated(part, threshold + dice.choice((0, 1)), dice, mentions)
            # Mentions keep their places, so the copies of one row come behind all rows.
            found = [*found, *(row for row in grown if not any(row is old for old in part))]
        return found

    def repeated(
        self, part: Part, count: int, dice: random.Random, among: Sequence[int] | None = None
    ) -> Part:
        """Return the part with one of its rows repeated, so that there are `count` of them.

        The copies agree in what joins, groups and selects them, and sometimes in all that the
        keys allow. Where every row is held by its key, the part comes back as it is. Only rows of
        the mentions `among` are repeated, where it is given.
        """
        numbers = range(len(part)) if among is None else among
        able = [number for number in numbers if self._free_keys(number) is not None]
        if not able:
            return part
        number = dice.choice(able)
        free = self._free_keys(number) or ()
        table, row = part[number]
        is_alike = dice.random() < 0.4
        kept = self._fixed if dice.random() < 0.8 else self._kept
        first = dict(row)
        for column in self._tables[table].columns:
            variable = (number, column.name)
            is_set = column.name in row or column.name in free
            if not is_set and (is_alike or variable in kept) and (table, column.name) in self._used:
                first[column.name] = self._value(table, column.name, dice)
        copies = [first]
        for copy in range(1, count):
            fresh = {name: value for name, value in first.items() if name not in free}
            if not is_alike:
                for column in self._tables[table].columns:
                    place = (table, column.name)
                    if column.name not in fresh and place in self._used and column.name not in free:
                        fresh[column.name] = self._pools.distinct(place, copy)
            for name in free:
                fresh[name] = self._pools.distinct((table, name), copy)
            copies.append(fresh)
        return [*part[:number], *((table, copy) for copy in copies), *part[number + 1 :]]

    def _value(self, table: str, column: str, dice: random.Random) -> Cell:
        return dice.choice(self._pools.of((table, column)).plain)

    def _free_keys(self, number: int) -> tuple[str, ...] | None:
        """Return the columns of unique keys that copies must not share.

        None where a key leaves no column free to differ.
        """
        table = self._tables[self._links.tables[number]]
        free: dict[str, None] = {}
        for columns in (table.primary_key, *table.unique):
            able = [name for name in columns if (number, name) not in self._joined]
            if columns and not able:
                return None
            # Copies stay in one group where another column of the key can tell them apart.
            best = [name for name in able if (number, name) not in self._fixed]
            free.update((name, None) for name in best or able)
        return tuple(free)
