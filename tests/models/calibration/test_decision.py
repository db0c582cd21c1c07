import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausewise.errors import InputError
from clausewise.models import Band, Costs, DecisionRule, Detector, band_for_risk
from clausewise.types import CaseStatus, Verdict

amounts = st.floats(0.01, 100)
thresholds = st.floats(0.05, 0.95)
correct = st.lists(st.floats(0, 1).map(lambda value: round(value, 3)), min_size=1, max_size=8)


def verdicts_of(p_correct, threshold):
    rule = DecisionRule(threshold)
    return [rule.verdict(1.0 - value) for value in p_correct]


def chance(p_correct, verdict):
    return p_correct if verdict is Verdict.INCORRECT else 1.0 - p_correct


@given(amounts, amounts, st.floats(0, 1))
def test_the_verdict_is_the_one_that_costs_less(miss, false_alarm, incorrect):
    verdict = DecisionRule(Costs(miss, false_alarm).threshold).verdict(incorrect)
    if_called = (1.0 - incorrect) * false_alarm
    if_not = incorrect * miss
    if abs(if_called - if_not) > 1e-9:
        assert verdict is (Verdict.INCORRECT if if_called < if_not else Verdict.CORRECT)


def test_equal_costs_divide_in_the_middle_and_a_dear_miss_below_it():
    assert Costs().threshold == 0.5
    assert Costs(miss=3.0, false_alarm=1.0).threshold == pytest.approx(0.25)


@pytest.mark.parametrize("cost", [0.0, -1.0, float("nan"), float("inf")])
def test_costs_that_decide_nothing_are_refused(cost):
    with pytest.raises(InputError, match="must be above 0"):
        Costs(miss=cost)


def test_a_band_is_read_from_text_and_holds_both_ends():
    band = Band.parse("0.4:0.6")
    assert [value in band for value in (0.39, 0.4, 0.5, 0.6, 0.61)] == [
        False, True, True, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["0.4", "0.6:0.4", "a:b", "-0.1:0.5", "0.5:1.1", ":", "nan:1"])
def test_what_is_no_band_is_refused(text):
    with pytest.raises(InputError, match="abstention band is LOW:HIGH"):
        Band.parse(text)


@given(correct, thresholds, st.floats(0, 0.5))
def test_the_band_for_a_risk_keeps_it_and_gives_up_as_few_cases_as_any_choice_does(
    p_correct, threshold, max_risk
):
    verdicts = verdicts_of(p_correct, threshold)
    chances = [chance(*pair) for pair in zip(p_correct, verdicts, strict=True)]
    band = band_for_risk(p_correct, verdicts, max_risk)
    answered = [c for p, c in zip(p_correct, chances, strict=True) if band is None or p not in band]
    assert not answered or np.mean(answered) <= max_risk + 1e-9
    most = max(
        size
        for size in range(len(chances) + 1)
        for kept in itertools.combinations(chances, size)
        if not kept or np.mean(kept) <= max_risk - 1e-9
    )
    # cases with equal chances are answered together or not at all
    ties = max(np.unique(np.round(chances, 6), return_counts=True)[1])
    assert len(answered) > most - ties


def test_the_band_for_a_risk_lies_around_the_threshold():
    p_correct = [0.05, 0.2, 0.45, 0.6, 0.8, 0.99]
    band = band_for_risk(p_correct, verdicts_of(p_correct, 0.5), 0.12)
    assert band == Band(0.45, 0.6)
    assert band_for_risk(p_correct, verdicts_of(p_correct, 0.5), 0.5) is None
    assert band_for_risk(p_correct, verdicts_of(p_correct, 0.5), 0.0) == Band(0.05, 0.99)
    assert band_for_risk([], [], 0.0) is None


def test_a_risk_is_a_share():
    with pytest.raises(InputError, match="share between 0 and 1"):
        band_for_risk([0.5], [Verdict.CORRECT], 1.5)


@pytest.fixture(scope="module")
def fitted(signals, make_inspections):
    inspections, _ = make_inspections()
    options = {"signals": signals, "label_model": "weighted", "classifier": "logistic"}
    options["start"] = "none"
    return Detector(**options, costs=Costs(miss=4)).fit_inspections(inspections), inspections


def test_costs_settle_the_threshold_at_fit_and_are_overridden_at_scoring(fitted):
    detector, inspections = fitted
    assert detector.threshold_ == pytest.approx(0.2)
    plain = detector.score_inspections(inspections)
    for case in plain:
        assert (case.verdict is Verdict.INCORRECT) == (case.p_correct <= 1.0 - 0.2)
        assert not case.abstained
    strict = detector.score_inspections(inspections, rule=DecisionRule(0.9))
    assert [case.p_correct for case in strict] == [case.p_correct for case in plain]
    assert sum(case.verdict is Verdict.INCORRECT for case in strict) < sum(
        case.verdict is Verdict.INCORRECT for case in plain
    )


def test_an_abstained_case_keeps_everything_else(fitted):
    detector, inspections = fitted
    plain = [case.to_dict() for case in detector.score_inspections(inspections)]
    rule = DecisionRule(abstain=Band(0.5, 0.9))
    marked = [case.to_dict() for case in detector.score_inspections(inspections, rule=rule)]
    assert any(record["abstained"] for record in marked)
    assert not all(record["abstained"] for record in marked)
    for before, after in zip(plain, marked, strict=True):
        assert after["abstained"] == (0.5 <= before["p_correct"] <= 0.9)
        assert {**after, "abstained": False} == before


def test_a_query_that_does_not_run_is_never_abstained_on(fitted):
    detector, inspections = fitted
    broken = dataclasses.replace(
        inspections[0], status=CaseStatus.NOT_EXECUTABLE, reason="no such table"
    )
    rule = DecisionRule(abstain=Band(0.0, 1.0))
    scored = detector.score_inspections([broken, inspections[1]], rule=rule)
    assert [case.abstained for case in scored] == [False, True]
    assert scored[0].verdict is Verdict.INCORRECT


def test_a_threshold_and_costs_together_are_refused(signals, make_inspections):
    inspections, _ = make_inspections()
    detector = Detector(signals=signals, threshold=0.3, costs=Costs(), classifier="logistic")
    with pytest.raises(InputError, match="not both"):
        detector.fit_inspections(inspections)
    with pytest.raises(InputError, match="probability"):
        DecisionRule(1.0)
