"""Whether the strongest finding names a clause that differs from the gold query."""

from __future__ import annotations

from typing import Any

import pytest

from clausewise.evaluation import evaluate

TABLES = {
    "shop": ["id", "name", "city"],
    "sale": ["id", "shop_id", "price"],
    "item": ["id", "sale_id", "name"],
}


@pytest.fixture
def localized(make_record, make_finding):
    """Return a function: (predicted, gold, kinds with scores) of wrong queries to localization."""

    def run(*cases, correct=()):
        scores: list[Any] = []
        gold: dict[str | int, str] = {}
        for place, (predicted, right, findings) in enumerate(cases):
            found = [make_finding(kind, score) for kind, score in findings]
            scores.append(make_record(place, 0.1, predicted_sql=predicted, findings=found))
            if right is not None:
                gold[place] = right
        labels: dict[str | int, bool] = {place: place in correct for place in range(len(cases))}
        evaluation = evaluate(scores, labels, gold, bootstrap=0, tables={"shop": TABLES})
        return evaluation.localization

    return run


WRONG_VALUE = (
    "SELECT name FROM shop WHERE city = 'bonn'",
    "SELECT name FROM shop WHERE city = 'x'",
)
WRONG_ORDER = ("SELECT name FROM shop ORDER BY id", "SELECT name FROM shop ORDER BY id DESC")


def test_the_strongest_finding_counts_and_the_first_of_equals(localized):
    result = localized(
        (*WRONG_VALUE, [("select", 0.3), ("where", 0.9)]),
        (*WRONG_VALUE, [("where", 0.3), ("select", 0.9)]),
        (*WRONG_VALUE, [("where", 0.5), ("select", 0.5)]),
        (*WRONG_ORDER, [("query", 0.5)]),
    )
    assert (result.n, result.hits, result.share) == (4, 2, 0.5)
    assert result.kinds == {"where": 3, "order_by": 1}
    assert (result.common_kind, result.common_share) == ("where", 0.75)
    low, high = result.interval
    assert 0 < low < 0.5 < high < 1


def test_what_cannot_be_judged_is_left_out_and_counted_by_reason(localized):
    finding = [("where", 0.5)]
    result = localized(
        (*WRONG_VALUE, finding),
        (WRONG_VALUE[0], None, finding),
        (*WRONG_VALUE, []),
        ("SELECT FROM WHERE", WRONG_VALUE[1], finding),
        (WRONG_VALUE[0], "SELECT FROM WHERE", finding),
        ("DROP TABLE shop", WRONG_VALUE[1], finding),
        (WRONG_VALUE[0], WRONG_VALUE[0].lower(), finding),
        ("SELECT city FROM shop", "SELECT name FROM item WHERE id = 1 LIMIT 1", finding),
        (*WRONG_VALUE, finding),
        correct=(8,),
    )
    assert (result.n, result.hits) == (1, 1)
    assert result.left_out == {
        "gold_not_parsed": 1,
        "more_than_two_kinds_differ": 1,
        "no_clause_differs": 1,
        "no_findings": 1,
        "no_gold": 1,
        "predicted_not_parsed": 2,
    }


def test_no_case_to_judge_gives_nulls(localized):
    result = localized()
    assert result.to_dict() == {
        "n": 0,
        "hits": 0,
        "share": None,
        "interval": None,
        "common_kind": None,
        "common_share": None,
        "kinds": {},
        "left_out": {},
    }
