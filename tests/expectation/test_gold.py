"""A team's gold pairs move what is expected."""

from __future__ import annotations

import numpy as np
import pytest

from clausewise.datasets import GoldPair
from clausewise.errors import InputError
from clausewise.expectation import packaged_expectation
from clausewise.expectation.gold import adapted

QUESTION = "Show the herds of farm seven"
TABLES = {"farm": {"herd": ["id", "name", "cows", "since"]}}


def _pairs(sql: str, number: int) -> list[GoldPair]:
    kinds = ("herds", "farms", "barns", "cows", "fields", "mills", "goats", "crops")
    return [
        GoldPair(f"Show the {kinds[at % 8]} of farm {['one', 'two', 'three'][at % 3]}", sql, "farm")
        for at in range(number)
    ]


def test_a_teams_habit_becomes_what_is_expected() -> None:
    """Here `show` asks for all that is known of a herd: three columns."""
    model = packaged_expectation().shape_model
    pairs = _pairs("SELECT id, name, cows FROM herd WHERE since = 7", 24)
    moved, number = adapted(model, pairs, TABLES)
    before, after = model.expect(QUESTION, None), moved.expect(QUESTION, None)
    assert before is not None
    assert after is not None
    assert 0 < number <= 24
    three = [of.probabilities["n_selected"]["3"] for of in (before, after)]
    assert three[0] < 0.2
    assert three[1] > 2 * three[0]


def test_what_is_worded_otherwise_is_hardly_moved() -> None:
    model = packaged_expectation().shape_model
    moved, _ = adapted(model, _pairs("SELECT id, name, cows FROM herd", 24), TABLES)
    question = "How many customers have ordered more than 3 products?"
    before, after = model.expect(question, None), moved.expect(question, None)
    assert before is not None
    assert after is not None
    for name in ("aggregate", "direction"):
        best = max(before.probabilities[name], key=before.probabilities[name].__getitem__)
        assert after.probabilities[name][best] > 0.5


def test_pairs_that_cannot_be_read_are_left_out_and_repeated_ones_count_once() -> None:
    model = packaged_expectation().shape_model
    good = GoldPair("How many herds are there?", "SELECT COUNT(*) FROM herd")
    others = [GoldPair("How many?", "SELECT FROM ("), GoldPair("How many?", "DROP TABLE herd")]
    moved, number = adapted(model, [good, good, *others], TABLES)
    assert number == 1
    again, _ = adapted(model, [good], TABLES)
    assert np.array_equal(moved.weights, again.weights)
    with pytest.raises(InputError, match="no gold pair can be read"):
        adapted(model, others, TABLES)
