import json
import logging
import random
import sys

import numpy as np
import pytest

from clausewise.errors import InputError, MissingExtraError, UntrustedDetectorError
from clausewise.models import Detector
from clausewise.models.classifiers.autogluon import AutoGluonClassifier, _tuning_cases
from clausewise.models.storage import signature
from clausewise.models.table import FeatureTable

pytestmark = [pytest.mark.learn, pytest.mark.slow]


@pytest.fixture(scope="module")
def fitted(signals, make_inspections):
    inspections, _ = make_inspections(n=240)
    detector = Detector(
        signals=signals, label_model="weighted", classifier="autogluon", start="none"
    )
    return detector.fit_inspections(inspections)


def auc(incorrect, scores):
    ranks = np.argsort(np.argsort(scores, kind="stable"), kind="stable") + 1.0
    n = incorrect.sum()
    return (ranks[incorrect].sum() - n * (n + 1) / 2) / (n * (len(incorrect) - n))


def test_end_to_end(fitted, make_inspections, tmp_path):
    held_out, incorrect = make_inspections(n=300, seed=6)
    scored = fitted.score_inspections(held_out)
    assert auc(incorrect, [1 - case.p_correct for case in scored]) > 0.7
    assert any(finding.contribution for case in scored for finding in case.findings)
    fitted.save(tmp_path / "saved")
    loaded = Detector.load(tmp_path / "saved")
    first, second = (
        [json.dumps(case.to_dict()) for case in detector.score_inspections(held_out[:60])]
        for detector in (fitted, loaded)
    )
    assert first == second
    signature.key_path().unlink()
    with pytest.raises(UntrustedDetectorError):
        Detector.load(tmp_path / "saved")


def test_the_seed_settles_everything_and_nothing_else_is_touched(
    fitted, signals, make_inspections, capfd, caplog
):
    inspections, _ = make_inspections(n=240)
    random.seed(1)
    np.random.seed(1)
    expected = random.random(), np.random.random()
    random.seed(1)
    np.random.seed(1)
    with caplog.at_level(logging.INFO):
        again = Detector(
            signals=signals, label_model="weighted", classifier="autogluon", start="none"
        )
        again.fit_inspections(inspections)
    assert (random.random(), np.random.random()) == expected
    assert (capfd.readouterr(), caplog.records) == (("", ""), [])
    assert [case.p_correct for case in again.score_inspections(inspections)] == [
        case.p_correct for case in fitted.score_inspections(inspections)
    ]


def test_tuning_takes_whole_groups():
    groups = np.repeat(np.arange(10), 20)
    incorrect = np.full(200, 0.3)
    tuning = _tuning_cases(incorrect, groups, seed=3)
    assert 0.1 <= tuning.mean() <= 0.3
    assert not set(groups[tuning]) & set(groups[~tuning])
    assert (tuning == _tuning_cases(incorrect, groups, seed=3)).all()


def test_one_group_is_split_by_case():
    tuning = _tuning_cases(np.tile([0.0, 1.0], 50), np.zeros(100, int), seed=0)
    assert tuning.mean() == pytest.approx(0.2)


def test_what_cannot_be_learned_from_is_refused():
    def fit(incorrect):
        n = len(incorrect)
        table = FeatureTable(np.zeros((n, 3), np.int8), np.zeros((n, 4)))
        AutoGluonClassifier().fit(table, incorrect, np.arange(n))

    with pytest.raises(InputError, match=r"at least 40 cases and has 10; .*'logistic'"):
        fit(np.full(10, 0.5))
    with pytest.raises(InputError, match="both classes"):
        fit(np.zeros(60))


def test_a_missing_extra_is_told_with_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "autogluon.tabular", None)
    table = FeatureTable(np.zeros((60, 3), np.int8), np.zeros((60, 4)))
    with pytest.raises(MissingExtraError, match=r"pip install .*\[learn\]"):
        AutoGluonClassifier().fit(table, np.full(60, 0.4), np.arange(60))
