"""The hand-made cases: every query runs, and its result says what its label says."""

from __future__ import annotations

import itertools
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from experiments.independent.cases import (
    HERE,
    WORDINGS,
    HandMade,
    is_ordered,
    make_databases,
    read_hand_made,
    rows_of,
    same_rows,
)

CASES = read_hand_made()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("databases")
    make_databases(made)
    return made


@pytest.mark.parametrize("item", CASES, ids=lambda item: item.case.question_id)
def test_the_result_says_what_the_label_says(item: HandMade, folder: Path) -> None:
    database = folder / f"{item.case.db_id}.sqlite"
    predicted = rows_of(database, item.case.predicted_sql)
    gold = rows_of(database, item.gold_sql)
    assert gold
    assert same_rows(predicted, gold, is_ordered(item.gold_sql)) == item.correct


def test_two_databases_a_split_and_as_many_wrong_as_right_queries() -> None:
    counts = Counter((item.split, item.case.db_id, item.correct) for item in CASES)
    assert set(counts.values()) == {25}
    assert Counter(split for split, _, correct in counts if correct) == {"dev": 2, "held": 2}
    assert len({item.case.question_id for item in CASES}) == len(CASES) == 200


def test_every_question_has_three_wordings_of_its_own() -> None:
    wordings = [wording for item in CASES for wording in item.wordings]
    assert len(set(wordings)) == len(wordings) == len(WORDINGS) * len(CASES)
    for item in CASES:
        assert item.worded(WORDINGS[0]) == item.case
        assert [item.worded(name).question for name in WORDINGS] == list(item.wordings)


def test_the_databases_are_small_and_always_the_same(folder: Path, tmp_path: Path) -> None:
    for name in make_databases(tmp_path):
        dumps = []
        for made in (folder, tmp_path):
            connection = sqlite3.connect(made / f"{name}.sqlite")
            dumps.append("\n".join(connection.iterdump()))
            connection.close()
        assert dumps[0] == dumps[1]
        assert "random" not in (HERE / "databases" / f"{name}.sql").read_text("utf-8").lower()


@pytest.mark.parametrize(
    ("sql", "ordered"),
    [
        ("SELECT a FROM t ORDER BY a", True),
        ("SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 3)", False),
        ("SELECT ROW_NUMBER() OVER (ORDER BY a) FROM t", False),
    ],
)
def test_only_the_outermost_order_counts(sql: str, ordered: bool) -> None:
    assert is_ordered(sql) is ordered


def test_order_and_repeated_rows_count() -> None:
    once, twice = [(1,), (2,)], [(1,), (1,), (2,)]
    assert not same_rows(once, twice, ordered=False)
    assert same_rows(once, once[::-1], ordered=False)
    assert not same_rows(once, once[::-1], ordered=True)
    for one, other in itertools.permutations((once, twice)):
        assert not same_rows(one, other, ordered=True)
