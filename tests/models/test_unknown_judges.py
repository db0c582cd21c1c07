"""Votes of a judge whom the detector has never met are weighed by what they agree with."""

from __future__ import annotations

import json
from contextlib import closing

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from clausewise.databases import Databases
from clausewise.datasets import dump_line, read_cases, read_labels, sample_dir
from clausewise.models import Detector, packaged_detector
from clausewise.models.lines import iter_lines
from clausewise.types import CaseStatus, OutsideVote, ScoredCase, Vote
from clausewise.workers import IN_PROCESS

LABELS = read_labels(sample_dir() / "labels.jsonl")
CASES = [
    case.model_copy(update={"candidates": (), "candidate_systems": ()})
    for case in read_cases(sample_dir() / "cases.jsonl")
]


@pytest.fixture(scope="module")
def databases():
    with closing(Databases(sample_dir() / "databases")) as opened:
        yield opened


@pytest.fixture
def detector() -> Detector:
    return packaged_detector().set_params(isolation=IN_PROCESS)


def judge(accuracy: float, every: int = 1) -> list[OutsideVote]:
    generator = np.random.default_rng(0)
    votes = []
    for place, case in enumerate(CASES):
        is_right = generator.random() < accuracy
        says_wrong = LABELS[case.question_id] != is_right
        if place % every == 0:
            vote = Vote.INCORRECT if says_wrong else Vote.CORRECT
            votes.append(OutsideVote(case.question_id, "judge", vote))
    return votes


def auc(scored: list[ScoredCase]) -> float:
    runs = [case for case in scored if case.status is CaseStatus.OK]
    wrong = [not LABELS[case.question_id] for case in runs]
    return float(roc_auc_score(wrong, [1.0 - case.p_correct for case in runs]))


def test_a_judge_who_is_nearly_always_right_is_believed(detector, databases) -> None:
    alone = auc(detector.score(CASES, databases))
    assert auc(detector.score(CASES, databases, judge(0.97))) > max(alone, 0.96)


def test_a_judge_who_guesses_costs_hardly_anything(detector, databases) -> None:
    alone = auc(detector.score(CASES, databases))
    assert auc(detector.score(CASES, databases, judge(0.5))) > alone - 0.03


@pytest.mark.parametrize("every", [1, 2])
def test_every_way_to_score_gives_the_same(detector, databases, every: int) -> None:
    votes = judge(0.9, every)
    scored = detector.score(CASES, databases, votes)
    assert [case.question_id for case in scored] == [case.question_id for case in CASES]
    later = list(detector.iter_scores(CASES, databases, votes, start=70))
    assert [case.to_dict() for case in later] == [case.to_dict() for case in scored[70:]]
    lines = [json.loads(line.text) for line in iter_lines(detector, CASES, databases, votes)]
    assert lines == [json.loads(dump_line(case.to_dict())) for case in scored]
