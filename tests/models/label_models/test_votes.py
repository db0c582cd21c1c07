import json

import numpy as np
import pytest

from clausewise.errors import InputError, NotFittedError
from clausewise.models import LABEL_MODELS, estimate_class_balance
from clausewise.models.label_models.dawid_skene import fit_dawid_skene
from clausewise.models.label_models.votes import MajorityVote, WeightedVote

LIGHT = ("majority", "weighted")
ALL = (*LIGHT, pytest.param("snorkel", marks=pytest.mark.learn))


def auc(incorrect, scores):
    ranks = np.argsort(np.argsort(scores, kind="stable"), kind="stable") + 1.0
    n = incorrect.sum()
    return (ranks[incorrect].sum() - n * (n + 1) / 2) / (n * (len(incorrect) - n))


@pytest.mark.parametrize("name", ALL)
def test_probabilities_rank_errors(make_votes, name):
    votes, incorrect = make_votes()
    model = LABEL_MODELS[name]().fit(votes, 0.35)
    probabilities = model.predict_proba(votes)
    assert probabilities.shape == (len(votes), 2)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert auc(incorrect, probabilities[:, 0]) > 0.75


@pytest.mark.parametrize("name", ALL)
def test_a_case_without_votes_gets_the_prior(make_votes, name):
    votes, _ = make_votes(n=500)
    model = LABEL_MODELS[name]().fit(votes, 0.3)
    silent = np.full((1, votes.shape[1]), -1)
    np.testing.assert_allclose(model.predict_proba(silent), [[0.3, 0.7]])


@pytest.mark.parametrize("name", ALL)
def test_one_more_vote_moves_the_probability_its_way(make_votes, name):
    votes, _ = make_votes()
    model = LABEL_MODELS[name]().fit(votes, 0.35)
    rows = np.full((3, votes.shape[1]), -1)
    rows[1, 7] = 1
    rows[2, 8] = 0
    neither, says_incorrect, says_correct = model.predict_proba(rows)[:, 0]
    assert says_correct < neither < says_incorrect


@pytest.mark.parametrize("name", ALL)
def test_two_fits_are_the_same_to_the_last_bit(make_votes, name):
    votes, _ = make_votes(n=600)
    first, second = (json.dumps(LABEL_MODELS[name]().fit(votes).to_json()) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("name", ALL)
def test_a_model_survives_json(make_votes, name):
    votes, _ = make_votes(n=600)
    model = LABEL_MODELS[name]().fit(votes)
    again = LABEL_MODELS[name].from_json(json.loads(json.dumps(model.to_json())))
    np.testing.assert_array_equal(again.predict_proba(votes), model.predict_proba(votes))
    np.testing.assert_array_equal(again.accuracies_, model.accuracies_)


@pytest.mark.parametrize("name", ALL)
def test_a_case_does_not_depend_on_its_neighbors(make_votes, name):
    votes, _ = make_votes(n=600)
    model = LABEL_MODELS[name]().fit(votes)
    alone = np.vstack([model.predict_proba(row[None, :]) for row in votes[:100]])
    np.testing.assert_array_equal(alone, model.predict_proba(votes)[:100])


@pytest.mark.parametrize("name", ALL)
def test_a_function_that_never_votes_has_accuracy_one_half(make_votes, name):
    votes, _ = make_votes(n=600)
    votes = np.column_stack([votes, np.full(len(votes), -1)])
    model = LABEL_MODELS[name]().fit(votes, 0.35)
    assert model.accuracies_[-1] == 0.5
    assert ((model.accuracies_ >= 0) & (model.accuracies_ <= 1)).all()


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("votes", "message"),
    [
        ([[0.0, float("nan"), 1.0]], "holds nan"),
        ([[0, 1, 2]], "holds 2"),
    ],
)
def test_what_is_no_vote_is_refused(name, votes, message):
    with pytest.raises(InputError, match=message):
        LABEL_MODELS[name]().fit(votes)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("balance", [0.0, 1.0, -0.2, float("nan")])
def test_an_impossible_class_balance_is_refused(make_votes, name, balance):
    with pytest.raises(InputError, match="share of incorrect queries"):
        LABEL_MODELS[name]().fit(make_votes(n=50)[0], balance)


@pytest.mark.parametrize("name", ALL)
def test_other_functions_than_at_fit_are_refused(make_votes, name):
    votes, _ = make_votes(n=100)
    model = LABEL_MODELS[name]().fit(votes)
    with pytest.raises(InputError, match="fitted on 10 functions, not 3"):
        model.predict_proba(votes[:, :3])


@pytest.mark.parametrize("model", [MajorityVote(), WeightedVote()])
def test_prediction_before_fit(model):
    with pytest.raises(NotFittedError):
        model.predict_proba([[0, 1, -1]])


def test_latent_accuracies_are_recovered(make_votes):
    recalls, false_alarms = np.linspace(0.2, 0.6, 8), np.linspace(0.15, 0.1, 8)
    votes, _ = make_votes(n=8000, recalls=recalls, false_alarms=false_alarms)
    learned = fit_dawid_skene(votes, 0.35).balanced_accuracies[:8]
    truth = recalls / (recalls + false_alarms)
    # half of what is believed is believed beforehand: a vote is right seven times in ten
    assert np.corrcoef(learned, truth)[0, 1] > 0.9
    assert np.abs(learned - (truth + 0.7) / 2).max() < 0.1


def test_weighted_votes_beat_counted_ones_where_functions_differ(make_votes):
    recalls = np.array([0.5, 0.5, 0.5, 0.3, 0.3, 0.3, 0.3, 0.3])
    false_alarms = np.array([0.05, 0.05, 0.05, 0.28, 0.28, 0.28, 0.28, 0.28])
    votes, incorrect = make_votes(recalls=recalls, false_alarms=false_alarms)
    weighted = auc(incorrect, WeightedVote().fit(votes).predict_proba(votes)[:, 0])
    counted = auc(incorrect, MajorityVote().fit(votes).predict_proba(votes)[:, 0])
    assert weighted > counted + 0.02


def test_majority_counts_votes_and_the_prior():
    model = MajorityVote().fit([[1, 1, 0], [1, -1, -1]], 0.25)
    np.testing.assert_allclose(
        model.predict_proba([[1, 1, 0], [-1, -1, 0]])[:, 0], [2.25 / 4, 0.25 / 2]
    )


def test_the_class_balance_is_a_guess_in_the_right_direction(make_votes):
    guesses = [estimate_class_balance(make_votes(balance=share)[0]) for share in (0.1, 0.3, 0.6)]
    assert sorted(guesses) == guesses
    # most of it is believed beforehand, on purpose
    assert 0.15 < guesses[0] < guesses[2] < 0.45


def test_the_class_balance_is_bounded():
    for value in (-1, 0, 1):
        assert 0.2 <= estimate_class_balance(np.full((50, 3), value)) <= 0.4
    assert estimate_class_balance(np.zeros((0, 3), dtype=np.int8)) == pytest.approx(0.25)
