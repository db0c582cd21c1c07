"""Made-up instances that are aimed at what the queries look at."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from clausewise.databases import Cell, Column, Table
from clausewise.databases.affinity import affinity
from clausewise.databases.instances import Instance, InstanceTable
from clausewise.equivalence.plan import Plan

MOST_ROWS = 5


def instances(plan: Plan, seed: int) -> Iterator[Instance]:
    """Yield instances without end; the same ones for the same queries, schema and seed."""
    dice = random.Random(seed)
    pool = _constants(plan)
    while True:
        made: dict[str, InstanceTable] = {}
        for table in _parents_first(plan):
            made[table.name] = _filled(table, plan, made, pool, dice)
        yield Instance.of(list(made.values()))


def _constants(plan: Plan) -> dict[tuple[str, str], list[Cell]]:
    """Return the constants that the queries compare each column with, and their neighbors."""
    found: dict[tuple[str, str], list[Cell]] = {}
    for query in plan.queries:
        for select in query.selects:
            for comparison in select.comparisons:
                column = comparison.column
                if column.table is None or column.column is None:
                    continue
                values = found.setdefault((column.table, column.column), [])
                for literal in comparison.literals:
                    values.append(literal.value)
                    if isinstance(literal.value, int | float):
                        values += [literal.value - 1, literal.value + 1]
    return found


def _parents_first(plan: Plan) -> Sequence[Table]:
    left = list(plan.tables)
    ordered: list[Table] = []
    while left:
        done = {table.name for table in ordered}
        ready = [
            table
            for table in left
            if all(
                key.referred_table in done or key.referred_table == table.name
                for key in plan.keys
                if key.table == table.name
            )
        ]
        take = ready or left[:1]
        ordered += take
        left = [table for table in left if table not in take]
    return ordered


def _filled(
    table: Table,
    plan: Plan,
    made: dict[str, InstanceTable],
    pool: dict[tuple[str, str], list[Cell]],
    dice: random.Random,
) -> InstanceTable:
    rows: list[tuple[Cell, ...]] = []
    unique = [table.primary_key, *table.unique] if table.primary_key else [*table.unique]
    names = [column.name for column in table.columns]
    for _ in range(dice.randint(0, MOST_ROWS)):
        row: dict[str, Cell] = {
            column.name: _value(column, pool.get((table.name, column.name), []), dice)
            for column in table.columns
        }
        for key in plan.keys:
            if key.table == table.name and key.referred_table in made:
                parent = made[key.referred_table]
                if parent.rows:
                    chosen = dice.choice(parent.rows)
                    for own, referred in zip(key.columns, key.referred_columns, strict=True):
                        row[own] = chosen[parent.columns.index(referred)]
                else:
                    row.update(dict.fromkeys(key.columns))
        cells = tuple(row[name] for name in names)
        fits = all(
            not any(all(row[c] == other[names.index(c)] for c in columns) for other in rows)
            for columns in unique
        )
        required = [c.name for c in table.columns if c.not_null or c.primary_key]
        if fits and all(row[name] is not None for name in required):
            rows.append(cells)
    return InstanceTable(table.name, tuple(names), tuple(rows))


def _value(column: Column, constants: Sequence[Cell], dice: random.Random) -> Cell:
    if constants and dice.random() < 0.6:
        return dice.choice(constants)
    if not (column.not_null or column.primary_key) and dice.random() < 0.1:
        return None
    if affinity(column.declared_type) in ("integer", "real", "numeric"):
        return dice.randint(1, 6)
    return dice.choice(["Ann", "Bob", "Cleo", "Dan"])
