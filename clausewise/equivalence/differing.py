"""Whether two outcomes differ for certain, under the conventions of a comparison.

The rule in short. Two outcomes differ in their rows only where no possible result of one is a
possible result of the other. A result without open points is one bag of rows; ties under the
outermost LIMIT make it a set of bags: the sure rows, and so many rows of the choice as are missing.
Two such sets have a bag in common where the sure rows of both fit into what both may hold. With any
other open point nothing is said.

The order differs only where all possible lists of one query differ from all of the other: some row
comes strictly before another in every list of the one and strictly behind it in every list of the
other, or both have one list each. A query without ORDER BY promises no order at all; it is taken at
its word on this instance: its rows, as the database gave them with the instance's rows in their
order or reversed, must contradict the strict order of the other query.

Numbers: two integers are equal where they are the same; where one of two numbers is not an integer,
they are equal that agree in so many digits, or both lie within 1e-9 of 0 of each other, and so are
all in a chain of such numbers, since sums of floating-point numbers depend on the order of rows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from clausewise.databases import Cell
from clausewise.equivalence.model import Conventions, DifferenceKind, OrderRule
from clausewise.equivalence.results import QueryOutcome, Row

_MOST_PERMUTATIONS = 720
"""Orders of columns that are tried; with more left, nothing is said."""
_NOISE = 1e-9
"""Numbers this close are equal, whatever the digits: what is left of a sum that is 0."""
_NAN = "not a number"

Plain = Callable[[Iterable[Row]], list[tuple[object, ...]]]
PlainRow = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class _Bags:
    """The possible bags of rows: `sure` of them at least, `possible` at most, `size` in all."""

    sure: Counter[PlainRow]
    possible: Counter[PlainRow]
    size: int

    def meets(self, other: _Bags, duplicates: bool) -> bool:
        """Whether a bag may be possible for both."""
        if self.is_single and other.is_single:
            if duplicates:
                return self.sure == other.sure
            return self.sure.keys() == other.sure.keys()
        if not duplicates:
            needed = {*self.sure, *other.sure}
            return needed <= self.possible.keys() & other.possible.keys()
        if self.size != other.size:
            return False
        needed_rows = self.sure | other.sure
        common = self.possible & other.possible
        return needed_rows <= common and needed_rows.total() <= self.size <= common.total()

    def columns(self, order: Sequence[int]) -> _Bags:
        """Return the same bags with other columns."""
        if list(order) == list(range(len(next(iter(self.possible), order)))):
            return self
        sure = _picked(self.sure, order)
        possible = sure if self.is_single else _picked(self.possible, order)
        return _Bags(sure, possible, self.size)

    @property
    def is_single(self) -> bool:
        return self.sure is self.possible


def difference(a: QueryOutcome, b: QueryOutcome, conventions: Conventions) -> DifferenceKind | None:
    """Return in what two outcomes differ for certain, None where they may be the same.

    A query that does not run differs from nothing. One that is indeterminate, or whose result was
    cut off at the limit of rows, differs in its number of columns alone, or in a number of rows
    that is sure. See the module for the rule.
    """
    if not (a.variants and b.variants):
        return None
    width = len(a.result.columns)
    if width != len(b.result.columns):
        return DifferenceKind.COLUMNS
    if not (_is_known(a) and _is_known(b)) or _is_one_list(a, b):
        return DifferenceKind.ROWS if _counts_differ(a, b, conventions) else None
    plain = _plain(a, b, conventions.digits)
    bags_a, bags_b = _bags(a, plain), _bags(b, plain)
    found: DifferenceKind = DifferenceKind.ROWS
    orders: Iterable[Sequence[int]] = [range(width)]
    if conventions.any_column_order and width > 1:
        orders = _column_orders(bags_a, bags_b, width, conventions.duplicates)
    for tried, order in enumerate(orders):
        if tried >= _MOST_PERMUTATIONS:
            return None
        if not bags_a.meets(bags_b.columns(order), conventions.duplicates):
            continue
        is_single = bags_a.is_single and bags_b.is_single
        if not is_single or not _order_differs(a, b, conventions, plain, order):
            return None
        found = DifferenceKind.ORDER
    return found


def _is_one_list(a: QueryOutcome, b: QueryOutcome) -> bool:
    """Whether the rows are the same at once: most pairs of results are."""
    return a.result.rows == b.result.rows and not (a.ordered or b.ordered)


def _is_known(outcome: QueryOutcome) -> bool:
    """Whether it is known which results are possible."""
    if outcome.failure or outcome.indeterminate:
        return False
    return not any(result.truncated for result in outcome.variants)


def _counts_differ(a: QueryOutcome, b: QueryOutcome, conventions: Conventions) -> bool:
    """Whether the number of rows alone tells two queries apart, whatever their values are."""
    return (
        conventions.duplicates
        and len(a.result.rows) != len(b.result.rows)
        and all(_is_known(of) or of.has_sure_count for of in (a, b))
        and not any(result.truncated for of in (a, b) for result in of.variants)
    )


def _column_orders(a: _Bags, b: _Bags, width: int, duplicates: bool) -> Iterator[Sequence[int]]:
    """Yield the orders of the columns of `b` in which each column may be that of `a`."""
    single_a = [a.columns([place]) for place in range(width)]
    single_b = [b.columns([place]) for place in range(width)]
    fits = [
        [j for j in range(width) if single_a[i].meets(single_b[j], duplicates)]
        for i in range(width)
    ]

    def extend(order: list[int]) -> Iterator[Sequence[int]]:
        if len(order) == width:
            yield list(order)
            return
        for column in fits[len(order)]:
            if column not in order:
                yield from extend([*order, column])

    return extend([])


def _bags(outcome: QueryOutcome, plain: Plain) -> _Bags:
    if outcome.pool is None:
        rows = Counter(plain(outcome.result.rows))
        return _Bags(rows, rows, len(outcome.result.rows))
    sure = Counter(plain(outcome.pool.sure))
    return _Bags(sure, sure + Counter(plain(outcome.pool.choice)), len(outcome.result.rows))


def _picked(rows: Counter[PlainRow], order: Sequence[int]) -> Counter[PlainRow]:
    picked: Counter[PlainRow] = Counter()
    for row, count in rows.items():
        picked[tuple([row[place] for place in order])] += count
    return picked


# --- order


def _order_differs(
    a: QueryOutcome, b: QueryOutcome, conventions: Conventions, plain: Plain, order: Sequence[int]
) -> bool:
    """Whether two outcomes with the same rows differ in their order for certain."""
    if conventions.order is OrderRule.NEVER or not (a.ordered or b.ordered):
        return False
    if conventions.order is OrderRule.FIRST and not a.ordered:
        return False
    ways_a = _lists(a, plain, range(len(order)))
    ways_b = list(_lists(b, plain, order))
    return any(
        _contradict(one, other, conventions.duplicates) for one in ways_a for other in ways_b
    )


def _lists(
    outcome: QueryOutcome, plain: Plain, order: Sequence[int]
) -> Iterator[list[list[PlainRow]]]:
    """Yield the lists of rows that an outcome stands for: all at once, or one by one.

    An ordered query stands for all lists between its two ranked ones. One without an order stands
    for what the database gave, on the rows in their order and reversed.
    """
    if outcome.ordered:
        if outcome.ranked is not None:
            yield [_reordered(plain(result.rows), order) for result in outcome.ranked]
        return
    for result in (outcome.result, outcome.flipped):
        if result is not None and not result.truncated:
            yield [_reordered(plain(result.rows), order)]


def _reordered(rows: list[PlainRow], order: Sequence[int]) -> list[PlainRow]:
    if list(order) == list(range(len(order))):
        return rows
    return [tuple([row[place] for place in order]) for row in rows]


def _contradict(one: list[list[PlainRow]], other: list[list[PlainRow]], duplicates: bool) -> bool:
    """Whether two distinct rows are strictly ordered one way by one and the other by the other."""
    if duplicates and one[0] == one[-1] and other[0] == other[-1]:
        return one[0] != other[0]
    extents_one, extents_other = _extents(one), _extents(other)
    # By where rows end in `other`: of those behind which a row begins, the last to begin in `one`.
    ending = sorted(extents_other, key=lambda row: extents_other[row][1])
    latest, done = -1, 0
    for row in sorted(extents_other, key=lambda row: extents_other[row][0]):
        while extents_other[ending[done]][1] < extents_other[row][0]:
            latest = max(latest, extents_one.get(ending[done], (-1, 0))[0])
            done += 1
        if row in extents_one and latest > extents_one[row][1]:
            return True
    return False


def _extents(lists: list[list[PlainRow]]) -> dict[PlainRow, tuple[int, int]]:
    """Return the first and the last place of each row in any of the lists."""
    found: dict[PlainRow, tuple[int, int]] = {}
    for rows in lists:
        for place, row in enumerate(rows):
            first, last = found.get(row, (place, place))
            found[row] = min(first, place), max(last, place)
    return found


# --- cells


def _plain(a: QueryOutcome, b: QueryOutcome, digits: int) -> Plain:
    """Return what makes rows comparable: equal numbers become the same number."""
    numbers: dict[int | float, bool] = {}
    has_floats = False
    for rows in _all_rows(a, b):
        for row in rows:
            for cell in row:
                if isinstance(cell, float):
                    has_floats = numbers[cell] = True
                elif isinstance(cell, int):
                    numbers.setdefault(cell, False)
    if not has_floats:
        return _as_they_are
    same = _chained(numbers, digits)

    def plain(rows: Iterable[Row]) -> list[PlainRow]:
        return [tuple([_plain_cell(cell, same) for cell in row]) for row in rows]

    return plain


def _as_they_are(rows: Iterable[Row]) -> list[PlainRow]:
    return list(rows)


def _all_rows(a: QueryOutcome, b: QueryOutcome) -> Iterator[Sequence[Row]]:
    for outcome in (a, b):
        for result in (*outcome.variants, *(outcome.ranked or ()), outcome.flipped):
            if result is not None:
                yield result.rows
        if outcome.pool is not None:
            yield outcome.pool.sure
            yield outcome.pool.choice


def _plain_cell(cell: Cell, same: dict[int | float, int | float]) -> object:
    if isinstance(cell, float) and math.isnan(cell):
        return float, _NAN  # no cell of a result is a pair
    return same[cell] if isinstance(cell, int | float) else cell


def _chained(numbers: Mapping[int | float, bool], digits: int) -> dict[int | float, int | float]:
    """Map each number to the least of those that it is equal to, directly or through others.

    `numbers` says of each whether it comes as a floating-point number anywhere.
    """
    same: dict[int | float, int | float] = {}
    before: int | float | None = None
    for number in sorted(number for number in numbers if not math.isnan(number)):
        if (
            before is not None
            and (numbers[before] or numbers[number])
            and _agree(before, number, digits)
        ):
            same[number] = same[before]
        else:
            same[number] = number
        before = number
    return same


def _agree(one: int | float, other: int | float, digits: int) -> bool:
    if math.isinf(one) or math.isinf(other):
        return False
    size = max(abs(one), abs(other))
    return abs(one - other) <= max(_NOISE, size * 10.0 ** (1 - digits) / 2)
