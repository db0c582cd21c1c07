"""When a computed result is the answer to the executed question."""

from collections.abc import Sequence

import pytest

from clausewise.databases import QueryResult
from clausewise.databases.model import Cell
from clausewise.equivalence.execution import gives_answer, same_answer
from clausewise.equivalence.execution.comparison import same_cell
from clausewise.equivalence.results import OpenRows, QueryOutcome


def result(*rows: Sequence[Cell], truncated: bool = False) -> QueryResult:
    width = len(rows[0]) if rows else 0
    names = tuple(f"c{number}" for number in range(width))
    return QueryResult(names, tuple(map(tuple, rows)), truncated)


@pytest.mark.parametrize(
    ("answered", "computed"),
    [
        (3, 3.0),
        ("3", 3),
        (" Ann ", "Ann"),
        (None, None),
        (0.333333, 1 / 3),
        (33.33, 100 / 3),
        (66.66, 200 / 3),
        (66.67, 200 / 3),
        ("4.50", 4.5),
        (0, 0.0),
        (1_234_567.8, 1_234_567.8000001),
    ],
)
def test_equal_cells(answered: Cell, computed: Cell) -> None:
    assert same_cell(answered, computed)


@pytest.mark.parametrize(
    ("answered", "computed"),
    [
        (3, 4),
        (1_000_000, 1_000_001),
        (0, None),
        ("ann", "Ann"),
        ("007", 7),
        ("007", "7"),
        (33, 100 / 3),
        (33.3, 100 / 3),
        (4.25, 4.251),
        (2.25, 2.2549),
        ("", None),
        ("1e3", 1000),
        (b"a", "a"),
    ],
)
def test_unequal_cells(answered: Cell, computed: Cell) -> None:
    assert not same_cell(answered, computed)


def test_rows_are_a_multiset() -> None:
    assert same_answer(result((1, "a"), (2, "b")), result((2, "b"), (1, "a")))
    assert not same_answer(result(("a",)), result(("a",), ("a",)))
    assert not same_answer(result(("a",), ("a",), ("b",)), result(("a",), ("b",), ("b",)))


def test_columns_may_come_in_any_order_but_rows_stay_together() -> None:
    assert same_answer(result(("a", 1), ("b", 2)), result((1, "a"), (2, "b")))
    assert not same_answer(result(("a", 1), ("b", 2)), result((2, "a"), (1, "b")))
    assert not same_answer(result((1,)), result((1, 1)))
    wide = list(range(12))
    assert same_answer(result(wide), result(wide[::-1]))


def test_pairs_are_found_where_tolerance_is_not_transitive() -> None:
    # 0.33 is either of the computed numbers, 0.3349 only the second.
    answer = result((0.33,), (0.334911,))
    assert same_answer(answer, result((0.334911,), (0.333333,)))
    assert not same_answer(answer, result((0.333333,), (0.331111,)))


def test_no_row_and_one_row_of_null_are_the_same_answer() -> None:
    assert same_answer(result(), result((None,)))
    assert same_answer(result((None, None)), result())
    assert not same_answer(result(), result((0,)))
    assert not same_answer(result(), result((None,), (None,)))


def test_a_result_that_was_cut_off_is_no_answer() -> None:
    assert not same_answer(result((1,)), result((1,), truncated=True))


def test_one_of_the_results_that_a_query_may_give_is_enough() -> None:
    tie = QueryOutcome((result(("a",)), result(("b",))), ordered=True)
    assert gives_answer(tie, result(("b",)))
    assert not gives_answer(tie, result(("c",)))
    assert not gives_answer(QueryOutcome((), False, "no such column"), result(("b",)))


def test_ties_under_a_limit_leave_each_choice_open() -> None:
    first = result(("a", 9), ("b", 5))
    pool = OpenRows((("a", 9),), (("b", 5), ("c", 5), ("d", 5)))
    tie = QueryOutcome((first,), ordered=True, pool=pool)
    assert gives_answer(tie, result(("a", 9), ("c", 5)))
    assert gives_answer(tie, result((5, "d"), (9, "a")))
    assert not gives_answer(tie, result(("b", 5), ("c", 5)))
    assert not gives_answer(tie, result(("a", 9), ("e", 5)))
    assert not gives_answer(tie, result(("a", 9)))
    assert not gives_answer(tie, result(("a", 9), ("b", 5), ("c", 5), ("d", 5)))
