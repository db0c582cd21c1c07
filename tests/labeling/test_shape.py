"""Votes on the shape of a query."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from clausewise.labeling import build_label_matrix, shape_functions, shape_levels
from clausewise.types import Vote

GRADED: dict[str, Any] = {"lower": (0.1, 0.25), "upper": (0.75, 0.9)}


@pytest.fixture
def shaped(inspect):
    def make(values, measure="tokens"):
        return [
            dataclasses.replace(inspect({}, question_id=place), shape={measure: float(value)})
            for place, value in enumerate(values)
        ]

    return make


def test_long_queries_are_called_incorrect_and_short_ones_correct_the_more_the_surer(shaped):
    items = shaped(range(1, 102))
    levels = shape_levels(items, **GRADED)
    assert levels == {
        "shape.tokens<q0.1": 11, "shape.tokens<q0.25": 26,
        "shape.tokens>q0.75": 76, "shape.tokens>q0.9": 91,
    }  # fmt: skip
    matrix = build_label_matrix(items, shape_functions(levels))
    assert matrix.families == ("shape",) * 4
    lower, upper = matrix.votes[:, :2], matrix.votes[:, 2:]
    assert set(np.unique(lower)) == {Vote.ABSTAIN, Vote.CORRECT}
    assert set(np.unique(upper)) == {Vote.ABSTAIN, Vote.INCORRECT}
    assert (lower == Vote.CORRECT).sum(axis=0).tolist() == [10, 25]
    assert (upper == Vote.INCORRECT).sum(axis=0).tolist() == [26 - 1, 11 - 1]


def test_by_default_one_measure_votes_once_a_side(shaped):
    assert list(shape_levels(shaped(range(100)))) == ["shape.tokens<q0.1", "shape.tokens>q0.9"]


def test_levels_are_those_of_the_fitted_cases(shaped):
    functions = shape_functions(shape_levels(shaped(range(1, 102)), **GRADED))
    (long,) = shaped([1_000])
    assert [function(long) for function in functions] == [-1, -1, 1, 1]


def test_levels_that_say_nothing_are_left_out(shaped):
    assert shape_levels(shaped([3] * 50)) == {}
    many_zeros = shape_levels(shaped([0] * 90 + [5] * 10, "subqueries"), ["subqueries"], **GRADED)
    assert many_zeros == {"shape.subqueries>q0.75": 0.0}
    assert shape_levels([]) == {}


def test_a_case_without_the_measure_is_abstained_on(shaped, inspect):
    functions = shape_functions(shape_levels(shaped(range(100))))
    assert {function(inspect({})) for function in functions} == {Vote.ABSTAIN}
