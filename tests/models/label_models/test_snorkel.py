import logging
import random
import sys

import numpy as np
import pytest

from clausewise.errors import InputError, MissingExtraError
from clausewise.models.label_models.snorkel import _TRAINING, SnorkelLabelModel
from clausewise.models.randomness import undisturbed_randomness

pytestmark = pytest.mark.learn


def test_the_posterior_is_snorkels_own(make_votes):
    votes, _ = make_votes(n=1000)
    model = SnorkelLabelModel().fit(votes, 0.3, seed=5)
    with undisturbed_randomness():
        from snorkel.labeling.model import LabelModel

        theirs = LabelModel(cardinality=2, verbose=False)
        theirs.fit(
            votes.astype(int), class_balance=[0.7, 0.3], progress_bar=False, seed=5, **_TRAINING
        )
        expected = theirs.predict_proba(votes.astype(int))[:, ::-1]
    np.testing.assert_allclose(model.predict_proba(votes), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(model.accuracies_, theirs.get_weights(), rtol=1e-6)


def test_accuracies_are_recovered(make_votes):
    recalls, false_alarms = np.linspace(0.2, 0.6, 8), np.linspace(0.2, 0.1, 8)
    votes, incorrect = make_votes(n=8000, recalls=recalls, false_alarms=false_alarms)
    model = SnorkelLabelModel().fit(votes, 0.35)
    truth = [(votes[votes[:, j] >= 0, j] == incorrect[votes[:, j] >= 0]).mean() for j in range(10)]
    # the pull toward Snorkel's first guess keeps them closer together than they are
    assert np.corrcoef(model.accuracies_, truth)[0, 1] > 0.9
    assert np.abs(model.accuracies_ - truth).max() < 0.25


def test_global_generators_are_left_alone(make_votes):
    import torch

    votes, _ = make_votes(n=100)
    random.seed(1)
    np.random.seed(1)
    torch.manual_seed(1)
    expected = random.random(), np.random.random(), torch.rand(1).item()
    random.seed(1)
    np.random.seed(1)
    torch.manual_seed(1)
    threads = torch.get_num_threads()
    SnorkelLabelModel().fit(votes)
    assert (random.random(), np.random.random(), torch.rand(1).item()) == expected
    assert torch.get_num_threads() == threads


def test_it_is_quiet(make_votes, capfd, caplog):
    with caplog.at_level(logging.DEBUG):
        SnorkelLabelModel().fit(make_votes(n=100)[0])
    out, err = capfd.readouterr()
    assert (out, err, caplog.records) == ("", "", [])


def test_too_few_voting_functions_are_refused(make_votes):
    votes, _ = make_votes(n=100)
    votes[:, 2:] = -1
    with pytest.raises(InputError, match=r"2 of 10 do: .*'majority' or 'weighted'"):
        SnorkelLabelModel().fit(votes)


def test_a_missing_extra_is_told_with_the_command(make_votes, monkeypatch):
    monkeypatch.setitem(sys.modules, "snorkel.labeling.model", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[learn\]"):
        SnorkelLabelModel().fit(make_votes(n=100)[0])
