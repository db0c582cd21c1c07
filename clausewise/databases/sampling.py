"""Samples of large tables: which rows are read, and how far a share may be from that of all rows.

A sample is many small blocks of consecutive rows at evenly spread places of an integer key, so
that it is read through the key's index. Rows that stand together are alike, so such a sample says
less than as many rows drawn one by one: how much less, the design effect, is worked out from the
blocks themselves, with the variance of a ratio of cluster totals (W. G. Cochran, Sampling
Techniques, 3rd edition, section 9A.2). The interval of a share is Wilson's, with the rows divided
by the design effect.

Nothing is drawn at random: the place of a block within its part of the key moves by the golden
ratio from one to the next, so that no period in the data meets the period of the blocks, and all
rows are equally likely to be read.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

BLOCKS = 2_000
"""Places at which a large table is read."""
BLOCK_ROWS = 50
"""About how many consecutive rows are read at each of them."""
SAMPLE_ROWS = BLOCKS * BLOCK_ROWS

_Z = 1.959964
"""Half-width of the 95 % interval of the normal distribution, in standard deviations."""
_GOLDEN = (math.sqrt(5) - 1) / 2
_ROUNDS = 8
_LEAST_PART, _MOST_PART = 0.25, 3.0
"""How far, as a share of what was wanted, the number of rows in all blocks may be off."""

KeyRange = tuple[int, int]
"""The first and the last key of a block, both within it."""
Chosen = Literal["blocks", "rows", "first"]


@dataclass(frozen=True, slots=True)
class RowSample:
    """Which part of a large table a profile was made from."""

    table_rows: int | None
    """Rows of the whole table, None where that is not known."""
    estimated: bool
    """Whether `table_rows` is an estimate."""
    chosen: Chosen
    """`blocks` or single `rows`: spread over the table; `first`: the first, maybe unlike it."""
    blocks: int = 0
    """How many blocks of consecutive rows were read."""
    design_effect: float | None = None
    """How many rows of the sample say as much as one drawn by itself; None: no error is known."""
    is_key: bool = False
    """Whether the column by itself is declared unique."""

    def interval(self, share: float, rows: int) -> tuple[float, float] | None:
        """Return the 95 % interval of the share, in [0, 1], of all rows; Wilson's.

        `share` is that of the sample, `rows` how many rows the sample has. It holds for a value
        that was chosen without a look at the sample: of many rare values those that are the most
        frequent in the sample are less frequent in the table, and for them `margin(0.5, rows)`
        is the error. None where the sample does not say: it is the first rows, or empty.
        """
        if self.design_effect is None or rows <= 0:
            return None
        count = rows / self.design_effect
        middle = (share + _Z**2 / (2 * count)) / (1 + _Z**2 / count)
        spread = math.sqrt(share * (1 - share) / count + _Z**2 / (4 * count**2))
        half = _Z * spread / (1 + _Z**2 / count)
        return max(0.0, middle - half), min(1.0, middle + half)

    def margin(self, share: float, rows: int) -> float | None:
        """Return how far the share of all rows may be from that of the sample, at 95 %."""
        limits = self.interval(share, rows)
        return None if limits is None else max(share - limits[0], limits[1] - share)

    def missed(self, share: float, rows: int) -> float | None:
        """Return the probability, in [0, 1], that no row of such a share of all is in the sample.

        It takes the rows to stand together as the column's frequent values do.
        """
        if self.design_effect is None:
            return None
        return float((1 - share) ** (rows / self.design_effect))

    def stated(self, rows: int) -> str:
        """Return which rows were read, and the error, in words."""
        of = "a table whose rows were not counted"
        if self.table_rows is not None:
            of = f"{'about ' * self.estimated}{self.table_rows:,} rows"
        if self.chosen == "first":
            return f"the first {rows:,} of {of}, which may be unlike the others"
        half = self.margin(0.5, rows)
        error = "" if half is None else f", shares ± {100 * half:.1f} percentage points or less"
        return f"a sample of {rows:,} of {of}{error}"


@dataclass(frozen=True, slots=True)
class KeyRanges:
    """The blocks of a sample."""

    ranges: tuple[KeyRange, ...]
    rows: int
    """Rows within them."""
    table_rows: int
    """About how many rows the table has."""


def spread_ranges(
    low: int,
    high: int,
    next_key: Callable[[Sequence[int]], Sequence[int | None]],
    count_rows: Callable[[Sequence[KeyRange]], int],
    blocks: int = BLOCKS,
    block_rows: int = BLOCK_ROWS,
) -> KeyRanges | None:
    """Choose blocks of rows, evenly over an integer key from `low` to `high`.

    `next_key` gives, for each of some keys in ascending order, the smallest key of the table that
    is not less, None where there is none; `count_rows` counts the rows in ranges. Stretches
    without rows are passed over. None where the keys lie so unevenly that no even spread of
    blocks is near the rows wanted.
    """
    parts = _occupied_parts(low, high, next_key, blocks)
    length = parts[0][1] - parts[0][0] + 1
    each = max(1, blocks // len(parts))
    wanted = each * len(parts) * block_rows
    keys = block_rows
    ranges: tuple[KeyRange, ...] = ()
    rows = 0
    for _ in range(_ROUNDS):
        keys = max(1, min(keys, length // each))
        ranges = _blocks(parts, each, keys)
        rows = count_rows(ranges)
        if _LEAST_PART * wanted <= rows <= _MOST_PART * wanted:
            looked_at = sum(last - first + 1 for first, last in ranges)
            whole = sum(last - first + 1 for first, last in parts)
            return KeyRanges(ranges, rows, round(rows * whole / looked_at))
        if (rows < wanted and keys >= length // each) or (rows > wanted and keys == 1):
            return None
        keys = math.ceil(keys * wanted / rows) if rows else keys * block_rows
    return None


def _occupied_parts(
    low: int,
    high: int,
    next_key: Callable[[Sequence[int]], Sequence[int | None]],
    blocks: int,
) -> list[KeyRange]:
    """Cut the key into equal parts, and again those that hold a row, until most of them do."""
    parts = [(low, high)]
    length = high - low + 1
    for _ in range(_ROUNDS):
        cuts = max(2, blocks // len(parts))
        length = -(-length // cuts)
        parts = [
            (first, min(first + length - 1, high))
            for start, end in parts
            for first in range(start, end + 1, length)
        ]
        following = next_key([first for first, _ in parts])
        held = [
            part
            for part, key in zip(parts, following, strict=True)
            if key is not None and key <= part[1]
        ]
        is_full = 2 * len(held) >= len(parts)
        parts = held
        if is_full or length == 1:
            break
    return parts


def _blocks(parts: Sequence[KeyRange], each: int, keys: int) -> tuple[KeyRange, ...]:
    """Cut each part in `each` pieces, and put a block of keys into each piece.

    A block that would leave its piece goes on at the piece's beginning, as two ranges: otherwise
    rows at the ends of the pieces would be read less often than others.
    """
    ranges: list[KeyRange] = []
    placed = 0
    for part_first, part_last in parts:
        length = part_last - part_first + 1
        for number in range(each):
            first = part_first + length * number // each
            last = part_first + length * (number + 1) // each - 1
            placed += 1
            at = first + int((last - first + 1) * (placed * _GOLDEN % 1))
            over = at + keys - 1 - last
            if over > 0 and first < at:
                ranges.append((first, min(first + over, at) - 1))
            if at <= last:
                ranges.append((at, min(at + keys - 1, last)))
    return tuple(ranges)


def design_effect(rows: Sequence[int], hits: Sequence[int]) -> float:
    """Return the variance of a share over that of as many rows drawn one by one; at least 1.

    `rows` and `hits` are those of each block, empty blocks among them; a share of 0 or 1, or a
    single block, says nothing, and gives 1.
    """
    blocks, total, found = len(rows), sum(rows), sum(hits)
    if blocks < 2 or not 0 < found < total:
        return 1.0
    share = found / total
    spread = sum((hit - share * count) ** 2 for count, hit in zip(rows, hits, strict=True))
    variance = spread * blocks / (blocks - 1) / total**2
    return max(1.0, variance / (share * (1 - share) / total))


def largest_effect(
    counted: Iterable[tuple[object, object, int]], values: Iterable[object]
) -> float:
    """Return the largest design effect of some values.

    `counted` are block, value, and the rows of that value in that block, each pair once or more.
    """
    totals: Counter[object] = Counter()
    hits: dict[tuple[type, object], Counter[object]] = {
        (type(value), value): Counter() for value in values
    }
    for block, value, rows in counted:
        totals[block] += rows
        if (type(value), value) in hits:
            hits[type(value), value][block] += rows
    rows_of = list(totals.values())
    return max(
        (design_effect(rows_of, [found[block] for block in totals]) for found in hits.values()),
        default=1.0,
    )
