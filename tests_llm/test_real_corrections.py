"""Strategies that ask a small real model: worthless answers, but nothing breaks or is lost."""

from __future__ import annotations

import dataclasses

import pytest
from jsonschema import Draft202012Validator

from clausewise.correction import CorrectionStatus, correct
from clausewise.databases import Databases
from clausewise.llm import LLM, LLMSettings
from clausewise.models import packaged_detector
from clausewise.reporting import load_schema
from clausewise.types import Case, Json, Verdict

CASES = 2
ERRORS = ("LLMReplyError: ", "LLMRefused: ", "LLMUnavailable: ")
TRIED: list[tuple[str, dict[str, Json]]] = [
    ("dart", {}),
    ("gbv", {}),
    ("redsql", {}),
    ("sqlens", {"repairs": 1}),
]
"""Every strategy that can do nothing without a model, with its options."""


@pytest.mark.parametrize(("strategy", "options"), TRIED)
def test_corrections_run_through(
    settings: LLMSettings,
    sample: list[Case],
    databases: Databases,
    strategy: str,
    options: dict[str, Json],
) -> None:
    scored = packaged_detector().score(sample, databases)
    wrong = [case for case in scored if case.verdict is Verdict.INCORRECT][:CASES]
    asked = dataclasses.replace(settings, max_tokens=300)
    with LLM(asked) as llm:
        found = correct(wrong, databases, strategy=strategy, options=options, rounds=2, llm=llm)
        assert llm.spent.calls > 0
    assert [case.question_id for case in found] == [case.question_id for case in wrong]
    for case in found:
        Draft202012Validator(load_schema("corrections")).validate(case.to_dict())
        if case.status is CorrectionStatus.FAILED:
            assert case.reason.startswith(ERRORS), case.reason
        if case.changed:
            assert (case.p_after or 0.0) > (case.p_before or 0.0)
    print([(case.status.value, case.reason) for case in found])
