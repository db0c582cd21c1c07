import json

import numpy as np
import pytest

from clausewise.errors import InputError, NotFittedError, RegistryError
from clausewise.labeling import LabelMatrixWarning
from clausewise.models import Detector
from clausewise.models.learned import Learned
from clausewise.types import (
    CaseStatus,
    Inspection,
    OutcomeStatus,
    OutsideVote,
    UncheckedCase,
    Verdict,
    Vote,
)

COMBINATIONS = [
    pytest.param("majority", "none", id="majority-none"),
    pytest.param("weighted", "logistic", id="weighted-logistic"),
    pytest.param("snorkel", "logistic", id="snorkel-logistic", marks=pytest.mark.learn),
]


def auc(incorrect, scores):
    ranks = np.argsort(np.argsort(scores, kind="stable"), kind="stable") + 1.0
    n = incorrect.sum()
    return (ranks[incorrect].sum() - n * (n + 1) / 2) / (n * (len(incorrect) - n))


def incorrect_of(scored):
    return np.array([1.0 - case.p_correct for case in scored])


def labels_of(inspections, incorrect, count=None):
    pairs = zip(inspections[:count], incorrect[:count], strict=True)
    return {inspection.case.question_id: not wrong for inspection, wrong in pairs}


@pytest.fixture
def new(signals):
    def make(label_model="weighted", classifier="logistic", **settings):
        settings = {"start": "none", **settings}
        return Detector(signals=signals, label_model=label_model, classifier=classifier, **settings)

    return make


@pytest.fixture
def fitted(new, make_inspections):
    return new().fit_inspections(make_inspections()[0])


@pytest.mark.parametrize(("label_model", "classifier"), COMBINATIONS)
def test_errors_are_found_without_labels(new, make_inspections, label_model, classifier):
    detector = new(label_model, classifier).fit_inspections(make_inspections(n=600)[0])
    held_out, incorrect = make_inspections(n=600, seed=9)
    probabilities = incorrect_of(detector.score_inspections(held_out))
    assert auc(incorrect, probabilities) > 0.78
    assert detector.training_["label_use"] == "none"
    assert detector.label_model_.accuracies_.shape == (12,)


def test_the_mean_probability_is_the_class_balance(new, make_inspections):
    inspections, _ = make_inspections()
    detector = new(class_balance=0.22).fit_inspections(inspections)
    scored = detector.score_inspections(inspections)
    assert incorrect_of(scored).mean() == pytest.approx(0.22, abs=1e-6)
    assert detector.training_["balance"] == "given"


def test_two_fits_score_alike_to_the_last_bit(new, make_inspections):
    inspections, _ = make_inspections()
    lines = [
        [
            json.dumps(case.to_dict())
            for case in new().fit_inspections(inspections).score_inspections(inspections)
        ]
        for _ in range(2)
    ]
    assert lines[0] == lines[1]


def test_a_score_does_not_depend_on_the_cases_beside_it(fitted, make_inspections):
    inspections, _ = make_inspections(n=50, seed=4)
    together = [case.to_dict() for case in fitted.score_inspections(inspections)]
    alone = [fitted.score_inspections([item])[0].to_dict() for item in inspections]
    assert alone == together


@pytest.mark.parametrize(("label_model", "classifier"), COMBINATIONS)
@pytest.mark.parametrize("by", ["signal", "family"])
def test_contributions_add_up(new, make_inspections, label_model, classifier, by):
    inspections, _ = make_inspections()
    detector = new(label_model, classifier, by=by).fit_inspections(inspections)
    learned = detector.learned_
    for inspection, scored in zip(
        inspections[:60], detector.score_inspections(inspections[:60]), strict=True
    ):
        fired = [n for n, o in inspection.outcomes.items() if o.status is OutcomeStatus.FIRED]
        votes = learned.space.label_matrix([inspection], _no_votes())
        table = learned.space.table([inspection], votes, _no_votes())
        before = learned.log_odds(table)[0]
        learned.space.silence(table, 0, inspection, fired)
        total = sum(finding.contribution for finding in scored.findings)
        assert total == pytest.approx(before - learned.log_odds(table)[0], abs=1e-4)
        assert len(scored.findings) == len(inspection.findings)


def test_a_batch_asks_the_classifier_once(fitted, make_inspections, monkeypatch):
    asked = []
    predict = Learned.log_odds

    def counting(learned, table):
        asked.append(len(table.values))
        return predict(learned, table)

    monkeypatch.setattr(Learned, "log_odds", counting)
    fitted.score_inspections(make_inspections(n=20, seed=5)[0])
    assert len(asked) == 1


def _no_votes():
    from clausewise.labeling import OutsideVotes

    return OutsideVotes()


def test_findings_mostly_speak_against_the_query(fitted, make_inspections):
    scored = fitted.score_inspections(make_inspections(n=200, seed=3)[0])
    parts = [finding.contribution for case in scored for finding in case.findings]
    assert np.mean(np.array(parts) > 0) > 0.9


def test_what_does_not_run_is_incorrect_and_what_was_not_checked_stays_open(
    fitted, make_inspections
):
    (first, second, third, fourth), _ = make_inspections(n=4)
    items = [
        Inspection(first.case, CaseStatus.UNPARSABLE, "no FROM", {}, {}),
        second,
        Inspection(third.case, CaseStatus.NOT_EXECUTABLE, "no such table", third.outcomes, {}),
        Inspection(fourth.case, CaseStatus.UNCHECKED, "timed out", {}, {}),
        UncheckedCase("no database 'x'", line=7, raw={"question_id": 5, "note": "kept"}),
    ]
    scored = fitted.score_inspections(items)
    assert [case.p_correct for case in scored[::2]] == [0.0, 0.0, None]
    assert [case.verdict for case in scored[2:]] == [
        Verdict.INCORRECT,
        Verdict.UNCHECKED,
        Verdict.UNCHECKED,
    ]
    assert 0 < scored[1].p_correct < 1
    assert scored[3].reason == "timed out"
    last = scored[4].to_dict()
    assert (last["question_id"], last["note"], last["p_correct"]) == (5, "kept", None)
    assert last["reason"] == "no database 'x'"


def test_input_fields_are_carried_through(fitted, make_inspections):
    inspections, _ = make_inspections(n=1)
    line = fitted.score_inspections(inspections)[0].to_dict()
    assert line["difficulty"] == "hard"
    assert line["question"] == "Question 0?"
    assert "evidence" not in line


def test_cases_that_do_not_run_are_counted_but_not_learned_from(new, make_inspections):
    inspections, _ = make_inspections()
    broken = [
        Inspection(item.case, CaseStatus.UNPARSABLE, "broken", {}, {}) for item in inspections[:40]
    ]
    plain = new().fit_inspections(inspections)
    mixed = new().fit_inspections([*broken, *inspections, UncheckedCase("no database")])
    np.testing.assert_array_equal(
        incorrect_of(mixed.score_inspections(inspections)),
        incorrect_of(plain.score_inspections(inspections)),
    )
    assert mixed.training_["statuses"] == {"ok": 300, "unparsable": 40, "unchecked": 1}
    assert mixed.training_["n_trained"] == 300


def test_nothing_to_learn_from(new, make_inspections):
    (inspection,), _ = make_inspections(n=1)
    broken = Inspection(inspection.case, CaseStatus.UNPARSABLE, "broken", {}, {})
    with pytest.raises(InputError, match=r"none of the 1 cases .*unparsable"):
        new().fit_inspections([broken])


def test_all_votes_abstaining_is_refused(new, make_inspections, signals):
    inspections, _ = make_inspections(n=5)
    for inspection in inspections:
        for name, outcome in inspection.outcomes.items():
            inspection.outcomes[name] = type(outcome)(name, OutcomeStatus.FAULT, reason="gone")
    with pytest.raises(InputError, match="no labeling function votes on any of the 5 cases"):
        new().fit_inspections(inspections)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"label_model": "snorkle"}, RegistryError, "did you mean 'snorkel'"),
        ({"classifier": "forest"}, RegistryError, "unknown classifier"),
        ({"calibration": "plat"}, RegistryError, "did you mean 'platt'"),
        ({"class_balance": 1.5}, InputError, "share of incorrect"),
        ({"threshold": 0.0}, InputError, "threshold is a probability"),
        ({"time_limit": -1}, InputError, "time limit"),
        ({"calibration": "platt"}, InputError, "'platt' needs labels"),
    ],
)
def test_wrong_settings_are_refused(new, make_inspections, settings, error, message):
    with pytest.raises(error, match=message):
        new(**settings).fit_inspections(make_inspections(n=80)[0])


def test_the_constructor_only_stores(signals):
    detector = Detector(signals=signals, label_model="no such model", threshold=7)
    assert (detector.label_model, detector.threshold) == ("no such model", 7)
    for use in (
        lambda: detector.score_inspections([]),
        lambda: detector.threshold_,
        lambda: detector.save("somewhere"),
    ):
        with pytest.raises(NotFittedError, match="call fit"):
            use()


def test_outside_votes_are_learned_from_and_shown(new, make_inspections):
    inspections, incorrect = make_inspections()
    ids = [inspection.case.question_id for inspection in inspections]
    votes = [
        OutsideVote(qid, "judge", Vote.INCORRECT if wrong else Vote.CORRECT, message="I doubt it")
        for qid, wrong in zip(ids, incorrect, strict=True)
    ]
    detector = new().fit_inspections(inspections, votes=votes)
    alone = incorrect_of(new().fit_inspections(inspections).score_inspections(inspections))
    scored = detector.score_inspections(inspections, votes)
    assert auc(incorrect, incorrect_of(scored)) > auc(incorrect, alone) + 0.05
    doubted = scored[int(np.argmax(incorrect))]
    finding = doubted.findings[-1]
    assert (finding.signal, finding.message) == ("judge", "I doubt it")
    assert finding.contribution > 0
    assert doubted.signals["judge"] is OutcomeStatus.FIRED
    # scoring without the source's votes: it abstains
    without = detector.score_inspections(inspections[:1])[0]
    assert without.signals["judge"] is OutcomeStatus.NOT_APPLICABLE
    with pytest.raises(InputError, match="without votes of 'other'"):
        detector.score_inspections(inspections, [OutsideVote("q1", "other", Vote.CORRECT)])


def test_votes_on_unknown_questions_are_told_when_fitting(new, make_inspections):
    votes = [OutsideVote(f"q{number}", "judge", Vote.CORRECT) for number in range(400)]
    with pytest.warns(LabelMatrixWarning, match="100 votes of 'judge'"):
        new().fit_inspections(make_inspections()[0], votes=votes)


def test_a_few_labels_calibrate_and_set_the_threshold_only(new, make_inspections):
    inspections, incorrect = make_inspections(n=400)
    plain = new(class_balance=0.35).fit_inspections(inspections)
    few = new(class_balance=0.35).fit_inspections(
        inspections, labels_of(inspections, incorrect, 80)
    )
    assert (few.training_["label_use"], few.training_["n_labels"]) == ("calibration", 80)
    np.testing.assert_array_equal(few.classifier_.inner.weights_, plain.classifier_.inner.weights_)
    held_out, truth = make_inspections(n=800, seed=8)
    brier = [
        np.mean((incorrect_of(detector.score_inspections(held_out)) - truth) ** 2)
        for detector in (plain, few)
    ]
    assert brier[1] < brier[0] + 0.005
    assert few.threshold_ != plain.threshold_


def test_labels_for_all_train_the_classifier(new, make_inspections):
    inspections, incorrect = make_inspections(n=500)
    labels = labels_of(inspections, incorrect)
    detector = new().fit_inspections(inspections, labels)
    assert detector.training_["label_use"] == "training"
    assert detector.training_["balance"] == "labels"
    held_out, truth = make_inspections(n=800, seed=8)
    probabilities = incorrect_of(detector.score_inspections(held_out))
    assert auc(truth, probabilities) > 0.85
    assert probabilities.mean() == pytest.approx(truth.mean(), abs=0.06)
    assert np.mean((probabilities - truth) ** 2) < 0.16


def test_one_database_is_split_by_question(new, make_inspections):
    inspections, incorrect = make_inspections(n=120, n_databases=1)
    detector = new().fit_inspections(inspections, labels_of(inspections, incorrect))
    assert detector.training_["label_use"] == "training"
    assert detector.training_["n_databases"] == 1


def test_labels_that_help_nothing_are_refused(new, make_inspections):
    inspections, _ = make_inspections(n=100)
    with pytest.raises(InputError, match="none of the 1 labels"):
        new().fit_inspections(inspections, {"elsewhere": True})
    one_class = {inspection.case.question_id: True for inspection in inspections}
    with pytest.raises(InputError, match="every label says correct"):
        new().fit_inspections(inspections, one_class)


def test_a_given_threshold_decides_the_verdicts(new, make_inspections):
    inspections, _ = make_inspections()
    detector = new(threshold=0.3).fit_inspections(inspections)
    for case in detector.score_inspections(inspections):
        assert (case.verdict is Verdict.INCORRECT) == (1.0 - case.p_correct >= 0.3)


def test_more_outcomes_than_the_detector_knows_do_no_harm(new, signals, make_inspections):
    inspections, _ = make_inspections()
    detector = Detector(signals=signals[:6], label_model="weighted", classifier="logistic")
    scored = detector.fit_inspections(inspections).score_inspections(inspections)
    assert "score.question_3" not in detector.columns_
    assert "question_3" in scored[0].signals


def test_no_inspections_no_scores(fitted):
    assert fitted.score_inspections([]) == []
