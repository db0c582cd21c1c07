"""Dawid and Skene's model on votes whose truth is known."""

import json

import numpy as np
import pytest

from experiments.aggregation.dawid_skene import DawidSkene

TABLE = {"strong": (0.8, 0.1), "good": (0.6, 0.1), "fair": (0.5, 0.2), "weak": (0.3, 0.2)}


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(0)
    incorrect = rng.random(20_000) < 0.35
    rates = [np.where(incorrect, *pair) for pair in (*TABLE.values(), (0.55, 0.15))]
    votes = [np.where(rng.random(len(incorrect)) < rate, 1, -1) for rate in rates]
    votes.append(np.where(rng.random(len(incorrect)) < np.where(incorrect, 0.2, 0.7), 0, -1))
    return np.column_stack(votes).astype(np.int8), incorrect


def test_the_confusion_matrices_and_the_balance_are_found(drawn):
    votes, incorrect = drawn
    model = DawidSkene().fit(votes)
    assert model.class_balance_ == pytest.approx(incorrect.mean(), abs=0.03)
    for place, (hit, false_alarm) in enumerate(TABLE.values()):
        assert model.table_[place, 2, 0] == pytest.approx(hit, abs=0.03)
        assert model.table_[place, 2, 1] == pytest.approx(false_alarm, abs=0.03)
    assert model.table_[5, 1] == pytest.approx([0.2, 0.7], abs=0.03)


def test_the_probabilities_are_calibrated_where_the_model_holds(drawn):
    votes, incorrect = drawn
    predicted = DawidSkene().fit(votes).predict_proba(votes)[:, 0]
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        inside = (predicted >= low) & (predicted < low + 0.2)
        assert incorrect[inside].mean() == pytest.approx(predicted[inside].mean(), abs=0.05)


def test_it_survives_json_and_takes_a_given_balance(drawn):
    votes, _ = drawn
    model = DawidSkene().fit(votes[:500], class_balance=0.2)
    assert model.class_balance_ == 0.2
    again = DawidSkene.from_json(json.loads(json.dumps(model.to_json())))
    np.testing.assert_array_equal(again.predict_proba(votes), model.predict_proba(votes))
