"""What a small real model really says must break nothing; its judgment is worthless."""

from __future__ import annotations

import collections
import dataclasses
import json
from pathlib import Path

import jsonschema
import pytest
from pydantic import BaseModel

from clausewise.api import load_detector
from clausewise.databases import Databases
from clausewise.datasets import dump_line, read_labels, sample_dir
from clausewise.errors import LLMRefused
from clausewise.evaluation import evaluate
from clausewise.llm import LLM, LLMSettings
from clausewise.models import Detector
from clausewise.reporting.schemas import load_schema
from clausewise.signals import iter_inspections, select_signals
from clausewise.types import Case, Inspection, Outcome, OutcomeStatus
from tests_llm.conftest import CASES, SIGNALS, Asked, specs

QUESTION = {"question": "How many books are there?"}
LLM_ERRORS = ("LLMReplyError: ", "LLMRefused: ", "LLMUnavailable: ")
WORST_LOSS = 0.01


class Judgment(BaseModel):
    """A short answer."""

    right: bool
    certainty: float


def test_a_structured_answer(settings: LLMSettings, prompts: Path) -> None:
    with LLM(settings, prompts=prompts) as llm:
        case = llm.for_case("q1")
        answer = case.ask("short", Judgment, QUESTION)
        assert isinstance(answer.right, bool)
        assert case.usage.calls >= 1
        assert case.usage.prompt_tokens > 20
        assert case.usage == llm.spent
    offline = dataclasses.replace(settings, offline=True)
    with LLM(offline, prompts=prompts) as llm:
        assert llm.for_case("q1").ask("short", Judgment, QUESTION) == answer


def test_its_chances_of_words(settings: LLMSettings, prompts: Path) -> None:
    with LLM(settings, prompts=prompts) as llm:
        probability = llm.for_case("q1").probability("short", QUESTION)
        assert llm.run(lambda asker: asker.gives_chances()), "llama.cpp gives log-probabilities"
    assert 0.0 <= probability.value <= 1.0


def test_a_prompt_that_is_too_long_is_refused(settings: LLMSettings, prompts: Path) -> None:
    with LLM(settings, prompts=prompts) as llm, pytest.raises(LLMRefused, match="context size"):
        llm.for_case("q1").ask("short", Judgment, {"question": "many words " * 20_000})


def test_every_signal_ends_in_one_of_the_four_ways(asked: Asked) -> None:
    names = [spec.name for spec in select_signals(SIGNALS, models=True)]
    assert len(asked.inspections) == CASES
    seen = collections.defaultdict[str, collections.Counter[str]](collections.Counter)
    for item in asked.inspections:
        for name in names:
            outcome = item.outcomes[name]
            seen[name][outcome.status] += 1
            if outcome.status is OutcomeStatus.FAULT:
                assert str(outcome.reason).startswith(LLM_ERRORS), outcome.reason
            for finding in outcome.findings:
                clause = finding.clause
                assert item.case.predicted_sql[clause.start : clause.end] == clause.text
                assert 0.0 < finding.score <= 1.0
    print({name: dict(counts) for name, counts in seen.items()})
    answered = sum(counts["fired"] + counts["silent"] for counts in seen.values())
    assert answered > 0, "the model answered nothing that could be used"


def test_the_whole_score_run(
    asked: Asked, everything: list[Inspection], databases: Databases, tmp_path: Path
) -> None:
    """All of it again from the cache alone: the same lines, each as the schema wants it."""
    fitted().fit_inspections(everything).save(tmp_path / "detector")
    offline = dataclasses.replace(asked.settings, offline=True)
    runs = []
    for _ in range(2):
        with LLM(offline) as llm:
            detector = load_detector(tmp_path / "detector")
            detector.llm = llm
            scores = list(detector.iter_scores(asked.cases, databases))
            assert llm.spent.calls == 0
        runs.append([dump_line(score.to_dict()) for score in scores])
    assert runs[0] == runs[1]
    for line, item in zip(runs[0], asked.inspections, strict=True):
        record = json.loads(line)
        jsonschema.validate(record, load_schema("scores"))
        assert record["p_correct"] is not None
        statuses = {name: outcome.status.value for name, outcome in item.outcomes.items()}
        assert record["signals"] == statuses, "asked again, it says the same"


def test_a_worthless_judge_costs_nothing(everything: list[Inspection]) -> None:
    """The detector that learned with its votes ranks as well as the one that never heard them."""
    labels = read_labels(sample_dir() / "labels.jsonl")
    unheard = [_without_model(item) for item in everything]
    aucs = {}
    for name, inspections in {"with": everything, "without": unheard}.items():
        scores = fitted().fit_inspections(inspections).score_inspections(inspections)
        aucs[name] = evaluate(scores, labels).overall.metrics["auc"].value
    print(aucs)
    assert aucs["with"] is not None
    assert aucs["without"] is not None
    assert aucs["with"] >= aucs["without"] - WORST_LOSS


@pytest.fixture
def everything(asked: Asked, sample: list[Case], databases: Databases) -> list[Inspection]:
    """The whole sample: the cases asked about, and the others without the model."""
    others = iter_inspections(sample[CASES:], databases, specs())
    return [*asked.inspections, *(item for item in others if isinstance(item, Inspection))]


def fitted() -> Detector:
    """Return a detector that has to learn from nothing, so that the votes count as they can."""
    return Detector(signals=specs(), start="none", label_model="weighted", classifier="additive")


def _without_model(item: Inspection) -> Inspection:
    outcomes = dict(item.outcomes)
    for spec in select_signals(SIGNALS, models=True):
        outcomes[spec.name] = Outcome(spec.name, OutcomeStatus.NOT_APPLICABLE, reason="not asked")
    return dataclasses.replace(item, outcomes=outcomes)
