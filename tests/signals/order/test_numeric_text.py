"""Texts that stand for numbers, times and dates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausewise.signals.order._numeric_text import misplaced, reading


@pytest.mark.parametrize(
    ("values", "kind", "sizes"),
    [
        (["95", "230", " 7.5 "], "number", [95, 230, 7.5]),
        (["$1,200", "$90", "-5"], "number", [1200, 90, -5]),
        (["10 kg", "9 kg"], "number", [10, 9]),
        (["45%", "100%"], "number", [45, 100]),
        (["5:03.7", "52:18.8", "1:00:00"], "time", [303.7, 3138.8, 3600]),
        (["12/1/1999", "2/1/1998"], "date", [1999, 1998]),
        (["March 3, 2001", "April 12, 1999"], "date", [2001, 1999]),
        (["3 March 2001", "12 April 1999"], "date", [2001, 1999]),
    ],
)
def test_kinds(values, kind, sizes) -> None:
    read = reading(values)
    assert read is not None
    assert read[0] == kind
    assert read[1] == pytest.approx(sizes)


@pytest.mark.parametrize(
    "values",
    [[], ["red", "blue"], ["2001-03-03", "1999-04-12"], ["1", "red", "blue"], ["1A", "2B", "3C"]],
)
def test_what_is_none_of_them(values) -> None:
    assert reading(values) is None


def test_a_few_words_among_numbers_do_not_matter() -> None:
    values = [str(number) for number in range(19)] + ["null"]
    read = reading(values)
    assert read is not None
    assert read[1][-1] is None


@given(st.lists(st.integers(0, 9999), min_size=1, unique=True), st.booleans())
def test_numbers_of_one_length_are_never_misplaced(numbers, descending) -> None:
    values = [f"{number:04}" for number in numbers]
    assert misplaced(values, numbers, first=None, descending=descending) is None


@given(st.lists(st.integers(0, 9999), min_size=1, unique=True), st.booleans())
def test_the_first_place_is_misplaced_where_another_is_larger(numbers, descending) -> None:
    values = [str(number) for number in numbers]
    found = misplaced(values, numbers, first=1, descending=descending)
    best = max(values) if descending else min(values)
    right = str(max(numbers) if descending else min(numbers))
    assert found == (None if best == right else (best, right))
