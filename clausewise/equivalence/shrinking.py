"""Delta debugging: from an instance that tells two queries apart to a minimal one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from clausewise.databases import Cell, ForeignKey
from clausewise.databases.instances import Instance, InstanceTable
from clausewise.equivalence.generation.kinds import stored_value
from clausewise.equivalence.generation.pools import Pools
from clausewise.equivalence.plan import Place, Plan

MOST_TRIES = 300
"""Instances on which the queries are run to make one smaller."""
_MOST_VALUES = 40

Tells = Callable[[Instance], bool]
Rows = dict[str, list[tuple[Cell, ...]]]


def shrunk(
    instance: Instance, tells: Tells, plan: Plan, pools: Pools, most_tries: int = MOST_TRIES
) -> Instance:
    """Return an instance that still tells, from which no single row can be taken.

    A row is taken with the rows that refer to it. Then NULLs and values of odd spelling become
    ordinary ones where the instance still tells. `tells` is asked at most `most_tries` times;
    the instance that is given must tell.

    See Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002.
    """
    return _Shrinking(instance, tells, plan, pools, most_tries).result()


class _Shrinking:
    def __init__(
        self, instance: Instance, tells: Tells, plan: Plan, pools: Pools, most_tries: int
    ) -> None:
        self._best = instance
        self._tells = tells
        self._plan = plan
        self._pools = pools
        self._left = most_tries
        self._seen: set[Instance] = {instance}
        self._types = {
            (table.name, column.name): column.declared_type
            for table in plan.tables
            for column in table.columns
        }

    def result(self) -> Instance:
        while self._take_rows():
            pass
        self._simplify()
        self._number()
        return self._best

    def _try(self, candidate: Instance) -> bool:
        if candidate in self._seen or self._left <= 0:
            return False
        self._seen.add(candidate)
        self._left -= 1
        if not self._tells(candidate):
            return False
        self._best = candidate
        return True

    def _take_rows(self) -> bool:
        """Take rows from each table, many at once first; whether any could be taken."""
        any_taken = False
        for name in [table.name for table in self._best.tables]:
            size = len(self._best.table(name).rows)
            while size >= 1:
                start = 0
                while start < len(self._best.table(name).rows):
                    if self._try(self._without(name, start, start + size)):
                        any_taken = True
                    else:
                        start += size
                size //= 2
        return any_taken

    def _without(self, name: str, start: int, end: int) -> Instance:
        rows: Rows = {table.name: list(table.rows) for table in self._best.tables}
        del rows[name][start:end]
        places = {table.name: table.columns for table in self._best.tables}
        changed = True
        while changed:
            changed = False
            for key in self._plan.keys:
                kept = self._referring(rows, places, key)
                changed = changed or len(kept) < len(rows[key.table])
                rows[key.table] = kept
        return self._best.with_rows(rows)

    def _referring(
        self, rows: Rows, columns: dict[str, tuple[str, ...]], key: ForeignKey
    ) -> list[tuple[Cell, ...]]:
        """Return the rows of a table whose foreign key refers to a row, or to none."""
        own = [columns[key.table].index(name) for name in key.columns]
        referred = [columns[key.referred_table].index(name) for name in key.referred_columns]
        types = [self._types[key.referred_table, name] for name in key.referred_columns]
        present = {tuple(row[place] for place in referred) for row in rows[key.referred_table]}
        kept = []
        for row in rows[key.table]:
            values = tuple(
                stored_value(row[place], kind) for place, kind in zip(own, types, strict=True)
            )
            if None in values or values in present:
                kept.append(row)
        return kept

    def _simplify(self) -> None:
        """Put ordinary values in the place of NULL and of odd spellings."""
        self._left = min(self._left, _MOST_VALUES)
        keyed = {
            place
            for key in self._plan.keys
            for place in (
                *((key.table, name) for name in key.columns),
                *((key.referred_table, name) for name in key.referred_columns),
            )
        } | self._plan.blank
        for table in self._best.tables:
            for number, column in enumerate(table.columns):
                place = (table.name, column)
                if place in keyed:
                    continue
                for row in range(len(table.rows)):
                    self._simplify_value(table, row, number)

    def _number(self) -> None:
        """Let keys that are numbers count from 1, in their order, where nothing depends on them."""
        mapped: dict[Place, dict[str, int]] = {}
        for group in self._pools.numbered:
            values = [
                row[place]
                for table in self._best.tables
                for place, column in enumerate(table.columns)
                if self._pools.group((table.name, column)) == group
                for row in table.rows
            ]
            texts = dict.fromkeys(str(value) for value in values if value is not None)
            if all(text.isdecimal() for text in texts):
                order = sorted(texts, key=int)
                mapped[group] = {text: number for number, text in enumerate(order, 1)}
        rows: Rows = {
            table.name: [
                tuple(
                    self._numbered(value, (table.name, column), mapped)
                    for value, column in zip(row, table.columns, strict=True)
                )
                for row in table.rows
            ]
            for table in self._best.tables
        }
        self._try(self._best.with_rows(rows))

    def _numbered(self, value: Cell, place: Place, mapped: dict[Place, dict[str, int]]) -> Cell:
        numbers = mapped.get(self._pools.group(place))
        if numbers is None or value is None:
            return value
        return stored_value(numbers[str(value)], self._types[place])

    def _simplify_value(self, table: InstanceTable, row: int, column: int) -> None:
        value = self._best.table(table.name).rows[row][column]
        pool = self._pools.of((table.name, table.columns[column]))
        if value is not None and value not in pool.odd:
            return
        taken = [other[column] for other in self._best.table(table.name).rows]
        for simple in _simpler(value, [*pool.near[:2], *pool.plain[:3]], taken):
            rows = list(self._best.table(table.name).rows)
            rows[row] = (*rows[row][:column], simple, *rows[row][column + 1 :])
            if self._try(self._best.with_rows({table.name: rows})):
                return


def _simpler(value: Cell, ordinary: Sequence[Cell], taken: Sequence[Cell]) -> Iterator[Cell]:
    """Yield ordinary values that no row has, at most two; the nearest spelling first."""
    free = [other for other in ordinary if other not in taken]
    if isinstance(value, str):
        folded = value.strip().casefold()
        free.sort(key=lambda other: not (isinstance(other, str) and other.casefold() == folded))
    yield from free[:2]
