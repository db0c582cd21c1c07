"""The paper's own pipeline under its name, whole and with nothing beside it."""

import json
from typing import Any

import numpy as np
import pytest

from clausewise.errors import InputError
from clausewise.models import Detector
from clausewise.models.recipes import recipe, recipe_of
from clausewise.models.table import FeatureTable


@pytest.fixture(scope="module")
def fitted(signals, make_inspections):
    """The paper's pipeline on stand-ins for its signals."""
    params = {**recipe("sqlens"), "signals": signals}
    inspections, _ = make_inspections(n=300, seed=3)
    return Detector(**params).fit_inspections(inspections), inspections


def test_the_recipe_is_the_papers() -> None:
    params = Detector.recipe("sqlens", seed=4, class_balance=0.2).get_params()
    assert (params["signals"], params["label_model"]) == ("sqlens", "snorkel")
    assert (params["classifier"], params["start"]) == ("autogluon", "alone")
    assert (params["calibration"], params["conventions"]) == ("balance", "strict")
    assert (params["seed"], params["class_balance"]) == (4, 0.2)


def test_with_a_language_model_its_signals_belong_to_it() -> None:
    assert recipe("sqlens", models=True)["signals"] == "sqlens,sqlens-llm"
    model = object()
    params = Detector.recipe("sqlens", llm=model).get_params(deep=False)
    assert (params["signals"], params["llm"]) == ("sqlens,sqlens-llm", model)


def test_what_contradicts_the_recipe_is_refused() -> None:
    assert Detector.recipe("sqlens", label_model="snorkel").label_model == "snorkel"
    with pytest.raises(InputError, match="sets label model to snorkel, not weighted"):
        Detector.recipe("sqlens", label_model="weighted")
    with pytest.raises(InputError, match="no recipe 'paper'; known: sqlens"):
        Detector.recipe("paper")


@pytest.mark.learn
def test_autogluon_sees_the_votes_alone_and_nothing_stands_beside_it(fitted) -> None:
    detector, inspections = fitted
    learned = detector.learned_
    table = learned.space.table(
        inspections, learned.space.label_matrix(inspections, _none()), _none()
    )
    before = learned.classifier.predict(table)
    is_vote = np.array([name.startswith("vote.") for name in table.names])
    noise = np.random.default_rng(0).normal(size=table.values.shape)
    others = np.where(is_vote, table.values, noise)
    changed = FeatureTable(table.votes, others, table.names, table.settings)
    np.testing.assert_array_equal(learned.classifier.predict(changed), before)
    assert len(np.unique(before.round(6))) > 2
    assert detector.training_["parts"] == {"learned here": 1.0}
    assert detector.training_["points_from"] == "expected"


@pytest.mark.learn
def test_autogluon_repeats_the_label_models_ranking(fitted) -> None:
    detector, inspections = fitted
    learned = detector.learned_
    matrix = learned.space.label_matrix(inspections, _none())
    of_label_model = learned.label_model.predict_proba(matrix.votes)[:, 0]
    of_classifier = learned.classifier.predict(learned.space.table(inspections, matrix, _none()))
    assert np.corrcoef(of_label_model, of_classifier)[0, 1] > 0.8


@pytest.mark.learn
def test_it_is_saved_and_loaded_like_any_other(fitted, tmp_path) -> None:
    detector, inspections = fitted
    detector.save(tmp_path / "detector")
    loaded = Detector.load(tmp_path / "detector")
    before = [case.p_correct for case in detector.score_inspections(inspections)]
    assert [case.p_correct for case in loaded.score_inspections(inspections)] == before
    manifest = json.loads((tmp_path / "detector" / "manifest.json").read_text())
    assert recipe_of("sqlens", manifest["settings"]) == "sqlens"
    assert recipe_of("sqlens,sqlens-llm", manifest["settings"]) == "sqlens"
    assert recipe_of("all", manifest["settings"]) is None
    assert recipe_of("sqlens", {**manifest["settings"], "start": "none"}) is None


@pytest.mark.learn
def test_with_labels_for_most_cases_it_learns_from_them(signals, make_inspections) -> None:
    inspections, incorrect = make_inspections(n=300, seed=3)
    labels = {
        item.case.question_id: not wrong for item, wrong in zip(inspections, incorrect, strict=True)
    }
    detector = Detector(**{**recipe("sqlens"), "signals": signals})
    detector.fit_inspections(inspections, labels)
    assert detector.training_["label_use"] == "training"
    assert detector.training_["points_from"] == "labels"
    assert detector.training_["parts"] == {"learned here": 1.0}


def test_alone_makes_any_classifier_see_the_votes_only(signals, make_inspections) -> None:
    inspections, _ = make_inspections(n=200)
    detector = Detector(
        signals=signals, label_model="weighted", classifier="logistic", start="alone"
    ).fit_inspections(inspections)
    n_functions = detector.label_matrix_.votes.shape[1]
    classifier: Any = detector.learned_.classifier
    assert len(classifier.inner.weights_) == n_functions
    passed = Detector(signals=signals, label_model="weighted", classifier="none", start="alone")
    assert passed.fit_inspections(inspections).training_["parts"] == {"label model": 1.0}


def _none():
    from clausewise.labeling import OutsideVotes

    return OutsideVotes(())
