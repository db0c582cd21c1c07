"""Questions executed by a small real model: worthless answers, but nothing breaks or is lost."""

from __future__ import annotations

import dataclasses

from jsonschema import Draft202012Validator

from clausewise.correction import CorrectionStatus, correct
from clausewise.databases import Databases
from clausewise.llm import LLM, LLMSettings
from clausewise.models import packaged_detector
from clausewise.reporting import load_schema
from clausewise.types import Case

CASES = 2
ERRORS = ("LLMReplyError: ", "LLMRefused: ", "LLMUnavailable: ")


def test_corrections_run_through(
    settings: LLMSettings, sample: list[Case], databases: Databases
) -> None:
    cases = [case for case in sample if len(set(case.candidates)) > 1][:CASES]
    scored = packaged_detector().score(cases, databases)
    asked = dataclasses.replace(settings, samples=1, max_tokens=400)
    with LLM(asked) as llm:
        found = correct(scored, databases, llm=llm)
        assert llm.spent.calls > 0
    assert [case.question_id for case in found] == [case.question_id for case in cases]
    for case in found:
        Draft202012Validator(load_schema("corrections")).validate(case.to_dict())
        if case.status is CorrectionStatus.FAILED:
            assert case.reason.startswith(ERRORS), case.reason
    print([(case.status.value, case.reason) for case in found])
    with LLM(dataclasses.replace(asked, offline=True)) as llm:
        again = correct(scored, databases, llm=llm)
        assert llm.spent.calls == 0
    assert [case for case in again if case.status is not CorrectionStatus.FAILED] == [
        case for case in found if case.status is not CorrectionStatus.FAILED
    ]
