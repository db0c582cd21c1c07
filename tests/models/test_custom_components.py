"""Instances of a user's own classes, and of scikit-learn's, wherever a name is taken."""

import json
import warnings

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from clausewise.errors import DetectorError, InputError, UntrustedDetectorError
from clausewise.models import Detector
from clausewise.models.classifiers.additive import AdditiveClassifier
from clausewise.models.classifiers.autogluon import AutoGluonClassifier
from clausewise.models.label_models.votes import MajorityVote
from clausewise.models.registries import require_extras
from clausewise.models.storage import signature


class ShareOfVotes:
    """A label model with nothing but the two methods."""

    def fit(self, votes):
        self.n_functions_ = votes.shape[1]
        return self

    def predict_proba(self, votes):
        incorrect = ((votes == 1).sum(axis=1) + 0.3) / ((votes != -1).sum(axis=1) + 1.0)
        return np.column_stack([incorrect, 1.0 - incorrect])


class WithBalance(ShareOfVotes):
    def fit(self, votes, class_balance=None, seed=None):
        self.given_ = (class_balance, seed)
        return super().fit(votes)


class HalfWay:
    """A calibration that needs no labels: pulls every probability toward the class balance."""

    needs_labels = False

    def fit(self, incorrect, labels, class_balance):
        self.balance_ = class_balance
        return self

    def predict(self, incorrect):
        return (incorrect + self.balance_) / 2


@pytest.fixture(autouse=True)
def own_key(tmp_path, monkeypatch):
    path = tmp_path / "user" / "signing.key"
    monkeypatch.setattr(signature, "key_path", lambda: path)
    return path


@pytest.fixture
def new(signals):
    def make(**settings):
        defaults = {"label_model": "majority", "classifier": "additive", "start": "none"}
        return Detector(signals=signals, **{**defaults, **settings})

    return make


def labels_of(inspections, incorrect):
    pairs = zip(inspections, incorrect, strict=True)
    return {inspection.case.question_id: not wrong for inspection, wrong in pairs}


def incorrect_of(scored):
    return np.array([1.0 - case.p_correct for case in scored])


def gap(detector, make_inspections):
    held_out, truth = make_inspections(n=400, seed=9)
    found = incorrect_of(detector.score_inspections(held_out))
    return found[truth].mean() - found[~truth].mean()


CLASSIFIERS = [
    RandomForestClassifier(60, min_samples_leaf=5),
    make_pipeline(StandardScaler(), LogisticRegression(C=0.1)),
    KNeighborsClassifier(25),
]


@pytest.mark.parametrize("start", ["none", "packaged"])
@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=["forest", "pipeline", "neighbors"])
def test_any_classifier_of_scikit_learn_learns_without_labels(
    new, make_inspections, tmp_path, classifier, start
):
    inspections, _ = make_inspections(n=400)
    detector = new(classifier=classifier, start=start).fit_inspections(inspections)
    assert gap(detector, make_inspections) > 0.05
    assert not hasattr(classifier, "classes_"), "the instance given is left as it was"
    again = new(classifier=classifier, start=start).fit_inspections(inspections)
    once, twice = (d.score_inspections(inspections[:50]) for d in (detector, again))
    assert [c.to_dict() for c in once] == [c.to_dict() for c in twice]
    detector.save(tmp_path / "saved")
    loaded = Detector.load(tmp_path / "saved")
    assert [c.to_dict() for c in loaded.score_inspections(inspections[:50])] == [
        c.to_dict() for c in once
    ]
    assert repr(loaded.classifier) == repr(classifier)


def test_the_fitted_copy_is_there_to_look_at(new, make_inspections):
    inspections, _ = make_inspections(n=200)
    detector = new(classifier=RandomForestClassifier(5)).fit_inspections(inspections)
    assert len(detector.classifier_.estimators_) == 5
    assert detector.classifier_.random_state == 0
    assert len(detector.classifier_.feature_importances_) == len(detector.columns_)


def test_a_classifier_instance_learns_from_labels(new, make_inspections):
    inspections, incorrect = make_inspections(n=300)
    detector = new(classifier=RandomForestClassifier(30, min_samples_leaf=5))
    detector.fit_inspections(inspections, labels_of(inspections, incorrect))
    assert detector.training_["label_use"] == "training"
    assert gap(detector, make_inspections) > 0.1


def test_a_label_model_with_two_methods_is_enough(new, make_inspections, tmp_path):
    inspections, _ = make_inspections(n=300)
    model = ShareOfVotes()
    detector = new(label_model=model, classifier="logistic").fit_inspections(inspections)
    assert gap(detector, make_inspections) > 0.05
    assert not hasattr(model, "n_functions_")
    assert detector.label_model_.n_functions_ == 12
    assert detector.accuracies_.shape == (12,)
    assert ((detector.accuracies_ >= 0) & (detector.accuracies_ <= 1)).all()
    detector.save(tmp_path / "saved")
    loaded = Detector.load(tmp_path / "saved")
    assert isinstance(loaded.label_model, ShareOfVotes)
    assert loaded.label_model_.n_functions_ == 12
    first, second = (d.score_inspections(inspections[:30]) for d in (detector, loaded))
    assert [c.to_dict() for c in first] == [c.to_dict() for c in second]


def test_a_label_model_gets_what_it_has_parameters_for(new, make_inspections):
    detector = new(label_model=WithBalance(), class_balance=0.2, seed=5, classifier="none")
    detector.fit_inspections(make_inspections(n=100)[0])
    assert detector.label_model_.given_ == (0.2, 5)
    assert detector.training_["label_use"] == "none"


def test_a_calibration_of_ones_own_and_of_scikit_learn(new, make_inspections, tmp_path):
    inspections, incorrect = make_inspections(n=300)
    labels = labels_of(inspections, incorrect)
    plain = new(calibration="none", class_balance=0.3).fit_inspections(inspections)
    half = new(calibration=HalfWay(), class_balance=0.3).fit_inspections(inspections)
    raw, pulled = (incorrect_of(d.score_inspections(inspections)) for d in (plain, half))
    np.testing.assert_allclose(pulled, (raw + 0.3) / 2)
    rising = IsotonicRegression(out_of_bounds="clip")
    detector = new(calibration=rising).fit_inspections(inspections, labels)
    assert len(np.unique(incorrect_of(detector.score_inspections(inspections)))) < 40
    for made in (half, detector):
        made.save(tmp_path / "saved")
        loaded = Detector.load(tmp_path / "saved")
        np.testing.assert_array_equal(
            incorrect_of(loaded.score_inspections(inspections)),
            incorrect_of(made.score_inspections(inspections)),
        )
    with pytest.raises(InputError, match=r"IsotonicRegression needs labels.*needs_labels"):
        new(calibration=rising).fit_inspections(inspections)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"classifier": RandomForestClassifier}, r"an instance: write RandomForestClassifier\(\)"),
        ({"classifier": 3}, r"a name \(autogluon, .*\) or have fit and predict_proba; .*int has"),
        ({"label_model": object()}, "label model must be a name"),
        ({"calibration": object()}, "calibration must be a name .* have fit and predict;"),
    ],
)
def test_what_cannot_be_a_component_is_refused(new, make_inspections, settings, message):
    with pytest.raises(InputError, match=message):
        new(**settings).fit_inspections(make_inspections(n=80)[0])


@pytest.mark.parametrize(
    ("parameter", "method", "returned", "message"),
    [
        (
            "label_model", "predict_proba", lambda _, votes: votes,
            r"shape \(80, 2\), not \(80, 12\)",
        ),
        (
            "label_model", "predict_proba", lambda _, votes: np.full((len(votes), 2), np.nan),
            "no probability in",
        ),
        ("calibration", "predict", lambda _, incorrect: incorrect[:1], "must return 80 finite"),
    ],
)  # fmt: skip
def test_what_a_component_returns_is_checked(
    new, make_inspections, parameter, method, returned, message
):
    base = {"label_model": ShareOfVotes, "calibration": HalfWay}[parameter]
    broken = type("Broken", (base,), {method: returned})()
    with pytest.raises(InputError, match=message):
        new(**{parameter: broken}).fit_inspections(make_inspections(n=80)[0])


def test_an_instance_of_a_known_class_is_saved_without_a_pickle(new, make_inspections, tmp_path):
    inspections, _ = make_inspections(n=100)
    detector = new(label_model=MajorityVote(), classifier=AdditiveClassifier(strength=50.0))
    detector.fit_inspections(inspections).save(tmp_path / "saved")
    manifest = json.loads((tmp_path / "saved" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["holds_pickles"] is False
    assert manifest["settings"]["classifier"] == {"name": "additive", "params": {"strength": 50.0}}
    loaded = Detector.load(tmp_path / "saved")
    assert loaded.classifier.strength == 50.0
    assert "- Classifier: additive" in (tmp_path / "saved" / "card.md").read_text(encoding="utf-8")


def test_a_pickled_component_asks_for_trust(new, make_inspections, tmp_path, own_key):
    detector = new(label_model=ShareOfVotes()).fit_inspections(make_inspections(n=100)[0])
    detector.save(tmp_path / "saved")
    assert "ShareOfVotes" in (tmp_path / "saved" / "card.md").read_text(encoding="utf-8")
    own_key.write_bytes(bytes(32))
    with pytest.raises(UntrustedDetectorError):
        Detector.load(tmp_path / "saved")
    assert Detector.load(tmp_path / "saved", trust=True).threshold_ == detector.threshold_


def test_a_manifest_cannot_hide_a_pickled_component(new, make_inspections, tmp_path, monkeypatch):
    import hashlib

    from clausewise.models.storage import folder as storage

    detector = new(label_model=ShareOfVotes()).fit_inspections(make_inspections(n=100)[0])
    detector.save(tmp_path / "saved")
    path = tmp_path / "saved" / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    del manifest["signature"], manifest["checksum"]
    manifest["holds_pickles"] = False
    manifest["checksum"] = hashlib.sha256(storage._canonical(manifest)).hexdigest()
    path.write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(DetectorError, match="label model holds pickles and the manifest denies it"):
        Detector.load(tmp_path / "saved")


def test_what_cannot_be_pickled_is_named(new, make_inspections, tmp_path):
    class Local(ShareOfVotes):
        pass

    detector = new(label_model=Local()).fit_inspections(make_inspections(n=100)[0])
    with pytest.raises(DetectorError, match=r"cannot be pickled.*at the top of a module"):
        detector.save(tmp_path / "saved")
    assert not (tmp_path / "saved").exists()


def test_a_class_that_is_gone_is_named(new, make_inspections, tmp_path, monkeypatch):
    detector = new(label_model=ShareOfVotes()).fit_inspections(make_inspections(n=100)[0])
    detector.save(tmp_path / "saved")
    monkeypatch.delitem(globals(), "ShareOfVotes")
    with pytest.raises(DetectorError, match=r"settings\.pickle: this file cannot be loaded"):
        Detector.load(tmp_path / "saved")


def test_an_instance_needs_its_library_too(monkeypatch):
    import importlib.util

    from clausewise.errors import MissingExtraError

    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(MissingExtraError, match="the classifier autogluon"):
        require_extras("majority", AutoGluonClassifier())
    require_extras(MajorityVote(), RandomForestClassifier())


def test_a_classifier_may_warn_and_its_warning_is_seen(new, make_inspections):
    class Warns(RandomForestClassifier):  # type: ignore[misc]  # has no types
        def fit(self, features, classes, sample_weight=None):
            warnings.warn("slow", UserWarning, stacklevel=1)
            return super().fit(features, classes, sample_weight)

    with pytest.warns(UserWarning, match="slow"):
        new(classifier=Warns(5)).fit_inspections(make_inspections(n=100)[0])
