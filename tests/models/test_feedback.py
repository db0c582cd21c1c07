import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import clausewise as cw
from clausewise.datasets import read_feedback, sample_dir
from clausewise.errors import InputError
from clausewise.models import Detector, packaged_detector
from clausewise.models.feedback import judged_weight
from clausewise.types import CaseJudgment, FindingJudgment, ScoredCase

DATABASE = sample_dir() / "databases" / "clinic" / "clinic.sqlite"
QUESTION = "Among the male patients, how many are insured with CarePlus?"
SQL = "SELECT COUNT(*) FROM patients WHERE gender = 'Male' AND insurer = 'CarePlus'"
BASE = -1.1


def checked(detector: Detector) -> ScoredCase:
    return cw.check(QUESTION, SQL, DATABASE, detector=detector)


def test_three_dismissals_of_one_reason_are_felt_and_many_silence_it() -> None:
    assert judged_weight(2.0, 1.0, 0, 3, BASE) < 1.2
    assert judged_weight(2.0, 1.0, 0, 60, BASE) < 0.1
    assert judged_weight(2.0, 1.0, 3, 0, BASE) > 2.3


@given(st.floats(0, 4), st.floats(0.2, 2), st.integers(0, 30), st.integers(0, 30))
def test_a_weight_stays_at_or_above_zero_and_moves_the_way_it_is_judged(
    before: float, spread: float, confirmed: int, dismissed: int
) -> None:
    after = judged_weight(before, spread, confirmed, dismissed, BASE)
    assert after >= 0.0
    assert judged_weight(before, spread, confirmed + 1, dismissed, BASE) >= after
    assert judged_weight(before, spread, confirmed, dismissed + 1, BASE) <= after


def test_without_judgments_a_weight_stays() -> None:
    assert judged_weight(1.7, 0.8, 0, 0, BASE) == pytest.approx(1.7)


def test_dismissed_findings_count_less_and_others_as_before(tmp_path: Path) -> None:
    detector = packaged_detector()
    first = checked(detector)
    strongest = max(first.findings, key=lambda one: one.contribution or 0.0)
    judgments = [
        FindingJudgment(n, strongest.signal, strongest.reason, "dismissed") for n in range(3)
    ]
    learned = detector.with_feedback(judgments)
    learned.save(tmp_path / "detector")
    again = checked(Detector.load(tmp_path / "detector"))
    moved = {(one.signal, one.reason): one.contribution or 0.0 for one in again.findings}
    for finding in first.findings:
        key, before = (finding.signal, finding.reason), finding.contribution or 0.0
        if key == (strongest.signal, strongest.reason):
            assert moved[key] < before - 0.3
        else:
            assert moved[key] == pytest.approx(before, abs=1e-4)
    assert (again.p_correct or 0.0) > (first.p_correct or 0.0)
    assert checked(detector).p_correct == first.p_correct


def test_judgments_in_two_files_say_the_same_as_in_one() -> None:
    judgments = [
        FindingJudgment(0, "empty_predicate", "empties_its_clause", "confirmed"),
        *(
            FindingJudgment(n, "empty_predicate", "empties_its_clause", "dismissed")
            for n in (1, 2, 3)
        ),
    ]
    at_once = packaged_detector().with_feedback(judgments)
    one_by_one = packaged_detector()
    for judgment in reversed(judgments):
        one_by_one = one_by_one.with_feedback([judgment])
    assert at_once.reason_weights_ == one_by_one.reason_weights_
    assert at_once.training_["feedback"] == one_by_one.training_["feedback"]


def test_a_query_that_turned_out_correct_dismisses_what_was_found_in_it() -> None:
    scored = checked(packaged_detector())
    learned = packaged_detector().with_feedback([CaseJudgment("check", True)], [scored])
    counts = learned.training_["feedback"]
    assert counts
    assert all(of == {"dismissed": 1} for of in counts.values())


def test_a_judged_query_without_its_scores_is_refused() -> None:
    with pytest.raises(InputError, match="give the scores that it had"):
        packaged_detector().with_feedback([CaseJudgment("q1", True)])


def test_a_reason_that_the_detector_does_not_weigh_is_refused() -> None:
    judgment = FindingJudgment(1, "empty_predicate", "no_such_reason", "dismissed")
    with pytest.raises(InputError, match="weighs no reason 'no_such_reason'"):
        packaged_detector().with_feedback([judgment])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"question_id": 1, "signal": "a", "reason": "b", "finding": "maybe"}, "finding"),
        ({"question_id": 1, "signal": "a", "finding": "dismissed"}, "reason"),
        ({"question_id": 1}, "finding"),
        ({"signal": "a", "reason": "b", "finding": "dismissed"}, "question_id"),
    ],
)
def test_a_line_that_judges_nothing_is_named(
    tmp_path: Path, line: dict[str, object], message: str
) -> None:
    path = tmp_path / "feedback.jsonl"
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"feedback.jsonl:1.*{message}"):
        read_feedback(path)


def test_of_several_judgments_of_one_finding_the_last_counts(tmp_path: Path) -> None:
    path = tmp_path / "feedback.jsonl"
    lines = [
        {"question_id": one, "signal": "a", "reason": "b", "finding": said}
        for one, said in ((1, "dismissed"), ("1", "confirmed"), (2, "dismissed"))
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert read_feedback(path) == [
        FindingJudgment("1", "a", "b", "confirmed"),
        FindingJudgment(2, "a", "b", "dismissed"),
    ]
