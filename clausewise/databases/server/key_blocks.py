"""Blocks of rows of a server's large table, by ranges of its primary key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from clausewise.databases.model import Table
from clausewise.databases.sampling import BLOCK_ROWS, BLOCKS, KeyRange, spread_ranges

_BATCH = 100
"""Keys that are looked up by one statement."""


@dataclass(frozen=True, slots=True)
class KeyBlocks:
    """The rows of a sample, in words of the server."""

    text: str
    """A sub-query of them."""
    block: str
    """An expression for the block of a row."""
    table_rows: int
    """About how many rows the table has."""


def key_blocks(
    table: Table, quote: Callable[[str], str], rows: Callable[[str], Iterable[Any]]
) -> KeyBlocks | None:
    """Choose blocks of rows by an integer primary key, through its index.

    `rows` gives the rows of a statement. None where the table has no primary key of one integer
    column, or its values lie too unevenly.
    """
    column = table.column(table.primary_key[0]) if len(table.primary_key) == 1 else None
    if column is None or "INT" not in column.declared_type.upper().split("(")[0].split()[0]:
        return None
    name, key = quote(table.name), quote(column.name)
    ((low, high),) = rows(f"SELECT min({key}), max({key}) FROM {name}")
    if low is None:
        return None

    def next_key(keys: Sequence[int]) -> list[int | None]:
        found: dict[int, int | None] = {}
        for start in range(0, len(keys), _BATCH):
            found |= rows(
                " UNION ALL ".join(
                    f"SELECT {at}, (SELECT min({key}) FROM {name} WHERE {key} >= {at})"
                    for at in keys[start : start + _BATCH]
                )
            )
        return [found[at] for at in keys]

    def count_rows(ranges: Sequence[KeyRange]) -> int:
        ((count,),) = rows(f"SELECT count(*) FROM {_joined(name, key, ranges)}")
        return int(count)

    chosen = spread_ranges(int(low), int(high), next_key, count_rows, BLOCKS, BLOCK_ROWS)
    if chosen is None:
        return None
    step = max(1, (int(high) - int(low) + 1) // BLOCKS)
    # LIMIT: else the server merges it with the query around it, and to group by the key it reads
    # the whole key for each block.
    joined = _joined(name, key, chosen.ranges)
    text = f"(SELECT part.* FROM {joined} LIMIT {chosen.rows})"
    return KeyBlocks(text, f"floor(({key} - {int(low)}) / {step})", chosen.table_rows)


def _joined(name: str, key: str, ranges: Sequence[KeyRange]) -> str:
    """Return a join that looks each range up: as conditions, all are compared with every row."""
    (first, last), *others = ranges
    listed = f"SELECT {first} AS low, {last} AS high"
    listed += "".join(f" UNION ALL SELECT {low}, {high}" for low, high in others)
    return (
        f"({listed}) AS block STRAIGHT_JOIN {name} AS part FORCE INDEX (PRIMARY) "
        f"ON part.{key} BETWEEN block.low AND block.high"
    )
