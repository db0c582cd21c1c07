"""The instances of a plan in the order in which they are tried: small and aimed ones first."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from clausewise.databases import Cell, Schema
from clausewise.databases.instances import Instance
from clausewise.equivalence.generation.filling import Draft, Filler, Part, Style
from clausewise.equivalence.generation.growth import Growth, target_counts
from clausewise.equivalence.generation.links import QueryLinks, links_of
from clausewise.equivalence.generation.pools import Pools
from clausewise.equivalence.generation.witnesses import Witnesses, gathered
from clausewise.equivalence.plan import Place, Plan

MOST_ROWS = 5
"""Rows of a table, unless a count in a query, or how often it mentions the table, needs more."""

_EMPTY_AT = 5
_GROWN_FROM = 3
_ODD_FROM = 20
_PLAIN_FROM = 30
_MOST_WITNESSES = 40
_MOST_IN_VAIN = 300
_MOST_GROUP = 12
_GROUP_SIZES = ((2, 1), (3, 2), (2, 2, 3), (2, 2, 3), (1, 1, 2), (2, 1, 2), (3, 1, 1))


def instances(plan: Plan, seed: int, *, real_values: bool = True) -> Iterator[Instance]:
    """Yield instances, the same ones for the same queries, schema and seed.

    They end only where no new one is found.

    Every one obeys the types, NOT NULL, and the primary, unique and foreign keys of the plan's
    tables. Small ones that are aimed at the conditions of the queries come first. `real_values`
    lets frequent values of the database's columns appear in them.
    """
    return InstanceGenerator(plan, seed, real_values=real_values).instances()


class InstanceGenerator:
    """Makes the instances of one plan; `pools` are the values that it uses."""

    def __init__(self, plan: Plan, seed: int, *, real_values: bool = True) -> None:
        self._dice = random.Random(seed)
        names = [table.name for table in plan.tables]
        links = [links_of(query, names) for query in (*plan.queries, *plan.views)]
        self.pools = pools = Pools(plan, links, real_values)
        self._plan = plan
        self._is_checked = any(is_checked(table.name, plan) for table in plan.tables)
        self._tables = [table.name for table in plan.tables]
        self._filler = Filler(plan, pools)
        self._witnesses = [Witnesses(plan, query, pools) for query in links]
        self._growths = [Growth(plan, query, pools) for query in links]
        self._counts = target_counts(links)
        joined = [query.place(end) for query in links for pair in query.must for end in pair]
        self._hollow = [
            place for place in plan.used if place not in joined and pools.of(place).nullable
        ]
        self._named = _names_of(links, plan)
        self._ranked = [number for number, query in enumerate(links) if query.ranked]
        mentions = [query.tables.count(name) for query in links for name in self._tables]
        self._most_rows = max([MOST_ROWS, *mentions])

    def instances(self) -> Iterator[Instance]:
        """Yield instances until no new one is found; plan and seed alone settle what comes."""
        if not self._tables:
            yield Instance(())
            return
        seen: set[Instance] = set()
        number = in_vain = 0
        while in_vain < _MOST_IN_VAIN:
            is_grown = True
            if number >= _PLAIN_FROM and number % 4 == 2:
                is_grown = False
                draft, style = self._plain()
            elif self._counts and number >= _GROWN_FROM and number % 2 == 1:
                draft, style = self._grown(number)
            elif self._ranked and number >= _GROWN_FROM and number % 4 == 0:
                draft, style = self._groups()
            else:
                is_grown = False
                draft, style = self._mixed(number)
            found = self._filler.complete(draft, style, self._dice)
            if found is not None and self._is_checked:
                found = self._valid(found)
            number += 1
            in_vain += 1
            if found is None or found in seen or not self._fits(found, is_grown):
                continue
            seen.add(found)
            in_vain = 0
            yield found

    def completed(self, draft: Draft) -> Instance | None:
        """Return a valid instance with the rows of a draft; None where there is none."""
        found = self._filler.complete(draft, Style(), self._dice)
        return self._valid(found) if found is not None and self._is_checked else found

    def _valid(self, instance: Instance) -> Instance | None:
        """Return the instance with its generated columns, None where it breaks a constraint."""
        whole = self._plan.constraints.completed(instance)
        return None if self._plan.constraints.violations(whole) else whole

    def _fits(self, instance: Instance, is_grown: bool) -> bool:
        return is_grown or instance.most_rows <= self._most_rows

    def _mixed(self, number: int) -> tuple[Draft, Style]:
        """Return rows of a few witnesses, changed a little."""
        if number == _EMPTY_AT:
            return {}, Style()
        dice = self._dice
        style = Style(
            nulls=(0.0, 0.15, 0.0, 0.3)[number % 4],
            odd=0.0 if number < _ODD_FROM else 0.2,
            spread=(8, 2, 8, 3)[number % 4],
        )
        parts = []
        for _ in range(1 + min(number // 6, 3)):
            which = int(len(self._witnesses) * dice.random())
            part = self._part(which, style)
            if number > 2 and dice.random() < 0.3:
                part = self._growths[which].repeated(part, 2 + int(2 * dice.random()), dice)
            parts.append(part)
        rows = gathered(parts)
        if number > 2 and dice.random() < 0.3:
            rows.pop(dice.choice(self._tables), None)
        if dice.random() < 0.2:
            rows.setdefault(dice.choice(self._tables), []).append({})
        return {table: some[: self._most_rows] for table, some in rows.items()}, style

    def _plain(self) -> tuple[Draft, Style]:
        """Return rows of which nothing is set: chance meets what no recipe was written for."""
        dice = self._dice
        style = Style(nulls=dice.choice((0.0, 0.1, 0.3)), spread=dice.choice((1, 2, 3)))
        return {
            table: [{} for _ in range(dice.randint(0, self._most_rows))] for table in self._tables
        }, style

    def _grown(self, number: int) -> tuple[Draft, Style]:
        """Return rows of which one is repeated as often as a count in a query asks for."""
        dice = self._dice
        count = self._counts[(number // 2) % len(self._counts)]
        style = Style(nulls=dice.choice((0.0, 0.0, 0.25)), spread=dice.choice((8, 2)))
        which = int(len(self._witnesses) * dice.random())
        chance = dice.random()
        if chance < 0.4 and len(self._growths[which].thresholds) > 1:
            parts = [self._growths[which].reached(self._part(which, style, 0.0), dice)]
        elif chance < 0.5 and count <= _MOST_WITNESSES:
            first = self._part(which, style, 0.0)
            witness = self._witnesses[which]
            parts = [first, *(witness.sibling(first, n, dice) for n in range(1, count))]
        elif chance < 0.6 and count <= _MOST_WITNESSES:
            parts = [self._part(which, style, 0.0) for _ in range(count)]
        else:
            part = self._part(which, style, 0.0)
            parts = [self._growths[which].repeated(part, count, dice)]
        if dice.random() < 0.4:
            parts.append(self._part(which, style))
        return gathered(parts), style

    def _groups(self) -> tuple[Draft, Style]:
        """Return groups of different sizes, for queries that take only some of them."""
        dice = self._dice
        style = Style(nulls=dice.choice((0.0, 0.0, 0.2)), spread=dice.choice((8, 1, 2, 3)))
        which = dice.choice(self._ranked)
        by_rows = dice.random() < 0.6
        parts: list[Part] = []
        names: dict[Place, Cell] = {}
        sizes: tuple[int, ...] = dice.choice(_GROUP_SIZES)
        asked = [count for count, _ in self._growths[which].thresholds if 2 <= count <= _MOST_GROUP]
        if asked and dice.random() < 0.4:
            sizes = (dice.choice(asked) + dice.choice((0, 1)),) * 2
        number = 0
        hollow = dice.choice(self._hollow) if self._hollow and dice.random() < 0.3 else None
        for place, size in enumerate(sizes):
            is_shared = place < 2 <= sizes[0]
            # Keys of groups differ, however few values there are for what is not a key.
            part = self._part(which, Style(), 0.1, parting=0.0 if is_shared else 0.2)
            if is_shared:
                self._share_names(part, names)
            for table, row in part:
                if place == 0 and hollow is not None and table == hollow[0]:
                    row[hollow[1]] = None
            if by_rows:
                parts.append(self._growths[which].repeated(part, size, dice) if size > 1 else part)
                continue
            parts.append(part)
            for _ in range(size - 1):
                number += 1
                parts.append(self._witnesses[which].sibling(part, number, dice))
        return gathered(parts), style

    def _share_names(self, part: Part, names: dict[Place, Cell]) -> None:
        """Let columns that some query groups by hold one value in several groups."""
        for table, row in part:
            for column in self._named.get(table, ()):
                if column not in row and self._dice.random() < 0.8:
                    pool = self.pools.of((table, column))
                    row[column] = names.setdefault((table, column), self._dice.choice(pool.plain))

    def _part(self, which: int, style: Style, breaking: float = 0.5, parting: float = 0.1) -> Part:
        dice = self._dice
        witness = self._witnesses[which]
        is_broken = witness.conditions and dice.random() < breaking
        broken = dice.choice(witness.conditions) if is_broken else None
        return witness.draft(
            dice,
            broken=broken,
            linked=dice.random() < 0.5,
            parted=dice.random() < parting,
            spread=style.spread,
        )


def _names_of(links: Sequence[QueryLinks], plan: Plan) -> dict[str, list[str]]:
    """Return for each table the columns that a query groups or sorts by and that are no keys."""
    found: dict[str, list[str]] = {}
    keys = {
        (table.name, column)
        for table in plan.tables
        for columns in (table.primary_key, *table.unique)
        for column in columns
    }
    for query in links:
        for variable in query.keyed:
            table, column = query.place(variable)
            if (table, column) not in keys and column not in found.get(table, ()):
                found.setdefault(table, []).append(column)
    return found


def is_checked(table: str, plan: Plan) -> bool:
    """Whether a table has constraints that only the database itself can judge."""
    kept = plan.schema.once(_kept_answers)
    if table not in kept:
        known = plan.constraints
        kept[table] = bool(known.checks(table) or known.generated(table) or known.collations(table))
    return kept[table]


def _kept_answers(_schema: Schema) -> dict[str, bool]:
    return {}
