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
from numpy.typing import NDArray

from clausewise.databases.model import Cell, QueryResult
from clausewise.equivalence.results import QueryOutcome

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
    """Whether the answer is one of the results that a query may give; one that fails has none.

    Where ties under a LIMIT leave the rows open, each choice of them is such a result.
    """
    if any(same_answer(answer, variant) for variant in outcome.variants):
        return True
    pool = outcome.pool
    if pool is None or outcome.result.truncated:
        return False
    if len(answer.rows) != len(outcome.result.rows):
        return False
    return _answers(answer.rows, pool.sure, (*pool.sure, *pool.choice))


def same_answer(answer: QueryResult, computed: QueryResult) -> bool:
    """Whether a computed result is the answer, by the rules of the module."""
    if _is_none(answer.rows) and _is_none(computed.rows):
        return True
    if len(answer.rows) != len(computed.rows) or computed.truncated:
        return False
    return _answers(answer.rows, computed.rows, computed.rows)


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


def _answers(answered: Sequence[Row], sure: Sequence[Row], possible: Sequence[Row]) -> bool:
    """Whether the answer has all sure rows, and no others than possible ones, in some order."""
    if not answered or not possible:
        return not answered and not sure
    width = len(possible[0])
    if len(answered[0]) != width:
        return False
    fits = [
        [
            _is_between(_column(answered, own), _column(sure, other), _column(possible, other))
            for other in range(width)
        ]
        for own in range(width)
    ]
    return any(
        _is_between(answered, _reordered(sure, order), _reordered(possible, order))
        for order in islice(_column_orders(fits), MOST_COLUMN_ORDERS)
    )


def _column_orders(
    fits: Sequence[Sequence[bool]], taken: tuple[int, ...] = ()
) -> Iterator[tuple[int, ...]]:
    """Yield the orders of the computed columns in which each may be the answer's column."""
    if len(taken) == len(fits):
        yield taken
        return
    for place, fit in enumerate(fits[len(taken)]):
        if fit and place not in taken:
            yield from _column_orders(fits, (*taken, place))


def _column(rows: Sequence[Row], place: int) -> list[Row]:
    return [(row[place],) for row in rows]


def _reordered(rows: Sequence[Row], order: Sequence[int]) -> list[Row]:
    return [tuple(row[place] for place in order) for row in rows]


def _is_between(answered: Sequence[Row], sure: Sequence[Row], possible: Sequence[Row]) -> bool:
    """Whether rows can be paired so that each sure row is answered and each answered one possible.

    Two pairings suffice, one for each side: there is then one that does both (Mendelsohn and
    Dulmage, 1958).
    """
    equal = _equal(answered, possible)
    if not _covers(equal):
        return False
    return not sure or _covers(equal.T if sure is possible else _equal(answered, sure).T)


def _equal(answered: Sequence[Row], computed: Sequence[Row]) -> NDArray[np.bool_]:
    """Return `[n, m]`: which answered row equals which computed one."""
    pairs = [[all(map(same_cell, row, other)) for other in computed] for row in answered]
    return np.array(pairs, dtype=bool)


def _covers(equal: NDArray[np.bool_]) -> bool:
    """Whether each row can be paired with a column of its own.

    Pairs are searched for as a matching: equal within a tolerance is not transitive, so that no
    key of a row can stand for it.
    """
    if not equal.any(axis=1).all():
        return False
    # Imported here: every check loads the signal that executes questions, and few run it.
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

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
