"""Whether a query's result is the answer that was worked out for the question.

Both are compared as multisets of rows. What a question leaves open does not count: the order of
rows and of columns, and the names of columns. Numbers are equal that agree in six digits; a number
with many decimals, such as a quotient, may be written with two decimals or more. Texts are equal
that are the same after blanks at both ends are taken away; a text that reads as a plain number is
that number. No row at all, and one row of nothing but NULL, are the same answer: none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import islice

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from clausewise.databases.model import Cell, QueryResult
from clausewise.equivalence.outcomes import QueryOutcome

RELATIVE_TOLERANCE = 1e-6
"""Numbers that are not whole are equal within this share of the larger one."""
FEWEST_DECIMALS = 2
"""Decimals to which an answer may be rounded."""
EXACT_DECIMALS = 4
"""A computed number with no more decimals than this is not rounded in an answer."""
MOST_COLUMN_ORDERS = 200
"""Orders of columns that are tried."""

_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,17})(?:\.\d{1,17})?")
"""What is written otherwise (`007`, `1e5`) may well be a code."""

Row = tuple[Cell, ...]


def gives_answer(outcome: QueryOutcome, answer: QueryResult) -> bool:
    """Whether one of the results that a query may give is the answer; one that fails has none."""
    return any(same_answer(answer, variant) for variant in outcome.variants)


def same_answer(answer: QueryResult, computed: QueryResult) -> bool:
    """Whether a computed result is the answer, by the rules of the module."""
    if _is_none(answer.rows) and _is_none(computed.rows):
        return True
    if len(answer.rows) != len(computed.rows) or computed.truncated:
        return False
    if not answer.rows:
        return True
    if len(answer.rows[0]) != len(computed.rows[0]):
        return False
    orders = islice(_column_orders(answer.rows, computed.rows), MOST_COLUMN_ORDERS)
    return any(
        _same_bag(answer.rows, [tuple(row[at] for at in order) for row in computed.rows])
        for order in orders
    )


def same_cell(answered: Cell, computed: Cell) -> bool:
    """Whether a cell of a computed result is the one of the answer."""
    if answered is None or computed is None:
        return answered is computed
    numbers = (_number(answered), _number(computed))
    if numbers[0] is not None and numbers[1] is not None:
        return _same_number(numbers[0], numbers[1])
    if isinstance(answered, str) and isinstance(computed, str):
        return answered.strip() == computed.strip()
    return answered == computed


def _is_none(rows: Sequence[Row]) -> bool:
    return not rows or (len(rows) == 1 and all(cell is None for cell in rows[0]))


def _column_orders(
    answered: Sequence[Row], computed: Sequence[Row], taken: tuple[int, ...] = ()
) -> Iterator[tuple[int, ...]]:
    """Yield the orders of the computed columns in which each holds the cells of the answer's."""
    width = len(answered[0])
    if len(taken) == width:
        yield taken
        return
    wanted = [(row[len(taken)],) for row in answered]
    for place in range(width):
        if place not in taken and _same_bag(wanted, [(row[place],) for row in computed]):
            yield from _column_orders(answered, computed, (*taken, place))


def _same_bag(answered: Sequence[Row], computed: Sequence[Row]) -> bool:
    """Whether the rows can be paired so that each pair is equal.

    Pairs are searched for as a matching: equal within a tolerance is not transitive, so that no
    key of a row can stand for it.
    """
    if list(answered) == list(computed):
        return True
    equal = np.array(
        [
            [all(map(same_cell, row, other)) for other in computed]
            for row in answered
        ]
    )  # fmt: skip
    if not (equal.any(axis=0).all() and equal.any(axis=1).all()):
        return False
    matched = maximum_bipartite_matching(csr_array(equal), perm_type="column")
    return bool((matched >= 0).all())


def _number(cell: Cell) -> int | float | None:
    if isinstance(cell, str):
        text = cell.strip()
        if not _PLAIN_NUMBER.fullmatch(text):
            return None
        return float(text) if "." in text else int(text)
    return None if isinstance(cell, bytes) else cell


def _same_number(answered: float, computed: float) -> bool:
    if answered == computed:
        return True
    if float(answered).is_integer() and float(computed).is_integer():
        return False
    if math.isclose(answered, computed, rel_tol=RELATIVE_TOLERANCE):
        return True
    written = _decimals(answered)
    if written < FEWEST_DECIMALS or _decimals(computed) <= EXACT_DECIMALS:
        return False
    # Within one unit of the last decimal: rounded or cut off.
    return abs(answered - computed) < 10.0**-written


def _decimals(number: float) -> int:
    if isinstance(number, int) or not math.isfinite(number):
        return 0
    exponent = Decimal(repr(number)).as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
