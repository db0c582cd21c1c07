"""Ways to choose among systems' queries, and what is counted of them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from experiments.select.material import QuestionMaterial
from experiments.select.run import (
    ANY,
    BEST,
    DATABASE,
    best_system,
    correction_figures,
    error_rows,
    without_original,
)
from experiments.select.ways import MAJORITY, SELECT, WAYS, corrected, kept_by_majority, leaders

# Two wrong queries with one result against one that is right, and one that does not run.
DOUBTED = QuestionMaterial(
    db_id="d",
    gold="SELECT 1",
    vacuous=False,
    systems=("a", "b", "c", "e"),
    texts=("SELECT 2", "SELECT 2 + 0", "SELECT 1", "SELECT"),
    correct=(False, False, True, False),
    as_gold=(False, False, True, False),
    alone=(0.2, 0.1, 0.9, 0.0),
    beside=(0.4, 0.3, 0.6, 0.0),
    groups=(0, 0, 1, None),
    behaviors={(0, 1): [(0,), (1,)], (2,): [(2,)]},
)
BROKEN = dataclasses.replace(DOUBTED, groups=(None,) * 4, behaviors={}, correct=(False,) * 4)


@pytest.mark.parametrize(
    ("way", "expected"), [(MAJORITY, [0, 1]), ("highest p alone", [2]), (SELECT, [2])]
)
def test_ways_differ_in_whom_they_follow(way: str, expected: list[int]) -> None:
    assert leaders(WAYS[way](DOUBTED)) == expected


def test_where_nothing_runs_all_ways_choose_among_all() -> None:
    for score in WAYS.values():
        assert leaders(score(BROKEN)) == [0, 1, 2, 3]
    assert corrected(BROKEN, 1, 0.0) == 1


def test_the_auditor_keeps_what_is_not_less_probable_by_the_margin() -> None:
    assert [corrected(DOUBTED, place, 0.0) for place in range(4)] == [2, 2, 2, 2]
    assert [corrected(DOUBTED, place, 0.25) for place in range(4)] == [0, 2, 2, 2]
    assert [corrected(DOUBTED, place, None) for place in range(4)] == [2, 2, 2, 2]
    assert [kept_by_majority(DOUBTED, place) for place in range(4)] == [0, 1, 0, 0]


def test_figures_count_what_is_fixed_and_broken() -> None:
    rows = [(DOUBTED, 0, 2), (DOUBTED, 2, 0), (DOUBTED, 1, 1)]
    figures = correction_figures(rows, DATABASE)
    counts = {name: figures[name] for name in ("cases", "changed", "fixed", "broken", "net")}
    assert counts == {"cases": 3, "changed": 2, "fixed": 1, "broken": 1, "net": 0}
    assert figures["ex_before"] == pytest.approx(1 / 3)


def test_the_best_system_is_compared_where_it_has_a_query() -> None:
    without = dataclasses.replace(
        DOUBTED,
        systems=DOUBTED.systems[:2],
        texts=DOUBTED.texts[:2],
        correct=(True, False),
        as_gold=(True, False),
        alone=DOUBTED.alone[:2],
        beside=DOUBTED.beside[:2],
        groups=(0, 0),
        behaviors={(0, 1): [(0, 1)]},
    )
    questions = [DOUBTED, without]
    assert best_system(questions, DATABASE) == "c"
    right = without_original(questions, DATABASE, "c")
    assert right[BEST][0] == 1.0
    assert np.isnan(right[BEST][1])
    assert right[ANY].tolist() == [1.0, 1.0]
    assert right[MAJORITY].tolist() == [0.0, 0.5]


def test_errors_are_sorted_by_what_could_have_been_chosen() -> None:
    wrong = dataclasses.replace(DOUBTED, alone=(0.9, 0.1, 0.2, 0.0))
    rows = list(error_rows("bench", [DOUBTED, wrong, BROKEN]))
    assert [row["questions"] for row in rows] == [1, 1]
    assert {row["kind"] for row in rows} == {
        "more candidates have the wrong result",
        "no candidate is right",
    }
