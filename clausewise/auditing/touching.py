"""What a query does with each column that it uses, as far as faults of the data can change it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from clausewise.sql.model import ColumnUse, Comparison, JoinPair, Query, Select
from clausewise.types import ClauseSpan

_EQUALITIES = ("=", "<>", "IN")
_BY_SIZE = ("<", "<=", ">", ">=", "BETWEEN")
_EXTREMES = ("min", "max")


class Touched(StrEnum):
    """How a column is used."""

    EQUALS = "equals"
    """Compared with texts for being equal."""
    ORDERED = "ordered"
    """Ordered by, compared by size, or its smallest or largest value taken."""
    GROUPED = "grouped"
    """Grouped by, counted or shown once."""
    PRESENT = "present"
    """Tested for being missing, or its present values counted."""
    COMPUTED = "computed"
    """Compared after a function or a calculation."""


@dataclass(frozen=True, slots=True)
class Touch:
    """One use of a column of a base table; `texts` are those that it is compared with."""

    table: str
    column: str
    how: Touched
    clause: ClauseSpan
    texts: tuple[str, ...] = ()
    ignores_case: bool = False


def touched_columns(query: Query) -> list[Touch]:
    """Return every use of a column that a fault of its values can change, each once."""
    found: dict[Touch, None] = {}
    for select in query.selects:
        for touch in _of_select(select):
            found.setdefault(touch)
    return list(found)


def joined_columns(query: Query) -> list[JoinPair]:
    """Return the equalities between columns of two base tables, by which rows are joined."""
    return [
        pair
        for select in query.selects
        for pair in select.join_pairs
        if pair.operator == "="
        and pair.left.table
        and pair.left.column
        and pair.right.table
        and pair.right.column
    ]


def _of_select(select: Select) -> Iterator[Touch]:
    for comparison in select.comparisons:
        yield from _compared(comparison)
    for use in select.group_columns:
        yield from _touch(use, Touched.GROUPED)
    if select.distinct:
        for projection in select.projections:
            if projection.column is not None:
                yield from _touch(projection.column, Touched.GROUPED)
    for item in select.order_by:
        if item.column is not None:
            yield from _touch(item.column, Touched.ORDERED)
    for aggregate in select.aggregates:
        if aggregate.argument is None:
            continue
        if aggregate.function in _EXTREMES:
            yield from _touch(aggregate.argument, Touched.ORDERED)
        elif aggregate.function == "count":
            yield from _touch(aggregate.argument, Touched.PRESENT)
            if aggregate.distinct:
                yield from _touch(aggregate.argument, Touched.GROUPED)


def _compared(comparison: Comparison) -> Iterator[Touch]:
    use, operator = comparison.column, comparison.operator
    if operator == "IS":
        yield from _touch(use, Touched.PRESENT, comparison.clause)
        return
    if comparison.wrapped:
        yield from _touch(use, Touched.COMPUTED, comparison.clause)
        return
    if operator in _BY_SIZE:
        yield from _touch(use, Touched.ORDERED, comparison.clause)
        return
    texts = tuple(item.value for item in comparison.literals if isinstance(item.value, str))
    if operator == "LIKE":
        texts = tuple(text for text in texts if not set(text) & {"%", "_"})
    elif operator not in _EQUALITIES:
        return
    if texts:
        yield from _touch(use, Touched.EQUALS, comparison.clause, texts, operator == "LIKE")


def _touch(
    use: ColumnUse,
    how: Touched,
    clause: ClauseSpan | None = None,
    texts: tuple[str, ...] = (),
    ignores_case: bool = False,
) -> Iterator[Touch]:
    if use.table is None or use.column is None:
        return
    span = clause or ClauseSpan(use.clause, use.piece.text, use.piece.start, use.piece.end)
    yield Touch(use.table, use.column, how, span, texts, ignores_case)
