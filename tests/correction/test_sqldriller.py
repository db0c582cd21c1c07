"""The strategy `sqldriller` with scripted models, and without one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from clausewise.correction import CorrectionStatus, correct
from clausewise.databases import Databases
from clausewise.llm import Budget
from clausewise.reporting import load_schema
from clausewise.testing.endpoint import Reply
from clausewise.testing.replies import scripted_model
from tests.correction.models import (
    ALL,
    BROKEN,
    DAYS,
    PEOPLE,
    Model,
    good,
    harmful,
    useless,
    wrong_majority,
)

Line = Callable[..., dict[str, Any]]


@pytest.mark.parametrize(
    ("sql", "count", "chosen"),
    [
        (ALL, good, PEOPLE),
        (PEOPLE, good, PEOPLE),
        (ALL, useless, ALL),
        (PEOPLE, harmful, ALL),
        (PEOPLE, wrong_majority, ALL),
    ],
)
def test_the_candidate_that_answers_as_the_model_is_taken(
    databases: Databases, scored: Line, tmp_path: Path, sql: str, count: Any, chosen: str
) -> None:
    asked = Model(count)
    with scripted_model(asked, tmp_path) as llm:
        (found,) = correct([scored(sql)], databases, llm=llm)
    assert found.corrected_sql == chosen
    assert found.changed == (chosen != sql)
    assert found.status is (CorrectionStatus.CHANGED if found.changed else CorrectionStatus.KEPT)
    assert found.cost is not None
    assert found.cost["calls"] == len(asked.asked) > 0
    assert found.reason
    Draft202012Validator(load_schema("corrections")).validate(found.to_dict())
    executed = [step for step in found.steps if step.action == "execute"]
    assert executed
    assert all(step.evidence["tables"] for step in executed)
    if count is useless:
        assert "could not be executed" in found.reason
        assert {step.evidence["answer"] for step in executed} == {None}


def test_the_steps_show_instances_results_and_the_change(
    databases: Databases, scored: Line, tmp_path: Path
) -> None:
    with scripted_model(Model(good), tmp_path) as llm:
        (found,) = correct([scored()], databases, llm=llm)
    record: Any = found.to_dict()
    *instances, selected, judged = record["steps"]
    for step in instances:
        answer = step["evidence"]["answer"]["rows"]
        agreeing = [one for one in step["evidence"]["results"] if one["agrees"]]
        assert all(one["rows"] == answer for one in agreeing)
        assert [one["candidates"] for one in agreeing if 1 in one["candidates"]]
    assert (selected["action"], selected["sql"]) == ("select", PEOPLE)
    assert [change["kind"] for change in selected["changes"]] == ["select"]
    assert selected["evidence"]["candidates"] == [ALL, PEOPLE, DAYS]
    told = selected["evidence"]["counterexample"]
    assert told["result_a"]["rows"] != told["result_b"]["rows"]
    assert judged["evidence"]["p_after"] == record["p_after"]
    assert judged["evidence"]["p_before"] == record["p_before"]


def test_the_auditor_keeps_a_harmful_change_out(
    databases: Databases, scored: Line, tmp_path: Path
) -> None:
    others = [PEOPLE, ALL, PEOPLE + ";", "SELECT COUNT(DISTINCT v.person) FROM visits v"]
    line = scored(PEOPLE, others)
    with scripted_model(Model(harmful), tmp_path) as llm:
        (taken,) = correct([line], databases, llm=llm)
        (kept,) = correct([line], databases, llm=llm, margin=0.2)
    assert taken.corrected_sql == ALL
    assert taken.p_after is not None
    assert taken.p_before is not None
    assert taken.p_after < taken.p_before
    assert (kept.corrected_sql, kept.changed) == (PEOPLE, False)
    assert "the detector does not prefer" in kept.reason
    assert kept.p_after == kept.p_before == taken.p_before


def test_leaders_with_equal_scores_are_compared_on_new_instances(
    databases: Databases, scored: Line, tmp_path: Path
) -> None:
    # Apart from the other leader on instances of one row only, of which the first is not answered.
    rival = "SELECT CASE WHEN COUNT(*) = 1 THEN 5 ELSE COUNT(DISTINCT person) END FROM visits"
    first: list[list[str]] = []

    def unsure_of_the_first(people: list[str], sample: int) -> int:
        if len(people) == 1:
            first.append(people)
            if people == first[0]:
                return useless(people, sample)
        return good(people, sample)

    with scripted_model(Model(unsure_of_the_first), tmp_path) as llm:
        (found,) = correct([scored(ALL, [rival, PEOPLE])], databases, llm=llm)
    assert found.corrected_sql == PEOPLE
    (selected,) = (step for step in found.steps if step.action == "select")
    assert selected.evidence["rounds"] >= 1
    scores = selected.evidence["scores"]
    assert scores[2] > scores[1] > scores[0]


def test_without_a_model_most_independent_candidates_decide(
    databases: Databases, scored: Line
) -> None:
    line = scored(ALL, [ALL, "SELECT COUNT(DISTINCT v.person) AS people FROM visits v", PEOPLE])
    (found,) = correct([line], databases)
    assert found.corrected_sql == "SELECT COUNT(DISTINCT v.person) AS people FROM visits v"
    assert found.cost is None
    assert {step.action for step in found.steps} == {"compare", "select", "judge"}
    Draft202012Validator(load_schema("corrections")).validate(found.to_dict())
    assert [found] == correct([line], databases)


def test_a_model_that_fails_in_the_middle_loses_nothing(
    databases: Databases, scored: Line, tmp_path: Path
) -> None:
    asked = Model(good)
    doomed: list[object] = []

    def fails(request: Mapping[str, Any]) -> Reply:
        if "Which people?" in request["messages"][1]["content"]:
            doomed.append(request)
            if len(doomed) > 4:
                return Reply(status=500)
        return asked(request)

    lines = [scored(question_id=1, question="Which people?"), scored(question_id=2)]
    with scripted_model(fails, tmp_path) as llm:
        first, second = correct(lines, databases, llm=llm)
        assert "1 of 2 cases lack an answer" in str(llm.failures)
    assert (first.status, first.corrected_sql) == (CorrectionStatus.FAILED, ALL)
    assert first.reason.startswith("LLMUnavailable: ")
    assert first.p_before == first.p_after == 0.5
    executed, failed = first.steps
    assert (failed.action, failed.message) == ("fail", first.reason)
    assert executed.action == "execute"
    assert executed.evidence["answer"] is not None
    assert first.cost is not None
    assert first.cost["calls"] == 4
    assert second.corrected_sql == PEOPLE


def test_the_budget_is_kept_and_the_rest_is_failed(
    databases: Databases, scored: Line, tmp_path: Path
) -> None:
    lines = [scored(question_id=number, question=f"How many, {number}?") for number in range(6)]
    settings = {"concurrency": 2, "budget": Budget(calls=20)}
    with scripted_model(Model(good), tmp_path, **settings) as llm:
        found = correct(lines, databases, llm=llm)
        assert llm.spent.calls <= 20
    assert [case.question_id for case in found] == list(range(6))
    statuses = {case.status for case in found}
    assert CorrectionStatus.FAILED in statuses
    assert all("LLMBudgetExceeded" in c.reason for c in found if c.status == "failed")


def test_threads_change_nothing(databases: Databases, scored: Line, tmp_path: Path) -> None:
    lines = [scored(question_id=number, question=f"How many, {number}?") for number in range(6)]

    def corrected(concurrency: int) -> list[str]:
        place = tmp_path / str(concurrency)
        with scripted_model(Model(good), place, concurrency=concurrency) as llm:
            return [json.dumps(c.to_dict()) for c in correct(lines, databases, llm=llm)]

    assert corrected(1) == corrected(6)


def test_an_original_that_does_not_run_is_replaced(databases: Databases, scored: Line) -> None:
    line = scored(BROKEN, [BROKEN, ALL], p_correct=0.0, status="not_executable", reason="no table")
    (found,) = correct([line], databases)
    assert (found.corrected_sql, found.p_before) == (ALL, 0.0)
    assert found.p_after is not None
    assert found.p_after > 0


def test_a_query_in_a_fence_is_compared_without_it(databases: Databases, scored: Line) -> None:
    fenced = f"```sql\n{ALL}\n```"
    (found,) = correct([scored(fenced, [ALL])], databases)
    assert (found.status, found.corrected_sql) == (CorrectionStatus.KEPT, fenced)
    assert found.reason == "the case has no other candidate"
