"""The detector is an estimator of scikit-learn's, and importing it does not need scikit-learn."""

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError as SklearnNotFittedError
from sklearn.utils.validation import check_is_fitted

from clausewise.errors import InputError, NotFittedError
from clausewise.models import Costs, Detector
from clausewise.models.classifiers.additive import AdditiveClassifier
from clausewise.models.estimator import not_fitted
from clausewise.models.settings import Settings


@pytest.fixture(scope="module")
def fitted(signals, make_inspections):
    detector = Detector(signals=signals, label_model="majority", classifier="additive")
    return detector.fit_inspections(make_inspections()[0])


def test_a_clone_has_the_parameters_and_nothing_learned(fitted):
    copied = clone(fitted)
    assert copied.get_params(deep=False) == fitted.get_params(deep=False)
    assert copied.signals is fitted.signals
    with pytest.raises(SklearnNotFittedError):
        check_is_fitted(copied)
    check_is_fitted(fitted)


def test_a_clone_copies_the_estimators_inside(signals):
    forest = RandomForestClassifier(7).fit([[0], [1]], [0, 1])
    copied = clone(Detector(signals=signals, classifier=forest, costs=Costs(2, 1)))
    assert copied.classifier is not forest
    assert copied.classifier.n_estimators == 7
    assert not hasattr(copied.classifier, "estimators_")
    assert copied.costs == Costs(2, 1)


def test_parameters_are_read_and_set_by_name():
    detector = Detector(classifier=RandomForestClassifier(7))
    assert detector.get_params(deep=False)["jobs"] == 1
    assert detector.get_params()["classifier__n_estimators"] == 7
    assert detector.set_params(classifier__n_estimators=9, seed=3) is detector
    assert (detector.classifier.n_estimators, detector.seed) == (9, 3)
    detector.set_params(classifier=AdditiveClassifier(), classifier__strength=4.0)
    assert detector.classifier.strength == 4.0
    with pytest.raises(InputError, match="no parameter 'clasifier'; did you mean 'classifier'"):
        detector.set_params(clasifier="none")
    with pytest.raises(InputError, match="'seed' has no parameters of its own"):
        detector.set_params(seed__x=1)


def test_the_representation_shows_what_is_not_the_default(signals):
    assert repr(Detector()) == "Detector()"
    shown = repr(Detector(classifier=RandomForestClassifier(7), jobs=2))
    assert shown == "Detector(classifier=RandomForestClassifier(n_estimators=7), jobs=2)"
    assert len(repr(Detector(signals=signals * 50))) < 700


def test_before_fit_everything_learned_raises_both_kinds_of_error():
    detector = Detector()
    for error in (NotFittedError, SklearnNotFittedError, AttributeError, ValueError):
        with pytest.raises(error, match="call fit"):
            _ = detector.classes_
    assert not hasattr(detector, "threshold_")
    again = pickle.loads(pickle.dumps(not_fitted("not yet")))
    assert isinstance(again, SklearnNotFittedError)
    assert str(again) == "not yet"


def test_it_is_tagged_as_a_classifier(fitted):
    assert is_classifier(fitted)
    assert fitted.classes_.tolist() == ["incorrect", "correct"]


def test_a_notebook_shows_what_was_learned(fitted):
    shown = fitted._repr_html_()
    assert "300 of 300 cases, 6 databases, 0 labels" in shown
    assert "not fitted" in Detector(label_model="<b>")._repr_html_()
    assert "<b>" not in Detector(label_model="<b>")._repr_html_()


def test_settings_are_parameters_of_the_detector_with_the_same_names():
    settings = Settings.of(Detector(start="none", costs=Costs(3, 1)).get_params(deep=False))
    assert settings.threshold == 0.25
    assert set(settings.params()) <= set(Detector().get_params(deep=False))
    assert Detector(**settings.params()).start == "none"


def test_importing_and_scoring_need_no_scikit_learn():
    code = """
import sys
from clausewise.datasets import sample_dir
from clausewise.models import packaged_detector
detector = packaged_detector()
repr(detector), detector.get_params(), detector._repr_html_()
case = dict(question_id=1, db_id="bookshop", question="How many?", predicted_sql="SELECT 1")
assert detector.predict_proba([case], sample_dir() / "databases").shape == (1, 2)
loaded = {"sklearn", "pandas", "scipy"} & set(sys.modules)
assert not loaded, loaded
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_constructor_parameter_is_stored_as_it_is(signals):
    given: dict[str, Any] = {name: object() for name in Detector().get_params(deep=False)}
    stored = Detector(**given).get_params(deep=False)
    assert all(stored[name] is value for name, value in given.items())
    assert list(vars(Detector())) == list(given)


def test_probabilities_are_those_of_the_scores(fitted, make_inspections):
    scored = fitted.score_inspections(make_inspections(n=20)[0])
    correct = np.array([case.p_correct for case in scored])
    assert ((correct >= 0) & (correct <= 1)).all()
