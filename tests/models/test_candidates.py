"""Agreement of candidates: a feature where they are given, a teacher where they are not."""

import dataclasses
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from clausewise.models import Detector
from clausewise.types import (
    Clause,
    ClauseSpan,
    Finding,
    Group,
    Outcome,
    OutcomeStatus,
)

AGREE = "candidate_disagreement"


@dataclasses.dataclass(frozen=True)
class Consistency:
    """The specification of a consistency signal."""

    name: str = AGREE
    group: Group = Group.CONSISTENCY
    family: str = "agreement"
    version: int = 1


def _with_agreement(inspections, incorrect, *, given: bool):
    rng = np.random.default_rng(5)
    changed = []
    for item, wrong in zip(inspections, incorrect, strict=True):
        score = float(np.clip(rng.normal(0.75 if wrong else 0.12, 0.15), 0.02, 0.98))
        sql = item.case.predicted_sql
        place = ClauseSpan(Clause.QUERY, sql, 0, len(sql))
        finding = Finding(place, round(score, 3), "others differ", signal=AGREE)
        outcome = Outcome(AGREE, OutcomeStatus.FIRED, (finding,))
        if not given:
            outcome = Outcome(AGREE, OutcomeStatus.NOT_APPLICABLE, reason="no candidates")
        changed.append(
            dataclasses.replace(
                item,
                outcomes={**item.outcomes, AGREE: outcome},
                agreement={"disagreement": score, "voices": 8.0} if given else {},
            )
        )
    return changed


def _auc(detector, inspections, incorrect) -> float:
    scored = detector.score_inspections(inspections)
    return float(roc_auc_score(incorrect, [1 - case.p_correct for case in scored]))


@pytest.fixture
def taught(signals, make_inspections):
    inspections, incorrect = make_inspections(600)
    given: Any = Consistency()
    detector = Detector(
        signals=(*signals, given), label_model="weighted", classifier="logistic",
        start="none",
    )  # fmt: skip
    return detector.fit_inspections(_with_agreement(inspections, incorrect, given=True))


def test_agreement_ranks_where_candidates_are_given(taught, make_inspections) -> None:
    inspections, incorrect = make_inspections(400, seed=1)
    with_them = _auc(taught, _with_agreement(inspections, incorrect, given=True), incorrect)
    assert with_them > 0.95


def test_a_detector_taught_by_candidates_scores_without_them(
    taught, signals, make_inspections
) -> None:
    inspections, incorrect = make_inspections(400, seed=1)
    alone = _auc(taught, _with_agreement(inspections, incorrect, given=False), incorrect)
    untaught = Detector(
        signals=signals, label_model="weighted", classifier="logistic", start="none"
    )
    untaught.fit_inspections(make_inspections(600)[0])
    assert alone >= _auc(untaught, inspections, incorrect) - 0.01
    assert alone > 0.7


def test_cases_without_candidates_look_as_if_none_were_ever_given(taught, make_inspections) -> None:
    inspections, incorrect = make_inspections(50, seed=2)
    given = _with_agreement(inspections, incorrect, given=True)
    absent = _with_agreement(inspections, incorrect, given=False)
    space = taught.learned_.space
    votes = space.label_matrix(given, _no_votes())
    seen = space.table(given, votes, _no_votes())
    hidden = space.alone(seen)
    plain = space.table(absent, space.label_matrix(absent, _no_votes()), _no_votes())
    assert np.allclose(hidden.values, plain.values)
    assert (hidden.votes == plain.votes).all()
    assert (hidden.settings == plain.settings).all()
    assert space.alone(plain) is plain


def _no_votes():
    from clausewise.labeling import OutsideVotes

    return OutsideVotes(())
